// Films that a page draws: what is taken, what is refused, and what is left behind.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "molejo/io/file.h"
#include "molejo/studio/film.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

namespace fs = std::filesystem;

std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8),
          static_cast<char>(x)};
}

std::string chunk(const std::string& name, const std::string& data) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : name + data) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return big_endian(static_cast<std::uint32_t>(data.size())) + name + data + big_endian(~crc);
}

// One colour all over, with `extra` bytes that mean nothing. Rows are stored, not compressed.
std::string png(int width, int height, int red, std::size_t extra = 0) {
  std::string row(1, '\0'), raw, packed("\x78\x01", 2);
  for (int x = 0; x < width; ++x) row += {static_cast<char>(red), '\x40', '\x80'};
  for (int y = 0; y < height; ++y) raw += row;
  for (std::size_t at = 0; at < raw.size(); at += 65535) {
    const std::size_t n = std::min<std::size_t>(65535, raw.size() - at);
    packed += at + n == raw.size() ? '\1' : '\0';
    for (const std::size_t x : {n, ~n}) packed += {static_cast<char>(x), static_cast<char>(x >> 8)};
    packed += raw.substr(at, n);
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : raw) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  packed += big_endian(b << 16 | a);
  std::string head = big_endian(static_cast<std::uint32_t>(width)) +
                     big_endian(static_cast<std::uint32_t>(height)) +
                     std::string("\x08\x02\0\0\0", 5);
  std::string bytes = std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", head);
  if (extra) bytes += chunk("tEXt", "Comment" + std::string(1, '\0') + std::string(extra, 'x'));
  return bytes + chunk("IDAT", packed) + chunk("IEND", "");
}

// Processes that this one has started and that are still there.
int children(const std::string& name) {
  int count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "stat");
    std::string pid, program, state;
    int parent = 0;
    if (file >> pid >> program >> state >> parent && parent == ::getpid() &&
        program == "(" + name + ")") {
      ++count;
    }
  }
  return count;
}

std::string said_by(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe);
  char bytes[256];
  while (std::fgets(bytes, sizeof(bytes), pipe)) text += bytes;
  ::pclose(pipe);
  return text;
}

// Programs are looked for in this folder alone, as long as it lives.
class OnlyPath {
 public:
  explicit OnlyPath(const std::string& folder) : before_(std::getenv("PATH")) {
    ::setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyPath() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

std::string folder_with_ffmpeg(const std::string& script) {
  const fs::path folder = fs::path(binary_dir()) / "other_ffmpeg";
  fs::create_directories(folder);
  write_file((folder / "ffmpeg").string(), "#!/bin/sh\n" + script + "\n");
  ::chmod((folder / "ffmpeg").c_str(), 0755);
  return folder.string();
}

struct FilmVisitor : Visitor {
  explicit FilmVisitor(const Studio& s) : Visitor(s), studio(s) {}

  int begin(int pictures) {
    return static_cast<int>(
        number(must(R"({"do": "film", "width": 64, "height": 48, "fps": 10, "pictures": )" +
                    std::to_string(pictures) + "}"),
               "job"));
  }
  JsonValue post(int job, int frame, const std::string& bytes) {
    const std::string target =
        "/film?job=" + std::to_string(job) + "&frame=" + std::to_string(frame);
    return parse_json(body_of(http(studio, "POST", target, bytes)), "answer").root;
  }
  std::string refused(int job, int frame, const std::string& bytes) {
    const JsonValue answer = post(job, frame, bytes);
    return answer.find("error") ? answer.find("error")->text : "no error";
  }
  const Studio& studio;
};

}  // namespace

TEST_CASE("studio: pictures become a film") {
  LoopbackStudio studio("scenes/pendulum.json");
  FilmVisitor visitor(studio);
  const int job = visitor.begin(12);
  for (int k = 0; k < 12; ++k) {
    CHECK(number(visitor.post(job, k, png(64, 48, 20 * k)), "next") == k + 1);
  }
  const JsonValue done = visitor.event("done");
  CHECK(number(done, "job") == job);
  CHECK(done.find("name")->text == "pendulum.mp4");
  const std::string file = binary_dir() + "/film_of_test.mp4";
  write_file(file, body_of(http(studio, "GET", done.find("asset")->text)));
  const std::string told = said_by(
      "ffprobe -v error -count_frames -show_entries "
      "stream=codec_name,width,height,nb_read_frames,duration -of csv=p=0 " +
      file);
  CHECK(told == "h264,64,48,1.200000,12\n");
  // the first picture is dark, the last one bright
  const auto red_of = [&](int frame) {
    const std::string bytes =
        said_by("ffmpeg -v error -i " + file + " -vf select='eq(n\\," + std::to_string(frame) +
                ")' -frames:v 1 -f rawvideo -pix_fmt rgb24 - | od -An -tu1 -N1");
    return std::stoi(bytes);
  };
  CHECK(red_of(0) < 30);
  CHECK(red_of(11) > 180);
  CHECK(children("ffmpeg") == 0);
}

TEST_CASE("studio: what is no picture of the film is refused, and the film goes on") {
  LoopbackStudio studio("scenes/pendulum.json");
  FilmVisitor visitor(studio);
  const auto error = [&](const std::string& more) {
    return visitor.error(R"({"do": "film", )" + more + "}");
  };
  CHECK(error(R"("width": 64, "height": 48, "pictures": 0)") ==
        "'pictures': 0: expected 1 to 18000");
  CHECK(error(R"("width": 63, "height": 48, "pictures": 9)") ==
        "'width': 63: expected an even number");
  CHECK(error(R"("width": 64, "height": 9999, "pictures": 9)") ==
        "'height': 9999: expected 16 to 2160");
  CHECK(error(R"("width": 64, "height": 48, "pictures": 9, "fps": 0)") ==
        "'fps': 0: expected 1 to 240");
  CHECK(error(R"("cancel": 77)") == "'cancel': there is no film 77");
  CHECK(visitor.refused(77, 0, png(64, 48, 0)) == "there is no film 77");

  const int job = visitor.begin(2);
  const std::string good = png(64, 48, 100);
  CHECK(visitor.error(R"({"do": "film", "width": 64, "height": 48, "pictures": 2})") ==
        "film " + std::to_string(job) + " is being made already");
  CHECK(visitor.refused(job, 1, good) == "frame 1: expected frame 0");
  CHECK(visitor.refused(job, 0, "GIF89a") == "frame 0: expected a PNG");
  CHECK(visitor.refused(job, 0, "") == "frame 0: expected a PNG");
  CHECK(visitor.refused(job, 0, good.substr(0, good.size() - 1)) ==
        "frame 0: the PNG ends too early");
  CHECK(visitor.refused(job, 0, good + "x") ==
        "frame 0: expected nothing behind the end of the PNG");
  CHECK(visitor.refused(job, 0, png(32, 48, 0)) == "frame 0: a picture of 32x48: expected 64x48");
  CHECK(http(studio, "POST", "/film?job=" + std::to_string(job) + "&frame=-1", good)
            .find("frame: expected a number") != std::string::npos);
  CHECK(visitor.post(job, 0, good).find("next"));
  CHECK(visitor.refused(job, 0, good) == "frame 0: expected frame 1");
  CHECK(visitor.post(job, 1, good).find("next"));
  CHECK(visitor.event("done").find("asset"));
  CHECK(visitor.refused(job, 2, good) == "film " + std::to_string(job) + " is over");
}

TEST_CASE("studio: a film that is not wanted any more leaves nothing behind") {
  LoopbackStudio studio("scenes/pendulum.json");
  FilmVisitor visitor(studio);
  const int job = visitor.begin(100);
  CHECK(visitor.post(job, 0, png(64, 48, 0)).find("next"));
  visitor.must(R"({"do": "film", "cancel": )" + std::to_string(job) + "}");
  CHECK(visitor.event("failed").find("error")->text == "cancelled");
  CHECK(children("ffmpeg") == 0);
  {
    // whoever goes away takes the film along
    FilmVisitor other(studio);
    const int second = other.begin(100);
    CHECK(other.post(second, 0, png(64, 48, 0)).find("next"));
  }
  CHECK(visitor.event("failed").find("error")->text == "cancelled");
  CHECK(children("ffmpeg") == 0);
  // the end of the studio as well
  CHECK(visitor.post(visitor.begin(100), 0, png(64, 48, 0)).find("next"));
  studio.stop();
  CHECK(children("ffmpeg") == 0);
}

TEST_CASE("studio: an encoder that is missing, fails or hangs is told, and holds nobody up") {
  LoopbackStudio studio("scenes/pendulum.json");
  FilmVisitor visitor(studio);
  {
    const OnlyPath none(binary_dir() + "/no_programs_here");
    CHECK(visitor.error(R"({"do": "film", "width": 64, "height": 48, "pictures": 2})") ==
          "ffmpeg is not installed: apt-get install ffmpeg");
  }
  {
    const OnlyPath failing(folder_with_ffmpeg("echo first >&2; echo no space left >&2; exit 1"));
    const int job = visitor.begin(1);
    visitor.post(job, 0, png(64, 48, 0));
    CHECK(visitor.event("failed").find("error")->text ==
          "ffmpeg could not make the film: no space left");
  }
  {
    const OnlyPath hanging(folder_with_ffmpeg("exec /bin/sleep 1000"));
    const int job = visitor.begin(100);
    // it reads nothing: what waits is bounded, and everybody else is heard meanwhile
    const std::string large = png(64, 48, 0, std::size_t{12} << 20);
    int sent = 0;
    while (sent < 20 && number(visitor.post(job, sent, large), "next") > sent) {
      ++sent;
    }
    CHECK(sent >= 4);
    CHECK(sent < 8);
    CHECK(number(visitor.must(R"({"do": "status"})"), "t") >= 0);
    CHECK(http(studio, "GET", "/").substr(9, 3) == "200");
    CHECK(children("sleep") == 1);
    visitor.must(R"({"do": "film", "cancel": )" + std::to_string(job) + "}");
    CHECK(visitor.event("failed").find("error")->text == "cancelled");
    CHECK(children("sleep") == 0);
  }
}

TEST_CASE("studio: an encoder refuses what only looks like a picture") {
  const std::string file = binary_dir() + "/film_of_nothing.mp4";
  fs::remove(file);
  std::string broken = png(64, 48, 0);
  for (std::size_t i = 60; i < 400; ++i) broken[i] = '\x55';
  REQUIRE(picture_fault(broken, 64, 48).empty());
  FilmWriter writer(file, 10);
  writer.add(broken);
  CHECK_THROWS_WITH_AS(writer.finish(), doctest::Contains("ffmpeg could not make the film"),
                       std::runtime_error);
  CHECK_FALSE(fs::exists(file));
}

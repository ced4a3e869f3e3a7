// An adversary against the program: files and messages that are made to freeze it or to take its
// memory, the same ones for the same seed. Tells what was worst, and fails when a bound is broken:
//
//   others' status is answered within 0.5 s, SIGINT ends it within 2 s, it takes 1 GB at most, and
//   it ends with a code of its own (0, 1 or 2) and in its own words
//
//   adversary PROGRAM SCENES [--cases N] [--seed N] [--only CASE] [--patience FACTOR] [--keep
//   FOLDER]
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "molejo/io/file.h"
#include "molejo/live/client.h"
#include "molejo/model/error.h"
#include "tests/adversary/attack.h"
#include "tests/adversary/victim.h"

namespace molejo::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Options {
  std::string program, scenes;
  std::string keep;  // folder where the file of each case is written
  int cases = 60, only = -1;
  std::uint64_t seed = 1;
  double patience = 1;  // of all bounds of time, for machines that do other things too
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The largest of what was measured, and where.
struct Worst {
  double value = 0;
  std::string where = "nowhere";
  void see(double x, const std::string& place) {
    if (x > value) value = x, where = place;
  }
};

class Adversary {
 public:
  explicit Adversary(Options options) : options_(std::move(options)) {
    std::string name = (fs::temp_directory_path() / "molejo-adversary-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder can be made");
    folder_ = name;
    fs::create_directory(folder_ / "sent");
  }
  ~Adversary() {
    studio_.reset();
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  int run() {
    const auto start = Clock::now();
    for (int i = 0; i < options_.cases; ++i) {
      if (options_.only < 0 || options_.only == i) attack(i);
    }
    fmt::print("{} cases with seed {} in {:.0f} s\n", options_.cases, options_.seed,
               seconds_since(start));
    fmt::print("  status of others  {:.3f} s at worst ({})\n", status_.value, status_.where);
    fmt::print("  end after SIGINT  {:.3f} s at worst ({})\n", stop_.value, stop_.where);
    fmt::print("  memory            {:.0f} MB at worst ({})\n", memory_.value, memory_.where);
    fmt::print("  bounds broken     {}\n", broken_);
    return broken_ == 0 ? 0 : 1;
  }

 private:
  void attack(int i) {
    Random random(seed_of_stream(options_.seed, static_cast<std::uint64_t>(i)));
    const int kind = one_of(10, random);
    const Attack attack = kind < 3   ? heavy_scene(random)
                          : kind < 6 ? heavy_other(random)
                          : kind < 7 ? large_text(random)
                                     : changed_file(options_.scenes, random);
    case_ = fmt::format("case {}: {}, {}", i, attack.file, attack.about);
    if (options_.only >= 0) fmt::print("{}\n", case_);
    if (!options_.keep.empty()) write_file(options_.keep + "/" + attack.file, attack.bytes);
    if (one_of(3, random) == 0) {
      attack_command(attack, random);
    } else {
      attack_studio(attack, hostile_messages(random), one_of(3, random) == 0);
    }
    std::fflush(stdout);
  }

  void expect(bool holds, const std::string& what) {
    if (holds) return;
    ++broken_;
    fmt::print("{}: {}\n", case_, what);
  }

  void judge_memory(const Victim& victim) {
    memory_.see(victim.memory(), case_);
    expect(victim.memory() <= 1000, fmt::format("{:.0f} MB of memory", victim.memory()));
  }

  // It ends of itself or by the signal, in order.
  void judge_end(Victim& victim) {
    const auto start = Clock::now();
    victim.interrupt();
    const bool ended = victim.wait(30);
    const double seconds = seconds_since(start);
    stop_.see(seconds, case_);
    expect(ended && seconds <= 2 * options_.patience,
           fmt::format("ended {:.2f} s after SIGINT", seconds));
    judge_code(victim);
  }

  void judge_code(const Victim& victim) {
    expect(victim.code() >= 0 && victim.code() <= 2,
           fmt::format("code {}: {:.300}", victim.code(), victim.said()));
    expect(victim.said().find("internal error") == std::string::npos,
           fmt::format("{:.300}", victim.said()));
  }

  void attack_command(const Attack& attack, Random& random) {
    const std::string path = (folder_ / "sent" / attack.file).string();
    write_file(path, attack.bytes);
    const auto is = [&](const char* ending) { return attack.file.ends_with(ending); };
    const bool more = one_of(2, random) == 0;
    std::vector<std::string> words;
    if (is(".net.json") || is(".pn") || is(".pnml")) {
      words = {"net", more ? "run" : "draw", path};
      if (!more) words.insert(words.end(), {"-o", (folder_ / "out.svg").string()});
    } else if (is(".walk.json")) {
      words = {"walk", path};
    } else if (is(".show.json")) {
      words = {"direct", path};
    } else if (is(".gait.json")) {
      words = {"gait", path};
    } else if (is(".motion.json")) {
      words = {more ? "sketch" : "train", path, "-o", (folder_ / "out.gait.json").string()};
      if (more) words[3] = (folder_ / "out.glb").string();
    } else if (is(".bvh") || is(".gltf") || is(".glb")) {
      words = {more ? "walk" : "character", path};
    } else {
      words = {"simulate", path, "-o", (folder_ / (more ? "out.glb" : "out.csv")).string()};
    }
    Victim victim(options_.program, words, said_file());
    victim.wait(1.5);
    if (victim.runs()) {
      judge_end(victim);
    } else {
      judge_code(victim);
    }
    judge_memory(victim);
    fs::remove(path);
  }

  void attack_studio(const Attack& attack, const std::vector<std::string>& messages, bool ends) {
    open_studio();
    std::atomic<bool> over = false;
    double slowest = 0;
    std::string lost;
    std::thread other([&] { slowest = watch(over, lost); });
    const auto start = Clock::now();
    try {
      offend(attack, messages);
    } catch (const std::exception&) {
      // whoever offends may be thrown out
    }
    while (seconds_since(start) < 1.5) std::this_thread::sleep_for(10ms);
    over = true;
    other.join();
    status_.see(slowest, case_);
    expect(lost.empty(), "the other client: " + lost);
    expect(slowest <= 0.5 * options_.patience, fmt::format("status after {:.2f} s", slowest));
    if (!studio_->runs()) {
      expect(false, fmt::format("the studio has ended, code {}: {:.300}", studio_->code(),
                                studio_->said()));
      studio_.reset();
      return;
    }
    judge_memory(*studio_);
    if (ends) {
      judge_end(*studio_);
      studio_.reset();
    } else {
      calm_down();
    }
  }

  void open_studio() {
    if (studio_ && studio_->runs()) return;
    const std::string trainings = (folder_ / "trainings").string();
    studio_ = std::make_unique<Victim>(
        options_.program,
        std::vector<std::string>{"studio", options_.scenes + "/pendulum.json", "--port", "0",
                                 "--scenes", options_.scenes, "--trainings", trainings},
        said_file());
    for (int i = 0; i < 1000; ++i) {
      const std::string said = studio_->said();
      const std::size_t at = said.find("http://127.0.0.1:");
      if (at != std::string::npos && said.find('\n', at) != std::string::npos) {
        port_ = std::atoi(said.c_str() + at + 17);
        token_ = said.substr(said.find("?token=", at) + 7);
        token_.resize(token_.find_first_of(" \r\n"));
        return;
      }
      if (!studio_->runs()) break;
      std::this_thread::sleep_for(10ms);
    }
    throw std::runtime_error("the studio did not start: " + studio_->said());
  }

  // Each has its own, or the words of the last one would be taken for those of the next.
  std::string said_file() { return (folder_ / fmt::format("said{}", ++victims_)).string(); }

  std::string url() const { return fmt::format("ws://127.0.0.1:{}/live?token={}", port_, token_); }

  // Seconds of the slowest answer to a status.
  double watch(const std::atomic<bool>& over, std::string& lost) const {
    double slowest = 0;
    auto asked = Clock::now();
    try {
      Client client(url());
      while (!over) {
        asked = Clock::now();
        client.send(R"({"do":"status","id":"other"})");
        while (true) {
          const auto message = client.receive(20s);
          if (!message) throw NetworkError("no answer in 20 s");
          if (message->payload.find("\"id\":\"other\"") != std::string::npos) break;
        }
        slowest = std::max(slowest, seconds_since(asked));
        std::this_thread::sleep_for(20ms);
      }
    } catch (const std::exception& e) {
      lost = e.what();
    }
    return std::max(slowest, lost.empty() ? 0.0 : seconds_since(asked));
  }

  void offend(const Attack& attack, const std::vector<std::string>& messages) const {
    const std::string answer = send_file(port_, token_, attack.file, attack.bytes);
    Client client(url());
    const std::size_t at = answer.find("\"file\":\"");
    if (at != std::string::npos) {
      const std::string file = answer.substr(at + 8, answer.find('"', at + 8) - at - 8);
      client.send(fmt::format(R"({{"do":"open","file":"{}"}})", file));
      client.receive(500ms);
    }
    for (const std::string& message : messages) client.send(message);
    const auto start = Clock::now();
    while (seconds_since(start) < 0.5) client.receive(20ms);
  }

  // Something harmless is opened again, which must work.
  void calm_down() {
    try {
      Client client(url());
      client.send(R"({"do":"open","file":"scenes/pendulum.json","id":"calm"})");
      const auto start = Clock::now();
      while (seconds_since(start) < 20) {
        const auto message = client.receive(1s);
        if (!message || message->payload.find("\"id\":\"calm\"") == std::string::npos) continue;
        expect(message->payload.find("\"ok\":true") != std::string::npos, message->payload);
        return;
      }
      expect(false, "nothing can be opened afterwards");
    } catch (const std::exception& e) {
      expect(false, fmt::format("nobody is let in afterwards: {}", e.what()));
    }
    studio_.reset();
  }

  const Options options_;
  fs::path folder_;
  std::unique_ptr<Victim> studio_;
  int port_ = 0, victims_ = 0;
  std::string token_;
  std::string case_;
  Worst status_, stop_, memory_;
  int broken_ = 0;
};

Options read(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) throw std::runtime_error("adversary PROGRAM SCENES [--cases N] ...");
  Options o;
  o.program = words[0], o.scenes = words[1];
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    if (words[i] == "--keep") {
      o.keep = words[i + 1];
      continue;
    }
    const double value = std::stod(words[i + 1]);
    if (words[i] == "--cases") o.cases = static_cast<int>(value);
    if (words[i] == "--seed") o.seed = static_cast<std::uint64_t>(value);
    if (words[i] == "--only") o.only = static_cast<int>(value), o.cases = o.only + 1;
    if (words[i] == "--patience") o.patience = value;
  }
  return o;
}

}  // namespace
}  // namespace molejo::test

int main(int argc, char** argv) {
  try {
    return molejo::test::Adversary(molejo::test::read(argc, argv)).run();
  } catch (const std::exception& e) {
    fmt::print(stderr, "adversary: {}\n", e.what());
    return 3;
  }
}

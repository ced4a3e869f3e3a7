// Large texts of no sense, shipped files with something changed, and messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "molejo/io/file.h"
#include "tests/adversary/attack.h"

namespace molejo::test {

namespace {

namespace fs = std::filesystem;

constexpr std::array endings = {
    ".json", ".net.json", ".show.json", ".walk.json", ".gait.json", ".motion.json", ".pnml",
    ".pn",   ".urdf",     ".xml",       ".bvh",       ".gltf",      ".glb",         ".dat"};

constexpr std::array extremes = {"0",          "-1",    "1e-300",    "1e300", "1e9",      "1e-9",
                                 "1e6",        "99999", "0.5",       "1e-12", "1e30",     "-1e30",
                                 "2147483647", "1e15",  "1000000",   "1e5",   "\"=1/0\"", "null",
                                 "[]",         "{}",    "4294967296"};

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + part.size());
  while (out.size() < bytes) out += part;
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One of the numbers becomes another one.
void change_number(std::string& text, Random& random) {
  if (text.empty()) return;
  const std::size_t from = std::size_t(random.uniform() * double(text.size()));
  std::size_t begin = text.find_first_of("0123456789", from);
  if (begin == std::string::npos) begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == 'e')) ++end;
  text.replace(begin, end - begin, extremes[std::size_t(one_of(extremes.size(), random))]);
}

// Something between two braces comes many times.
void repeat_part(std::string& text, Random& random) {
  const std::size_t open = text.find('{', 1 + std::size_t(random.uniform() * double(text.size())));
  if (open == std::string::npos) return;
  std::size_t end = open;
  int depth = 0;
  do {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
  } while (++end < text.size() && depth > 0);
  const std::string part = text.substr(open, end - open) + ",";
  const std::size_t room = largest_attack - std::min(text.size() + 1, largest_attack);
  const auto bytes = std::size_t(some_size(1000, int(largest_attack), random));
  text.insert(open, repeated(part, std::min(bytes, room / 2)));
}

void change_bytes(std::string& text, Random& random) {
  for (int n = some_size(1, 100, random); n > 0 && !text.empty(); --n) {
    text[std::size_t(random.uniform() * double(text.size()))] = char(random.next() & 0xff);
  }
  if (one_of(4, random) == 0) text.resize(text.size() / 2);
}

std::vector<std::string> shipped(const std::string& scenes) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scenes)) {
    const std::string name = entry.path().filename().string();
    const bool known = std::any_of(endings.begin(), endings.end(),
                                   [&](const char* end) { return name.ends_with(end); });
    if (entry.is_regular_file() && known && name.find(".terrain.") == std::string::npos) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Attack large_text(Random& random) {
  static constexpr std::array<std::array<const char*, 3>, 16> kinds{{
      {"[", "[", ""},
      {"", "{\"a\":", ""},
      {"[0", ",0", "]"},
      {"[{}", ",{}", "]"},
      {"[[]", ",[]", "]"},
      {"[\"\"", ",\"\"", "]"},
      {"[{\"a\":{\"b\":[{}]}}", ",{\"a\":{\"b\":[{}]}}", "]"},
      {"{\"name\":\"", "x", "\"}"},
      {"{\"bodies\":[{\"name\":\"a\"}", ",{\"name\":\"b\",\"mass\":1}", "]}"},
      {"", "9", ""},
      {"//", "/*", ""},
      {"<a>", "<b>", "</a>"},
      {"<robot name=\"r\">", "<link name=\"l\"/>", "</robot>"},
      {"<a b=\"", "c", "\"/>"},
      {"", "P p 0 0\n", ""},
      {"", "a b c d\n", ""},
  }};
  const auto& [first, part, last] = kinds[std::size_t(one_of(kinds.size(), random))];
  const char* ending = endings[std::size_t(one_of(endings.size(), random))];
  const auto size = std::size_t(some_size(1000, int(largest_attack) - 100, random));
  return {fmt::format("{} bytes of '{}'", size, std::string(part).substr(0, 20)),
          std::string("large") + ending, first + repeated(part, size) + last};
}

Attack changed_file(const std::string& scenes, Random& random) {
  const std::vector<std::string> files = shipped(scenes);
  const std::string path = files[std::size_t(one_of(int(files.size()), random))];
  std::string text = read_file(path);
  const int way = one_of(8, random);
  for (int n = way < 6 ? some_size(1, 20, random) : 0; n > 0; --n) change_number(text, random);
  if (way == 6) repeat_part(text, random);
  if (way == 7) change_bytes(text, random);
  // what lies beside it is found from where it is sent to
  for (const char* name : {"\"stick_", "\"dog_", "\"wave."}) {
    const std::string to = std::string(name[1] == 'w' ? "\"../shows/" : "\"../walks/") + (name + 1);
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 9)) {
      text.replace(at, std::string_view(name).size(), to);
    }
  }
  const std::string file = fs::path(path).filename().string();
  return {file + (way < 6    ? " with other numbers"
                  : way == 6 ? " with much more"
                             : " broken"),
          file, text.substr(0, largest_attack)};
}

std::vector<std::string> hostile_messages(Random& random) {
  static const char* const words[] = {
      R"({"do":"step","frames":100000})",
      R"({"do":"play"})",
      R"({"do":"speed","value":0})",
      R"({"do":"speed","value":1000})",
      R"({"do":"seek","t":1e300})",
      R"({"do":"branch"})",
      R"({"do":"reset"})",
      R"({"do":"describe"})",
      R"({"do":"subscribe","binary":true,"contacts":true,"rate":1e300})",
      R"({"do":"subscribe","contacts":true,"plots":["energy"]})",
      R"({"do":"series","plots":["energy"],"points":5000})",
      R"({"do":"export","what":"glb"})",
      R"({"do":"export","what":"csv"})",
      R"({"do":"export","what":"svg"})",
      R"({"do":"export","what":"gantt"})",
      R"({"do":"export","what":"events"})",
      R"({"do":"analyse","markings":5000000})",
      R"({"do":"gantt"})",
      R"({"do":"next"})",
      R"({"do":"train"})",
      R"({"do":"pushes","directions":32,"phases":16})",
      R"({"do":"sculpt","x":0,"y":0,"radius":1e6,"height":1e6})",
      R"({"do":"add","like":"c0","x":0,"y":0})",
      R"({"do":"terrain","elevation":"sin(x*y)^9"})",
      R"({"do":"push","body":"b0","force":[1e300,0,0],"seconds":3600})",
      R"({"do":"drag","body":"b0","to":[1e300,0,0]})",
      R"({"do":"replace","what":"probe","name":"p","text":"sin(t)^t^t"})",
      R"({"do":"film","pictures":18000,"width":3840,"height":2160})",
      R"({"do":"open","file":"scenes/pile.json"})",
      R"({"do":"open","file":"scenes/nets/mapk_8.pnml"})",
      R"({"do":"open","file":"scenes/gaits/basic_run.motion.json"})",
      R"({"do":"gallery"})",
      R"({"do":"cancel"})"};
  std::vector<std::string> messages;
  for (int n = some_size(1, 60, random); n > 0; --n) {
    messages.emplace_back(words[one_of(std::size(words), random)]);
  }
  const std::size_t whole = std::size_t{1} << 20;
  switch (one_of(6, random)) {
    case 0: {  // a flood of the largest messages
      const std::string big =
          R"({"do":"load","scene":{"name":")" + std::string(whole - 60, 'x') + "\"}}";
      messages.insert(messages.end(), std::size_t(some_size(10, 200, random)), big);
      break;
    }
    case 1:
      messages.push_back(R"({"do":"load","scene":)" + heavy_scene(random).bytes + "}");
      break;
    case 2:
      messages.push_back(R"({"do":"edit","edits":[)" +
                         repeated(R"({"op":"add_place","name":"p"},)", whole / 2) + "{}]}");
      break;
    case 3:
      messages.push_back("[" + repeated("[],", whole - 9) + "0]");
      break;
    default:
      break;
  }
  std::erase_if(messages, [&](const std::string& m) { return m.size() > whole; });
  return messages;
}

}  // namespace molejo::test

// A client that says anything to any bench of the studio. The first byte chooses what is open, the
// others make commands: words and keys that the benches know, with values of every kind, and
// now and then raw text.
//
// Every message gets one answer, of one line, in JSON; what happens then goes on with the clock.
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "molejo/model/error.h"
#include "molejo/studio/bench.h"
#include "molejo/studio/training.h"

namespace {

using namespace molejo;

constexpr const char* files[] = {"mobile_in_wind.json",         "gaits/basic_run_closed.gait.json",
                                 "gaits/basic_run.motion.json", "walks/stick_b.walk.json",
                                 "shows/wave.show.json",        "nets/walk.net.json",
                                 "walks/stick_walk.bvh",        "motor_arm.json",
                                 "shows/stumble.show.json"};
constexpr std::size_t most_commands = 12;
constexpr ClientKey client = 1;

enum class Type { number, count, text, vector, flag, texts, point, points, edits };
struct Key {
  const char* name;
  Type type;
};
struct Word {
  const char* name;
  std::vector<Key> keys;
};

// As docs/studio.md, docs/live.md and those of the kinds of files tell them.
const std::vector<Word>& words() {
  using enum Type;
  static const std::vector<Word> list = {
      {"describe", {}},
      {"status", {}},
      {"play", {}},
      {"pause", {}},
      {"step", {{"frames", count}}},
      {"speed", {{"value", number}}},
      {"seek", {{"t", number}}},
      {"branch", {}},
      {"reset", {}},
      {"subscribe",
       {{"plots", texts},
        {"rate", number},
        {"binary", flag},
        {"contacts", flag},
        {"frames", flag}}},
      {"unsubscribe", {}},
      {"series", {{"plots", texts}, {"from", number}, {"to", number}, {"points", count}}},
      {"export", {{"what", text}, {"from", number}, {"to", number}}},
      {"set", {{"variable", text}, {"value", number}}},
      {"replace",
       {{"what", text}, {"name", text}, {"part", text}, {"component", count}, {"text", text}}},
      {"push", {{"body", text}, {"force", vector}, {"point", vector}, {"seconds", number}}},
      {"drag", {{"body", text}, {"to", vector}, {"point", vector}, {"stiffness", number}}},
      {"drop", {}},
      {"command",
       {{"joint", text},
        {"freedom", count},
        {"force", number},
        {"position", number},
        {"velocity", number},
        {"stiffness", number},
        {"damping", number}}},
      {"command", {{"body", text}, {"force", vector}, {"torque", vector}, {"point", vector}}},
      {"release", {{"joint", text}}},
      {"release", {{"body", text}}},
      {"load", {{"file", text}, {"scene", text}}},
      {"control", {{"value", text}}},
      {"pushes", {{"directions", count}, {"phases", count}}},
      {"amplitude", {{"palette", text}, {"mode", count}, {"step", count}, {"value", number}}},
      {"mark", {{"palette", text}, {"mode", count}, {"step", count}, {"value", text}}},
      {"rest", {{"joint", text}, {"turn", vector}}},
      {"springs", {{"stiffness", number}, {"relaxation", number}}},
      {"original", {}},
      {"train", {}},
      {"resume", {}},
      {"cancel", {}},
      {"fire", {{"transition", text}}},
      {"next", {}},
      {"mode", {{"value", text}}},
      {"play_trace", {{"which", count}}},
      {"analyse", {{"markings", count}}},
      {"edit", {{"edits", edits}}},
      {"look", {{"at", text}}},
      {"undo", {}},
      {"redo", {}},
      {"gantt", {}},
      {"net", {}},
      {"steer", {{"character", text}, {"walk", flag}, {"turn", number}, {"rate", number}}},
      {"goto", {{"character", text}, {"path", points}, {"loop", flag}, {"behind", flag}}},
      {"sculpt", {{"x", number}, {"y", number}, {"radius", number}, {"height", number}}},
      {"terrain", {{"file", text}, {"elevation", text}}},
      {"level", {}},
      {"add", {{"character", text}, {"x", number}, {"y", number}}},
      {"options",
       {{"character", text},
        {"solver", text},
        {"inverse_kinematics", flag},
        {"stride_correction", flag},
        {"stride_validation", flag}}},
      {"quality", {{"on", flag}}},
  };
  return list;
}

const std::vector<Word>& net_edits() {
  using enum Type;
  static const std::vector<Word> list = {
      {"add", {{"place", text}, {"delay", number}, {"tokens", count}, {"x", number}}},
      {"add", {{"transition", text}, {"priority", count}, {"event", text}}},
      {"remove", {{"place", text}}},
      {"remove", {{"transition", text}}},
      {"rename", {{"place", text}, {"to", text}}},
      {"set", {{"place", text}, {"delay", text}, {"tokens", count}, {"action", text}}},
      {"arc", {{"kind", text}, {"place", text}, {"transition", text}, {"weight", count}}},
      {"property", {{"text", text}, {"remove", flag}}},
      {"move", {{"place", text}, {"x", number}, {"y", number}}},
      {"arrange", {}},
  };
  return list;
}

constexpr const char* numbers[] = {"0",    "1",     "-1",   "0.5",    "2",      "0.001", "10",
                                   "-0.3", "1e300", "1e-9", "-1e300", "100000", "3.25",  "null"};
constexpr const char* counts[] = {"0",  "1",  "2",     "3",   "7",
                                  "30", "-1", "1e300", "0.5", "2147483648"};
constexpr const char* texts[] = {
    "",          "a",       "force",  "torque",  "joint",     "variable",     "probe",
    "target",    "air",     "ground", "green",   "red",       "open",         "closed",
    "automatic", "manual",  "input",  "output",  "inhibitor", "glb",          "csv",
    "svg",       "sin(t)",  "1/0",    "0.1*x",   "1/3",       "never: a & b", "0.3*sin(x)",
    "thesis",    "default", "energy", "neutral", "../../x"};

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::size_t next() { return empty() ? 0 : data_[at_++]; }
  std::size_t below(std::size_t n) { return next() % n; }
  std::string line() {
    std::string text;
    while (!empty() && data_[at_] != '\n') text += static_cast<char>(data_[at_++]);
    next();
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

// Texts that the bench itself has said: names of bodies, joints, places, columns.
void collect(const JsonValue& value, std::vector<std::string>& names) {
  if (value.is(JsonValue::Kind::string) && value.text.size() < 60) names.push_back(value.text);
  for (const JsonValue& item : value.items) collect(item, names);
}

class Speaker {
 public:
  Speaker(Bytes& bytes, std::vector<std::string> names) : bytes_(bytes), names_(std::move(names)) {}

  std::string message() {
    const std::size_t choice = bytes_.next();
    if (choice == 255) return bytes_.line();
    return "{\"id\":1" + fields("do", words()[choice % words().size()]) + "}";
  }

 private:
  std::string fields(const char* key, const Word& word) {
    std::string text = std::string(",\"") + key + "\":\"" + word.name + "\"";
    for (const Key& k : word.keys) {
      const std::size_t kind = bytes_.next();
      if (kind % 8 == 7) continue;  // without it
      const auto type = kind % 8 == 6 ? static_cast<Type>(kind / 8 % 9) : k.type;
      text += std::string(",\"") + k.name + "\":" + value(type);
    }
    return text;
  }

  std::string value(Type type) {
    switch (type) {
      case Type::number:
        return numbers[bytes_.below(std::size(numbers))];
      case Type::count:
        return counts[bytes_.below(std::size(counts))];
      case Type::text:
        return a_text();
      case Type::vector:
        return list(3, Type::number);
      case Type::flag:
        return bytes_.below(2) == 0 ? "true" : "false";
      case Type::texts:
        return list(bytes_.below(4), Type::text);
      case Type::point:
        return list(2, Type::number);
      case Type::points:
        return list(bytes_.below(4), Type::point);
      case Type::edits: {
        std::string all;
        for (std::size_t n = bytes_.below(5); n > 0; --n) {
          const Word& edit = net_edits()[bytes_.below(net_edits().size())];
          all += (all.empty() ? "{" : ",{") + fields("op", edit).substr(1) + "}";
        }
        return "[" + all + "]";
      }
    }
    return "null";
  }

  std::string a_text() {
    const std::size_t choice = bytes_.next();
    if (choice < 64 || names_.empty()) return json_quoted(texts[choice % std::size(texts)]);
    return json_quoted(names_[(choice + 256 * bytes_.next()) % names_.size()]);
  }

  std::string list(std::size_t count, Type type) {
    std::string all;
    for (; count > 0; --count) all += (all.empty() ? "" : ",") + value(type);
    return "[" + all + "]";
  }

  Bytes& bytes_;
  std::vector<std::string> names_;
};

void require(bool condition) {
  if (!condition) std::abort();
}

// As the studio does: what it does not do itself, the bench does.
std::optional<std::string> execute(const Message& message, Bench& bench) {
  if (message.word() != "export") return bench.playback().execute(message);
  const std::string what = message.text("what");
  check_export(bench, what);
  bench.prepare_export(what, message.number_or("from", 0), message.number_or("to", 1e300))
      .make([](double) {});
  return std::string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Workspace workspace(MOLEJO_SOURCE_DIR "/scenes");
  Bytes bytes(data, size);
  Trainings trainings(workspace.temporary() + "/trainings");
  const Playback::Outputs outputs = {
      [](const Playback::Clients&, const std::string& text) { parse_json(text, "answer"); },
      [](const Playback::Clients&, const std::string& text) { parse_json(text, "frame"); },
      [](const Playback::Clients&, int, const std::string&) {}};
  const std::string file = std::string("scenes/") + files[bytes.below(std::size(files))];
  const WorkspaceFile found = workspace.find(file);
  const std::unique_ptr<Bench> bench = open_bench(
      *kind_of(file),
      {file, found.file, found.path, outputs, {.frames = 200}, {}, &workspace, [] {}, &trainings});
  bench->playback().open(client);
  std::vector<std::string> names;
  collect(parse_json("{" + bench->playback().describe() + "}", "describe").root, names);
  Speaker speaker(bytes, std::move(names));
  double now = 0;
  for (std::size_t n = 0; n < most_commands && !bytes.empty(); ++n) {
    const std::optional<std::string> said =
        answer(speaker.message(), client, [&](const Message& c) { return execute(c, *bench); });
    if (said) {  // those that take long are answered by a tick
      require(said->find('\n') == std::string::npos);
      const JsonValue value = parse_json(*said, "answer").root;
      require((value.find("ok") != nullptr) != (value.find("error") != nullptr));
    }
    bench->playback().tick(now += 0.05);
  }
  return 0;
}

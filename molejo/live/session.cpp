#include "molejo/live/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "molejo/io/columns.h"
#include "molejo/io/json_document.h"
#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr int max_steps_at_once = 100'000;

std::string quoted(const std::string& text) {
  return compact_text(JsonValue(text), std::string::npos);
}

std::string vector_text(const Vec3& v) {
  return fmt::format("[{:.7g},{:.7g},{:.7g}]", v.x, v.y, v.z);
}

}  // namespace

// A message that was read: what to do, and with what.
struct Session::Command {
  JsonDocument document;
  ClientKey client = 0;

  const JsonValue* find(std::string_view key) const { return document.root.find(key); }
  const JsonValue& need(std::string_view key, JsonValue::Kind kind, const char* expected) const {
    const JsonValue* value = find(key);
    if (!value || !value->is(kind)) {
      throw InputError(fmt::format("'{}': expected {}", key, expected));
    }
    return *value;
  }
  std::string text(std::string_view key) const {
    return need(key, JsonValue::Kind::string, "a text").text;
  }
  std::string text_or(std::string_view key, const std::string& otherwise) const {
    return find(key) ? text(key) : otherwise;
  }
  double number(std::string_view key) const {
    return need(key, JsonValue::Kind::number, "a number").number;
  }
  double number_or(std::string_view key, double otherwise) const {
    return find(key) ? number(key) : otherwise;
  }
  bool flag_or(std::string_view key, bool otherwise) const {
    return find(key) ? need(key, JsonValue::Kind::boolean, "true or false").boolean : otherwise;
  }
  Vec3 vector(std::string_view key) const {
    const JsonValue& value = need(key, JsonValue::Kind::array, "[x, y, z]");
    const bool three = value.items.size() == 3 &&
                       std::all_of(value.items.begin(), value.items.end(), [](const JsonValue& x) {
                         return x.is(JsonValue::Kind::number);
                       });
    if (!three) throw InputError(fmt::format("'{}': expected [x, y, z]", key));
    return {value.items[0].number, value.items[1].number, value.items[2].number};
  }
};

Session::Session(Scene scene, SessionOptions options, Outputs outputs)
    : options_(std::move(options)),
      outputs_(std::move(outputs)),
      run_(std::make_unique<LiveRun>(std::move(scene), options_.history)) {}

void Session::open(ClientKey client) { clients_[client] = {}; }
void Session::close(ClientKey client) { clients_.erase(client); }

void Session::receive(ClientKey client, std::string_view text) {
  std::string id;
  std::string answer;
  try {
    Command command{parse_json(text, "message"), client};
    if (!command.document.root.is(JsonValue::Kind::object)) {
      throw InputError("a message is an object: {\"do\": \"play\"}");
    }
    if (const JsonValue* given = command.find("id")) {
      if (!given->is(JsonValue::Kind::number) && !given->is(JsonValue::Kind::string)) {
        throw InputError("'id': expected a number or a text");
      }
      id = fmt::format("\"id\":{},", compact_text(*given, std::string::npos));
    }
    const std::string result = execute(command);
    answer = fmt::format("{{{}\"ok\":true{}{}}}", id, result.empty() ? "" : ",", result);
  } catch (const InputError& e) {
    answer = fmt::format("{{{}\"error\":{}}}", id, quoted(e.what()));
  }
  outputs_.reply(client, answer);
}

// What each word does, and what its answer says after "ok".
struct Session::Word {
  const char* word;
  void (*act)(Session&, const Command&);
  std::string (Session::*answer)() const;
};

const std::vector<Session::Word>& Session::words() {
  using S = Session;
  using C = Command;
  static const std::vector<Word> all{
      {"describe", [](S&, const C&) {}, &S::describe},
      {"status", [](S&, const C&) {}, &S::status},
      {"play", [](S& s, const C&) { s.play(); }, &S::status},
      {"pause", [](S& s, const C&) { s.pause(); }, &S::status},
      {"step", [](S& s, const C& c) { s.step(c); }, &S::status},
      {"reset", [](S& s, const C&) { s.run_->reset(), s.show_anew(); }, &S::status},
      {"speed", [](S& s, const C& c) { s.set_speed(c); }, &S::status},
      {"seek", [](S& s, const C& c) { s.run_->seek(c.number("t")), s.show_anew(); }, &S::status},
      {"branch", [](S& s, const C&) { s.run_->branch(), s.show_anew(); }, &S::status},
      {"set", [](S& s, const C& c) { s.run_->set_variable(c.text("variable"), c.number("value")); },
       &S::nothing},
      {"replace", [](S& s, const C& c) { s.replace(c); }, &S::nothing},
      {"push", [](S& s, const C& c) { s.push(c); }, &S::nothing},
      {"subscribe", [](S& s, const C& c) { s.subscribe(c); }, &S::nothing},
      {"unsubscribe", [](S& s, const C& c) { s.clients_[c.client] = {}; }, &S::nothing},
      {"load", [](S& s, const C& c) { s.load(c); }, &S::describe}};
  return all;
}

std::string Session::execute(const Command& command) {
  const std::string what = command.text("do");
  std::vector<std::string> known;
  for (const Word& word : words()) {
    if (what == word.word) {
      word.act(*this, command);
      return (this->*word.answer)();
    }
    known.push_back(word.word);
  }
  throw InputError(unknown_word("command", what, known));
}

void Session::pause() {
  playing_ = false;
  changed_ = true;  // to those who lag, too
}

// What is shown is another place in the run: time counts from there.
void Session::show_anew() {
  restart_clock();
  changed_ = true;
}

void Session::step(const Command& command) {
  playing_ = false;
  const double frames = command.number_or("frames", 1);
  if (!(frames >= 1 && frames <= max_steps_at_once)) {
    throw InputError(fmt::format("'frames': expected 1 to {}", max_steps_at_once));
  }
  for (int i = 0; i < static_cast<int>(frames) && run_->advance(); ++i) {
  }
  changed_ = true;
}

void Session::set_speed(const Command& command) {
  const double speed = command.number("value");
  if (!(speed >= 0 && speed <= 1000)) {
    throw InputError("'value': expected 0 (as fast as it can) to 1000");
  }
  speed_ = speed;
  restart_clock();
}

void Session::replace(const Command& command) {
  const double component = command.number_or("component", -1);
  if (component != -1 && component != 0 && component != 1 && component != 2) {
    throw InputError("'component': expected 0, 1 or 2");
  }
  run_->replace_formula(command.text("what"), command.text("name"),
                        command.text_or("part", "force"), static_cast<int>(component),
                        command.text("text"));
}

void Session::push(const Command& command) {
  const Vec3 point = command.find("point") ? command.vector("point") : Vec3{};
  run_->push(command.text("body"), point, command.vector("force"),
             command.number_or("seconds", 0.1));
}

void Session::subscribe(const Command& command) {
  Subscription subscription;
  subscription.frames = command.flag_or("frames", true);
  subscription.contacts = command.flag_or("contacts", false);
  if (const JsonValue* plots = command.find("plots")) {
    if (!plots->is(JsonValue::Kind::array) || plots->items.size() > 100) {
      throw InputError("'plots': expected at most 100 names");
    }
    for (const JsonValue& name : plots->items) {
      if (!name.is(JsonValue::Kind::string)) throw InputError("'plots': expected names");
      subscription.plots.push_back(name.text);
    }
    find_columns(columns(run_->model()), subscription.plots);  // refuses unknown ones
  }
  const double rate = command.number_or("rate", options_.most_frames_per_second);
  if (!(rate > 0)) throw InputError("'rate': expected frames per second");
  subscription.least_interval = 1 / std::min(rate, options_.most_frames_per_second);
  clients_[command.client] = subscription;
  changed_ = true;
}

void Session::load(const Command& command) {
  std::unique_ptr<LiveRun> next;
  if (const JsonValue* scene = command.find("scene")) {
    // a whole scene as JSON
    next = std::make_unique<LiveRun>(parse_scene(pretty_text(*scene), "scene"), options_.history);
  } else {
    namespace fs = std::filesystem;
    const std::string name = command.text("file");
    if (options_.folder.empty()) throw InputError("'file': no folder of scenes is open");
    const fs::path folder = fs::weakly_canonical(options_.folder);
    const fs::path path = fs::weakly_canonical(folder / name);
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    (void)rest;
    if (end != folder.end() || !fs::is_regular_file(path)) {
      throw InputError(fmt::format("'{}': no such scene", name));
    }
    next = std::make_unique<LiveRun>(load_scene(path.string()), options_.history);
  }
  run_ = std::move(next);
  for (auto& [client, subscription] : clients_) subscription.plots.clear();
  show_anew();
}

std::string Session::status() const {
  const LiveRun& run = *run_;
  return fmt::format(
      "\"t\":{:.9g},\"frame\":{},\"hash\":\"{:016x}\",\"playing\":{},\"speed\":{:g},\"rate\":{:.3g}"
      ","
      "\"begin\":{:.9g},\"end\":{:.9g},\"steps\":{}{}",
      run.frame().state.t, run.number(), hash(run.frame().state), playing_, speed_, rate_,
      run.begin(), run.end(), run.steps(),
      run.failure().empty() ? "" : fmt::format(",\"failure\":{}", quoted(run.failure())));
}

std::string Session::describe() const {
  const Scene& scene = run_->scene();
  std::string text =
      fmt::format("\"name\":{},\"fps\":{:g},\"bodies\":[", quoted(scene.name), scene.settings.fps);
  const char* comma = "";
  for (const Body& body : run_->model().bodies) {
    text += comma + quoted(body.name);
    comma = ",";
  }
  text += "],\"variables\":[";
  comma = "";
  const FormulaSet* formulas = run_->formulas();
  if (formulas) {
    for (const FormulaSet::Variable& v : formulas->variables) {
      text += fmt::format("{}{{\"name\":{},\"value\":{:.17g}", comma, quoted(v.name),
                          run_->variable(v.name));
      if (v.lower) text += fmt::format(",\"lower\":{:.17g}", *v.lower);
      if (v.upper) text += fmt::format(",\"upper\":{:.17g}", *v.upper);
      text += "}";
      comma = ",";
    }
  }
  text += "],\"forces\":[";
  comma = "";
  const auto formula_texts = [](const std::vector<SceneFormula>& list) {
    std::string out = "[";
    for (const SceneFormula& f : list) out += (out.size() > 1 ? "," : "") + quoted(f.text);
    return out + "]";
  };
  for (const SceneForce& f : scene.forces) {
    text += fmt::format("{}{{\"name\":{},\"body\":{},\"force\":{},\"torque\":{}}}", comma,
                        quoted(f.name), quoted(f.at.body), formula_texts(f.force_formulas),
                        formula_texts(f.torque_formulas));
    comma = ",";
  }
  text += "],\"probes\":[";
  comma = "";
  if (formulas) {
    for (const RecordedProbe& p : recorded_probes(*formulas)) {
      text += fmt::format("{}{{\"name\":{},\"unit\":{}}}", comma, quoted(p.name), quoted(p.unit));
      comma = ",";
    }
  }
  return text + "]," + status();
}

std::string Session::frame_text(const Subscription& subscription) const {
  const Frame& frame = run_->frame();
  std::string text = fmt::format("{{{}", status());
  if (subscription.frames) {
    text += ",\"poses\":[";
    const char* comma = "";
    for (const Pose& X : frame.X_WB) {
      const Quat q = quaternion(X.R);
      text += fmt::format("{}{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}", comma, X.p.x, X.p.y,
                          X.p.z, q.w, q.x, q.y, q.z);
      comma = ",";
    }
    text += fmt::format("],\"energy\":[{:.9g},{:.9g},{:.9g}],\"probes\":[", frame.energy.kinetic,
                        frame.energy.gravity, frame.energy.elastic);
    comma = "";
    for (const double x : frame.probes) {
      text += std::isfinite(x) ? fmt::format("{}{:.9g}", comma, x) : fmt::format("{}null", comma);
      comma = ",";
    }
    text += "]";
  }
  if (subscription.contacts) {
    text += ",\"contacts\":[";
    const char* comma = "";
    for (const TouchPoint& c : frame.contacts) {
      text += fmt::format("{}{{\"a\":{},\"b\":{},\"point\":{},\"force\":{}}}", comma, c.a.index,
                          c.b.index, vector_text(c.point), vector_text(c.force));
      comma = ",";
    }
    text += "]";
  }
  if (!subscription.plots.empty()) {
    const std::vector<Column> all = columns(run_->model());
    std::vector<double> row;
    fill_row(run_->model(), frame, row);
    text += ",\"plots\":{";
    const char* comma = "";
    for (const std::size_t i : find_columns(all, subscription.plots)) {
      text += fmt::format("{}{}:{:.9g}", comma, quoted(all[i].name), row[i]);
      comma = ",";
    }
    text += "}";
  }
  return text + "}";
}

// To those whose turn it is; clients that want the same share one text.
void Session::send_frame(double now, bool to_all) {
  std::map<std::string, std::vector<ClientKey>> texts;
  for (auto& [client, s] : clients_) {
    if (!s.frames && !s.contacts && s.plots.empty()) continue;
    if (!to_all && now - s.last_sent < s.least_interval - 1e-9) continue;
    s.last_sent = now;
    std::string wish = fmt::format("{}{}", s.frames, s.contacts);
    for (const std::string& plot : s.plots) wish += "\n" + plot;
    texts[wish].push_back(client);
  }
  for (const auto& [wish, list] : texts) outputs_.frame(list, frame_text(clients_[list[0]]));
}

void Session::play() {
  playing_ = true;
  restart_clock();
}

void Session::restart_clock() { clock_is_set_ = false; }

double Session::tick(double now) {
  now_ = now;
  if (!playing_) {
    rate_ = 0;
    if (changed_) send_frame(now, true);
    changed_ = false;
    return -1;
  }
  if (!clock_is_set_) {
    clock_is_set_ = true;
    clock_wall_ = rate_wall_ = now;
    clock_time_ = rate_time_ = run_->frame().state.t;
  }
  const double interval = 1 / run_->scene().settings.fps;
  const auto due = [&] {
    return speed_ == 0 ? std::numeric_limits<double>::infinity()
                       : clock_time_ + (now - clock_wall_) * speed_;
  };
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  bool late = false;
  while (run_->frame().state.t + interval <= due() + 1e-9) {
    if (!run_->advance()) {
      playing_ = false;
      break;
    }
    changed_ = true;
    if (spent() > options_.most_work_per_tick) {
      late = true;
      break;
    }
  }
  if (now - rate_wall_ > 0.5) {
    rate_ = (run_->frame().state.t - rate_time_) / (now - rate_wall_);
    rate_wall_ = now, rate_time_ = run_->frame().state.t;
  }
  // what cannot keep up goes on from where it is: it does not hurry later
  if (late && speed_ > 0) {
    clock_wall_ = now + spent();
    clock_time_ = run_->frame().state.t;
  }
  if (changed_) send_frame(now, !playing_);
  changed_ = false;
  if (!playing_) return -1;
  if (late || speed_ == 0) return 0;
  return std::max(0.0, (run_->frame().state.t + interval - due()) / speed_);
}

}  // namespace molejo

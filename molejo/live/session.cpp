#include "molejo/live/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/columns.h"
#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/model/formula_error.h"

namespace molejo {

Session::Session(Scene scene, SessionOptions options, Outputs outputs)
    : Playback(options, std::move(outputs)),
      options_(std::move(options)),
      run_(std::make_unique<LiveRun>(std::move(scene), options_.history, options_.budget)) {
  add_word("set", [this](const Message& c) {
    run_->set_variable(c.text("variable"), c.number("value"));
    return std::string();
  });
  add_word("replace", [this](const Message& c) { return replace(c), std::string(); });
  add_word("push", [this](const Message& c) { return push(c), std::string(); });
  add_word("drag", [this](const Message& c) {
    std::optional<double> stiffness;
    if (c.find("stiffness")) stiffness = c.number("stiffness");
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    run_->drag(c.text("body"), point, c.vector("to"), stiffness);
    return std::string();
  });
  add_word("drop", [this](const Message&) { return run_->drop(), std::string(); });
  add_word("command", [this](const Message& c) { return command(c), std::string(); });
  add_word("release", [this](const Message& c) { return release(c), std::string(); });
  add_word("load", [this](const Message& c) { return load(c), describe(); });
}

void Session::replace(const Message& message) {
  const double component = message.number_or("component", -1);
  if (component != -1 && component != 0 && component != 1 && component != 2) {
    throw InputError("'component': expected 0, 1 or 2");
  }
  const std::string text = message.text("text");
  try {
    run_->replace_formula(message.text("what"), message.text("name"),
                          message.text_or("part", "force"), static_cast<int>(component), text);
  } catch (const FormulaError& e) {
    // another formula, which uses this one, may be what is wrong now: its columns are not of this
    if (std::string(e.what()).find("'" + text + "'") == std::string::npos) {
      throw InputError(e.what());
    }
    throw;
  }
  plots_.clear();
}

void Session::push(const Message& message) {
  const Vec3 point = message.find("point") ? message.vector("point") : Vec3{};
  run_->push(message.text("body"), point, message.vector("force"),
             message.number_or("seconds", 0.1));
}

namespace {

constexpr double most_commanded = 1e12;  // of any number

double commanded(const Message& message, std::string_view key, double least = -most_commanded) {
  return message.number_within(key, least, most_commanded);
}

Vec3 commanded_vector(const Message& message, std::string_view key) {
  if (!message.find(key)) return {};
  const Vec3 x = message.vector(key);
  if (max_abs(x) <= most_commanded) return x;
  throw InputError(fmt::format("'{}': expected numbers up to {:g}", key, most_commanded));
}

// What a message says of joint or body, one of which it must name.
bool names_joint(const Message& message) {
  if ((message.find("joint") != nullptr) == (message.find("body") != nullptr)) {
    throw InputError("expected 'joint' or 'body'");
  }
  return message.find("joint") != nullptr;
}

void check_keys(const Message& message, std::initializer_list<std::string_view> known) {
  for (const std::string& key : message.document.root.keys) {
    if (key == "do" || key == "id") continue;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string> words(known.begin(), known.end());
    throw InputError(unknown_word("key", key, words));
  }
}

// Forces stay until they are told anew, and so do the numbers of a motor.
void command_joint(const Message& message, const Model& model, Command<double>& command) {
  check_keys(message,
             {"joint", "freedom", "force", "position", "velocity", "stiffness", "damping"});
  const int part = message.find("freedom") ? message.whole("freedom", 0, 5) : 0;
  const std::size_t n = freedom(model, message.text("joint"), part);
  if (message.find("force")) command.forces[n] = commanded(message, "force");
  MotorTarget<double>& motor = command.motors[n];
  const auto take = [&](std::string_view key, double least, double& x) {
    if (!message.find(key)) return;
    x = commanded(message, key, least);
    motor.on = 1;
  };
  take("position", -most_commanded, motor.position);
  take("velocity", -most_commanded, motor.velocity);
  take("stiffness", 0, motor.stiffness);
  take("damping", 0, motor.damping);
}

// A body has one wrench of this kind.
void command_body(const Message& message, const Model& model, Command<double>& command) {
  check_keys(message, {"body", "force", "torque", "point"});
  const BodyId body = model.body(message.text("body"));
  const Wrench<double> wrench{body, commanded_vector(message, "point"),
                              commanded_vector(message, "force"),
                              commanded_vector(message, "torque")};
  std::erase_if(command.wrenches, [&](const Wrench<double>& w) { return w.body == body; });
  command.wrenches.push_back(wrench);
}

}  // namespace

void Session::command(const Message& message) {
  Command<double> command = run_->command();
  if (names_joint(message)) {
    command_joint(message, run_->model(), command);
  } else {
    command_body(message, run_->model(), command);
  }
  run_->set_command(std::move(command));
}

// Of a joint, a body, or all.
void Session::release(const Message& message) {
  const Model& model = run_->model();
  Command<double> command = run_->command();
  const Command<double> nothing(model);
  check_keys(message, {"joint", "body"});
  if (!message.find("joint") && !message.find("body")) {
    command = nothing;
  } else if (names_joint(message)) {
    const JointRange joint = joint_range(model, message.text("joint"));
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto n = static_cast<std::size_t>(i);
      command.forces[n] = 0;
      command.motors[n] = nothing.motors[n];
    }
  } else {
    const BodyId body = model.body(message.text("body"));
    std::erase_if(command.wrenches, [&](const Wrench<double>& w) { return w.body == body; });
  }
  run_->set_command(std::move(command));
}

void Session::load(const Message& message) {
  std::unique_ptr<LiveRun> next;
  if (const JsonValue* scene = message.find("scene")) {
    // a whole scene as JSON, which can name no files
    next = std::make_unique<LiveRun>(parse_scene(pretty_text(*scene), "scene"), options_.history,
                                     options_.budget);
  } else {
    const SourceFile file(message.text("file"), options_.files);
    next = std::make_unique<LiveRun>(load_scene(file), options_.history, options_.budget);
  }
  run_ = std::move(next);
  plots_.clear();
  forget_plots();
  show_anew();
}

std::string Session::more_status() const {
  return fmt::format(",\"hash\":\"{:016x}\",\"steps\":{}", hash(run_->frame().state),
                     run_->steps());
}

std::string Session::describe() const {
  const Scene& scene = run_->scene();
  std::string text = fmt::format("\"name\":{},\"fps\":{:g},\"bodies\":[", json_quoted(scene.name),
                                 scene.settings.fps);
  const char* comma = "";
  for (const Body& body : run_->model().bodies) {
    text += comma + json_quoted(body.name);
    comma = ",";
  }
  text += "],\"variables\":[";
  comma = "";
  const FormulaSet* formulas = run_->formulas();
  if (formulas) {
    for (const FormulaSet::Variable& v : formulas->variables) {
      text += fmt::format("{}{{\"name\":{},\"value\":{:.17g}", comma, json_quoted(v.name),
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
    for (const SceneFormula& f : list) out += (out.size() > 1 ? "," : "") + json_quoted(f.text);
    return out + "]";
  };
  for (const SceneForce& f : scene.forces) {
    text += fmt::format("{}{{\"name\":{},\"body\":{},\"force\":{},\"torque\":{}}}", comma,
                        json_quoted(f.name), json_quoted(f.at.body),
                        formula_texts(f.force_formulas), formula_texts(f.torque_formulas));
    comma = ",";
  }
  text += "],\"probes\":[";
  comma = "";
  if (formulas) {
    for (const RecordedProbe& p : recorded_probes(*formulas)) {
      text += fmt::format("{}{{\"name\":{},\"unit\":{}}}", comma, json_quoted(p.name),
                          json_quoted(p.unit));
      comma = ",";
    }
  }
  return text + "]," + status();
}

std::vector<RecordedProbe> Session::probes() const {
  return run_->formulas() ? recorded_probes(*run_->formulas()) : std::vector<RecordedProbe>{};
}

const std::vector<std::size_t>& Session::find_plots(const std::vector<std::string>& words) const {
  const auto known = plots_.find(words);
  if (known != plots_.end()) return known->second;
  if (plots_.size() > 1000) plots_.clear();
  return plots_[words] = find_columns(columns(run_->model(), probes()), words);
}

std::vector<std::string> Session::plot_columns(const std::vector<std::string>& words) const {
  std::vector<std::string> names;
  if (words.empty()) return names;
  const std::vector<Column> all = columns(run_->model(), probes());
  for (const std::size_t i : find_plots(words)) names.push_back(all[i].name);
  return names;
}

std::vector<double> Session::plot_values(const std::vector<std::string>& words) const {
  const Frame* shown = &run_->frame();
  return molejo::plot_rows(run_->model(), {&shown, 1}, find_plots(words)).front().values;
}

std::vector<PlotRow> Session::plot_rows(const std::vector<std::string>& words, double from,
                                        double to, std::size_t most) const {
  const std::vector<const Frame*> frames = run_->some_frames(from, to, most);
  return molejo::plot_rows(run_->model(), frames, find_plots(words));
}

std::string Session::frame_fields(const Subscription& subscription) const {
  const Frame& frame = run_->frame();
  std::string text;
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
    const std::vector<std::string> names = plot_columns(subscription.plots);
    const std::vector<double> values = plot_values(subscription.plots);
    text += ",\"plots\":{";
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += (i > 0 ? "," : "") + json_quoted(names[i]) + ":";
      text += std::isfinite(values[i]) ? fmt::format("{:.9g}", values[i]) : "null";
    }
    text += "}";
  }
  return text;
}

}  // namespace molejo

#include "molejo/studio/motion_bench.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/model/error.h"
#include "molejo/studio/gait_bench.h"
#include "molejo/studio/model_view.h"
#include "molejo/studio/palette_view.h"

namespace molejo {

namespace {

constexpr int ghost_stream = 5;

SketchPhase phase_of(const Message& c) {
  const std::string word = c.text("palette"), known[] = {"air", "ground"};
  if (word == known[0]) return SketchPhase::air;
  if (word == known[1]) return SketchPhase::ground;
  throw InputError("'palette': " + unknown_word("palette", word, known));
}

ModeMark mark_of(const Message& c) {
  const std::string word = c.text("value"), known[] = {"green", "neutral", "red"};
  for (const ModeMark mark : {ModeMark::green, ModeMark::neutral, ModeMark::red}) {
    if (word == to_string(mark)) return mark;
  }
  throw InputError("'value': " + unknown_word("mark", word, known));
}

int step_of(const Message& c) { return c.find("step") ? c.whole("step", 1, 1000) - 1 : 0; }

// From the sketch to what was trained: ahead and to the left, so that neither hides the other
// whether one looks from the side or from the front.
Vec3 way_to_ghost(const Character& c) {
  Kinematics<double> k(c.model);
  update_poses(c.model, c.rest.q.data(), k);
  double length = 0;
  for (int b = 0; b < c.model.body_count(); ++b) {
    const Vec3 p = body_pose(c.model, k, {b}).p - body_pose(c.model, k, c.root).p;
    length = std::max(length, std::fabs(dot(p, c.forward)));
  }
  return c.forward * (0.9 + length) + c.left * 0.7;
}

}  // namespace

MotionBench::MotionBench(BenchOptions options)
    : FrameBench(options),
      run_(load_motion(options.file), options.history),
      original_(hash(run_.file())),
      pushes_(options.wake) {
  if (options.trainings) {
    training_ = options.trainings->recall(options.name, run_.file(), options.wake);
  }
  if (training_) {
    // what is trained is what is shown, edits included
    if (hash(training_->motion()) != original_) run_.replace(training_->motion());
    follow_training();
  }
  look_at_figure();
  add_words();
}

void MotionBench::add_words() {
  add_word("amplitude", [this](const Message& c) {
    const int step = step_of(c), mode = c.whole("mode", 1, 100'000);
    const SketchPhase phase = phase_of(c);
    const double before = run_.time();
    run_.set_amplitude(step, phase, mode, c.number("value"));
    return changed_mode(step, phase, mode, before), std::string();
  });
  add_word("mark", [this](const Message& c) {
    const int step = step_of(c), mode = c.whole("mode", 1, 100'000);
    const SketchPhase phase = phase_of(c);
    const double before = run_.time();
    run_.set_mark(step, phase, mode, mark_of(c));
    return changed_mode(step, phase, mode, before), std::string();
  });
  add_word("rest", [this](const Message& c) {
    const Vec3 turn = c.vector("turn");
    if (!(norm(turn) <= 180)) throw InputError("'turn': expected 180 degrees at most");
    run_.turn_joint(c.text("joint"), turn * degree);
    return changed_figure(), std::string();
  });
  add_word("springs", [this](const Message& c) {
    std::optional<double> stiffness = run_.motion().figure.stiffness;
    if (const JsonValue* value = c.find("stiffness")) {
      stiffness.reset();
      if (!value->is(JsonValue::Kind::null)) stiffness = c.number("stiffness");
    }
    run_.set_springs(stiffness, c.number_or("relaxation", run_.motion().figure.relaxation));
    return changed_figure(), std::string();
  });
  add_word("original", [this](const Message&) {
    run_.replace(load_motion(options().file));
    return changed_figure(), std::string();
  });
  add_word("pushes", [this](const Message& c) {
    const std::shared_ptr<const GaitFile> gait = training_ ? training_->result() : nullptr;
    if (!gait) throw InputError("nothing was trained yet");
    return pushes_.begin(*gait, c), std::string();
  });
  add_word("train", [this](const Message&) { return train(false), std::string(); });
  add_word("resume", [this](const Message&) { return train(true), std::string(); });
  add_word("cancel", [this](const Message&) {
    if (!training_ || !training_->is_running()) throw InputError("nothing is being trained");
    return training_->cancel(), std::string();
  });
}

void MotionBench::changed_mode(int step, SketchPhase phase, int mode, double before) {
  tell_all("{\"event\":\"mode\"," + fields(describe_mode(run_, step, phase, mode)) + "}");
  // what is played goes on by its clock, unless it was in the past
  if (run_.time() != before) show_anew();
  // who has stopped it sees the change too
  if (!is_playing() && run_.advance()) changed();
}

void MotionBench::look_at_figure() {
  scene_ = scene_beside(run_.character(), run_.motion().name, run_.motion().description);
  way_to_ghost_ = way_to_ghost(run_.character());
}

void MotionBench::changed_figure() {
  look_at_figure();
  show_anew();
  tell_all("{\"event\":\"palettes\",\"describe\":{" + describe() + "}}");
}

void MotionBench::train(bool resume) {
  const BenchOptions& o = options();
  if (!o.trainings) throw InputError("there is no room to train here");
  training_ = o.trainings->begin(o.name, run_.file(), resume, o.wake);
  told_ = 0;
  result_.clear();
  result_asset_.clear();
  pushes_.forget();
}

std::string MotionBench::training_fields() const {
  const TrainingNews n = training_->news();
  const TrainingProgress& p = n.progress;
  std::string text = fmt::format(
      "\"state\":\"{}\",\"restart\":{},\"run\":{},\"generation\":{},\"evaluations\":{},"
      "\"objective\":{},\"easy\":{},\"cyclic_error\":{},\"rate\":{:.4g},\"left\":{:.4g}",
      to_string(n.phase), p.restart, p.run, p.generation, p.evaluations,
      number_or_null(p.objective), number_or_null(p.easy), number_or_null(p.ratio), n.rate, n.left);
  text += fmt::format(",\"kept\":{}", json_quoted(training_->files().motion));
  if (!n.error.empty()) text += ",\"error\":" + json_quoted(n.error);
  if (!n.unsaved.empty()) text += ",\"unsaved\":" + json_quoted(n.unsaved);
  if (const auto ghost = training_->ghost()) text += fmt::format(",\"period\":{}", ghost->period);
  if (!result_.empty()) {
    text += fmt::format(",\"file\":{},\"asset\":{},\"worth\":{}", json_quoted(result_),
                        json_quoted(result_asset_), training_->worth());
  }
  return text;
}

// Keeps what was found where it can be opened.
void MotionBench::follow_training() {
  const std::shared_ptr<const GaitFile> gait = training_->result();
  if (!gait || !result_.empty() || !options().workspace) return;
  const std::string text = gait_text(*gait), name = stem_of(options().name) + ".gait.json";
  result_ = options().workspace->keep(name, text);
  result_asset_ = options().workspace->add_asset(name, text);
}

double MotionBench::look_around(double) {
  for (const std::string& news : pushes_.news()) tell_all(news);
  if (!training_ || training_->version() == told_) return -1;
  told_ = training_->version();
  const bool had_result = !result_.empty();
  try {
    follow_training();
  } catch (const InputError& e) {
    tell_all("{\"event\":\"training\",\"state\":\"failed\",\"error\":" + json_quoted(e.what()) +
             "}");
    return -1;
  }
  if (!is_playing()) changed();  // its best is another one
  tell_all("{\"event\":\"training\"," + training_fields() + "}");
  if (!had_result && !result_.empty()) {
    tell_all(fmt::format("{{\"event\":\"trained\",\"valid\":{},\"file\":{},\"asset\":{}}}",
                         training_->result()->valid, json_quoted(result_),
                         json_quoted(result_asset_)));
  }
  return -1;
}

std::vector<Playback::BinaryFrame> MotionBench::binary_frames(const Subscription& s) const {
  std::vector<BinaryFrame> list = FrameBench::binary_frames(s);
  const std::shared_ptr<const TrainingGhost> ghost = training_ ? training_->ghost() : nullptr;
  const Character& c = run_.character();
  if (!s.frames || !ghost || ghost->views.front().q.size() != c.model.nq) return list;
  // in step with the sketch, whatever its own period is
  const double t = run_.time(), part = std::fmod(t, run_.period()) / run_.period();
  const auto count = static_cast<double>(ghost->views.size());
  State view = ghost->views[static_cast<std::size_t>(std::min(part * count, count - 1))];
  const Link& root = c.model.links[static_cast<std::size_t>(c.root.index)];
  for (int i = 0; i < 3; ++i) view.q[root.q + i] += way_to_ghost_[i];
  view.t = t;
  std::string bytes = coordinates_frame(view, run_.number());
  bytes[0] = static_cast<char>(ghost_stream);
  list.push_back({ghost_stream, std::move(bytes)});
  return list;
}

std::string MotionBench::describe() const {
  JsonValue more = JsonValue::object();
  more.add("motion", describe_palettes(run_));
  std::string text = fields(more);
  if (training_) {
    std::string curve;
    for (const TrainingPoint& p : training_->curve()) {
      curve += fmt::format("{}[{},{},{}]", curve.empty() ? "" : ",", p.evaluations,
                           number_or_null(p.objective), number_or_null(p.cyclic_error));
    }
    text += fmt::format(",\"training\":{{{},\"curve\":[{}]}}", training_fields(), curve);
  }
  if (!pushes_.known().empty()) text += ",\"pushes\":" + pushes_.known();
  return describe_with(text);
}

std::vector<std::string> MotionBench::exports() const {
  std::vector<std::string> list = FrameBench::exports();
  list.emplace_back("motion");
  if (training_ && training_->result()) list.emplace_back("gait");
  return list;
}

Export MotionBench::prepare_export(const std::string& what, double from, double to) const {
  const std::string stem = stem_of(options().name);
  if (what == "motion") {
    return {stem + ".motion.json",
            [file = run_.file()](const std::function<void(double)>&) { return motion_text(file); }};
  }
  if (what == "gait") {
    const std::shared_ptr<const GaitFile> gait = training_->result();
    return {stem + ".gait.json",
            [gait](const std::function<void(double)>&) { return gait_text(*gait); }};
  }
  return FrameBench::prepare_export(what, from, to);
}

// Who has edited it needs the file as it is now.
std::string MotionBench::command_line() const {
  const std::string stem = stem_of(options().name);
  const bool edited = is_edited();
  const std::string file = shell_word(edited ? stem + ".motion.json" : options().path);
  const std::string note = edited ? "  # edited: first save the motion as this file" : "";
  return training_ ? fmt::format("molejo train {} -o {}.gait.json{}", file, stem, note)
                   : fmt::format("molejo sketch {} --seconds {:.4g} -o {}.glb{}", file,
                                 std::max(run_.end(), 0.1), stem, note);
}

}  // namespace molejo

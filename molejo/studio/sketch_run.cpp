#include "molejo/studio/sketch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/studio/figure_frame.h"

namespace molejo {

namespace {

constexpr double periods_to_settle = 2;
constexpr double usual_amplitude = 0.1;  // of a mode that is marked green

bool is_turnable(const Character& c, int body) {
  const Link& link = c.model.links[at(body)];
  return link.v >= c.first_internal && link.v < c.first_internal + c.internal && link.rotations > 0;
}

}  // namespace

std::string_view to_string(ModeMark mark) {
  constexpr std::string_view names[] = {"green", "neutral", "red"};
  return names[static_cast<std::size_t>(mark)];
}

SketchRun::SketchRun(MotionFile file, HistoryLimits limits) : FrameTimeline(shown_fps, limits) {
  replace(std::move(file));
}

void SketchRun::replace(MotionFile file) {
  // as a motion file has it where it says nothing
  RestPose& pose = file.motion.figure.pose;
  if (pose.turns.empty()) pose.mirror = true;
  rebuild(std::move(file));
}

void SketchRun::rebuild(MotionFile file) {
  auto character = std::make_unique<Character>(make_character(file.scene, file.motion.figure));
  auto sketch = std::make_unique<Sketch>(*character, file.motion);
  sketch_ = std::move(sketch);
  character_ = std::move(character);
  file_ = std::move(file);
  reset();
}

PhaseMarks& SketchRun::marks(int step, SketchPhase phase) {
  MotionStep& s = file_.motion.steps[at(step)];
  return phase == SketchPhase::air ? s.air : s.ground;
}

const PhaseMarks& SketchRun::marks(int step, SketchPhase phase) const {
  return const_cast<SketchRun*>(this)->marks(step, phase);
}

void SketchRun::check(int step, SketchPhase phase, int mode) const {
  if (step < 0 || step >= sketch_->steps()) {
    throw InputError(fmt::format("'step': {}: expected 1 to {}", step + 1, sketch_->steps()));
  }
  if (mode < 1 || mode > sketch_->modes(step, phase)) {
    throw InputError(
        fmt::format("'mode': {}: expected 1 to {}", mode, sketch_->modes(step, phase)));
  }
}

ModeMark SketchRun::mark(int step, SketchPhase phase, int mode) const {
  if (amplitude(step, phase, mode) != 0) return ModeMark::green;
  const std::vector<int>& others = marks(step, phase).others;
  const bool allowed = std::find(others.begin(), others.end(), mode) != others.end();
  return allowed ? ModeMark::neutral : ModeMark::red;
}

void SketchRun::take_amplitude(int step, SketchPhase phase, int mode, double amplitude) {
  std::vector<MarkedMode>& list = marks(step, phase).priority;
  std::erase_if(list, [&](const MarkedMode& m) { return m.mode == mode; });
  if (amplitude != 0) {
    const auto behind =
        std::find_if(list.begin(), list.end(), [&](const MarkedMode& m) { return m.mode > mode; });
    list.insert(behind, {mode, amplitude});
  }
  sketch_->set_amplitude(step, phase, mode, amplitude);
  stale_ = true;
  history_.show_last();
}

void SketchRun::set_amplitude(int step, SketchPhase phase, int mode, double amplitude) {
  check(step, phase, mode);
  const double most = file_.motion.range.amplitude;
  if (!(std::fabs(amplitude) <= most)) {
    throw InputError(fmt::format("'value': {:g}: expected -{:g} to {:g}", amplitude, most, most));
  }
  if (amplitude != 0) {
    std::erase(marks(step, phase).others, mode);
  } else if (mark(step, phase, mode) == ModeMark::green) {
    set_mark(step, phase, mode, ModeMark::neutral);
    return;
  }
  take_amplitude(step, phase, mode, amplitude);
}

void SketchRun::set_mark(int step, SketchPhase phase, int mode, ModeMark mark) {
  check(step, phase, mode);
  std::vector<int>& others = marks(step, phase).others;
  std::erase(others, mode);
  if (mark == ModeMark::neutral) {
    others.insert(std::lower_bound(others.begin(), others.end(), mode), mode);
  }
  const double before = amplitude(step, phase, mode);
  const double usual = std::min(usual_amplitude, file_.motion.range.amplitude);
  take_amplitude(step, phase, mode, mark != ModeMark::green ? 0 : before != 0 ? before : usual);
}

std::string SketchRun::partner(const std::string& joint) const {
  const std::vector<Body>& bodies = character_->model.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].joint != joint || character_->mirror.body.empty()) continue;
    const int image = character_->mirror.body[b];
    if (image != static_cast<int>(b)) return bodies[at(image)].joint;
  }
  return {};
}

void SketchRun::turn_joint(const std::string& joint, const Vec3& turn) {
  std::vector<std::string> known;
  for (int b = 0; b < character_->model.body_count(); ++b) {
    if (is_turnable(*character_, b)) known.push_back(character_->model.bodies[at(b)].joint);
  }
  if (std::find(known.begin(), known.end(), joint) == known.end()) {
    throw InputError("'joint': " + unknown_word("joint", joint, known));
  }
  MotionFile file = file_;
  RestPose& pose = file.motion.figure.pose;
  pose.turns[joint] = turn;
  // what holds for both sides is said of one
  if (pose.mirror) pose.turns.erase(partner(joint));
  rebuild(std::move(file));
}

void SketchRun::set_springs(std::optional<double> stiffness, double relaxation) {
  if (stiffness && !(*stiffness > 0 && *stiffness <= 1e9)) {
    throw InputError("'stiffness': expected N m/rad above 0");
  }
  if (!(relaxation >= 0 && relaxation <= 100)) {
    throw InputError("'relaxation': expected seconds from 0 to 100");
  }
  MotionFile file = file_;
  file.motion.figure.stiffness = stiffness;
  file.motion.figure.relaxation = relaxation;
  rebuild(std::move(file));
}

void SketchRun::branch() {
  history_.forget_later();
  made_ = std::llround(time() * shown_fps);
  stale_ = true;
}

void SketchRun::reset() {
  made_ = -1;
  begin_anew();
}

bool SketchRun::make(Frame& frame) {
  const double t = static_cast<double>(++made_) / shown_fps;
  if (made_ == 0) {
    sketch_->restart();
  } else if (stale_) {
    sketch_->restart();
    sketch_->advance(periods_to_settle * period() + std::fmod(t, period()));
  } else {
    sketch_->advance(1 / shown_fps);
  }
  stale_ = false;
  State state = sketch_->state();
  state.t = t;
  if (!state.q.allFinite() || !state.v.allFinite()) {
    failure_ = "the sketch flies apart: its amplitudes are too large";
    return false;
  }
  failure_.clear();
  Kinematics<double> k(character_->model);
  frame = figure_frame(character_->model, state, k);
  return true;
}

}  // namespace molejo

#include "molejo/locomotion/sketch.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/physics/forces.h"

namespace molejo {

namespace {

RolloutSettings floating(RolloutSettings settings) {
  settings.gravity = 0;
  settings.contact = false;
  return settings;
}

std::vector<double> marked(const PhaseMarks& marks, int count, const std::string& where) {
  std::vector<double> amplitude(at(count));
  for (const MarkedMode& m : marks.priority) {
    if (m.mode < 1 || m.mode > count) {
      throw InputError(where + ": mode " + std::to_string(m.mode) + " does not exist, there are " +
                       std::to_string(count));
    }
    amplitude[at(m.mode - 1)] = m.amplitude;
  }
  return amplitude;
}

}  // namespace

Sketch::Sketch(const Character& character, const Motion& motion)
    : character_(character), motion_(motion), rollout_(character, floating(motion.rollout)) {
  if (motion.steps.empty()) throw InputError("a motion needs one step or more");
  if (motion.mirrored && !character.mirror.symmetric) {
    throw InputError("the character is not symmetric: " + character.mirror.asymmetry);
  }
  const Modes air = air_modes(character);
  const double halves = motion.mirrored ? 2 : 1;
  const double step_time = motion.range.period / halves / static_cast<double>(motion.steps.size());
  for (std::size_t n = 0; n < motion.steps.size(); ++n) {
    const MotionStep& step = motion.steps[n];
    if (step.feet.empty()) throw InputError("a step needs one foot or more");
    GaitStep& played = gait_.steps.emplace_back();
    for (const std::string& name : step.feet) played.feet.push_back(foot_of(character, name));
    Palette& p = palettes_.emplace_back();
    p.air = air;
    p.ground = ground_modes(character, played.feet);
    const std::string where = "step " + std::to_string(n + 1);
    p.air_amplitude = marked(step.air, mode_count(character, motion, p.air), where + ", air");
    p.ground_amplitude =
        marked(step.ground, mode_count(character, motion, p.ground), where + ", ground");
    played.air.duration = motion.range.air_share * step_time;
    played.ground.duration = step_time - played.air.duration;
    for (GaitPhase* phase : {&played.air, &played.ground}) {
      phase->pulses.push_back({0, phase->duration / 2, VecX::Zero(character.internal)});
    }
  }
  if (motion.mirrored) {
    for (std::size_t n = 0; n < motion.steps.size(); ++n) {
      gait_.steps.push_back(gait_.steps[n]);
    }
  }
  gait_.shape = motion.shape;
  gait_.start.q.resize(character.model.nq);
  gait_.start.v.resize(character.model.nv);
  // once around, so that all memory is there
  set_pulses();
  restart();
  advance(period());
  restart();
}

int Sketch::modes(int step, SketchPhase phase) const {
  const Palette& p = palettes_[at(step)];
  return static_cast<int>(phase == SketchPhase::air ? p.air_amplitude.size()
                                                    : p.ground_amplitude.size());
}

const Modes& Sketch::palette(int step, SketchPhase phase) const {
  const Palette& p = palettes_[at(step)];
  return phase == SketchPhase::air ? p.air : p.ground;
}

double Sketch::amplitude(int step, SketchPhase phase, int mode) const {
  const Palette& p = palettes_[at(step)];
  return (phase == SketchPhase::air ? p.air_amplitude : p.ground_amplitude)[at(mode - 1)];
}

void Sketch::set_amplitude(int step, SketchPhase phase, int mode, double amplitude) {
  assert(step >= 0 && step < steps() && mode >= 1 && mode <= modes(step, phase));
  Palette& p = palettes_[at(step)];
  (phase == SketchPhase::air ? p.air_amplitude : p.ground_amplitude)[at(mode - 1)] = amplitude;
  set_pulses();
  restart();
}

void Sketch::set_pulses() {
  for (int n = 0; n < steps(); ++n) {
    GaitStep& step = gait_.steps[at(n)];
    for (const SketchPhase phase : {SketchPhase::air, SketchPhase::ground}) {
      GaitPhase& played = phase == SketchPhase::air ? step.air : step.ground;
      VecX& torque = played.pulses[0].torque;
      torque.setZero();
      for (int mode = 1; mode <= modes(n, phase); ++mode) {
        const double a = amplitude(n, phase, mode);
        if (a != 0) torque += a * mode_torque(character_, motion_, palette(n, phase), mode - 1);
      }
      if (!motion_.mirrored) continue;
      GaitStep& image = gait_.steps[at(steps() + n)];
      (phase == SketchPhase::air ? image.air : image.ground).pulses[0].torque =
          mirrored(character_, torque);
    }
  }
}

void Sketch::restart() {
  gait_.start = character_.rest;
  gait_.start.v.setZero();
  gait_.start.t = 0;
  goal_ = cycle_start_ = 0;
  rollout_.begin(gait_);
  state_ = gait_.start;
}

void Sketch::take_state() {
  std::copy(rollout_.q().begin(), rollout_.q().end(), state_.q.data());
  std::copy(rollout_.v().begin(), rollout_.v().end(), state_.v.data());
  state_.t = cycle_start_ + rollout_.time();
}

void Sketch::advance(double seconds) {
  goal_ += seconds;
  const double half_step = 0.5 * motion_.rollout.time_step;
  while (cycle_start_ + rollout_.time() + half_step < goal_) {
    check_interrupt();
    if (rollout_.advance()) continue;
    // the cycle ends where the next one begins
    take_state();
    gait_.start.q = state_.q, gait_.start.v = state_.v;
    cycle_start_ = state_.t;
    rollout_.begin(gait_);
  }
  take_state();
}

double Sketch::modal_amplitude(int step, SketchPhase phase, int mode) const {
  const VecX turn = difference(character_.model, character_.rest.q, state_.q);
  return palette(step, phase)
      .phi.col(mode - 1)
      .dot(turn.segment(character_.first_internal, character_.internal));
}

Recording record_sketch(const Character& character, Sketch& sketch, double seconds, double fps) {
  Recording recording;
  Kinematics<double> k(character.model);
  sketch.restart();
  const int frames = 1 + static_cast<int>(std::floor(seconds * fps + 1e-9));
  for (int n = 0; n < frames; ++n) {
    if (n > 0) sketch.advance(n / fps - (n - 1) / fps);
    const State& state = sketch.state();
    Frame& frame = recording.frames.emplace_back();
    frame.state = state;
    update_poses(character.model, state.q.data(), k);
    update_velocities(character.model, state.v.data(), k);
    for (int b = 0; b < character.model.body_count(); ++b) {
      frame.X_WB.push_back(body_pose(character.model, k, {b}));
    }
    const Totals sum = totals(character.model, k);
    frame.energy = {sum.kinetic, sum.gravity_potential,
                    elastic_energy(character.model, k, state.q)};
    frame.momentum = sum.momentum;
    frame.angular_momentum = sum.angular_momentum;
  }
  recording.summary.duration = sketch.state().t;
  recording.summary.frames = frames;
  return recording;
}

}  // namespace molejo

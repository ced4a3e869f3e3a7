#include "molejo/locomotion/gait_problem.h"

#include <algorithm>
#include <cmath>

#include "molejo/locomotion/choose_modes.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

double wall_above(double x, double most) { return x > most ? (x - most) * (x - most) + 1 : 0; }

}  // namespace

int foot_of(const Character& character, const std::string& name) {
  const int body = character.model.body(name).index;
  for (std::size_t f = 0; f < character.feet.size(); ++f) {
    if (character.feet[f].body.index == body) return static_cast<int>(f);
  }
  throw InputError("body '" + name + "' is not a foot of the character");
}

Modes ground_modes(const Character& character, const std::vector<int>& feet) {
  ModalOptions others;
  for (std::size_t i = 1; i < feet.size(); ++i) {
    const Foot& foot = character.feet[at(feet[i])];
    others.fixed_points.push_back({foot.body, foot.toe});
  }
  return ground_modes(character, feet.front(), std::move(others));
}

int mode_count(const Character& character, const Motion& motion, const Modes& modes) {
  return motion.basis == Basis::joints ? character.internal : modes.count();
}

VecX mode_torque(const Character& character, const Motion& motion, const Modes& modes, int mode) {
  if (motion.basis == Basis::joints) {
    return VecX::Unit(character.internal, mode) * motion.torque_scale;
  }
  VecX torque = modes.phi.col(mode);
  if (motion.basis == Basis::stiff_shapes) {
    for (int n = 0; n < character.internal; ++n) {
      torque[n] *= character.model.drives[at(character.first_internal + n)].stiffness;
    }
    torque.normalize();
  }
  return torque * motion.torque_scale;
}

GaitProblem::GaitProblem(const Character& character, const Motion& motion)
    : character_(character), motion_(motion) {
  if (!character.free_root) throw InputError("the character must be free to move: its root is not");
  if (motion.steps.empty()) throw InputError("a motion needs one step or more");
  if (motion.mirrored && !character.mirror.symmetric) {
    throw InputError(
        "the character is not symmetric, so its second half-cycle cannot be the image "
        "of the first: " +
        character.mirror.asymmetry);
  }
  for (const MotionStep& step : motion.steps) {
    if (step.feet.empty()) throw InputError("a step needs one foot or more");
  }
  motion_ = with_chosen_modes(character, motion);
  add_state_unknowns();
  const SearchRange& range = motion.range;
  const Modes air = air_modes(character);
  first_amplitude_ = size();
  for (std::size_t n = 0; n < motion_.steps.size(); ++n) {
    const MotionStep& step = motion_.steps[n];
    StepColumns columns_of_step;
    for (const std::string& name : step.feet) {
      columns_of_step.feet.push_back(foot_of(character, name));
    }
    const Modes ground = ground_modes(character, columns_of_step.feet);
    const std::string where = "step " + std::to_string(n + 1);
    columns_of_step.air = columns(air, step.air, where + ", air");
    columns_of_step.ground = columns(ground, step.ground, where + ", ground");
    steps_.push_back(std::move(columns_of_step));
  }
  last_amplitude_ = size();
  const double step_time =
      range.period / (motion.mirrored ? 2.0 : 1.0) / static_cast<double>(motion.steps.size());
  const auto add_times = [&](PhaseColumns& c, double phase, const std::string& where) {
    c.time = size();
    const int pulses = motion.own_times ? static_cast<int>(c.mode.size()) : 1;
    for (int p = 0; p < pulses; ++p) {
      const std::string name =
          where + (motion.own_times ? " " + std::to_string(c.mode[at(p)]) : "");
      if (motion.own_times) unknowns_.push_back({name + " start", 0, range.most_pulse, 0});
      unknowns_.push_back({name + " pulse", range.least_pulse, range.most_pulse, phase / 2});
    }
  };
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const std::string where = "step " + std::to_string(n + 1);
    add_times(steps_[n].air, range.air_share * step_time, where + ", air");
    add_times(steps_[n].ground, (1 - range.air_share) * step_time, where + ", ground");
  }
  period_ = size();
  unknowns_.push_back({"period", range.least_period, range.most_period, range.period});
  unknowns_.push_back({"air share", range.least_air_share, range.most_air_share, range.air_share});
  for (Unknown& u : unknowns_) {
    if (!(u.lower <= u.upper)) {
      throw InputError(u.name + ": its range from " + std::to_string(u.lower) + " to " +
                       std::to_string(u.upper) + " is empty");
    }
    u.start = std::clamp(u.start, u.lower, u.upper);
  }
}

// Positions and velocities of all freedoms but the way forward: sideways, up, root turn, joints,
// then their rates.
void GaitProblem::add_state_unknowns() {
  const SearchRange& r = motion_.range;
  const CycleTolerance& tol = motion_.tolerance;
  const std::vector<std::string> names = freedom_names(character_);
  std::vector<double> tolerance;
  const auto add = [&](const std::string& name, double lower, double upper, double start,
                       double allowed) {
    unknowns_.push_back({name, lower, upper, start});
    tolerance.push_back(allowed);
  };
  add("sideways", -r.sideways, r.sideways, 0, tol.position);
  add("height", -r.below, r.above, r.height, tol.position);
  for (const char* axis : {"x", "y", "z"}) {
    add(std::string("root turn ") + axis, -r.root_turn, r.root_turn, 0, tol.angle);
  }
  for (int i = 0; i < character_.internal; ++i) {
    add(names[at(i)], -r.joint_turn, r.joint_turn, 0, tol.angle);
  }
  add("speed", r.least_speed, r.most_speed, r.speed, tol.speed);
  add("speed sideways", -r.side_speed, r.side_speed, 0, tol.speed);
  add("speed up", -r.rise_speed, r.rise_speed, 0, tol.speed);
  for (const char* axis : {"x", "y", "z"}) {
    add(std::string("root spin ") + axis, -r.root_spin, r.root_spin, 0, tol.spin);
  }
  for (int i = 0; i < character_.internal; ++i) {
    add(names[at(i)] + " rate", -r.joint_speed, r.joint_speed, 0, tol.spin);
  }
  tolerance_ =
      Eigen::Map<const VecX>(tolerance.data(), static_cast<Eigen::Index>(tolerance.size()));
}

GaitProblem::PhaseColumns GaitProblem::columns(const Modes& modes, const PhaseMarks& marks,
                                               const std::string& where) {
  PhaseColumns c;
  c.first = size();
  const int most = mode_count(character_, motion_, modes);
  const auto add = [&](int mode, double sketch) {
    if (mode < 1 || mode > most) {
      throw InputError(where + ": mode " + std::to_string(mode) + " does not exist, there are " +
                       std::to_string(most));
    }
    if (std::find(c.mode.begin(), c.mode.end(), mode) != c.mode.end()) {
      throw InputError(where + ": mode " + std::to_string(mode) + " is marked twice");
    }
    c.mode.push_back(mode);
    c.sketch.push_back(sketch);
    const double top = motion_.range.amplitude;
    if (std::fabs(sketch) > top) {
      throw InputError(where + ": the amplitude of mode " + std::to_string(mode) +
                       " is beyond the range of " + std::to_string(top));
    }
    // a priority mode keeps its sign and at least its amplitude
    unknowns_.push_back({where + " " + std::to_string(mode), sketch > 0 ? sketch : -top,
                         sketch < 0 ? sketch : top, sketch});
  };
  for (const MarkedMode& m : marks.priority) {
    if (m.amplitude == 0) {
      throw InputError(where + ": priority mode " + std::to_string(m.mode) +
                       " needs an amplitude other than zero");
    }
    add(m.mode, m.amplitude);
  }
  for (const int mode : marks.others) add(mode, 0);

  c.torque = MatX::Zero(character_.internal, static_cast<Eigen::Index>(c.mode.size()));
  for (std::size_t i = 0; i < c.mode.size(); ++i) {
    c.torque.col(static_cast<Eigen::Index>(i)) =
        mode_torque(character_, motion_, modes, c.mode[i] - 1);
  }
  return c;
}

VecX GaitProblem::start() const {
  VecX x(size());
  for (int i = 0; i < size(); ++i) {
    const Unknown& u = unknowns_[at(i)];
    x[i] = u.part(u.start);
  }
  return x;
}

double GaitProblem::value(const double* x, int i) const {
  const Unknown& u = unknowns_[at(i)];
  return u.lower + x[i] * (u.upper - u.lower);
}

void GaitProblem::set_phase(const PhaseColumns& c, const double* x, double duration,
                            GaitPhase& phase) const {
  phase.duration = duration;
  const int count = static_cast<int>(c.mode.size());
  phase.pulses.resize(motion_.own_times ? c.mode.size() : 1);
  if (motion_.own_times) {
    for (int i = 0; i < count; ++i) {
      Pulse& pulse = phase.pulses[at(i)];
      pulse.start = value(x, c.time + 2 * i);
      pulse.length = value(x, c.time + 2 * i + 1);
      pulse.torque = c.torque.col(i) * value(x, c.first + i);
    }
    return;
  }
  Pulse& pulse = phase.pulses[0];
  pulse.start = 0;
  pulse.length = value(x, c.time);
  pulse.torque.setZero(character_.internal);
  for (int i = 0; i < count; ++i) pulse.torque += c.torque.col(i) * value(x, c.first + i);
}

Gait GaitProblem::gait(const double* x) const {
  Gait g;
  set_gait(x, g);
  return g;
}

void GaitProblem::set_gait(const double* x, Gait& g) const {
  g.mirrored = motion_.mirrored;
  g.shape = motion_.shape;
  g.steps.resize(steps_.size());
  const double halves = motion_.mirrored ? 2 : 1;
  const double step = value(x, period_) / halves / static_cast<double>(steps_.size());
  const double air = value(x, period_ + 1) * step;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    g.steps[n].feet = steps_[n].feet;
    set_phase(steps_[n].air, x, air, g.steps[n].air);
    set_phase(steps_[n].ground, x, step - air, g.steps[n].ground);
  }

  g.start.t = 0;
  g.start.q = character_.rest.q;
  g.start.v.setZero(character_.model.nv);
  const int positions = 5 + character_.internal;
  VecX dq = VecX::Zero(character_.model.nv);
  const Link& root = character_.model.links[at(character_.root.index)];
  const Vec3 shift = character_.left * value(x, 0) + character_.up * value(x, 1);
  const Vec3 speed = character_.forward * value(x, positions) +
                     character_.left * value(x, positions + 1) +
                     character_.up * value(x, positions + 2);
  for (int i = 0; i < 3; ++i) {
    dq[root.v + i] = shift[i];
    dq[root.v + 3 + i] = value(x, 2 + i);
    g.start.v[root.v + i] = speed[i];
    g.start.v[root.v + 3 + i] = value(x, positions + 3 + i);
  }
  for (int i = 0; i < character_.internal; ++i) {
    dq[character_.first_internal + i] = value(x, 5 + i);
    g.start.v[character_.first_internal + i] = value(x, positions + 6 + i);
  }
  move(character_.model, dq.data(), 1, g.start.q.data());
}

void GaitProblem::set_state(const State& state, double* x) const {
  const VecX dq = difference(character_.model, character_.rest.q, state.q);
  const Link& root = character_.model.links[at(character_.root.index)];
  const Vec3 shift{dq[root.v], dq[root.v + 1], dq[root.v + 2]};
  const Vec3 speed{state.v[root.v], state.v[root.v + 1], state.v[root.v + 2]};
  const int positions = 5 + character_.internal;
  const auto set = [&](int i, double y) {
    const Unknown& u = unknowns_[at(i)];
    x[i] = std::clamp(u.part(y), 0.0, 1.0);
  };
  set(0, dot(shift, character_.left));
  set(1, dot(shift, character_.up));
  set(positions, dot(speed, character_.forward));
  set(positions + 1, dot(speed, character_.left));
  set(positions + 2, dot(speed, character_.up));
  for (int i = 0; i < 3; ++i) {
    set(2 + i, dq[root.v + 3 + i]);
    set(positions + 3 + i, state.v[root.v + 3 + i]);
  }
  for (int i = 0; i < character_.internal; ++i) {
    set(5 + i, dq[character_.first_internal + i]);
    set(positions + 6 + i, state.v[character_.first_internal + i]);
  }
}

State GaitProblem::next_start(const Gait& gait, const State& end) const {
  State next = gait.mirrored ? mirrored(character_, end) : end;
  const Link& root = character_.model.links[at(character_.root.index)];
  const Vec3 p{next.q[root.q], next.q[root.q + 1], next.q[root.q + 2]};
  const Vec3 start{gait.start.q[root.q], gait.start.q[root.q + 1], gait.start.q[root.q + 2]};
  const Vec3 back = character_.forward * dot(p - start, character_.forward);
  for (int i = 0; i < 3; ++i) next.q[root.q + i] -= back[i];
  next.t = 0;
  return next;
}

void GaitProblem::cycle_error(const Gait& gait, const RolloutResult& result, double* phi) const {
  state_error(gait.start, next_start(gait, result.end), phi);
}

void GaitProblem::state_error(const State& nominal, const State& state, double* phi) const {
  const VecX dq = difference(character_.model, nominal.q, state.q);
  const VecX dv = state.v - nominal.v;
  const Link& root = character_.model.links[at(character_.root.index)];
  const auto part = [&](const VecX& d, const Vec3& axis) {
    return d[root.v] * axis.x + d[root.v + 1] * axis.y + d[root.v + 2] * axis.z;
  };
  const int positions = 5 + character_.internal;
  phi[0] = part(dq, character_.left), phi[1] = part(dq, character_.up);
  phi[positions] = part(dv, character_.forward);
  phi[positions + 1] = part(dv, character_.left), phi[positions + 2] = part(dv, character_.up);
  for (int i = 0; i < 3; ++i) {
    phi[2 + i] = dq[root.v + 3 + i];
    phi[positions + 3 + i] = dv[root.v + 3 + i];
  }
  for (int i = 0; i < character_.internal; ++i) {
    phi[5 + i] = dq[character_.first_internal + i];
    phi[positions + 6 + i] = dv[character_.first_internal + i];
  }
  for (int i = 0; i < cycle_size(); ++i) phi[i] /= tolerance_[i];
}

std::vector<VecX> GaitProblem::priority_shapes() const {
  std::vector<VecX> shapes;
  for (const StepColumns& step : steps_) {
    for (const PhaseColumns* c : {&step.air, &step.ground}) {
      for (std::size_t i = 0; i < c->mode.size(); ++i) {
        if (c->sketch[i] == 0) continue;
        shapes.push_back(c->torque.col(static_cast<Eigen::Index>(i)).normalized());
      }
    }
  }
  return shapes;
}

bool GaitProblem::asks_for_style() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const StepColumns& step) {
    const auto marked = [](double sketch) { return sketch != 0; };
    return std::any_of(step.air.sketch.begin(), step.air.sketch.end(), marked) ||
           std::any_of(step.ground.sketch.begin(), step.ground.sketch.end(), marked);
  });
}

double GaitProblem::priority_term(const double* x) const {
  double sum = 0;
  for (const StepColumns& step : steps_) {
    for (const PhaseColumns* c : {&step.air, &step.ground}) {
      double priority = 0, others = 0;
      for (std::size_t i = 0; i < c->mode.size(); ++i) {
        const double amplitude = std::fabs(value(x, c->first + static_cast<int>(i)));
        (c->sketch[i] != 0 ? priority : others) += amplitude;
      }
      if (priority > 0) sum += wall_above(others, motion_.others * priority);
    }
  }
  return sum;
}

double GaitProblem::objective(const RolloutResult& result) const {
  // standing still is as bad as going back
  const double v = std::max(result.mean_velocity.x, 1e-3);
  return result.energy / (v * v);
}

double GaitProblem::easy_sum(const double* x, const RolloutResult& result) const {
  double sum = priority_term(x);
  for (const double term : result.terms) sum += term;
  return sum;
}

}  // namespace molejo

#include "molejo/physics/integrate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "molejo/math/interrupt.h"
#include "molejo/math/same_bits.h"
#include "molejo/physics/integrate_kernel.h"

namespace molejo {

template struct StepScratch<double>;
template void step_tree(const Model&, Integrator, double, double, double*, double*,
                        StepScratch<double>&);
template void step_tree(const Model&, Integrator, double, double, double*, double*,
                        const Command<double>&, StepScratch<double>&);

namespace {

// Explicit Runge-Kutta method; `error` is b minus the embedded lower-order weights.
struct Tableau {
  int stages;
  double c[6];
  double a[6][5];
  double b[6];
  double error[6];
};

constexpr Tableau rk4 = {4,
                         {0, 0.5, 0.5, 1},
                         {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
                         {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                         {}};

constexpr Tableau rkf45 = {6,
                           {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2},
                           {{},
                            {1.0 / 4},
                            {3.0 / 32, 9.0 / 32},
                            {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                            {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                            {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}},
                           {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55},
                           {16.0 / 135 - 25.0 / 216, 0, 6656.0 / 12825 - 1408.0 / 2565,
                            28561.0 / 56430 - 2197.0 / 4104, -9.0 / 50 + 1.0 / 5, 2.0 / 55}};

// Calls f(first velocity index) for every rotation of three freedoms.
template <class F>
void for_each_ball(const Model& model, F&& f) {
  for (const Link& link : model.links) {
    if (link.rotations == 3) f(link.v + link.translations);
  }
}

Vec3 three(const VecX& x, int i) { return {x[i], x[i + 1], x[i + 2]}; }
void set_three(VecX& x, int i, const Vec3& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }

// Rate of the chart coordinates y while the velocity is v.
void chart_rate(const Model& model, const VecX& y, const VecX& v, VecX& rate) {
  rate = v;
  for_each_ball(
      model, [&](int i) { set_three(rate, i, inverse_right_jacobian(three(y, i)) * three(v, i)); });
}

// Loops and contact of a single world.
struct Coupled {
  const Model& model;
  double h;
  Scratch& scratch;
  ContactStep* contact;
  ImplicitDrive implicit{};  // zero: formulas are explicit
  FormulaRun* formulas = scratch.formulas.get();
  ImplicitForces* stiff = implicit.by_damping > 0 ? scratch.implicit_forces.get() : nullptr;
  bool fresh = true;  // nothing was pushed yet in this step
  const double* v_start = nullptr;
  Acting<double> acts = scratch.command ? acting(model, *scratch.command) : Acting<double>{};
  bool pushes = (formulas && !formulas->set->forces.empty()) || !scratch.pushes.empty() ||
                acts.on_bodies(model);
  bool needs_poses =
      contact != nullptr || scratch.penalty != nullptr || pushes || !model.loops.empty();

  Dynamics<double>& dynamics() const { return scratch.tree.dynamics; }
  // before the step
  void wake_told() {
    if (!contact || !acts.any()) return;
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      if (acts_on(model, acts, model.trees[t])) keep_awake(model, t, h, dynamics(), *contact);
    }
  }
  void command(double t, const double* q, const double* v) {
    if (!formulas || formulas->set->motors.empty()) return;
    update_poses(model, q, dynamics().kinematics);
    update_velocities(model, v, dynamics().kinematics);
    read_signals(model, t, q, v, dynamics().kinematics, *formulas);
    command_motors(dynamics(), *formulas);
  }
  void placed() {
    fresh = true;
    if (contact) find_step_contacts(model, h, dynamics(), *contact);
  }
  void push(double t, const double* q, const double* v) {
    if (scratch.penalty) apply_penalty(model, dynamics(), *scratch.penalty);
    if (formulas && !formulas->set->forces.empty()) {
      read_signals(model, t, q, v, dynamics().kinematics, *formulas);
      // stiff ones at the velocities of the start: what follows from there is in the correction
      apply_formula_forces(model, stiff && !fresh, dynamics(), *formulas);
      if (fresh) v_start = v;
      fresh = false;
    }
    for (const Push& p : scratch.pushes) {
      if (t > p.until) continue;
      const Vec3 at = body_pose(model, dynamics().kinematics, p.body) * p.p;
      Vec3 force = p.force + (p.to - at) * p.stiffness;
      if (p.damping > 0) force -= point_velocity(dynamics().kinematics, p.body, at) * p.damping;
      molejo::push(p.body, at, force, dynamics());
    }
  }
  void factorized() {
    factorize_loops(model, dynamics(), scratch.loops);
    if (stiff) stiff->linearize(model, v_start, implicit, dynamics(), *formulas);
  }
  void constrain() {
    constrain_acceleration(model, dynamics(), scratch.loops);
    if (stiff) stiff->correct(dynamics());
  }
  void meet(double* v, double ahead) {
    if (!contact) return;
    scratch.failed = scratch.failed ||
                     !solve_step_contacts(model, h, ahead, v, dynamics(), scratch.loops, *contact);
  }
  void settle(double* q, double* v) {
    if (!contact) return;
    take_back_penetration(model, h, q, dynamics(), *contact);
    put_to_sleep(model, h, q, v, dynamics(), *contact);
  }
};

// While it lives, a command acts.
class Obedience {
 public:
  Obedience(const Command<double>& command, Scratch& scratch)
      : scratch_(scratch), before_(std::exchange(scratch.command, &command)) {}
  ~Obedience() { scratch_.command = before_; }
  Obedience(const Obedience&) = delete;
  Obedience& operator=(const Obedience&) = delete;

 private:
  Scratch& scratch_;
  const Command<double>* before_;
};

double runge_kutta(const Model& model, const Tableau& method, double h, State& state, Scratch& s) {
  for (int i = 0; i < method.stages; ++i) {
    check_interrupt();
    const auto n = static_cast<std::size_t>(i);
    s.y.setZero();
    s.v = state.v;
    for (int j = 0; j < i; ++j) {
      const double weight = h * method.a[i][j];
      if (weight == 0) continue;
      s.y += weight * s.y_rate[static_cast<std::size_t>(j)];
      s.v += weight * s.v_rate[static_cast<std::size_t>(j)];
    }
    s.q = state.q;
    move(model, s.y.data(), 1.0, s.q.data());
    acceleration(model, state.t + method.c[i] * h, s.q.data(), s.v.data(), s.v_rate[n].data(), s);
    chart_rate(model, s.y, s.v, s.y_rate[n]);
  }

  // the two sums, and the difference to the embedded method
  s.y.setZero();
  s.v.setZero();
  for (int i = 0; i < method.stages; ++i) {
    const auto n = static_cast<std::size_t>(i);
    s.y += h * method.error[i] * s.y_rate[n];
    s.v += h * method.error[i] * s.v_rate[n];
  }
  double error = 0;
  if (s.y.size() > 0) {
    // Eigen's maximum may pass over a NaN
    error = s.y.allFinite() && s.v.allFinite()
                ? std::max(s.y.lpNorm<Eigen::Infinity>(), s.v.lpNorm<Eigen::Infinity>())
                : std::numeric_limits<double>::infinity();
  }
  s.y.setZero();
  for (int i = 0; i < method.stages; ++i) {
    const auto n = static_cast<std::size_t>(i);
    s.y += h * method.b[i] * s.y_rate[n];
    state.v += h * method.b[i] * s.v_rate[n];
  }
  move(model, s.y.data(), 1.0, state.q.data());
  state.t += h;
  return error;
}

// Second derivative of the chart coordinates.
VecX chart_acceleration(const Model& model, const VecX& y, const VecX& rate, const VecX& v,
                        const VecX& a) {
  VecX result = a;
  for_each_ball(model, [&](int i) {
    const Vec3 phi = three(y, i);
    set_three(result, i,
              inverse_right_jacobian(phi) * three(a, i) +
                  inverse_right_jacobian_rate(phi, three(rate, i)) * three(v, i));
  });
  return result;
}

}  // namespace

Scratch::Scratch(const Model& model)
    : tree(model),
      loops(model),
      y_rate(stages, VecX::Zero(model.nv)),
      v_rate(stages, VecX::Zero(model.nv)),
      y(VecX::Zero(model.nv)),
      q(VecX::Zero(model.nq)),
      v(VecX::Zero(model.nv)) {
  if (has_contact(model)) contact = std::make_unique<ContactStep>(model);
  if (has_penalty(model)) penalty = std::make_unique<Penalty>(model);
}

void begin_step(Scratch& scratch) {
  if (scratch.contact) begin_step(*scratch.contact);
  if (scratch.penalty) begin_step(scratch.penalty->contacts);
  if (scratch.formulas) scratch.formulas->inputs_before = scratch.formulas->inputs;
}

void take_back(const Model& model, const State& start, Scratch& scratch) {
  Dynamics<double>& d = scratch.tree.dynamics;
  if (scratch.contact) take_back(model, start.q.data(), start.v.data(), d, *scratch.contact);
  if (scratch.penalty) take_back(scratch.penalty->contacts);
  if (scratch.formulas) scratch.formulas->inputs = scratch.formulas->inputs_before;
  std::fill(d.applied.begin(), d.applied.end(), Spatial<double>{});
  scratch.failed = false;
}

void acceleration(const Model& model, double t, const double* q, const double* v, double* a,
                  Scratch& scratch) {
  Dynamics<double>& d = scratch.tree.dynamics;
  Coupled coupling{model, 0, scratch, nullptr};
  coupling.command(t, q, v);
  apply_drives(model, q, v, ImplicitDrive::explicit_force(), d, coupling.acts);
  accelerate(model, t, q, v, d, coupling);
  std::copy(d.a.begin(), d.a.end(), a);
  let_go(model, coupling.acts, d);
}

void acceleration(const Model& model, double t, const double* q, const double* v,
                  const Command<double>& command, double* a, Scratch& scratch) {
  const Obedience obeys(command, scratch);
  acceleration(model, t, q, v, a, scratch);
}

double step(const Model& model, Integrator method, double h, State& state, Scratch& s) {
  const auto coupled = [&](const ImplicitDrive& implicit, auto&& advance) {
    Coupled coupling{model, h, s, s.contact.get(), implicit};
    coupling.wake_told();
    advance(model, state.t, h, state.q.data(), state.v.data(), s.tree, coupling);
    let_go(model, coupling.acts, s.tree.dynamics);
    state.t += h;
    return 0.0;
  };
  switch (method) {
    case Integrator::semi_implicit_euler:
      return coupled(ImplicitDrive::end_of_step(h), step_euler<double, Coupled&>);
    case Integrator::midpoint:
      return coupled(ImplicitDrive::middle_of_step(h), step_midpoint<double, Coupled&>);
    case Integrator::rk4:
      return runge_kutta(model, rk4, h, state, s);
    default:
      return runge_kutta(model, rkf45, h, state, s);
  }
}

double step(const Model& model, Integrator method, double h, State& state,
            const Command<double>& command, Scratch& s) {
  const Obedience obeys(command, s);
  return step(model, method, h, state, s);
}

AdaptiveStep adaptive_step(const Model& model, double h, const AdaptiveSettings& settings,
                           State& state, Scratch& scratch) {
  AdaptiveStep report;
  State& start = scratch.start;
  start = state;
  h = std::min(h, settings.max_step);
  while (true) {
    const double error = step(model, Integrator::rkf45, h, state, scratch);
    // step law of the specification: 0.9 (tolerance/error)^(1/5) within [0.1, 4]
    const double factor = error > 0 ? 0.9 * fifth_root(settings.tolerance / error) : 4;
    report.taken = h;
    report.next =
        std::clamp(h * std::clamp(factor, 0.1, 4.0), settings.min_step, settings.max_step);
    if (error <= settings.tolerance || h <= settings.min_step) return report;
    state = start;
    h = std::max(report.next, settings.min_step);
    ++report.rejected;
  }
}

AdaptiveStep adaptive_step(const Model& model, double h, const AdaptiveSettings& settings,
                           State& state, const Command<double>& command, Scratch& scratch) {
  const Obedience obeys(command, scratch);
  return adaptive_step(model, h, settings, state, scratch);
}

void smooth_path(const Model& model, const State& start, const State& end, Scratch& scratch,
                 StepPath& path) {
  const double h = end.t - start.t;
  VecX a0(model.nv), a1(model.nv);
  acceleration(model, start.t, start.q.data(), start.v.data(), a0.data(), scratch);
  acceleration(model, end.t, end.q.data(), end.v.data(), a1.data(), scratch);

  // ends of the quintic in the chart of the start
  const VecX y1 = difference(model, start.q, end.q);
  VecX rate1(model.nv);
  chart_rate(model, y1, end.v, rate1);
  const VecX second1 = chart_acceleration(model, y1, rate1, end.v, a1);

  const VecX p = y1 - h * start.v - (h * h / 2) * a0;
  const VecX r = h * (rate1 - start.v) - (h * h) * a0;
  const VecX w = (h * h) * (second1 - a0);
  path.start = start;
  path.h = h;
  path.c[0] = VecX::Zero(model.nv);
  path.c[1] = h * start.v;
  path.c[2] = (h * h / 2) * a0;
  path.c[3] = 10 * p - 4 * r + 0.5 * w;
  path.c[4] = -15 * p + 7 * r - w;
  path.c[5] = 6 * p - 3 * r + 0.5 * w;
}

void straight_path(const Model& model, const State& start, const State& end, StepPath& path) {
  path.start = start;
  path.h = end.t - start.t;
  for (VecX& c : path.c) c = VecX::Zero(model.nv);
  path.c[1] = difference(model, start.q, end.q);
}

void position_at(const Model& model, const StepPath& path, double s, VecX& q) {
  const VecX* c = path.c;
  const VecX y = s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
  q = path.start.q;
  move(model, y.data(), 1.0, q.data());
}

State state_at(const Model& model, const StepPath& path, double t) {
  const double s = (t - path.start.t) / path.h;
  const VecX* c = path.c;
  const VecX y = s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
  const VecX rate =
      (c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))) / path.h;
  State state{t, path.start.q, rate};
  move(model, y.data(), 1.0, state.q.data());
  // from chart rates back to angular velocities
  for_each_ball(model, [&](int i) {
    set_three(state.v, i, inverse(inverse_right_jacobian(three(y, i))) * three(rate, i));
  });
  return state;
}

State between(const Model& model, const State& start, const State& end, double t,
              Scratch& scratch) {
  StepPath path;
  smooth_path(model, start, end, scratch, path);
  return state_at(model, path, t);
}

}  // namespace molejo

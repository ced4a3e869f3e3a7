#include "molejo/physics/closed_step.h"

#include <algorithm>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Parts of the kinetic energy of a mechanism that one step may lose at a singular configuration:
// with more it is taken again in halves, with still more it leads elsewhere.
constexpr double smooth = 1e-6, bearable = 1e-4;
// What counts of the part that the way back to closed positions has, made in the time of the step.
constexpr double way_back = 0.01;
// The part that the difference between a step and its two halves may have there.
constexpr double resolved = 1e-9;
constexpr int halvings = 12;

bool closes(const Model& model, const Settings& settings) {
  return model.rows > 0 && settings.project;
}

bool is_finite(const State& state) { return state.q.allFinite() && state.v.allFinite(); }

// Closes the state after a step of h, and returns what this took of the motion, as a part of its
// kinetic energy; only where closures come close to losing rank.
double close(const Model& model, const Settings& settings, double h, State& state, Scratch& s,
             ClosedStep& report) {
  constexpr double all = 1;
  Loops& loops = s.loops;
  Dynamics<double>& d = s.tree.dynamics;
  const bool singular = loops.is_nearly_singular();
  if (!is_finite(state)) return singular ? all : 0;
  const double tolerance = singular ? 0 : settings.constraint_tolerance;
  update_poses(model, state.q.data(), d.kinematics);
  if (!singular && closure_misfit(model, d.kinematics, loops) <= tolerance) return 0;
  const double jolt = project(model, state, tolerance, d, loops).jolt;
  ++report.projections;
  if (!is_finite(state)) return all;
  if (!loops.is_nearly_singular()) return 0;
  loops.moved /= h;
  return std::max(jolt, way_back * difference_part(model, state, loops.moved, d.kinematics, loops));
}

double step_and_close(const Model& model, const Settings& settings, Integrator method, double h,
                      State& state, Scratch& s, ClosedStep& report) {
  s.loops.weakest = {};
  step(model, method, h, state, s);
  return s.failed ? 0 : close(model, settings, h, state, s, report);
}

// How wrong a step is.
struct Fault {
  double jolt = 0;      // what closing it took
  double apart = 0;     // what it differs from two of half its size
  int weakest_row = 0;  // of all closures
};

// Takes it; near a singular configuration also in two halves, to compare.
Fault compared_step(const Model& model, const Settings& settings, Integrator method, double h,
                    State& state, Scratch& s, ClosedStep& report) {
  Loops& loops = s.loops;
  s.closed = state;
  Fault fault;
  fault.jolt = step_and_close(model, settings, method, h, state, s, report);
  fault.weakest_row = loops.weakest.row;
  if (fault.jolt > smooth || !loops.is_nearly_singular()) return fault;
  State& halves = s.start;
  halves = s.closed;
  ClosedStep aside;
  for (int half = 0; half < 2; ++half) {
    const double jolt = step_and_close(model, settings, method, h / 2, halves, s, aside);
    fault.jolt = std::max(fault.jolt, jolt);
  }
  VecX& difference = loops.moved;
  difference = state.v - halves.v;
  fault.apart = difference_part(model, state, difference, s.tree.dynamics.kinematics, loops);
  return fault;
}

// Contact remembers its last step, which hence cannot be taken again. What it pushes jolts.
ClosedStep step_of_contact(const Model& model, const Settings& settings, Integrator method,
                           double h, State& state, Scratch& s) {
  ClosedStep report;
  report.taken = report.next = h;
  s.closed = state;
  const double jolt = step_and_close(model, settings, method, h, state, s, report);
  const std::vector<Contact>& contacts = s.contact->contacts.list;
  const auto pushes = [](const Contact& c) { return !(c.impulse == Vec3{}); };
  if (jolt > bearable && std::none_of(contacts.begin(), contacts.end(), pushes)) {
    report.singular = loop_of_row(model, s.loops.weakest.row);
    state = s.closed;
  }
  return report;
}

}  // namespace

ClosedStep closed_step(const Model& model, const Settings& settings, Integrator method, double h,
                       State& state, Scratch& s) {
  ClosedStep report;
  report.taken = report.next = h;
  if (!closes(model, settings)) {
    step(model, method, h, state, s);
    return report;
  }
  if (s.contact && method != Integrator::rk4 && method != Integrator::rkf45) {
    return step_of_contact(model, settings, method, h, state, s);
  }
  constexpr int whole = 1 << halvings;
  const double begin = state.t;
  bool starts_closed = false;
  for (int at = 0, size = whole; at < whole;) {
    check_interrupt();
    const Fault fault = compared_step(model, settings, method, h * size / whole, state, s, report);
    if ((fault.jolt > smooth || !(fault.apart <= resolved)) && size > 1) {
      state = s.closed;
      ++report.rejected;
      // the fault may be that of the start: after an impact
      if (!starts_closed) close(model, settings, h, state, s, report);
      starts_closed = true;
      size /= 2;
      continue;
    }
    if (std::max(fault.jolt, fault.apart) > bearable) {
      report.singular = loop_of_row(model, fault.weakest_row);
      state = s.closed;
      return report;
    }
    at += size;
    state.t = begin + h * at / whole;
    while (at % (2 * size) == 0 && 2 * size <= whole) size *= 2;
  }
  return report;
}

ClosedStep closed_adaptive_step(const Model& model, const Settings& settings, double h,
                                State& state, Scratch& s) {
  const AdaptiveSettings adaptive{settings.tolerance, settings.min_step, settings.max_step};
  ClosedStep report;
  State& begin = s.closed;
  begin = state;
  for (int tries = 0;; ++tries) {
    check_interrupt();
    s.loops.weakest = {};
    const AdaptiveStep taken = adaptive_step(model, h, adaptive, state, s);
    report.taken = taken.taken, report.next = taken.next;
    report.rejected += taken.rejected;
    if (!closes(model, settings)) return report;
    const double jolt = close(model, settings, taken.taken, state, s, report);
    if (!(jolt > smooth)) return report;
    const bool last = tries == halvings || taken.taken <= settings.min_step;
    if (last && !(jolt > bearable)) return report;
    state = begin;
    if (last) {
      report.singular = loop_of_row(model, s.loops.weakest.row);
      return report;
    }
    if (tries == 0) {
      close(model, settings, h, state, s, report);
      begin = state;
    }
    h = std::max(taken.taken / 2, settings.min_step);
    ++report.rejected;
  }
}

std::string singular_message(const Model& model, int loop) {
  return "the mechanism of joint '" + model.loops[static_cast<std::size_t>(loop)].name +
         "' comes to a singular configuration, where its velocities do not tell how it goes on,";
}

}  // namespace molejo

#include "bench/verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench/contact.h"
#include "bench/contact_works.h"
#include "bench/penetration.h"

namespace bench {

namespace {

constexpr double time_step = 1e-3, right_angle = std::numbers::pi / 2;

double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }

double largest_difference(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max({largest, norm(a[i].x_axis - b[i].x_axis), norm(a[i].y_axis - b[i].y_axis),
                        norm(a[i].z_axis - b[i].z_axis), norm(a[i].center - b[i].center),
                        norm(a[i].velocity - b[i].velocity), norm(a[i].spin - b[i].spin)});
  }
  return largest;
}

std::vector<BodyState> state_after(const Entrant& entrant, const Work& work, int steps,
                                   double step_size = time_step) {
  const auto simulation = entrant.engine->make(work, entrant.integrator.c_str(), step_size);
  simulation->step(steps);
  std::vector<BodyState> bodies(work.parts.size());
  simulation->read(bodies.data());
  return bodies;
}

// The chain at q = .3, .6, .9, 1.2 and v = -.4, .1, .6, 1.1 (joint angles), against the closed
// form of the page of reference values.
std::optional<double> acceleration_error(const Entrant& entrant) {
  constexpr std::array expected{9.384278188054, -51.575543196009, 20.107325600664, 4.313195623233};
  Work work = chain(4, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    work.parts[i].angle = 0.3 * static_cast<double>(i + 1);
    work.parts[i].rate = -0.4 + 0.5 * static_cast<double>(i);
  }
  const auto simulation = entrant.engine->make(work, entrant.integrator.c_str(), time_step);
  if (!simulation->forward_dynamics(1)) return std::nullopt;
  std::array<double, 4> found{};
  simulation->hinge_accelerations(found.data());
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]) / std::abs(expected[1]));
  return largest;
}

// The tip of four links 1 s after the horizontal, against the page of reference values.
double tip_error(const Entrant& entrant) {
  const BodyState last = state_after(entrant, chain(4, right_angle), 1000).back();
  const Vec3 tip = last.center + last.direction({0, 0, -0.1});
  return std::hypot(tip.x - 0.633622619, tip.z + 0.046691821);
}

// The centre of mass of a free tree falls as a stone, whatever the joints do; half the step is the
// first-order integrators' own error.
double center_error(const Work& work, const std::vector<BodyState>& bodies, double t) {
  const auto start = initial_state(work);
  Vec3 moved, momentum;
  double mass = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    moved = moved + (bodies[i].center - start[i].center) * work.parts[i].mass;
    momentum = momentum + start[i].velocity * work.parts[i].mass;
    mass += work.parts[i].mass;
  }
  const Vec3 expected = momentum * (t / mass) + Vec3{0, 0, -0.5 * work.gravity * t * t};
  return norm(moved * (1 / mass) - expected);
}

double largest_distance(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, norm(a[i].center - b[i].center));
  return largest;
}

// Bounds that a wrong model cannot meet: a mirrored axis or a misplaced centre moves some body by
// centimetres in half a second, a first-order integrator at 1 ms by millimetres.
std::string complaint(const Verification& v, bool single_precision, bool iterative) {
  const double exact = single_precision ? 1e-5 : 1e-9;
  if (v.start > exact) return "start state differs";
  if (v.accelerations && *v.accelerations > (single_precision ? 1e-4 : 1e-9))
    return "chain accelerations differ from the closed form";
  if (v.center > 5e-3) return "centre of mass does not fall freely";
  const double loose = iterative ? 5e-2 : 1e-2;
  if (v.ragdoll > loose || v.humanoid > loose) return "tree motion differs";
  if (!iterative && v.tip > 5e-2) return "chain tip differs";
  return "";
}

// The motion to compare with: another engine's fourth order where there is one, else our own.
Entrant accurate_entrant(const Engines& engines) {
  for (const Engine* engine : engines.all)
    if (std::string(engine->name()) == "MuJoCo") return {engine, "RK4"};
  return {engines.all[0], "rk4"};
}

Work without_contact(Work work) {
  work.ground = work.parts_touch = false;
  return work;
}

// Height of the lowest point when the motion first differs from one without ground, at a tenth of
// the step: what falls at 3 to 6 m/s comes half a millimetre nearer in each.
double first_touch(const Entrant& entrant, const Work& work) {
  const double step_size = time_step / 10;
  const Work falling = without_contact(work);
  const auto touching = entrant.engine->make(work, entrant.integrator.c_str(), step_size);
  const auto free = entrant.engine->make(falling, entrant.integrator.c_str(), step_size);
  std::vector<BodyState> felt(work.parts.size()), free_fall(work.parts.size());
  // nothing touches within the first 0.2 s
  touching->step(2000), free->step(2000);
  for (int k = 0; k < 8000; ++k) {
    touching->step(1), free->step(1);
    touching->read(felt.data()), free->read(free_fall.data());
    double lowest = std::numeric_limits<double>::infinity(), difference = 0;
    for (std::size_t i = 0; i < felt.size(); ++i) {
      lowest = std::min(lowest, lowest_point(work.parts[i].shape, free_fall[i]));
      difference = std::max(difference, norm(felt[i].velocity - free_fall[i].velocity));
    }
    if (difference > 1e-3) return lowest;
  }
  return std::numeric_limits<double>::infinity();
}

std::string complaint(const ContactVerification& v, bool single_precision, bool iterative) {
  if (v.start > (single_precision ? 1e-5 : 1e-9)) return "start state differs";
  const double loose = iterative ? 5e-2 : 1e-2;
  if (v.ragdoll > loose || v.chain > loose || v.cubes.value_or(0) > 5e-3) return "flight differs";
  if (std::max({std::abs(v.ragdoll_touch), std::abs(v.chain_touch), std::abs(v.round_touch)}) >
      3e-3)
    return "does not touch where the shapes do";
  return "";
}

}  // namespace

std::vector<ContactVerification> verify_contact(const Engines& engines) {
  const Entrant accurate = accurate_entrant(engines);
  const Work works[3] = {falling_ragdoll(), dropped_chain(), pile_of_100()};
  constexpr int steps[3] = {250, 250, 150};
  std::vector<BodyState> expected[3];
  for (std::size_t i = 0; i < 3; ++i)
    expected[i] = state_after(accurate, without_contact(works[i]), 10 * steps[i], time_step / 10);

  std::vector<ContactVerification> all;
  for (const Entrant& entrant : contact_entrants(engines)) {
    ContactVerification v;
    v.engine = entrant.engine->name();
    v.solver = entrant.integrator;
    double flights[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      if (entrant.engine->declines(works[i], entrant.integrator.c_str()) != nullptr) continue;
      v.start = std::max(
          v.start, largest_difference(initial_state(works[i]), state_after(entrant, works[i], 0)));
      flights[i] = largest_distance(state_after(entrant, works[i], steps[i]), expected[i]);
      if (i == 2) v.cubes = flights[i];
    }
    v.ragdoll = flights[0];
    v.chain = flights[1];
    v.ragdoll_touch = first_touch(entrant, works[0]);
    v.chain_touch = first_touch(entrant, works[1]);
    for (const Shape& shape : {sphere(.07), capsule(.05, .12, 1), capsule(.05, .12, 2)}) {
      const double height = first_touch(entrant, dangling(shape));
      if (std::abs(height) > std::abs(v.round_touch)) v.round_touch = height;
    }
    const bool iterative = v.engine == "ODE" || v.solver == "rigid bodies";
    v.complaint = complaint(v, entrant.engine->single_precision(), iterative);
    all.push_back(v);
  }
  return all;
}

std::vector<Verification> verify(const Engines& engines) {
  const Entrant accurate = accurate_entrant(engines);
  const Work works[2] = {ragdoll(), humanoid()};
  const std::vector<BodyState> expected[2] = {
      state_after(accurate, works[0], 5000, time_step / 10),
      state_after(accurate, works[1], 5000, time_step / 10)};

  std::vector<Verification> all;
  for (const Engine* engine : engines.all) {
    for (const Entrant& entrant : entrants_of(engine)) {
      Verification v;
      v.engine = engine->name();
      v.integrator = entrant.integrator;
      for (const Work& work : works)
        v.start = std::max(v.start,
                           largest_difference(initial_state(work), state_after(entrant, work, 0)));
      v.accelerations = acceleration_error(entrant);
      v.tip = tip_error(entrant);
      v.energy_90 = energy_drift(entrant, 4, right_angle, 1).whole;
      v.energy_30 = energy_drift(entrant, 4, right_angle / 3, 1).whole;
      const auto doll = state_after(entrant, works[0], 500);
      v.center = center_error(works[0], doll, 0.5);
      v.ragdoll = largest_distance(doll, expected[0]);
      v.humanoid = largest_distance(state_after(entrant, works[1], 500), expected[1]);
      v.complaint = complaint(v, engine->single_precision(), std::string(engine->name()) == "ODE");
      all.push_back(v);
    }
  }
  return all;
}

}  // namespace bench

// How a scene is simulated: integrator, step, contact, budgets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "molejo/math/types.h"

namespace molejo {

// One number from those of two surfaces.
enum class Combination { geometric_mean, mean, smaller, larger, product };

// What happens when two bodies touch.
//   rigid     no penetration, restitution, Coulomb friction; several contacts at once
//   penalty   a spring and a damper along the normal (ANIMADO's springs)
//   analytic  ANIMADO's impulse, one contact at a time: the no-slip impulse, or the sliding one
//             where that leaves the friction cone, all of it scaled by 1 + restitution
//   none      they pass through each other
enum class Response { rigid, penalty, analytic, none };

// Contact is event-driven under the Runge-Kutta methods (rk4, rkf45) and time-stepping under
// semi_implicit_euler and midpoint.
struct ContactSettings {
  bool enabled = true;
  Combination friction = Combination::geometric_mean;
  Combination restitution = Combination::larger;
  double rest_speed = 0.02;  // m/s: slower impacts do not bounce
  // time-stepping
  int iterations = 30;      // at most, of the contact solver per step
  double tolerance = 5e-5;  // m/s: change of contact velocities, in the mean, at which it stops
  double recovery = 0.2;    // part of a penetration that is taken back per step
  double slop = 1e-4;       // m: penetration that is left alone
  // event-driven
  double distance = 1e-6;  // m: bodies closer than this touch
  // islands of bodies that have been slower than this for this long are put to sleep
  bool sleep = true;
  double sleep_speed = 0.01, sleep_time = 0.5;
  bool operator==(const ContactSettings&) const = default;
};

enum class Formulation { reduced, maximal };
enum class Integrator { semi_implicit_euler, midpoint, rk4, rkf45 };

// Bytes that a run may take, beside what its model needs.
struct RunBudget {
  std::size_t contacts = std::size_t{256} << 20;
  std::size_t recording = std::size_t{512} << 20;  // frames and contact events, all together
};

struct Settings {
  Vec3 gravity{0, 0, -9.81};
  Formulation formulation = Formulation::reduced;
  Integrator integrator = Integrator::midpoint;
  double time_step = 1e-3;
  double tolerance = 1e-6;  // rkf45: largest error of a step in any coordinate or velocity
  double min_step = 1e-9, max_step = 1.0 / 30;
  bool project = true;                 // remove constraint drift
  double constraint_tolerance = 1e-9;  // project when some constraint exceeds this
  ContactSettings contact;
  // not part of a scene, and of no influence on results
  int threads = 1;  // of one run, 0: all of the machine
  RunBudget budget;
  double start_time = 0;  // `t` of the initial state
  double duration = 10;
  double fps = 30;
};

// The words of the scene file. The `parse_` functions return nothing for an unknown word.
std::string_view to_string(Integrator integrator);
std::string_view to_string(Formulation formulation);
std::string_view to_string(Combination combination);
std::string_view to_string(Response response);
std::optional<Integrator> parse_integrator(std::string_view word);
std::optional<Formulation> parse_formulation(std::string_view word);
std::optional<Combination> parse_combination(std::string_view word);
std::optional<Response> parse_response(std::string_view word);

}  // namespace molejo

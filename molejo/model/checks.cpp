#include "molejo/model/checks.h"

#include <cmath>
#include <cstdio>

#include "molejo/model/bounds.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

bool finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
bool finite(const Pose& X) {
  return finite(X.R.r0) && finite(X.R.r1) && finite(X.R.r2) && finite(X.p);
}

void check_within(const char* what, double x, const Bounds& bounds) {
  if (bounds.hold(x)) return;
  throw InputError(std::string(what) + " " + short_number(x) + ": " + expectation(bounds));
}

void check_drive(const Drive& d, const std::string& where) {
  const double values[] = {d.stiffness,
                           d.rest,
                           d.damping,
                           d.hertz,
                           d.damping_ratio,
                           d.armature,
                           d.limit_stiffness,
                           d.limit_damping,
                           d.kp,
                           d.kd,
                           d.target,
                           d.target_velocity,
                           d.force,
                           d.lower.value_or(0),
                           d.upper.value_or(0),
                           d.max_force.value_or(0)};
  for (double x : values) {
    if (!std::isfinite(x)) throw InputError(where + ": a value of its drive is not finite");
  }
  const std::pair<const char*, double> positive[] = {{"stiffness", d.stiffness},
                                                     {"damping", d.damping},
                                                     {"hertz", d.hertz},
                                                     {"damping_ratio", d.damping_ratio},
                                                     {"armature", d.armature},
                                                     {"limit stiffness", d.limit_stiffness},
                                                     {"limit damping", d.limit_damping},
                                                     {"kp", d.kp},
                                                     {"kd", d.kd},
                                                     {"max_force", d.max_force.value_or(0)}};
  for (const auto& [name, x] : positive) {
    if (x < 0) throw InputError(where + ": " + name + " " + short_number(x) + " is negative");
  }
  if (d.lower && d.upper && *d.lower > *d.upper) {
    throw InputError(where + ": lower limit " + short_number(*d.lower) + " is above upper limit " +
                     short_number(*d.upper));
  }
}

}  // namespace

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

MassProperties checked_mass(const SceneBody& body) {
  const std::string who = "body '" + body.name + "'";
  if (!finite(body.X_WB)) throw InputError(who + ": pose is not finite");
  if (body.velocity && (!finite(body.velocity->linear) || !finite(body.velocity->angular))) {
    throw InputError(who + ": velocity is not finite");
  }
  for (const Shape& shape : body.shapes) check_surface(shape.surface, who);
  MassProperties m;
  if (body.given) {
    m = *body.given;
  } else {
    for (const Shape& shape : body.shapes) m = m + mass_properties(shape, body.density);
    if (!body.immobile && !body.massless && m.mass <= 0) {
      throw InputError(who + " has no mass: give it a shape with a volume or mass properties");
    }
  }
  const Sym3& I = m.I_BC;
  if (!std::isfinite(m.mass) || !finite(m.p_BC) || !finite(Vec3{I.xx, I.yy, I.zz}) ||
      !finite(Vec3{I.xy, I.xz, I.yz})) {
    throw InputError(who + ": mass properties are not finite");
  }
  if (body.immobile) return m;
  if (body.massless) {
    if (m.mass < 0) throw InputError(who + ": mass " + short_number(m.mass) + " is negative");
    return m;
  }
  if (m.mass <= 0) {
    throw InputError(who + ": mass " + short_number(m.mass) + " is not positive");
  }
  if (!is_physical_inertia(I)) {
    throw InputError(who + ": inertia (" + short_number(I.xx) + ", " + short_number(I.yy) + ", " +
                     short_number(I.zz) + ", " + short_number(I.xy) + ", " + short_number(I.xz) +
                     ", " + short_number(I.yz) +
                     ") is not that of a solid: it must be positive definite, no " +
                     "principal moment above the sum of the other two");
  }
  return m;
}

void check_joint(const SceneJoint& joint) {
  const std::string who = "joint '" + joint.name + "'";
  const Freedoms f = freedoms(joint.type);
  const auto size_or_empty = [&](std::size_t size, int expected, const char* what) {
    if (size != 0 && size != static_cast<std::size_t>(expected)) {
      throw InputError(who + ": " + std::to_string(size) + " " + what + ", expected " +
                       std::to_string(expected) + " for a " + std::string(to_string(joint.type)) +
                       " joint");
    }
  };
  size_or_empty(joint.drives.size(), f.count(), "drives");
  size_or_empty(joint.position.size(), f.coordinates(), "initial coordinates");
  size_or_empty(joint.velocity.size(), f.count(), "initial velocities");
  if (joint.loop && !(joint.position.empty() && joint.velocity.empty())) {
    throw InputError(who + ": a loop closure has no initial state of its own");
  }
  if (!finite(joint.X_PF) || !finite(joint.X_BM)) throw InputError(who + ": a frame is not finite");
  for (double x : joint.position) {
    if (!std::isfinite(x)) throw InputError(who + ": an initial coordinate is not finite");
  }
  for (double x : joint.velocity) {
    if (!std::isfinite(x)) throw InputError(who + ": an initial velocity is not finite");
  }
  if (f.rotations == 3 && !joint.position.empty()) {
    const double* q = joint.position.data() + f.translations;
    const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(n - 1) < 1e-6)) {
      throw InputError(who + ": initial quaternion has length " + short_number(n) + ", expected 1");
    }
  }
  for (const Drive& drive : joint.drives) check_drive(drive, who);
}

void check_spring(const SceneSpring& s) {
  const std::string who = "spring '" + s.name + "'";
  if (!finite(s.a.p) || !finite(s.b.p) || !std::isfinite(s.stiffness) ||
      !std::isfinite(s.rest_length) || !std::isfinite(s.damping)) {
    throw InputError(who + ": a value is not finite");
  }
  if (s.stiffness < 0 || s.damping < 0 || s.rest_length < 0) {
    throw InputError(who + ": stiffness, damping and rest length must not be negative");
  }
}

void check_force(const SceneForce& f) {
  const std::string who = "force '" + f.name + "'";
  const auto one_or_three = [](const std::vector<SceneFormula>& formulas) {
    return formulas.empty() || formulas.size() == 1 || formulas.size() == 3;
  };
  if (!one_or_three(f.force_formulas) || !one_or_three(f.torque_formulas)) {
    throw InputError(who + ": formulas must be one that gives a vector, or three");
  }
  const bool by_formula = !f.force_formulas.empty() || !f.torque_formulas.empty();
  if (f.samples.empty() != by_formula) {
    throw InputError(who + (by_formula ? ": has samples and formulas" : ": has no samples"));
  }
  if (!finite(f.at.p)) throw InputError(who + ": its point is not finite");
  for (std::size_t i = 0; i < f.samples.size(); ++i) {
    const ForceSample& s = f.samples[i];
    if (!std::isfinite(s.t) || !finite(s.force) || !finite(s.torque) || !finite(f.at.p)) {
      throw InputError(who + ": sample " + std::to_string(i) + " is not finite");
    }
    if (i > 0 && !(f.samples[i - 1].t < s.t)) {
      throw InputError(who + ": sample times must increase, but " + short_number(s.t) +
                       " follows " + short_number(f.samples[i - 1].t));
    }
  }
}

void check_contact_pair(const SceneContactPair& pair) {
  const std::string who = "contact pair '" + pair.a + "', '" + pair.b + "'";
  const auto not_negative = [&](const char* what, double x) {
    if (!std::isfinite(x) || x < 0) {
      throw InputError(who + ": " + what + " " + short_number(x) + ", expected zero or more");
    }
  };
  not_negative("friction", pair.friction.value_or(0));
  not_negative("stiffness", pair.stiffness);
  not_negative("damping", pair.damping);
  not_negative("reach", pair.reach);
  const double e = pair.restitution.value_or(0);
  if (!(e >= 0 && e <= 1)) {
    throw InputError(who + ": restitution " + short_number(e) + ", expected 0 to 1");
  }
  if (pair.response == Response::penalty && pair.stiffness == 0) {
    throw InputError(who + ": a penalty needs a stiffness");
  }
}

void check_surface(const Surface& surface, const std::string& who) {
  if (!std::isfinite(surface.friction) || surface.friction < 0) {
    throw InputError(who + ": friction " + short_number(surface.friction) +
                     ", expected zero or more");
  }
  if (!(surface.restitution >= 0 && surface.restitution <= 1)) {
    throw InputError(who + ": restitution " + short_number(surface.restitution) +
                     ", expected 0 to 1");
  }
}

void check_contact(const ContactSettings& c) {
  check_within("contact: rest_speed", c.rest_speed, bounds_of::speed);
  check_within("contact: tolerance", c.tolerance, bounds_of::tolerance);
  check_within("contact: distance", c.distance, bounds_of::distance);
  check_within("contact: sleep_speed", c.sleep_speed, bounds_of::speed);
  check_within("contact: sleep_time", c.sleep_time, bounds_of::sleep_time);
  check_within("contact: iterations", c.iterations, bounds_of::iterations);
  if (!(c.recovery >= 0 && c.recovery <= 1)) {
    throw InputError("contact: recovery " + short_number(c.recovery) + ": expected 0 to 1");
  }
  check_within("contact: slop", c.slop, bounds_of::slop);
}

void check_settings(const Settings& s) {
  if (!finite(s.gravity)) throw InputError("gravity is not finite");
  check_within("start_time", s.start_time, bounds_of::start_time);
  check_within("time_step", s.time_step, bounds_of::time_step);
  check_within("tolerance", s.tolerance, bounds_of::tolerance);
  check_within("min_step", s.min_step, bounds_of::min_step);
  check_within("max_step", s.max_step, bounds_of::time_step);
  check_within("constraint tolerance", s.constraint_tolerance, bounds_of::tolerance);
  if (s.duration == 0) throw InputError("duration 0: expected more than 0 seconds");
  check_within("duration", s.duration, bounds_of::duration);
  check_within("fps", s.fps, bounds_of::fps);
  check_contact(s.contact);
  if (s.min_step > s.max_step) {
    throw InputError("min_step " + short_number(s.min_step) + " is above max_step " +
                     short_number(s.max_step));
  }
}

}  // namespace molejo

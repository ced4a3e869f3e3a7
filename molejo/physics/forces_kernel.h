// Bodies of the templates declared in forces.h, for the two files that instantiate them.
#pragma once

#include <cassert>
#include <type_traits>

#include "molejo/model/kinematics_kernel.h"
#include "molejo/physics/forces.h"

namespace molejo {

// Force of one drive, and the stiffness and damping behind it.
template <class S>
struct DriveForce {
  S force{}, stiffness{}, damping{};
};

// Is there a motor in the scene?
inline bool has_motor(const Drive& d) {
  return d.kp > 0 || d.kd > 0 || d.force != 0 || d.by_formula;
}

// A motor acts like a spring and damper until it saturates.
template <class S>
void add_motor(const Drive& d, S f, S kp, S kd, DriveForce<S>& r) {
  if (d.max_force) {
    const S top(*d.max_force), zero(0.0);
    const auto saturated = absolute(f) > top;
    f = maximum(minimum(f, top), -top);
    kp = select(saturated, zero, kp);
    kd = select(saturated, zero, kd);
  }
  r.force += f;
  r.stiffness += kp;
  r.damping += kd;
}

// The same where a command may have told it something.
template <class S>
void add_told_motor(const Drive& d, const S& own, const MotorTarget<S>& told, const S& x,
                    const S& v, DriveForce<S>& r) {
  const auto on = nonzero(told.on);
  const S kp = select(on, told.stiffness, S(d.kp)), kd = select(on, told.damping, S(d.kd));
  const S f = select(on, (told.position - x) * kp + (told.velocity - v) * kd, own);
  const S before = r.force;
  add_motor(d, f, kp, kd, r);
  // who has no motor keeps every bit
  if (!has_motor(d)) r.force = select(on, r.force, before);
}

// `told`: of a command, or null.
template <class S>
DriveForce<S> drive_force(const Drive& d, const MotorInput<S>& motor, const MotorTarget<S>* told,
                          const S& x, const S& v) {
  DriveForce<S> r;
  r.force = (d.rest - x) * d.stiffness - v * d.damping;
  r.stiffness = S(d.stiffness);
  r.damping = S(d.damping);

  // limits push, never pull
  if (d.lower || d.upper) {
    const S zero(0.0);
    const auto add_limit = [&](const S& depth, double sign) {
      const S push = depth * d.limit_stiffness - v * (sign * d.limit_damping);
      const S f = select(depth > zero, maximum(push, zero), zero);
      r.force += f * sign;
      r.stiffness += select(f > zero, S(d.limit_stiffness), zero);
      r.damping += select(f > zero, S(d.limit_damping), zero);
    };
    if (d.lower) add_limit(S(*d.lower) - x, 1);
    if (d.upper) add_limit(x - S(*d.upper), -1);
  }

  const auto own = [&] {
    return (motor.target - x) * d.kp + (motor.target_velocity - v) * d.kd + motor.force;
  };
  if (told) {
    add_told_motor(d, own(), *told, x, v, r);
  } else if (has_motor(d)) {
    add_motor(d, own(), S(d.kp), S(d.kd), r);
  }
  return r;
}

// Torque of the drives of three rotations, in child axes. With phi the rotation vector, energy
// 1/2 (phi - rest)^T K (phi - rest) gives the torque J^T K (rest - phi), J = J_r^-1(phi), and
// damping B the torque -J^T B J w. The inertia takes the diagonal of J^T B J; where w is already
// `ahead_of_start` of the velocity at which the step began, that part is handed back.
template <class S, class H>
void apply_ball_drives(const Drive* drives, const MotorInput<S>* motors, const MotorTarget<S>* told,
                       const S* q, const S* v, const S* v_start, const ImplicitDriveT<H>& implicit,
                       S* tau, S* inertia) {
  const Vec3T<S> w{v[0], v[1], v[2]};
  const S c = absolute(q[0]);
  const Vec3T<S> phi = log_quat(QuatT<S>{q[0], q[1], q[2], q[3]});
  const S bend = jacobian_bend(c);
  const S one = 1.0 - bend * dot(phi, phi);
  const Vec3T<S> half = phi * 0.5, bent = phi * bend;
  const S xy = bent.x * phi.y, xz = bent.x * phi.z, yz = bent.y * phi.z;
  const Mat3T<S> J{{one + bent.x * phi.x, xy - half.z, xz + half.y},
                   {xy + half.z, one + bent.y * phi.y, yz - half.x},
                   {xz - half.y, yz + half.x, one + bent.z * phi.z}};
  const Vec3T<S> rate = J * w;
  Vec3T<S> force, damping;
  for (int j = 0; j < 3; ++j) {
    const S x = phi[j] + rate[j] * implicit.ahead;
    const DriveForce<S> f =
        drive_force(drives[j], motors[j], told ? told + j : nullptr, x, rate[j]);
    force[j] = f.force;
    inertia[j] += f.stiffness * implicit.by_stiffness;
    for (int i = 0; i < 3; ++i) damping[i] += J[j][i] * J[j][i] * f.damping;
  }
  const Vec3T<S> torque = transpose_times(J, force);
  for (int j = 0; j < 3; ++j) {
    inertia[j] += damping[j] * implicit.by_damping;
    tau[j] = torque[j] + damping[j] * (v[j] - v_start[j]);
  }
}

// Adds the forces of a command to the freedoms from first_v to last_v.
template <class S>
void add_forces(const Acting<S>& command, int first_v, int last_v, Dynamics<S>& d) {
  if (!command.forces) return;
  for (int i = first_v; i < last_v; ++i) {
    const S& force = command.forces[i];
    S& tau = d.tau[static_cast<std::size_t>(i)];
    // a zero of any sign changes nothing
    tau = select(nonzero(force), tau + force, tau);
  }
}

template <class S, class H>
void apply_drives(const Model& model, const S* q, const S* v, const ImplicitDriveT<H>& implicit,
                  Dynamics<S>& d, const Acting<S>& command) {
  for (const LinkRange& range : d.kinematics.awake) {
    for (int v_index = range.first_v; v_index < range.last_v; ++v_index) {
      const auto n = static_cast<std::size_t>(v_index);
      d.tau[n] = S(0.0);
      d.inertia[n] = S(model.drives[n].armature);
    }
  }
  d.lone_inertia = command.motors != nullptr;
  // compiled without a command as well: that is the usual case
  const auto drive = [&](auto told, std::size_t i) {
    const Link& link = model.links[i];
    const int straight =
        link.rotations == 3 ? link.translations : link.translations + link.rotations;
    for (int j = 0; j < straight; ++j) {
      const auto n = static_cast<std::size_t>(link.v + j);
      const S rate = v[n];
      const S x = q[link.q + j] + rate * implicit.ahead;
      const DriveForce<S> f = drive_force(model.drives[n], d.motors[n], told(n), x, rate);
      d.tau[n] = f.force;
      d.inertia[n] += f.damping * implicit.by_damping + f.stiffness * implicit.by_stiffness;
    }
    if (link.rotations == 3) {
      const auto n = static_cast<std::size_t>(link.v + straight);
      apply_ball_drives(&model.drives[n], &d.motors[n], told(n), q + link.q + straight, v + n,
                        v + n, implicit, &d.tau[n], &d.inertia[n]);
    }
  };
  if (command.motors) {
    const auto told = [&](std::size_t n) { return command.motors + n; };
    outward(d.kinematics, [&](std::size_t i) { drive(told, i); });
  } else if (model.has_drives) {
    const auto nothing = [](std::size_t) -> const MotorTarget<S>* { return nullptr; };
    outward(d.kinematics, [&](std::size_t i) { drive(nothing, i); });
  }
  for (const LinkRange& range : d.kinematics.awake) {
    add_forces(command, range.first_v, range.last_v, d);
  }
}

// After apply_drives at v_start and an estimate v of the velocity in the middle of the step: the
// damping of ball joints is not diagonal, so what the inertia does not hold of it is taken at v.
template <class S>
void correct_ball_drives(const Model& model, const S* q, const S* v_start, const S* v,
                         const ImplicitDrive& implicit, Dynamics<S>& d, const Acting<S>& command) {
  if (!model.has_drives && !command.motors) return;
  outward(d.kinematics, [&](std::size_t i) {
    const Link& link = model.links[i];
    if (link.rotations != 3) return;
    const auto n = static_cast<std::size_t>(link.v + link.translations);
    const Drive* drives = &model.drives[n];
    const auto damped = [](const Drive& r) {
      return r.damping > 0 || r.kd > 0 || ((r.lower || r.upper) && r.limit_damping > 0);
    };
    const MotorTarget<S>* told = command.motors ? command.motors + n : nullptr;
    const auto is_on = [&](int j) { return told && any(nonzero(told[j].on)); };
    const bool driven = is_on(0) || is_on(1) || is_on(2);
    if (!driven && !damped(drives[0]) && !damped(drives[1]) && !damped(drives[2])) return;
    S unused[3] = {};
    apply_ball_drives(drives, &d.motors[n], told, q + link.q + link.translations, v + n,
                      v_start + n, implicit, &d.tau[n], unused);
    const int first = link.v + link.translations;
    add_forces(command, first, first + 3, d);
  });
}

// A force at the world point p, on the body's joint point.
template <class S>
void push(BodyId body, const Vec3T<S>& p, const Vec3T<S>& force, Dynamics<S>& d) {
  if (body.is_world()) return;
  const auto i = static_cast<std::size_t>(body.index);
  d.applied[i].linear += force;
  d.applied[i].angular += cross(p - d.kinematics.bodies[i].p, force);
}

// Position and velocity of a point of a body.
template <class S>
struct PointMotion {
  Vec3T<S> p, v;
};
template <class S>
PointMotion<S> point_motion(const Model& model, const Kinematics<S>& k, BodyId body,
                            const Vec3& p_B) {
  if (body.is_world()) return {widen<S>(p_B), {}};
  const auto i = static_cast<std::size_t>(body.index);
  const BodyMotion<S>& b = k.bodies[i];
  const Vec3T<S> r = b.R * (p_B - model.links[i].p_BM);
  return {b.p + r, b.v + cross(b.w, r)};
}

template <class S>
void apply_springs(const Model& model, Dynamics<S>& d) {
  for (const PointSpring& spring : model.springs) {
    const PointMotion<S> a = point_motion(model, d.kinematics, spring.body_1, spring.p_1);
    const PointMotion<S> b = point_motion(model, d.kinematics, spring.body_2, spring.p_2);
    const Vec3T<S> line = b.p - a.p;
    const S length = square_root(dot(line, line));
    // k (length - rest) / length, without 0/0: a coinciding pair feels k d for rest length 0
    const S one(1.0), tiny(1e-300);
    const S inverse = select(length > tiny, one / maximum(length, tiny), S(0.0));
    const S stretch_rate = dot(b.v - a.v, line) * inverse;
    const S stiff = spring.rest_length > 0 ? (one - inverse * spring.rest_length) * spring.stiffness
                                           : S(spring.stiffness);
    const Vec3T<S> force = line * (stiff + stretch_rate * inverse * spring.damping);
    push(spring.body_1, a.p, force, d);
    push(spring.body_2, b.p, -force, d);
  }
}

template <class S>
void apply_given_forces(const Model& model, double t, Dynamics<S>& d) {
  for (const AppliedForce& f : model.forces) {
    const ForceSample now = force_at(f.samples, t);
    const PointMotion<S> at = point_motion(model, d.kinematics, f.body, f.p);
    push(f.body, at.p, widen<S>(now.force), d);
    d.applied[static_cast<std::size_t>(f.body.index)].angular += widen<S>(now.torque);
  }
}

// Drives of loop joints: pairs of wrenches along the measured freedoms. Single worlds only.
void apply_loop_drives(const Model& model, const Acting<double>& command, Dynamics<double>& d);

template <class S>
void apply_wrenches(const Model& model, const std::vector<Wrench<S>>& wrenches, Dynamics<S>& d) {
  for (const Wrench<S>& w : wrenches) {
    if (w.body.is_world()) continue;
    const auto i = static_cast<std::size_t>(w.body.index);
    assert(i < d.applied.size());
    const BodyMotion<S>& b = d.kinematics.bodies[i];
    const Vec3T<S> arm = b.R * (w.p - widen<S>(model.links[i].p_BM));
    d.applied[i].linear += w.force;
    d.applied[i].angular += cross(arm, w.force) + w.torque;
  }
}

template <class S>
void apply_body_forces(const Model& model, double t, Dynamics<S>& d, const Acting<S>& command) {
  for (Spatial<S>& wrench : d.applied) wrench = {};
  apply_springs(model, d);
  apply_given_forces(model, t, d);
  if constexpr (std::is_same_v<S, double>) apply_loop_drives(model, command, d);
  if (command.wrenches) apply_wrenches(model, *command.wrenches, d);
}

}  // namespace molejo

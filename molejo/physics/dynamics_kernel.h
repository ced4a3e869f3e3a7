// Bodies of the templates declared in dynamics.h, for the two files that instantiate them.
#pragma once

#include "molejo/model/kinematics_kernel.h"
#include "molejo/physics/dynamics.h"

namespace molejo {

template <class S>
Dynamics<S>::Dynamics(const Model& model)
    : kinematics(model),
      bodies(model.links.size()),
      freedoms(static_cast<std::size_t>(model.nv)),
      tau(static_cast<std::size_t>(model.nv)),
      inertia(static_cast<std::size_t>(model.nv)),
      applied(model.links.size()),
      given_a(static_cast<std::size_t>(model.nv)),
      a(static_cast<std::size_t>(model.nv)) {
  for (int i = 0; i < model.nv; ++i) {
    inertia[static_cast<std::size_t>(i)] = S(model.drives[static_cast<std::size_t>(i)].armature);
  }
  const auto add_motor = [&](const Drive& d) {
    motors.push_back({S(d.target), S(d.target_velocity), S(d.force)});
  };
  for (const Drive& d : model.drives) add_motor(d);
  for (const LoopJoint& loop : model.loops) {
    for (const Drive& d : loop.drives) add_motor(d);
    if (loop.drives.empty()) {
      motors.resize(motors.size() + static_cast<std::size_t>(molejo::freedoms(loop.type).count()));
    }
  }
}

// Rigid inertia of a body about its joint point.
template <class S>
void set_rigid_inertia(const Link& link, const BodyMotion<S>& motion, BodyDynamics<S>& body) {
  const double m = link.mass;
  const Vec3T<S> mc = motion.com * m;
  body.rigid_J = rotated(motion.R, link.J_BM);
  body.J = body.rigid_J;
  body.B = {{S(0), -mc.z, mc.y}, {mc.z, S(0), -mc.x}, {-mc.y, mc.x, S(0)}};
  body.M = Sym3T<S>::diagonal(S(m), S(m), S(m));
}

// I -= U U^T / d, with U as it is and divided by d.
template <class S>
void eliminate(const Vec3T<S>& Ua, const Vec3T<S>& Ul, const S& d_inverse, BodyDynamics<S>& body) {
  const Vec3T<S> ga = Ua * d_inverse, gl = Ul * d_inverse;
  body.J.xx -= Ua.x * ga.x, body.J.yy -= Ua.y * ga.y, body.J.zz -= Ua.z * ga.z;
  body.J.xy -= Ua.x * ga.y, body.J.xz -= Ua.x * ga.z, body.J.yz -= Ua.y * ga.z;
  body.B.r0 -= gl * Ua.x, body.B.r1 -= gl * Ua.y, body.B.r2 -= gl * Ua.z;
  body.M.xx -= Ul.x * gl.x, body.M.yy -= Ul.y * gl.y, body.M.zz -= Ul.z * gl.z;
  body.M.xy -= Ul.x * gl.y, body.M.xz -= Ul.x * gl.z, body.M.yz -= Ul.y * gl.z;
}

// Adds the inertia of a child, moved by r from its joint point to the parent's:
//   B' = B + [r] M    J' = J - B' [r] + [r] B^T
template <class S>
void add_moved(const BodyDynamics<S>& child, const Vec3T<S>& r, BodyDynamics<S>& parent) {
  const Mat3T<S>& B = child.B;
  const Sym3T<S>& M = child.M;
  const Vec3T<S> m0{M.xx, M.xy, M.xz}, m1{M.xy, M.yy, M.yz}, m2{M.xz, M.yz, M.zz};
  const Mat3T<S> B1{B.r0 + (m2 * r.y - m1 * r.z), B.r1 + (m0 * r.z - m2 * r.x),
                    B.r2 + (m1 * r.x - m0 * r.y)};
  const Vec3T<S> x0 = cross(r, B1.r0), x1 = cross(r, B1.r1), x2 = cross(r, B1.r2);
  const Vec3T<S> y0 = cross(r, B.r0), y1 = cross(r, B.r1), y2 = cross(r, B.r2);
  parent.J.xx += child.J.xx + (x0.x + y0.x), parent.J.yy += child.J.yy + (x1.y + y1.y);
  parent.J.zz += child.J.zz + (x2.z + y2.z), parent.J.xy += child.J.xy + (x0.y + y1.x);
  parent.J.xz += child.J.xz + (x0.z + y2.x), parent.J.yz += child.J.yz + (x1.z + y2.y);
  parent.B.r0 += B1.r0, parent.B.r1 += B1.r1, parent.B.r2 += B1.r2;
  parent.M += M;
}

// Eliminates the freedoms of body i and hands the rest to its parent.
template <class S>
void factorize_body(const Model& model, Dynamics<S>& d, std::size_t i) {
  const Link& link = model.links[i];
  BodyDynamics<S>& body = d.bodies[i];
  const int last = link.v + link.translations + link.rotations;
  for (int j = link.v; j < last; ++j) {
    const auto n = static_cast<std::size_t>(j);
    const Vec3T<S>& axis = d.kinematics.axes[n];
    FreedomFactor<S>& f = d.freedoms[n];
    if (j < link.v + link.translations) {
      f.U_angular = body.B * axis;
      f.U_linear = body.M * axis;
      f.d_inverse = 1.0 / (dot(axis, f.U_linear) + d.inertia[n]);
    } else {
      f.U_angular = body.J * axis;
      f.U_linear = transpose_times(body.B, axis);
      f.d_inverse = 1.0 / (dot(axis, f.U_angular) + d.inertia[n]);
    }
    // what follows a path has infinite inertia
    if (link.follows >= 0) f.d_inverse = S(0.0);
    eliminate(f.U_angular, f.U_linear, f.d_inverse, body);
  }
  if (link.parent >= 0) {
    add_moved(body, d.kinematics.bodies[i].r, d.bodies[static_cast<std::size_t>(link.parent)]);
  }
}

// A lone body: translations and rotations do not mix, and the factor turns with it.
template <class S>
void factorize_lone(const Link& link, Dynamics<S>& d, std::size_t i) {
  const auto v = static_cast<std::size_t>(link.v);
  const double m_inverse = 1 / link.mass;
  for (std::size_t j = 0; j < 3; ++j) {
    d.freedoms[v + j].U_angular = {};
    d.freedoms[v + j].U_linear = d.kinematics.axes[v + j] * link.mass;
    d.freedoms[v + j].d_inverse = S(m_inverse);
    FreedomFactor<S>& turn = d.freedoms[v + 3 + j];
    turn.U_angular = d.kinematics.bodies[i].R * link.turn_U.column(static_cast<int>(j));
    turn.U_linear = {};
    turn.d_inverse = S(link.turn_d_inverse[static_cast<int>(j)]);
  }
}

// x with (J + diagonal of D) x = y.
template <class S>
Vec3T<S> solve_with(const Sym3& J, const S* D, const Vec3T<S>& y) {
  const Sym3T<S> A{S(J.xx) + D[0], S(J.yy) + D[1], S(J.zz) + D[2], S(J.xy), S(J.xz), S(J.yz)};
  const S d0 = 1.0 / A.xx, l1 = A.xy * d0, l2 = A.xz * d0;
  const S d1 = 1.0 / (A.yy - l1 * A.xy), u = A.yz - l1 * A.xz, l = u * d1;
  const S d2 = 1.0 / (A.zz - l2 * A.xz - l * u);
  const S y1 = y.y - l1 * y.x, y2 = y.z - l2 * y.x - l * y1;
  const S z = y2 * d2, x1 = y1 * d1 - l * z;
  return {y.x * d0 - l1 * x1 - l2 * z, x1, z};
}

// Newton's and Euler's equations of a lone body, in its own axes. The inertia that a motor adds is
// felt by the forces here; contact and closures push the body alone.
template <class S>
void solve_lone(const Model& model, const S* v_all, Dynamics<S>& d, std::size_t i) {
  const Link& link = model.links[i];
  const auto n = static_cast<std::size_t>(link.v);
  BodyMotion<S>& motion = d.kinematics.bodies[i];
  BodyDynamics<S>& body = d.bodies[i];
  const Vec3T<S>* axes = d.kinematics.axes.data() + n;
  const double m_inverse = 1 / link.mass;
  body.a.linear = {};
  const S* D = d.lone_inertia ? &d.inertia[n] : nullptr;
  for (std::size_t j = 0; j < 3; ++j) {
    const S force = d.tau[n + j] + dot(axes[j], d.applied[i].linear);
    d.a[n + j] = force * m_inverse + dot(axes[j], model.gravity);
    if (D)
      d.a[n + j] = select(D[j] > S(0.0), d.a[n + j] * (link.mass / (link.mass + D[j])), d.a[n + j]);
    body.a.linear += axes[j] * d.a[n + j];
  }
  body.a.linear -= widen<S>(model.gravity);

  const Vec3T<S> w{v_all[n + 3], v_all[n + 4], v_all[n + 5]};
  motion.w = motion.R * w;
  const Vec3T<S> torque = Vec3T<S>{d.tau[n + 3], d.tau[n + 4], d.tau[n + 5]} +
                          transpose_times(motion.R, d.applied[i].angular) - cross(w, link.J_BM * w);
  Vec3T<S> a = transpose_times(link.turn_W, link.turn_W * torque);
  if (D) {
    const Vec3T<S> slower = solve_with(link.J_BM, D + 3, torque);
    const auto held = D[3] + D[4] + D[5] > S(0.0);
    a = {select(held, slower.x, a.x), select(held, slower.y, a.y), select(held, slower.z, a.z)};
  }
  d.a[n + 3] = a.x, d.a[n + 4] = a.y, d.a[n + 5] = a.z;
  body.a.angular = motion.R * a;
}

// Force of body i at zero acceleration, and its acceleration from velocities alone.
template <class S>
void set_bias(const Model& model, const S* v, Dynamics<S>& d, std::size_t i) {
  const BodyMotion<S>& motion = d.kinematics.bodies[i];
  BodyDynamics<S>& body = d.bodies[i];
  const JointBias<S> joint = joint_bias(model, v, d.kinematics, i);
  body.coriolis = {joint.angular, joint.linear};
  const Vec3T<S>& w = motion.w;
  const Vec3T<S> force = cross(w, cross(w, motion.com)) * model.links[i].mass;
  body.bias.angular = cross(w, body.rigid_J * w) - d.applied[i].angular;
  body.bias.linear = force - d.applied[i].linear;
}

// Eliminates the freedoms of body i from the forces and hands the rest to its parent.
template <class S>
void solve_inward(const Model& model, Dynamics<S>& d, std::size_t i) {
  const Link& link = model.links[i];
  BodyDynamics<S>& body = d.bodies[i];
  const int last = link.v + link.translations + link.rotations;
  for (int j = link.v; j < last; ++j) {
    const auto n = static_cast<std::size_t>(j);
    FreedomFactor<S>& f = d.freedoms[n];
    const Vec3T<S>& axis = d.kinematics.axes[n];
    const bool translation = j < link.v + link.translations;
    f.u = d.tau[n] - dot(axis, translation ? body.bias.linear : body.bias.angular);
    const S g = f.u * f.d_inverse;
    body.bias.angular += f.U_angular * g;
    body.bias.linear += f.U_linear * g;
  }
  if (link.parent < 0) return;
  BodyDynamics<S>& parent = d.bodies[static_cast<std::size_t>(link.parent)];
  const Vec3T<S>& c_a = body.coriolis.angular;
  const Vec3T<S>& c_l = body.coriolis.linear;
  const Vec3T<S> angular = body.bias.angular + body.J * c_a + body.B * c_l;
  const Vec3T<S> linear = body.bias.linear + transpose_times(body.B, c_a) + body.M * c_l;
  parent.bias.angular += angular + cross(d.kinematics.bodies[i].r, linear);
  parent.bias.linear += linear;
}

// Accelerations of the freedoms of body i and of the body, given its parent's.
template <class S>
void solve_outward(const Model& model, Dynamics<S>& d, std::size_t i) {
  const Link& link = model.links[i];
  BodyDynamics<S>& body = d.bodies[i];
  Spatial<S> a = body.coriolis;
  if (link.parent < 0) {
    a.linear -= widen<S>(model.gravity);
  } else {
    const Spatial<S>& parent = d.bodies[static_cast<std::size_t>(link.parent)].a;
    a.angular += parent.angular;
    a.linear += parent.linear + cross(parent.angular, d.kinematics.bodies[i].r);
  }
  for (int j = link.v + link.translations + link.rotations - 1; j >= link.v; --j) {
    const auto n = static_cast<std::size_t>(j);
    const FreedomFactor<S>& f = d.freedoms[n];
    const S qdd =
        link.follows >= 0
            ? d.given_a[n]
            : (f.u - (dot(f.U_angular, a.angular) + dot(f.U_linear, a.linear))) * f.d_inverse;
    d.a[n] = qdd;
    Vec3T<S>& target = j < link.v + link.translations ? a.linear : a.angular;
    target += d.kinematics.axes[n] * qdd;
  }
  body.a = a;
}

template <class S>
[[gnu::flatten]] void factorize(const Model& model, Dynamics<S>& d) {
  outward(d.kinematics, [&](std::size_t i) {
    const Link& link = model.links[i];
    if (link.lone) {
      factorize_lone(link, d, i);
    } else {
      set_rigid_inertia(link, d.kinematics.bodies[i], d.bodies[i]);
    }
  });
  inward(d.kinematics, [&](std::size_t i) {
    if (!model.links[i].lone) factorize_body(model, d, i);
  });
}

template <class S>
[[gnu::flatten]] void solve_acceleration(const Model& model, const S* v, Dynamics<S>& d) {
  outward(d.kinematics, [&](std::size_t i) {
    if (model.links[i].lone) return solve_lone(model, v, d, i);
    update_angular_velocity(model, v, d.kinematics, i);
    set_bias(model, v, d, i);
  });
  inward(d.kinematics, [&](std::size_t i) {
    if (!model.links[i].lone) solve_inward(model, d, i);
  });
  outward(d.kinematics, [&](std::size_t i) {
    if (!model.links[i].lone) solve_outward(model, d, i);
  });
}

template <class S>
[[gnu::flatten]] void forward_dynamics(const Model& model, const S* q, const S* v, Dynamics<S>& d) {
  outward(d.kinematics, [&](std::size_t i) {
    const Link& link = model.links[i];
    update_pose(model, q, d.kinematics, i);
    if (link.lone) {
      factorize_lone(link, d, i);
      solve_lone(model, v, d, i);
      return;
    }
    update_angular_velocity(model, v, d.kinematics, i);
    set_rigid_inertia(link, d.kinematics.bodies[i], d.bodies[i]);
    set_bias(model, v, d, i);
  });
  inward(d.kinematics, [&](std::size_t i) {
    if (model.links[i].lone) return;
    factorize_body(model, d, i);
    solve_inward(model, d, i);
  });
  outward(d.kinematics, [&](std::size_t i) {
    if (!model.links[i].lone) solve_outward(model, d, i);
  });
}

// The same for a lone body, by back substitution in its own axes.
template <class S>
void respond_lone(const Link& link, const Kinematics<S>& k, std::size_t i, const S* u, S* x,
                  Spatial<S>& motion) {
  const Vec3T<S>* axes = k.axes.data() + link.v;
  u += link.v, x += link.v;
  const double m_inverse = 1 / link.mass;
  for (int j = 0; j < 3; ++j) x[j] = u[j] * m_inverse;
  const Mat3& U = link.turn_U;
  const Vec3& d_inverse = link.turn_d_inverse;
  x[5] = u[5] * d_inverse.z;
  x[4] = (u[4] - U.r2.y * x[5]) * d_inverse.y;
  x[3] = (u[3] - (U.r1.x * x[4] + U.r2.x * x[5])) * d_inverse.x;
  motion.linear = axes[0] * x[0] + axes[1] * x[1] + axes[2] * x[2];
  motion.angular = k.bodies[i].R * Vec3T<S>{x[3], x[4], x[5]};
}

template <class S>
[[gnu::flatten]] void respond(const Model& model, const Dynamics<S>& d, const S* u, S* x,
                              Spatial<S>* motion) {
  outward(d.kinematics, [&](std::size_t i) {
    const Link& link = model.links[i];
    if (link.lone) return respond_lone(link, d.kinematics, i, u, x, motion[i]);
    Spatial<S> a;
    if (link.parent >= 0) {
      a = motion[link.parent];
      a.linear += cross(a.angular, d.kinematics.bodies[i].r);
    }
    for (int j = link.v + link.translations + link.rotations - 1; j >= link.v; --j) {
      const FreedomFactor<S>& f = d.freedoms[static_cast<std::size_t>(j)];
      x[j] = (u[j] - (dot(f.U_angular, a.angular) + dot(f.U_linear, a.linear))) * f.d_inverse;
      Vec3T<S>& target = j < link.v + link.translations ? a.linear : a.angular;
      target += d.kinematics.axes[static_cast<std::size_t>(j)] * x[j];
    }
    motion[i] = a;
  });
}

}  // namespace molejo

// Bodies of the templates declared in kinematics.h, for the two files that instantiate them.
#pragma once

#include <type_traits>

#include "molejo/model/kinematics.h"

namespace molejo {

// Rotation by `angle` about a unit axis, applied from the right: R Rot(axis, angle).
template <class S>
Mat3T<S> turned_about(const Mat3T<S>& R, const Vec3& axis, const S& angle) {
  const SinCos<S> sc = sincos(angle);
  const S versine = 1.0 - sc.cos;
  const Vec3T<S> a{axis.x * versine, axis.y * versine, axis.z * versine};
  const Vec3T<S> s{axis.x * sc.sin, axis.y * sc.sin, axis.z * sc.sin};
  const Mat3T<S> turn{{a.x * axis.x + sc.cos, a.x * axis.y - s.z, a.x * axis.z + s.y},
                      {a.y * axis.x + s.z, a.y * axis.y + sc.cos, a.y * axis.z - s.x},
                      {a.z * axis.x - s.y, a.z * axis.y + s.x, a.z * axis.z + sc.cos}};
  return R * turn;
}

// A vector or matrix given in the axes of the parent, in world axes; no parent is the world.
template <class S, class X>
auto in_world(const BodyMotion<S>* parent, const X& x) {
  using Result = decltype(parent->R * x);
  if constexpr (std::is_same_v<X, Result>) {
    return parent ? Result(parent->R * x) : x;
  } else {
    return parent ? Result(parent->R * x) : widen<S>(x);
  }
}

template <class S>
void update_pose(const Model& model, const S* q_all, Kinematics<S>& k, std::size_t i) {
  const Link& link = model.links[i];
  const BodyMotion<S>* parent =
      link.parent < 0 ? nullptr : &k.bodies[static_cast<std::size_t>(link.parent)];
  BodyMotion<S>& body = k.bodies[i];
  const S* q = q_all + link.q;
  Vec3T<S>* axes = k.axes.data() + link.v;

  // the joint point
  Vec3T<S> r = in_world(parent, link.p_LF);
  for (int j = 0; j < link.translations; ++j) {
    axes[j] = in_world(parent, link.t_P[j]);
    r += axes[j] * q[j];
  }
  q += link.translations;
  axes += link.translations;

  // rotation
  switch (link.rotations) {
    case 0:
      body.R = in_world(parent, link.R_PB0);
      break;
    case 1: {
      const SinCos<S> sc = sincos(q[0]);
      const auto row = [&](const Vec3& fixed, const Vec3& c, const Vec3& s) {
        return Vec3T<S>{fixed.x + (c.x * sc.cos + s.x * sc.sin),
                        fixed.y + (c.y * sc.cos + s.y * sc.sin),
                        fixed.z + (c.z * sc.cos + s.z * sc.sin)};
      };
      axes[0] = in_world(parent, link.axis_P);
      body.R =
          in_world(parent, Mat3T<S>{row(link.turn_fixed.r0, link.turn_cos.r0, link.turn_sin.r0),
                                    row(link.turn_fixed.r1, link.turn_cos.r1, link.turn_sin.r1),
                                    row(link.turn_fixed.r2, link.turn_cos.r2, link.turn_sin.r2)});
      break;
    }
    case 2: {
      const Mat3T<S> R = in_world(parent, link.R_PB0);
      axes[0] = R * link.axis[0];
      body.R = turned_about(R, link.axis[0], q[0]);
      axes[1] = body.R * link.axis[1];
      body.R = turned_about(body.R, link.axis[1], q[1]);
      break;
    }
    default:
      body.R = in_world(parent, link.R_PB0) * matrix(QuatT<S>{q[0], q[1], q[2], q[3]});
      for (int j = 0; j < 3; ++j) axes[j] = body.R.column(j);
  }

  body.r = r;
  body.p = parent ? parent->p + r : r;
  body.com = body.R * link.p_MC;
}

// Angular velocities are all that the equations of motion need.
template <class S>
void update_angular_velocity(const Model& model, const S* v, Kinematics<S>& k, std::size_t i) {
  const Link& link = model.links[i];
  Vec3T<S> w;
  if (link.parent >= 0) w = k.bodies[static_cast<std::size_t>(link.parent)].w;
  const int first = link.v + link.translations;
  for (int j = first; j < first + link.rotations; ++j) {
    w += k.axes[static_cast<std::size_t>(j)] * v[j];
  }
  k.bodies[i].w = w;
}

template <class S>
void update_velocity(const Model& model, const S* v, Kinematics<S>& k, std::size_t i) {
  update_angular_velocity(model, v, k, i);
  const Link& link = model.links[i];
  Vec3T<S> velocity;
  if (link.parent >= 0) {
    const BodyMotion<S>& parent = k.bodies[static_cast<std::size_t>(link.parent)];
    velocity = parent.v + cross(parent.w, k.bodies[i].r);
  }
  for (int j = link.v; j < link.v + link.translations; ++j) {
    velocity += k.axes[static_cast<std::size_t>(j)] * v[j];
  }
  k.bodies[i].v = velocity;
}

// Acceleration of a body that comes from velocities alone, beyond that of its parent's frame:
//   angular  w_P x w_rel (+ a1 x a2 v1 v2 for two axes)
//   linear   w_P x (w_P x r) + 2 w_P x sum_k t_k v_k      of the joint point
template <class S>
struct JointBias {
  Vec3T<S> angular, linear;
};

template <class S>
JointBias<S> joint_bias(const Model& model, const S* v_all, const Kinematics<S>& k, std::size_t i) {
  const Link& link = model.links[i];
  const BodyMotion<S>& body = k.bodies[i];
  const S* v = v_all + link.v + link.translations;
  const Vec3T<S>* axes = k.axes.data() + link.v;
  JointBias<S> bias;
  if (link.rotations == 2) {
    const Vec3T<S>* turn = axes + link.translations;
    bias.angular = cross(turn[0], turn[1]) * (v[0] * v[1]);
  }
  if (link.parent >= 0) {
    const Vec3T<S> w = k.bodies[static_cast<std::size_t>(link.parent)].w;
    bias.angular += cross(w, body.w - w);
    bias.linear = cross(w, cross(w, body.r));
    if (link.translations > 0) {
      Vec3T<S> slide;
      for (int j = 0; j < link.translations; ++j) slide += axes[j] * v_all[link.v + j];
      bias.linear += cross(w, slide) * 2.0;
    }
  }
  return bias;
}

template <class S, class H>
void move(const Model& model, const LinkRange& range, const S* dq, const H& h, S* q) {
  for (int i = range.first; i < range.last; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const S* d = dq + link.v;
    S* x = q + link.q;
    const int straight =
        link.rotations == 3 ? link.translations : link.translations + link.rotations;
    for (int j = 0; j < straight; ++j) x[j] += d[j] * h;
    if (link.rotations == 3) {
      d += straight, x += straight;
      const QuatT<S> turn =
          turned(QuatT<S>{x[0], x[1], x[2], x[3]}, Vec3T<S>{d[0] * h, d[1] * h, d[2] * h});
      x[0] = turn.w, x[1] = turn.x, x[2] = turn.y, x[3] = turn.z;
    }
  }
}

template <class S>
void move(const Model& model, const S* dq, double h, S* q) {
  move(model, LinkRange{0, model.body_count(), 0, model.nv}, dq, h, q);
}

// Calls f(i) for every link that is computed, parents first or last.
template <class S, class F>
void outward(const Kinematics<S>& k, F&& f) {
  for (const LinkRange& range : k.awake) {
    for (int i = range.first; i < range.last; ++i) f(static_cast<std::size_t>(i));
  }
}
template <class S, class F>
void inward(const Kinematics<S>& k, F&& f) {
  for (const LinkRange& range : k.awake) {
    for (int i = range.last; i-- > range.first;) f(static_cast<std::size_t>(i));
  }
}

// The passes over all bodies are flattened: their parts must be inlined to be fast.
template <class S>
[[gnu::flatten]] void update_poses(const Model& model, const S* q, Kinematics<S>& k) {
  outward(k, [&](std::size_t i) { update_pose(model, q, k, i); });
}

template <class S>
[[gnu::flatten]] void update_velocities(const Model& model, const S* v, Kinematics<S>& k) {
  outward(k, [&](std::size_t i) { update_velocity(model, v, k, i); });
}

}  // namespace molejo

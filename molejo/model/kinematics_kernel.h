// Bodies of the templates declared in kinematics.h, for the two files that instantiate them.
#pragma once

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

template <class S>
void update_pose(const Model& model, const S* q_all, Kinematics<S>& k, std::size_t i) {
  const Link& link = model.links[i];
  BodyMotion<S>& body = k.bodies[i];
  const S* q = q_all + link.q;
  Vec3T<S>* axes = k.axes.data() + link.v;

  // orientation at zero, and the offset of the joint point
  Mat3T<S> R;
  Vec3T<S> r;
  if (link.parent < 0) {
    R = widen<S>(link.R_PB0);
    r = widen<S>(link.p_LF);
    for (int j = 0; j < link.translations; ++j) axes[j] = widen<S>(link.t_P[j]);
  } else {
    const BodyMotion<S>& parent = k.bodies[static_cast<std::size_t>(link.parent)];
    R = parent.R * link.R_PB0;
    r = parent.R * link.p_LF;
    for (int j = 0; j < link.translations; ++j) axes[j] = parent.R * link.t_P[j];
  }
  for (int j = 0; j < link.translations; ++j) r += axes[j] * q[j];
  q += link.translations;
  axes += link.translations;

  // rotation
  switch (link.rotations) {
    case 0:
      body.R = R;
      break;
    case 1:
      axes[0] = R * link.axis[0];
      body.R = turned_about(R, link.axis[0], q[0]);
      break;
    case 2:
      axes[0] = R * link.axis[0];
      body.R = turned_about(R, link.axis[0], q[0]);
      axes[1] = body.R * link.axis[1];
      body.R = turned_about(body.R, link.axis[1], q[1]);
      break;
    default:
      body.R = R * matrix(QuatT<S>{q[0], q[1], q[2], q[3]});
      for (int j = 0; j < 3; ++j) axes[j] = body.R.column(j);
  }

  body.r = r;
  body.p = link.parent < 0 ? r : k.bodies[static_cast<std::size_t>(link.parent)].p + r;
  body.com = body.R * link.p_MC;
}

template <class S>
void update_velocity(const Model& model, const S* v_all, Kinematics<S>& k, std::size_t i) {
  const Link& link = model.links[i];
  BodyMotion<S>& body = k.bodies[i];
  const S* v = v_all + link.v;
  const Vec3T<S>* axes = k.axes.data() + link.v;
  body.w = {};
  body.v = {};
  if (link.parent >= 0) {
    const BodyMotion<S>& parent = k.bodies[static_cast<std::size_t>(link.parent)];
    body.w = parent.w;
    body.v = parent.v + cross(parent.w, body.r);
  }
  for (int j = 0; j < link.translations; ++j) body.v += axes[j] * v[j];
  for (int j = link.translations; j < link.translations + link.rotations; ++j) {
    body.w += axes[j] * v[j];
  }
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

template <class S>
void move(const Model& model, const S* dq, double h, S* q) {
  for (const Link& link : model.links) {
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
void update_poses(const Model& model, const S* q, Kinematics<S>& k) {
  for (std::size_t i = 0; i < model.links.size(); ++i) update_pose(model, q, k, i);
}

template <class S>
void update_velocities(const Model& model, const S* v, Kinematics<S>& k) {
  for (std::size_t i = 0; i < model.links.size(); ++i) update_velocity(model, v, k, i);
}

}  // namespace molejo

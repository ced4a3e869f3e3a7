#include "molejo/model/closure.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

// Axes of F that may not be travelled, as bits x = 1, y = 2, z = 4.
int locked_translations(JointType type) {
  switch (type) {
    case JointType::prismatic:
    case JointType::cylindrical:
      return 1 | 2;
    case JointType::planar:
    case JointType::point_in_plane:
      return 4;
    case JointType::free:
      return 0;
    default:
      return 1 | 2 | 4;
  }
}

// Pairs (axis of M, axis of F) that must stay perpendicular.
struct AxisPair {
  int m, f;
};
std::span<const AxisPair> locked_rotations(JointType type) {
  static constexpr AxisPair axis_z[] = {{2, 0}, {2, 1}};
  static constexpr AxisPair all[] = {{2, 0}, {2, 1}, {0, 1}};
  static constexpr AxisPair cross_joint[] = {{1, 0}};
  switch (type) {
    case JointType::revolute:
    case JointType::cylindrical:
    case JointType::planar:
      return axis_z;
    case JointType::fixed:
    case JointType::prismatic:
      return all;
    case JointType::universal:
      return cross_joint;
    default:
      return {};
  }
}

struct Frames {
  Pose F, M;
};

Frames frames(const Model& model, const Kinematics<double>& k, const LoopJoint& loop) {
  return {body_pose(model, k, loop.body_1) * loop.X_1F,
          body_pose(model, k, loop.body_2) * loop.X_2M};
}

Vec3 angular_velocity(const Kinematics<double>& k, BodyId body) {
  return body.is_world() ? Vec3{} : k.bodies[static_cast<std::size_t>(body.index)].w;
}

// Acceleration of the body's point at p.
Vec3 point_acceleration(const Kinematics<double>& k, BodyId body, const BodyAcceleration& a,
                        const Vec3& p) {
  if (body.is_world()) return {};
  const BodyMotion<double>& b = k.bodies[static_cast<std::size_t>(body.index)];
  const Vec3 r = p - b.p;
  return a.linear + cross(a.angular, r) + cross(b.w, cross(b.w, r));
}

// Second derivative of a body-fixed vector.
Vec3 vector_acceleration(const Vec3& w, const Vec3& alpha, const Vec3& u) {
  return cross(alpha, u) + cross(w, cross(w, u));
}

// d = p_M - p_F and its rates.
struct Separation {
  Vec3 d, rate, acceleration;

  // d2/dt2 (d.e), with e turning with body 1
  double acceleration_along(const Vec3& e, const Vec3& w1, const Vec3& alpha1) const {
    return dot(acceleration, e) + 2 * dot(rate, cross(w1, e)) +
           dot(d, vector_acceleration(w1, alpha1, e));
  }
};

Separation separation(const Kinematics<double>& k, const LoopJoint& loop, const Frames& X,
                      const BodyAcceleration& a_1, const BodyAcceleration& a_2) {
  return {X.M.p - X.F.p,
          point_velocity(k, loop.body_2, X.M.p) - point_velocity(k, loop.body_1, X.F.p),
          point_acceleration(k, loop.body_2, a_2, X.M.p) -
              point_acceleration(k, loop.body_1, a_1, X.F.p)};
}

}  // namespace

double closure_unit(const Model& model) {
  constexpr double short_bar = 0.05;  // m
  double longest = 0;
  // from the joint point of a body to another joint on it; the world is no bar
  for (const Link& link : model.links) {
    if (link.parent >= 0) longest = std::max(longest, norm(link.p_LF));
  }
  const auto add_end = [&](BodyId body, const Vec3& p) {
    if (body.is_world()) return;
    longest = std::max(longest, norm(p - model.links[static_cast<std::size_t>(body.index)].p_BM));
  };
  for (const LoopJoint& loop : model.loops) {
    add_end(loop.body_1, loop.X_1F.p);
    add_end(loop.body_2, loop.X_2M.p);
  }
  return longest > 0 ? std::min(1.0, longest / short_bar) : 1;
}

double misfit(const ClosureRow& row, double unit) {
  return std::fabs(row.error) / (row.f == Vec3{} ? 1 : unit);
}

int closure_rows(JointType type) {
  const Freedoms f = freedoms(type);
  return 6 - f.count();
}

void closure(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
             ClosureRow* rows) {
  const Frames X = frames(model, k, loop);
  const Vec3 d = X.M.p - X.F.p;
  const int locked = locked_translations(loop.type);
  for (int axis = 0; axis < 3; ++axis) {
    if (!(locked & (1 << axis))) continue;
    const Vec3 e = X.F.R.column(axis);
    *rows++ = {{}, e, X.M.p, dot(d, e)};
  }
  for (const AxisPair& pair : locked_rotations(loop.type)) {
    const Vec3 a = X.M.R.column(pair.m), b = X.F.R.column(pair.f);
    *rows++ = {cross(a, b), {}, X.M.p, dot(a, b)};
  }
}

double closure_rate(const Kinematics<double>& k, const LoopJoint& loop, const ClosureRow& row) {
  const Vec3 w = angular_velocity(k, loop.body_2) - angular_velocity(k, loop.body_1);
  const Vec3 v = point_velocity(k, loop.body_2, row.p) - point_velocity(k, loop.body_1, row.p);
  return dot(row.n, w) + dot(row.f, v);
}

void closure_acceleration(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                          const BodyAcceleration& a_1, const BodyAcceleration& a_2, double* rows) {
  const Frames X = frames(model, k, loop);
  const Vec3 w1 = angular_velocity(k, loop.body_1), w2 = angular_velocity(k, loop.body_2);

  // products d.e and a.b of vectors fixed in the bodies, differentiated twice
  const Separation d = separation(k, loop, X, a_1, a_2);
  const int locked = locked_translations(loop.type);
  for (int axis = 0; axis < 3; ++axis) {
    if (!(locked & (1 << axis))) continue;
    const Vec3 e = X.F.R.column(axis);
    *rows++ = d.acceleration_along(e, w1, a_1.angular);
  }
  for (const AxisPair& pair : locked_rotations(loop.type)) {
    const Vec3 a = X.M.R.column(pair.m), b = X.F.R.column(pair.f);
    *rows++ = dot(vector_acceleration(w2, a_2.angular, a), b) +
              2 * dot(cross(w2, a), cross(w1, b)) + dot(a, vector_acceleration(w1, a_1.angular, b));
  }
}

JointCoordinates measure(const Model& model, const Kinematics<double>& k, const LoopJoint& loop) {
  const Frames X = frames(model, k, loop);
  const Freedoms f = freedoms(loop.type);
  JointCoordinates c;
  const Vec3 w1 = angular_velocity(k, loop.body_1);
  const Vec3 w = angular_velocity(k, loop.body_2) - w1;
  const Vec3 d = X.M.p - X.F.p;
  // rate of d as seen from F
  const Vec3 v = point_velocity(k, loop.body_2, X.M.p) - point_velocity(k, loop.body_1, X.M.p);

  const int locked = locked_translations(loop.type);
  int n = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (locked & (1 << axis)) continue;
    c.axis[n] = X.F.R.column(axis);
    c.q[n] = dot(d, c.axis[n]);
    c.v[n] = dot(v, c.axis[n]);
    ++n;
  }

  const Mat3 R_FM = transpose(X.F.R) * X.M.R;
  if (f.rotations == 1) {
    c.axis[n] = X.F.R.column(2);
    c.q[n] = arc_tangent(R_FM.r1.x - R_FM.r0.y, R_FM.r0.x + R_FM.r1.y);
    c.v[n] = dot(w, c.axis[n]);
  } else if (f.rotations == 2) {
    // R_FM = Rx(q0) Ry(q1)
    c.axis[n] = X.F.R.column(0);
    c.axis[n + 1] = X.M.R.column(1);
    c.q[n] = arc_tangent(R_FM.r2.y, R_FM.r1.y);
    c.q[n + 1] = arc_tangent(R_FM.r0.z, R_FM.r0.x);
    c.v[n] = dot(w, c.axis[n]);
    c.v[n + 1] = dot(w, c.axis[n + 1]);
  } else if (f.rotations == 3) {
    // a quaternion in the axes of the child, as for a tree joint
    const Mat3 R_BM = loop.X_2M.R;
    const Mat3 R_WB = X.M.R * transpose(R_BM);
    const Quat q = quaternion(R_BM * R_FM * transpose(R_BM));
    c.q[n] = q.w, c.q[n + 1] = q.x, c.q[n + 2] = q.y, c.q[n + 3] = q.z;
    for (int j = 0; j < 3; ++j) {
      c.axis[n + j] = R_WB.column(j);
      c.v[n + j] = dot(w, c.axis[n + j]);
    }
  }
  return c;
}

void rotor_rows(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                ClosureRow* rows) {
  if (loop.rotors.empty()) return;
  const JointCoordinates c = measure(model, k, loop);
  const Vec3 p = frames(model, k, loop).M.p;
  const int translations = freedoms(loop.type).translations;
  ClosureRow* out = rows + loop.rows;
  for (const int j : loop.rotors) {
    *out = {{}, {}, p, 0};
    (j < translations ? out->f : out->n) = c.axis[j];
    ++out;
  }
}

void rotor_acceleration(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                        const BodyAcceleration& a_1, const BodyAcceleration& a_2, double* rows) {
  if (loop.rotors.empty()) return;
  const JointCoordinates c = measure(model, k, loop);
  const Frames X = frames(model, k, loop);
  const Vec3 w1 = angular_velocity(k, loop.body_1), w2 = angular_velocity(k, loop.body_2);
  const Separation d = separation(k, loop, X, a_1, a_2);
  const Freedoms f = freedoms(loop.type);
  double* out = rows + loop.rows;
  for (const int j : loop.rotors) {
    const Vec3& e = c.axis[j];
    if (j < f.translations) {
      *out++ = d.acceleration_along(e, w1, a_1.angular);
    } else {
      // the axis turns with body 1, but the second of two and all of three with body 2
      const bool on_child = f.rotations == 3 || j == f.translations + 1;
      *out++ = dot(a_2.angular - a_1.angular, e) + dot(w2 - w1, cross(on_child ? w2 : w1, e));
    }
  }
}

}  // namespace molejo

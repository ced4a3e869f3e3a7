// Poses and velocities of all bodies, and Jacobians of points.
//
// Spatial quantities are in world axes. The reference point of body i is its joint point M_i, so
// that every joint axis passes through it and moving from child to parent is a shift, no rotation.
// Written once for a scalar S (double or Pack4); cost O(bodies).
#pragma once

#include <vector>

#include "molejo/model/model.h"

namespace molejo {

// One body, in world axes.
template <class S>
struct BodyMotion {
  Mat3T<S> R;    // R_WB
  Vec3T<S> p;    // joint point M
  Vec3T<S> r;    // from the parent's joint point to M
  Vec3T<S> com;  // from M to the centre of mass
  Vec3T<S> w;    // angular velocity
  Vec3T<S> v;    // velocity of the body's point at M
};

// Links first .. last-1, whole trees, and their velocities.
struct LinkRange {
  int first = 0, last = 0;
  int first_v = 0, last_v = 0;
};

template <class S>
struct Kinematics {
  explicit Kinematics(const Model& model)
      : bodies(model.links.size()),
        axes(static_cast<std::size_t>(model.nv)),
        awake{{0, model.body_count(), 0, model.nv}} {}

  std::vector<BodyMotion<S>> bodies;
  std::vector<Vec3T<S>> axes;  // world axis of each freedom
  // all that is computed, here and in the dynamics; other links rest and keep what they have
  std::vector<LinkRange> awake;
};

// move(), of the links of a range; h may be a pack.
template <class S, class H>
void move(const Model& model, const LinkRange& range, const S* dq, const H& h, S* q);
// Fills R, p, r, com and the axes.
template <class S>
void update_poses(const Model& model, const S* q, Kinematics<S>& k);
// Fills w and v; poses must be up to date.
template <class S>
void update_velocities(const Model& model, const S* v, Kinematics<S>& k);

// The pose of the body frame (not of M). The world has the identity.
Pose body_pose(const Model& model, const Kinematics<double>& k, BodyId body);
// Velocity of the point of the body that is now at the world position p.
Vec3 point_velocity(const Kinematics<double>& k, BodyId body, const Vec3& p_W);

// d(point velocity)/dv, 3 x nv, and d(angular velocity)/dv, 3 x nv, of the point of the body that
// is now at p_W. Poses must be up to date.
MatX point_jacobian(const Model& model, const Kinematics<double>& k, BodyId body, const Vec3& p_W);
MatX rotation_jacobian(const Model& model, const Kinematics<double>& k, BodyId body);
// Jdot v of the two: the acceleration of the point (body-fixed) and of the angular velocity when
// all joint accelerations are zero. Velocities must be up to date.
struct BiasAcceleration {
  Vec3 linear, angular;
};
BiasAcceleration bias_acceleration(const Model& model, const Kinematics<double>& k, const VecX& v,
                                   BodyId body, const Vec3& p_W);

// Totals over the whole model.
struct Totals {
  double mass = 0;
  Vec3 com, com_velocity;
  Vec3 momentum;          // linear
  Vec3 angular_momentum;  // about the world origin
  double kinetic = 0;
  double gravity_potential = 0;  // zero at the world origin
};
Totals totals(const Model& model, const Kinematics<double>& k);

}  // namespace molejo

// The equations of a joint as constraints between two frames: F on body 1, M on body 2.
//
//   translation rows   C = (p_M - p_F).e     e an axis of F that may not be travelled
//   rotation rows      C = a_M . b_F         two axes that must stay perpendicular
//
// Every row k is an equal and opposite pair of wrenches: d/dt C = n.(w_2 - w_1) + f.(v_2 - v_1),
// velocities taken at p_M. Joints as in Bacin (1999), section 4.3, and the remaining types
// likewise:
//
//   fixed 6   revolute 5   prismatic 5   cylindrical 4   universal 4   spherical 3   planar 3
//   point_in_plane 1   free 0
#pragma once

#include "molejo/model/kinematics.h"

namespace molejo {

struct ClosureRow {
  Vec3 n, f;         // wrench on body 2 at the point p; the opposite acts on body 1
  Vec3 p;            // p_M
  double error = 0;  // C, in m or rad
};

// What counts as a metre where a tolerance is asked how far a closure is open: 1 m, or less in
// proportion where all bars, from joint to joint, are shorter than 5 cm. So a mechanism of any
// small size closes as well as its likeness.
double closure_unit(const Model& model);
// |C| in rad, or in the unit of lengths.
double misfit(const ClosureRow& row, double unit);

// Motion of a body in world axes: acceleration of its joint point and angular acceleration.
struct BodyAcceleration {
  Vec3 angular, linear;
};

int closure_rows(JointType type);

// Fills rows[0 .. loop.rows). Poses must be up to date.
void closure(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
             ClosureRow* rows);

// A rotor of inertia I along a measured freedom carries the torque lambda = -I d2q/dt2: the rows of
// loop.rotors, rows[loop.rows .. all_rows), have no error of their own and yield by 1/I.
void rotor_rows(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                ClosureRow* rows);
void rotor_acceleration(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                        const BodyAcceleration& a_1, const BodyAcceleration& a_2, double* rows);

// d/dt C of a row; velocities must be up to date.
double closure_rate(const Kinematics<double>& k, const LoopJoint& loop, const ClosureRow& row);

// d2/dt2 of every row, for given accelerations of the two bodies (zero for the world).
void closure_acceleration(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                          const BodyAcceleration& a_1, const BodyAcceleration& a_2, double* rows);

// Coordinates of a loop joint measured between its frames, in the convention of State:
// translations, then angles in (-pi, pi] or a quaternion; and their rates.
struct JointCoordinates {
  double q[7] = {}, v[6] = {};
  Vec3 axis[6];  // world axis of each freedom
};
JointCoordinates measure(const Model& model, const Kinematics<double>& k, const LoopJoint& loop);

}  // namespace molejo

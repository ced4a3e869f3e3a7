// Bacin's equations of motion, written as his thesis has them (1999, chapters 3 to 6): the oracle
// for everything that the library computes in another way.
//
//   q = (r, theta) per body     p = r + A(theta) pbar     wbar = Gbar(theta) theta'
//
//   [ M  H^T ] [ q''    ]   [ Q_e + Q_v ]
//   [ H   0  ] [ lambda ] = [ Q_c       ]     M with one 8x8 block per body, its last row theta^T
//
// Body axes are principal axes at the centre of mass. Dense, slow, and shares no dynamics with the
// library: only scenes and mass properties of shapes.
#pragma once

#include <string>
#include <vector>

#include "molejo/math/matrix.h"
#include "molejo/model/scene.h"

namespace molejo::euler {

using Vec3d = Eigen::Vector3d;
using Vec4d = Eigen::Vector4d;
using Mat34 = Eigen::Matrix<double, 3, 4>;
using Mat7 = Eigen::Matrix<double, 7, 7>;

Eigen::Matrix3d rotation(const Vec4d& theta);        // A
Mat34 g_bar(const Vec4d& theta);                     // Gbar
Mat34 d_matrix(const Vec4d& theta, const Vec3d& a);  // D = d(A a)/d theta

struct Body {
  std::string name;
  double mass = 1;
  Vec3d J = Vec3d::Ones();  // principal moments
  Pose X_BC;                // principal axes in the frame of the scene's body
};

// Body -1 is the world.
struct End {
  int body = -1;
  Vec3d p = Vec3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // columns u, v, w
};

enum class Kind { plane, spherical, cylindrical, prismatic, revolute, hooke, planar, weld };

// plane: the point p of end 1 lies on w2 . (p - r2) + offset = 0 of end 2.
struct Joint {
  Kind kind = Kind::spherical;
  End end_1, end_2;
  double offset = 0;
};
int equations(Kind kind);
// The same joint made of points of body 2 on planes of body 1 (cylindrical, prismatic, revolute).
std::vector<Joint> plane_built(const Joint& joint);

struct Spring {
  End end_1, end_2;
  double stiffness = 0, rest_length = 0, damping = 0;
};
struct Force {
  End at;
  std::vector<ForceSample> samples;
};
// Force and torque of a Bezier curve with control points (t, F, T), zero outside.
struct Wrench {
  Vec3d force = Vec3d::Zero(), torque = Vec3d::Zero();
};
Wrench interpolated(const std::vector<ForceSample>& samples, double t);

struct EulerParameterSystem {
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<Force> forces;
  Vec3d gravity{0, 0, -9.8};
  double t = 0;
  VecX q, q_dot;  // 7 per body

  int size() const { return static_cast<int>(bodies.size()); }
  int body(const std::string& name) const;  // throws std::invalid_argument
  Vec3d r(int i) const { return q.segment<3>(7 * i); }
  Vec4d theta(int i) const { return q.segment<4>(7 * i + 3); }
  Vec4d theta_dot(int i) const { return q_dot.segment<4>(7 * i + 3); }
  void add(const Body& body, const Vec3d& r, const Vec4d& theta, const Vec3d& r_dot,
           const Vec4d& theta_dot);
  // Pose of the scene's body, whose frame need not be at the centre of mass.
  Pose pose(const std::string& name) const;
};
// Throws std::invalid_argument for springs, limits and motors of joints, which Bacin has not.
EulerParameterSystem from_scene(const Scene& scene);

// C(q), H = dC/dq, H q' and Q_c, so that H q'' = Q_c. Joints only, without |theta| = 1.
struct Constraints {
  VecX C, rate, Q_c;
  MatX H;
};
Constraints constraints(const EulerParameterSystem& s);
// Generalised forces of gravity, springs and forces: Q_R = f, Q_theta = Gbar^T A^T tau.
VecX external_forces(const EulerParameterSystem& s);
// Q_v = -2 Gbar'^T J wbar, of one body.
Vec4d quadratic_force(const Body& body, const Vec4d& theta, const Vec4d& theta_dot);

struct Accelerations {
  VecX q_ddot, lambda_theta, lambda;
};
Accelerations solve_blocks(const EulerParameterSystem& s);  // algorithm 6.2
Accelerations solve_dense(const EulerParameterSystem& s);   // the whole matrix at once
// theta'' of one body by the closed form M_theta^+ = Gbar^T J^-1 Gbar / 16.
Vec4d closed_form(const Body& body, const Vec4d& theta, const Vec4d& theta_dot,
                  const Vec4d& Q_theta);

// One unweighted projection of positions, then velocities (section 3.7 of the spec).
void project(EulerParameterSystem& s);
double constraint_error(const EulerParameterSystem& s);  // largest |C|, |theta|^2 - 1 included

struct Energies {
  double kinetic = 0, gravity = 0, elastic = 0;
  double total() const { return kinetic + gravity + elastic; }
};
Energies energies(const EulerParameterSystem& s);
Vec3d angular_momentum(const EulerParameterSystem& s);  // about the world origin

struct Options {
  double tolerance = 1e-4, min_step = 1e-9, max_step = 1.0 / 30;
  bool adaptive = true;  // else every step is max_step
  bool stabilise = true;
  double constraint_tolerance = 1e-4;
};

// Runge-Kutta-Fehlberg 4(5), advancing with the fifth order.
struct Run {
  EulerParameterSystem system;
  Options options;
  double step = options.max_step;  // the next to try
  int steps = 0, rejected = 0, projections = 0;
  double shortest = 1e300, longest = 0;  // of the accepted steps that did not end at a target
  double largest_error = 0;              // estimated, of accepted steps
  double constraint_error = 0;           // largest after any step

  // Steps until t_end, which is met exactly.
  void advance(double t_end);
};

}  // namespace molejo::euler

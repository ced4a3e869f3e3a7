// A way through space that is given: a pose as a function of time, through keys.
//
// Between two keys the position is the cubic with their velocities (Hermite). The orientation is
// R_i exp(y), with y the cubic in the rotation vector from R_i that has their angular velocities:
//   y(0) = 0   y(1) = log(R_i^T R_j)   y'(0) = w_i   y'(1) = J_r^-1(y(1)) w_j
// Poses and velocities are continuous. A key without velocities takes them from its neighbours:
// the slope of the parabola through the three. Before the first key and after the last it rests.
#pragma once

#include <optional>
#include <vector>

#include "molejo/math/rotation.h"

namespace molejo {

struct MotionKey {
  double t = 0;
  Vec3 p;
  Quat orientation{};
  // of the origin, and angular; both in world axes
  struct Velocity {
    Vec3 linear, angular;
    bool operator==(const Velocity&) const = default;
  };
  std::optional<Velocity> velocity{};
  bool operator==(const MotionKey&) const = default;
};

inline constexpr std::size_t max_motion_keys = 1'000'000;

class MotionPath {
 public:
  // Times must increase, all be finite, quaternions have unit length: else InputError, with the
  // number of the key. One key or more.
  explicit MotionPath(std::vector<MotionKey> keys);

  struct Motion {
    Vec3 p, v, a;  // position of the origin, velocity, acceleration; world axes
    Quat orientation;
    Vec3 w, w_rate;  // angular velocity and its rate, in body axes
  };
  Motion at(double t) const;

  const std::vector<MotionKey>& keys() const { return keys_; }
  bool operator==(const MotionPath& b) const { return keys_ == b.keys_; }

 private:
  // Between a key and the next, in s from 0 to 1.
  struct Piece {
    double t = 0, h = 1;
    Quat orientation;
    Vec3 p[4], y[4];  // coefficients of powers of s
  };
  std::vector<MotionKey> keys_;
  std::vector<Piece> pieces_;
};

}  // namespace molejo

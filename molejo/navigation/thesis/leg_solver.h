// Legs that reach for targets, by angles about fixed axes:
//
//   F(theta) = a f1 + b f2 + c f3
//   f1 = sum over legs |end(theta) - target|^2     f2 = |theta - original|^2
//   f3 = |theta - previous|^2
//   end = base prod_k T_k R(axis_k, theta_k) S_k end_K       d end/d theta_k = M_k R'(theta_k) b_k
//
// M_k: all above joint k and its T, b_k: S_k and all below it. Source: Matthey (2022), 4.6.2, B.1.
// Legs share no joint, so every leg is a problem of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "molejo/motion/skeleton.h"
#include "molejo/navigation/thesis/descent.h"

namespace molejo::navigation::thesis {

using motion::Affine;

// A joint that turns by one angle: T R(axis, angle) S.
struct LegLink {
  Vec3 translation;
  Vec3 axis{1, 0, 0};  // of unit length, in the frame of the parent
  Vec3 scale{1, 1, 1};
};

struct LegTask {
  std::span<const int> first;  // links of leg i: first[i] .. first[i + 1]; one more than legs
  std::span<const LegLink> links;
  std::span<const Affine> base;  // of each leg: the frame of its first joint's parent
  std::span<const Vec3> end;     // of each leg: its end, in the frame of the last link
  std::span<const Vec3> target;  // of each leg
  std::span<const double> original, previous;  // an angle per link, rad

  int legs() const { return static_cast<int>(base.size()); }
};

struct LegWeights {
  double reach = 0, original = 2, previous = 4;  // a, b, c
};
// a = 200 / height^2, b = 2, c = 4. The height of the rig is twice the length of a leg.
LegWeights thesis_weights(double rig_height);

struct LegSolution {
  int steps = 0;
  bool settled = false;
  double reach = 0, original = 0, previous = 0;  // a f1, b f2, c f3 at the end
  double total() const { return reach + original + previous; }
};

// Where the ends are.
void leg_ends(const LegTask& task, std::span<const double> angles, std::span<Vec3> out);
// d end / d angle of every link.
void leg_derivatives(const LegTask& task, std::span<const double> angles, std::span<Vec3> ends,
                     std::span<Vec3> out);
// The three terms; `gradient`, where given, becomes that of F.
LegSolution leg_cost(const LegTask& task, const LegWeights& weights, std::span<const double> angles,
                     std::span<double> gradient = {});

// Solvers allocate nothing after they were made for so many links.
class LegSolver {
 public:
  virtual ~LegSolver() = default;
  // angles: where to start, and the result.
  virtual LegSolution solve(const LegTask& task, const LegWeights& weights,
                            std::span<double> angles) = 0;
};

// The thesis's: plain descent, rate 0.01, at most 300 steps, until no angle changes by 1e-3.
// Stable while rate (2 a sum l_k^2 + 2 b + 2 c) < 2 for the distances l_k from joints to the end.
std::unique_ptr<LegSolver> make_descent_solver(int links, const DescentSettings& settings = {});

struct NewtonSettings {
  int max_steps = 30;
  double target_change = 1e-6;  // rad
};
// Damped Gauss-Newton (Levenberg, Marquardt): (a J'J + b + c + mu) d = -F'/2, taken where F falls,
// mu smaller after success and larger after failure. `steps` is that of the leg that needs most.
std::unique_ptr<LegSolver> make_newton_solver(int links, const NewtonSettings& settings = {});

}  // namespace molejo::navigation::thesis

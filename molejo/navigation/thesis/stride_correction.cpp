#include "molejo/navigation/thesis/stride_correction.h"

#include <algorithm>
#include <cassert>

#include "molejo/math/index.h"

namespace molejo::navigation::thesis {

namespace {

// The sum over the segments of |velocity of T - velocity of B|^2, each counted twice.
class VelocityTerm : public DescentTerm {
 public:
  VelocityTerm(const LinearCurve& curve, std::span<const Vec3> base) : curve_(curve), base_(base) {}

  double value(std::span<const double> x) const override {
    double sum = 0;
    for (int k = 0; k + 1 < curve_.size(); ++k) {
      const Vec3 v = difference(x, k);
      sum += 2 * dot(v, v);
    }
    return sum;
  }
  // 2 [(lVel(T) - lVel(B)) / (t_i - t_i-1) + (rVel(T) - rVel(B)) / (t_i - t_i+1)], the
  // neighbours' equal part left out as in the thesis: half of the gradient of `value`
  void add_gradient(std::span<const double> x, double factor,
                    std::span<double> gradient) const override {
    for (int i = 1; i + 1 < curve_.size(); ++i) {
      const double before = curve_.time(i) - curve_.time(i - 1);
      const double after = curve_.time(i) - curve_.time(i + 1);
      const Vec3 g = (difference(x, i - 1) / before + difference(x, i) / after) * (2 * factor);
      for (int w = 0; w < 3; ++w) gradient[at(3 * (i - 1) + w)] += g[w];
    }
  }

 private:
  Vec3 point(std::span<const double> x, int k) const {
    if (k == 0 || k + 1 == curve_.size()) return curve_.point(k);
    return {x[at(3 * k - 3)], x[at(3 * k - 2)], x[at(3 * k - 1)]};
  }
  // of velocities over segment k
  Vec3 difference(std::span<const double> x, int k) const {
    const Vec3 moved = point(x, k + 1) - point(x, k) - (base_[at(k + 1)] - base_[at(k)]);
    return moved / (curve_.time(k + 1) - curve_.time(k));
  }

  const LinearCurve& curve_;
  std::span<const Vec3> base_;
};

// Keeps heights above the ground, and lets the momentum of those it pushed fade.
class FloorObserver : public StepObserver {
 public:
  explicit FloorObserver(std::span<const double> lowest) : lowest_(lowest) {}
  void after_step(std::span<double> x, std::span<double> change) override {
    for (std::size_t i = 0; 3 * i + 2 < x.size(); ++i) {
      const std::size_t z = 3 * i + 2;
      if (x[z] >= lowest_[i + 1]) continue;
      x[z] = lowest_[i + 1];
      change[z] *= 1e-5;
    }
  }

 private:
  std::span<const double> lowest_;
};

}  // namespace

StrideCorrector::StrideCorrector(int points)
    : x_(at(3 * points)),
      abscissa_(at(points)),
      obstacle_(at(points)),
      base_(at(points)),
      descent_(3 * points) {
  hull_.reserve(at(points));
}

void StrideCorrector::correct(LinearCurve& curve, std::span<const double> lowest) {
  const int n = curve.size();
  assert(at(n) <= x_.size() && lowest.size() >= at(n));
  if (n < 3) return;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0) s += (curve.time(i) - curve.time(i - 1)) * (curve.time(i) - curve.time(i - 1));
    abscissa_[at(i)] = s;
    const bool end = i == 0 || i + 1 == n;
    obstacle_[at(i)] = end ? 0 : std::max(0.0, lowest[at(i)] - curve.point(i).z);
  }
  // upper hull from left to right: a middle point at or below the chord goes
  hull_.clear();
  for (int i = 0; i < n; ++i) {
    while (hull_.size() > 1) {
      const int a = hull_[hull_.size() - 2], b = hull_.back();
      const double rise =
          (obstacle_[at(i)] - obstacle_[at(a)]) * (abscissa_[at(b)] - abscissa_[at(a)]);
      const double have =
          (obstacle_[at(b)] - obstacle_[at(a)]) * (abscissa_[at(i)] - abscissa_[at(a)]);
      if (have > rise) break;
      hull_.pop_back();
    }
    hull_.push_back(i);
  }
  for (std::size_t h = 1; h < hull_.size(); ++h) {
    const int a = hull_[h - 1], b = hull_[h];
    for (int i = a; i <= b; ++i) {
      if (i == 0 || i + 1 == n || (i == a && h > 1)) continue;  // ends, and what was raised already
      const double u =
          (abscissa_[at(i)] - abscissa_[at(a)]) / (abscissa_[at(b)] - abscissa_[at(a)]);
      Vec3 p = curve.point(i);
      p.z += obstacle_[at(a)] + (obstacle_[at(b)] - obstacle_[at(a)]) * u;
      p.z = std::max(p.z, lowest[at(i)]);  // not below by rounding
      curve.set_point(i, p);
    }
  }
}

DescentReport StrideCorrector::descend(LinearCurve& curve, std::span<const double> lowest,
                                       double height, int max_steps) {
  const int n = curve.size();
  assert(at(n) <= x_.size() && lowest.size() >= at(n));
  if (n < 3) return {.steps = 0, .settled = true};
  double shortest = curve.time(1) - curve.time(0);
  for (int i = 0; i < n; ++i) {
    base_[at(i)] = curve.point(i);
    if (i > 0) shortest = std::min(shortest, curve.time(i) - curve.time(i - 1));
  }
  const std::span<double> x(x_.data(), at(3 * (n - 2)));
  for (int i = 1; i + 1 < n; ++i) {
    for (int w = 0; w < 3; ++w) x[at(3 * (i - 1) + w)] = curve.point(i)[w];
    x[at(3 * (i - 1) + 2)] = std::max(curve.point(i).z, lowest[at(i)]);
  }
  const VelocityTerm term(curve, std::span<const Vec3>(base_.data(), at(n)));
  const WeightedTerm terms[] = {{&term, 1.0}};
  FloorObserver floor(lowest);
  const DescentSettings settings{.rate = shortest * shortest / 8,
                                 .momentum = 0.8,
                                 .max_steps = max_steps,
                                 .target_change = height / 1e5};
  const DescentReport report = descent_.minimise(settings, terms, x, &floor);
  for (int i = 1; i + 1 < n; ++i) {
    curve.set_point(i, {x[at(3 * i - 3)], x[at(3 * i - 2)], x[at(3 * i - 1)]});
  }
  return report;
}

}  // namespace molejo::navigation::thesis

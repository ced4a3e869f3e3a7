#include "molejo/navigation/thesis/leg_solver.h"

#include <algorithm>
#include <cassert>

#include "molejo/math/index.h"

namespace molejo::navigation::thesis {

namespace {

Vec3 scaled(const Vec3& s, const Vec3& v) { return {s.x * v.x, s.y * v.y, s.z * v.z}; }
Mat3 scaled_columns(const Mat3& m, const Vec3& s) {
  return {scaled(s, m.r0), scaled(s, m.r1), scaled(s, m.r2)};
}

// R v = c v + (1 - c) a (a.v) + s a x v
Vec3 turned(const Vec3& axis, const SinCos<double>& sc, const Vec3& v) {
  return v * sc.cos + axis * ((1 - sc.cos) * dot(axis, v)) + cross(axis, v) * sc.sin;
}
// R' v = -s v + s a (a.v) + c a x v
Vec3 turned_rate(const Vec3& axis, const SinCos<double>& sc, const Vec3& v) {
  return v * -sc.sin + axis * (sc.sin * dot(axis, v)) + cross(axis, v) * sc.cos;
}
Mat3 turn_matrix(const Vec3& axis, const SinCos<double>& sc) {
  const Vec3 x = turned(axis, sc, {1, 0, 0}), y = turned(axis, sc, {0, 1, 0});
  return from_columns(x, y, turned(axis, sc, {0, 0, 1}));
}

Vec3 leg_end(const LegTask& task, int leg, std::span<const double> angles) {
  Vec3 v = task.end[at(leg)];
  for (int k = task.first[at(leg + 1)] - 1; k >= task.first[at(leg)]; --k) {
    const LegLink& link = task.links[at(k)];
    v = link.translation + turned(link.axis, sincos(angles[at(k)]), scaled(link.scale, v));
  }
  return task.base[at(leg)] * v;
}

Vec3 leg_rates(const LegTask& task, int leg, std::span<const double> angles, std::span<Vec3> out) {
  // upwards from the end: b_k, kept in `out`
  Vec3 v = task.end[at(leg)];
  const int first = task.first[at(leg)], last = task.first[at(leg + 1)];
  for (int k = last - 1; k >= first; --k) {
    const LegLink& link = task.links[at(k)];
    out[at(k)] = scaled(link.scale, v);
    v = link.translation + turned(link.axis, sincos(angles[at(k)]), out[at(k)]);
  }
  // downwards from the base: the linear part of M_k
  Mat3 M = task.base[at(leg)].linear;
  for (int k = first; k < last; ++k) {
    const LegLink& link = task.links[at(k)];
    const SinCos<double> sc = sincos(angles[at(k)]);
    out[at(k)] = M * turned_rate(link.axis, sc, out[at(k)]);
    M = scaled_columns(M * turn_matrix(link.axis, sc), link.scale);
  }
  return task.base[at(leg)] * v;
}

double square(double x) { return x * x; }

// The three terms of one leg, weighted.
LegSolution leg_terms(const LegTask& task, const LegWeights& w, int leg, const Vec3& end,
                      std::span<const double> angles) {
  LegSolution s;
  const Vec3 e = end - task.target[at(leg)];
  s.reach = w.reach * dot(e, e);
  for (int k = task.first[at(leg)]; k < task.first[at(leg + 1)]; ++k) {
    s.original += w.original * square(angles[at(k)] - task.original[at(k)]);
    s.previous += w.previous * square(angles[at(k)] - task.previous[at(k)]);
  }
  return s;
}

class ReachTerm : public DescentTerm {
 public:
  ReachTerm(const LegTask& task, std::span<Vec3> rates) : task_(task), rates_(rates) {}
  double value(std::span<const double> x) const override {
    double sum = 0;
    for (int leg = 0; leg < task_.legs(); ++leg) {
      const Vec3 e = leg_end(task_, leg, x) - task_.target[at(leg)];
      sum += dot(e, e);
    }
    return sum;
  }
  void add_gradient(std::span<const double> x, double factor, std::span<double> g) const override {
    for (int leg = 0; leg < task_.legs(); ++leg) {
      const Vec3 e = leg_rates(task_, leg, x, rates_) - task_.target[at(leg)];
      for (int k = task_.first[at(leg)]; k < task_.first[at(leg + 1)]; ++k) {
        g[at(k)] += factor * 2 * dot(e, rates_[at(k)]);
      }
    }
  }

 private:
  const LegTask& task_;
  std::span<Vec3> rates_;
};

class NearTerm : public DescentTerm {
 public:
  explicit NearTerm(std::span<const double> centre) : centre_(centre) {}
  double value(std::span<const double> x) const override {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += square(x[k] - centre_[k]);
    return sum;
  }
  void add_gradient(std::span<const double> x, double factor, std::span<double> g) const override {
    for (std::size_t k = 0; k < x.size(); ++k) g[k] += factor * 2 * (x[k] - centre_[k]);
  }

 private:
  std::span<const double> centre_;
};

class DescentLegSolver : public LegSolver {
 public:
  DescentLegSolver(int links, const DescentSettings& settings)
      : settings_(settings), descent_(links), rates_(at(links)) {}

  LegSolution solve(const LegTask& task, const LegWeights& weights,
                    std::span<double> angles) override {
    const ReachTerm reach(task, rates_);
    const NearTerm original(task.original), previous(task.previous);
    const WeightedTerm terms[] = {
        {&reach, weights.reach}, {&original, weights.original}, {&previous, weights.previous}};
    const DescentReport report = descent_.minimise(settings_, terms, angles);
    LegSolution s = leg_cost(task, weights, angles);
    s.steps = report.steps, s.settled = report.settled;
    return s;
  }

 private:
  DescentSettings settings_;
  Descent descent_;
  std::vector<Vec3> rates_;
};

// Solves A x = b for a symmetric positive definite A of n rows, in place, by Cholesky.
bool solve_positive(std::span<double> A, std::span<double> b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double s = A[at(i * n + j)];
      for (int k = 0; k < j; ++k) s -= A[at(i * n + k)] * A[at(j * n + k)];
      if (i == j && !(s > 0)) return false;
      A[at(i * n + j)] = i == j ? std::sqrt(s) : s / A[at(j * n + j)];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[at(i)] -= A[at(i * n + k)] * b[at(k)];
    b[at(i)] /= A[at(i * n + i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[at(i)] -= A[at(k * n + i)] * b[at(k)];
    b[at(i)] /= A[at(i * n + i)];
  }
  return true;
}

class NewtonLegSolver : public LegSolver {
 public:
  NewtonLegSolver(int links, const NewtonSettings& settings)
      : settings_(settings),
        rates_(at(links)),
        matrix_(at(links * links)),
        step_(at(links)),
        tried_(at(links)) {}

  LegSolution solve(const LegTask& task, const LegWeights& weights,
                    std::span<double> angles) override {
    LegSolution all{.steps = 0, .settled = true};
    for (int leg = 0; leg < task.legs(); ++leg) {
      const LegSolution s = solve_leg(task, weights, leg, angles);
      all.steps = std::max(all.steps, s.steps);
      all.settled = all.settled && s.settled;
    }
    const LegSolution cost = leg_cost(task, weights, angles);
    all.reach = cost.reach, all.original = cost.original, all.previous = cost.previous;
    return all;
  }

 private:
  LegSolution solve_leg(const LegTask& task, const LegWeights& w, int leg,
                        std::span<double> angles) {
    const int first = task.first[at(leg)], n = task.first[at(leg + 1)] - first;
    LegSolution report;
    Vec3 end = leg_rates(task, leg, angles, rates_);
    double cost = leg_terms(task, w, leg, end, angles).total();
    std::copy(angles.begin(), angles.end(), tried_.begin());
    const std::span<double> tried(tried_.data(), angles.size());
    double damping = 0;
    while (report.steps < settings_.max_steps) {
      ++report.steps;
      if (!newton_step(task, w, leg, end, damping, angles)) break;
      double most = 0;
      for (int i = 0; i < n; ++i) {
        tried[at(first + i)] = angles[at(first + i)] + step_[at(i)];
        most = std::max(most, std::fabs(step_[at(i)]));
      }
      const double now = leg_terms(task, w, leg, leg_end(task, leg, tried), tried).total();
      report.settled = most < settings_.target_change;
      if (!(now < cost)) {  // too far: closer to the gradient
        if (report.settled) break;
        damping = std::max(4 * damping, 0.1 * largest_);
        continue;
      }
      std::copy(tried.begin() + first, tried.begin() + first + n, angles.begin() + first);
      cost = now;
      if (report.settled) break;
      damping *= 0.25;
      end = leg_rates(task, leg, angles, rates_);
    }
    return report;
  }

  bool newton_step(const LegTask& task, const LegWeights& w, int leg, const Vec3& end,
                   double damping, std::span<const double> angles) {
    const int first = task.first[at(leg)], n = task.first[at(leg + 1)] - first;
    const Vec3 e = end - task.target[at(leg)];
    largest_ = 0;
    for (int i = 0; i < n; ++i) {
      const int k = first + i;
      for (int j = 0; j <= i; ++j) {
        matrix_[at(i * n + j)] = w.reach * dot(rates_[at(k)], rates_[at(first + j)]);
      }
      largest_ = std::max(largest_, matrix_[at(i * n + i)] + w.original + w.previous);
      step_[at(i)] =
          -(w.reach * dot(rates_[at(k)], e) + w.original * (angles[at(k)] - task.original[at(k)]) +
            w.previous * (angles[at(k)] - task.previous[at(k)]));
    }
    // a straight leg without other terms has a singular J'J: never less than this
    const double least = std::max(damping, 1e-9 * largest_);
    for (int i = 0; i < n; ++i) matrix_[at(i * n + i)] += w.original + w.previous + least;
    return solve_positive(matrix_, step_, n);
  }

  NewtonSettings settings_;
  std::vector<Vec3> rates_;
  std::vector<double> matrix_, step_, tried_;
  double largest_ = 0;
};

}  // namespace

LegWeights thesis_weights(double rig_height) {
  return {.reach = 200 / (rig_height * rig_height), .original = 2, .previous = 4};
}

void leg_ends(const LegTask& task, std::span<const double> angles, std::span<Vec3> out) {
  for (int leg = 0; leg < task.legs(); ++leg) out[at(leg)] = leg_end(task, leg, angles);
}

void leg_derivatives(const LegTask& task, std::span<const double> angles, std::span<Vec3> ends,
                     std::span<Vec3> out) {
  for (int leg = 0; leg < task.legs(); ++leg) ends[at(leg)] = leg_rates(task, leg, angles, out);
}

LegSolution leg_cost(const LegTask& task, const LegWeights& weights, std::span<const double> angles,
                     std::span<double> gradient) {
  LegSolution s;
  for (int leg = 0; leg < task.legs(); ++leg) {
    const LegSolution one = leg_terms(task, weights, leg, leg_end(task, leg, angles), angles);
    s.reach += one.reach, s.original += one.original, s.previous += one.previous;
  }
  if (!gradient.empty()) {
    std::vector<Vec3> rates(task.links.size());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    ReachTerm(task, rates).add_gradient(angles, weights.reach, gradient);
    NearTerm(task.original).add_gradient(angles, weights.original, gradient);
    NearTerm(task.previous).add_gradient(angles, weights.previous, gradient);
  }
  return s;
}

std::unique_ptr<LegSolver> make_descent_solver(int links, const DescentSettings& settings) {
  return std::make_unique<DescentLegSolver>(links, settings);
}

std::unique_ptr<LegSolver> make_newton_solver(int links, const NewtonSettings& settings) {
  return std::make_unique<NewtonLegSolver>(links, settings);
}

}  // namespace molejo::navigation::thesis

#include "molejo/optimise/least_squares.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/math/decompositions.h"

namespace molejo {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(Evaluator& evaluator, std::span<const double> start, std::span<const double> lower,
         std::span<const double> upper, const LeastSquaresSettings& settings);
  LeastSquaresResult run();

 private:
  using Index = Eigen::Index;

  VecX user(const VecX& u) const;
  void evaluate(Index count);
  double cost_of(Index row) const;
  void accept(const VecX& u, Index row);
  void differentiate();
  VecX step(double mu) const;
  bool try_steps();

  Evaluator& evaluator_;
  const LeastSquaresSettings& settings_;
  Index n_, m_, outputs_;
  VecX origin_, unit_;  // x = origin + unit u
  VecX lower_, upper_;  // of u
  VecX u_, residual_;   // here
  VecX gradient_;       // J^T r
  MatX J_, JtJ_;
  MatX points_, results_;  // one column a point
  double mu_, decrease_ = 0, moved_ = 0;
  LeastSquaresResult result_;
};

Search::Search(Evaluator& evaluator, std::span<const double> start, std::span<const double> lower,
               std::span<const double> upper, const LeastSquaresSettings& settings)
    : evaluator_(evaluator),
      settings_(settings),
      n_(evaluator.unknowns()),
      m_(settings.residuals > 0 ? settings.residuals
                                : evaluator.outputs() - settings.first_residual),
      outputs_(evaluator.outputs()),
      mu_(settings.damping) {
  assert(static_cast<Index>(start.size()) == n_ && lower.size() == upper.size());
  assert(m_ > 0 && settings.first_residual >= 0 && settings.first_residual + m_ <= outputs_);
  origin_ = VecX::Zero(n_);
  unit_ = VecX::Ones(n_);
  lower_ = VecX::Constant(n_, -infinity);
  upper_ = VecX::Constant(n_, infinity);
  u_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double x = start[at];
    if (!lower.empty()) {
      assert(lower[at] <= upper[at]);
      x = std::clamp(x, lower[at], upper[at]);
      if (std::isfinite(lower[at]) && std::isfinite(upper[at])) {
        origin_[i] = lower[at];
        if (upper[at] > lower[at]) unit_[i] = upper[at] - lower[at];
      }
      lower_[i] = (lower[at] - origin_[i]) / unit_[i];
      upper_[i] = (upper[at] - origin_[i]) / unit_[i];
    }
    u_[i] = (x - origin_[i]) / unit_[i];
  }
  const auto tries = static_cast<Index>(settings.factors.size());
  const Index columns = std::max({tries, settings.central ? 2 * n_ : n_, Index{1}});
  points_.resize(n_, columns);
  results_.resize(outputs_, columns);
  J_.resize(m_, n_);
  JtJ_.resize(n_, n_);
  gradient_.resize(n_);
}

VecX Search::user(const VecX& u) const {
  VecX x = origin_ + unit_.cwiseProduct(u);
  for (Index i = 0; i < n_; ++i) {
    // u at its bound gives x at its bound exactly
    if (std::isfinite(lower_[i])) x[i] = std::max(x[i], origin_[i] + unit_[i] * lower_[i]);
    if (std::isfinite(upper_[i])) x[i] = std::min(x[i], origin_[i] + unit_[i] * upper_[i]);
  }
  return x;
}

void Search::evaluate(Index count) {
  evaluator_.evaluate(static_cast<int>(count), points_.data(), results_.data());
  result_.evaluations += count;
}

double Search::cost_of(Index row) const {
  double sum = 0;
  for (Index i = 0; i < m_; ++i) {
    const double r = results_(settings_.first_residual + i, row);
    sum += r * r;
  }
  return std::isfinite(sum) ? 0.5 * sum : infinity;
}

void Search::accept(const VecX& u, Index row) {
  u_ = u;
  residual_ = results_.col(row).segment(settings_.first_residual, m_);
  result_.cost = cost_of(row);
  result_.solution.x.assign(points_.col(row).begin(), points_.col(row).end());
  result_.solution.outputs.assign(results_.col(row).begin(), results_.col(row).end());
}

// Forward differences, backward where the upper bound is near; or to both sides as far as the
// bounds allow.
void Search::differentiate() {
  const int sides = settings_.central ? 2 : 1;
  const auto shifted = [&](Index i, int side) {
    VecX u = u_;
    double h = settings_.difference;
    if (sides == 2) h = side == 0 ? h : -h;
    if (sides == 1 && u_[i] + h > upper_[i]) h = -h;
    u[i] = std::clamp(u_[i] + h, lower_[i], upper_[i]);
    return u;
  };
  for (Index i = 0; i < n_; ++i) {
    for (int side = 0; side < sides; ++side) points_.col(sides * i + side) = user(shifted(i, side));
  }
  evaluate(sides * n_);
  for (Index i = 0; i < n_; ++i) {
    const Index a = sides * i;
    const auto r = [&](Index column) {
      return results_.col(column).segment(settings_.first_residual, m_);
    };
    // the distance as it is after rounding
    const double here =
        sides == 2 ? points_(i, a + 1) : result_.solution.x[static_cast<std::size_t>(i)];
    const double distance = (points_(i, a) - here) / unit_[i];
    if (sides == 2) {
      J_.col(i) = (r(a) - r(a + 1)) / distance;
    } else {
      J_.col(i) = (r(a) - residual_) / distance;
    }
    // what cannot be differentiated is left alone this time
    if (distance == 0 || !J_.col(i).allFinite()) J_.col(i).setZero();
  }
  // column by column: the order of Eigen's own product depends on the machine's cache
  for (Index i = 0; i < n_; ++i) {
    gradient_[i] = J_.col(i).dot(residual_);
    for (Index j = 0; j <= i; ++j) JtJ_(i, j) = JtJ_(j, i) = J_.col(i).dot(J_.col(j));
  }
}

// The damped step that keeps to the bounds.
VecX Search::step(double mu) const {
  const double largest = JtJ_.diagonal().maxCoeff();
  VecX result = VecX::Zero(n_);
  std::vector<Index> free;
  for (Index i = 0; i < n_; ++i) {
    const bool pressed_low = u_[i] <= lower_[i] && gradient_[i] >= 0;
    const bool pressed_high = u_[i] >= upper_[i] && gradient_[i] <= 0;
    if (!pressed_low && !pressed_high && JtJ_(i, i) > 0) free.push_back(i);
  }
  while (!free.empty()) {
    const auto count = static_cast<Index>(free.size());
    MatX A(count, count);
    VecX b(count), scale(count);
    for (Index a = 0; a < count; ++a) {
      const Index i = free[static_cast<std::size_t>(a)];
      // columns of little effect must not get all of the step
      scale[a] = 1 / std::sqrt(std::max(JtJ_(i, i), 1e-12 * largest));
    }
    for (Index a = 0; a < count; ++a) {
      const Index i = free[static_cast<std::size_t>(a)];
      b[a] = -gradient_[i];
      for (Index j = 0; j < n_; ++j) b[a] -= JtJ_(i, j) * result[j];  // what is put on a bound
      b[a] *= scale[a];
      for (Index c = 0; c < count; ++c) {
        A(a, c) = JtJ_(i, free[static_cast<std::size_t>(c)]) * scale[a] * scale[c];
      }
      A(a, a) += mu;
    }
    const VecX solved = solve_semidefinite(A, b);
    // those that would leave the box go onto it, and the others are asked again
    std::vector<Index> still_free;
    VecX moves = result;
    for (Index a = 0; a < count; ++a) {
      const Index i = free[static_cast<std::size_t>(a)];
      const double wanted = solved[a] * scale[a];
      if (u_[i] + wanted < lower_[i]) {
        moves[i] = result[i] = lower_[i] - u_[i];
      } else if (u_[i] + wanted > upper_[i]) {
        moves[i] = result[i] = upper_[i] - u_[i];
      } else {
        moves[i] = wanted;
        still_free.push_back(i);
      }
    }
    if (still_free.size() == free.size()) return moves;
    free = std::move(still_free);
  }
  return result;
}

// Tries all dampings; true when one lowered the cost.
bool Search::try_steps() {
  const auto tries = static_cast<Index>(settings_.factors.size());
  MatX candidates(n_, tries);
  for (Index k = 0; k < tries; ++k) {
    VecX u = u_ + step(mu_ * settings_.factors[static_cast<std::size_t>(k)]);
    for (Index i = 0; i < n_; ++i) u[i] = std::clamp(u[i], lower_[i], upper_[i]);
    if (!u.allFinite()) u = u_;
    candidates.col(k) = u;
    points_.col(k) = user(u);
  }
  evaluate(tries);
  Index best = 0;
  for (Index k = 1; k < tries; ++k) {
    if (cost_of(k) < cost_of(best)) best = k;
  }
  const double cost = cost_of(best);
  const VecX chosen = candidates.col(best);
  moved_ = (chosen - u_).cwiseAbs().maxCoeff();
  if (!(cost < result_.cost)) {
    // next time beyond the strongest damping of this time
    mu_ *= 10 * *std::max_element(settings_.factors.begin(), settings_.factors.end());
    return false;
  }
  decrease_ = (result_.cost - cost) / result_.cost;
  mu_ = std::max(1e-15, mu_ * settings_.factors[static_cast<std::size_t>(best)]);
  accept(chosen, best);
  return true;
}

LeastSquaresResult Search::run() {
  points_.col(0) = user(u_);
  evaluate(1);
  accept(u_, 0);
  const auto ended = [&](LeastSquaresStop stop) {
    result_.stop = stop;
    return result_;
  };
  if (!std::isfinite(result_.cost)) return ended(LeastSquaresStop::not_finite);
  constexpr double strongest = 1e12;
  while (true) {
    if (result_.cost <= settings_.target) return ended(LeastSquaresStop::target);
    if (settings_.enough && settings_.enough(result_.solution)) {
      return ended(LeastSquaresStop::enough);
    }
    if (result_.iterations == settings_.max_iterations) return ended(LeastSquaresStop::iterations);
    ++result_.iterations;
    differentiate();
    bool lowered = try_steps();
    while (!lowered && mu_ < strongest && moved_ >= settings_.tol_x) lowered = try_steps();
    if (!lowered) {
      return ended(moved_ < settings_.tol_x ? LeastSquaresStop::tol_x
                                            : LeastSquaresStop::no_descent);
    }
    if (decrease_ < settings_.tol_cost) return ended(LeastSquaresStop::tol_cost);
    if (moved_ < settings_.tol_x) return ended(LeastSquaresStop::tol_x);
  }
}

}  // namespace

std::string_view name(LeastSquaresStop stop) {
  constexpr std::string_view names[] = {"target",     "enough",     "tol_cost",  "tol_x",
                                        "iterations", "no_descent", "not_finite"};
  return names[static_cast<std::size_t>(stop)];
}

LeastSquaresResult least_squares(Evaluator& evaluator, std::span<const double> start,
                                 std::span<const double> lower, std::span<const double> upper,
                                 const LeastSquaresSettings& settings) {
  return Search(evaluator, start, lower, upper, settings).run();
}

}  // namespace molejo

#include "molejo/optimise/cma.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

constexpr double fold_radius = 0.05;  // half the width of the curved part at each end

bool is_free(const CmaState& state, std::size_t i) {
  return state.lower.empty() || std::isinf(state.lower[i]);
}

// values that are not finite rank last
double rankable(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

double norm(const VecX& v) { return std::sqrt(v.squaredNorm()); }

// generations over which values must stay equal for tol_fun
int recent_generations(int unknowns, int population) {
  return 10 + (30 * unknowns + population - 1) / population;
}

double sum_of(const std::vector<double>& w, bool positive) {
  double sum = 0;
  for (const double x : w) sum += (x > 0) == positive ? std::fabs(x) : 0;
  return sum;
}

// (sum w)^2 / sum w^2 over the weights of one sign
double effective_number(const std::vector<double>& w, bool positive) {
  double sum = 0, squares = 0;
  for (const double x : w) {
    if ((x > 0) != positive) continue;
    sum += x;
    squares += x * x;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace

double fold(double inside) {
  constexpr double a = fold_radius, period = 1 + 2 * a;
  // mirrored at -a and 1 + a
  if (!std::isfinite(inside)) return 0.5;
  double t = inside + a;
  t -= 2 * period * std::floor(t / (2 * period));
  if (t > period) t = 2 * period - t;
  t -= a;
  double x = t;
  if (t < a) x = (t + a) * (t + a) / (4 * a);
  if (t > 1 - a) x = 1 - (1 + a - t) * (1 + a - t) / (4 * a);
  return std::clamp(x, 0.0, 1.0);
}

double unfold(double folded) {
  constexpr double a = fold_radius;
  if (folded < a) return 2 * std::sqrt(a * folded) - a;
  if (folded > 1 - a) return 1 + a - 2 * std::sqrt(a * (1 - folded));
  return folded;
}

std::string_view name(CmaStop stop) {
  constexpr std::string_view names[] = {"none",       "target",      "tol_x",
                                        "tol_fun",    "generations", "evaluations",
                                        "stagnation", "condition",   "no_effect"};
  return names[static_cast<std::size_t>(stop)];
}

int default_population(int unknowns) {
  return 4 + static_cast<int>(std::floor(3 * logarithm(unknowns)));
}

int history_length(int unknowns, int population) {
  return 120 + (30 * unknowns + population - 1) / population;
}

CmaEs::CmaEs(const CmaSettings& settings, std::span<const double> start,
             std::span<const double> lower, std::span<const double> upper) {
  const auto n = static_cast<Eigen::Index>(start.size());
  assert(n > 0 && settings.sigma > 0 && lower.size() == upper.size());
  assert(lower.empty() || lower.size() == start.size());
  CmaState& s = state_;
  s.settings = settings;
  if (settings.population <= 0) s.settings.population = default_population(static_cast<int>(n));
  assert(population() >= 2);
  s.lower.assign(lower.begin(), lower.end());
  s.upper.assign(upper.begin(), upper.end());
  s.mean.resize(n);
  s.best.resize(n);
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    s.mean[at] = s.best[at] = start[i];
    if (is_free(s, i)) continue;
    assert(std::isfinite(lower[i]) && std::isfinite(upper[i]) && lower[i] < upper[i]);
    s.best[at] = std::clamp(start[i], lower[i], upper[i]);
    s.mean[at] = unfold((s.best[at] - lower[i]) / (upper[i] - lower[i]));
  }
  s.sigma = settings.sigma;
  s.path_sigma = s.path_c = VecX::Zero(n);
  s.D = VecX::Ones(n);
  if (settings.diagonal) {
    s.C = MatX::Ones(n, 1);
  } else {
    s.C = s.B = MatX::Identity(n, n);
  }
  s.random = Random(settings.seed);
  const auto length = static_cast<std::size_t>(history_length(static_cast<int>(n), population()));
  s.best_history.assign(length, 0);
  s.median_history.assign(length, 0);
  prepare();
}

CmaEs::CmaEs(CmaState state) : state_(std::move(state)) { prepare(); }

CmaRates cma_rates(int unknowns, int population, CmaWeights weights, bool diagonal) {
  const int lambda = population;
  const double N = unknowns;
  const bool classic = weights == CmaWeights::classic;
  CmaRates r;
  r.parents = lambda / 2;
  const double middle = classic ? r.parents + 1 : (lambda + 1) / 2.0;
  r.weights.resize(static_cast<std::size_t>(lambda));
  for (int i = 0; i < lambda; ++i) {
    double& w = r.weights[static_cast<std::size_t>(i)];
    w = logarithm(middle) - logarithm(i + 1);
    if (i >= r.parents && weights != CmaWeights::active) w = 0;
  }
  const double mu = r.mu_eff = effective_number(r.weights, true);
  const double mu_negative = effective_number(r.weights, false);
  r.c_sigma = (mu + 2) / (N + mu + (classic ? 3 : 5));
  r.d_sigma = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (N + 1)) - 1) + r.c_sigma;
  if (classic) {
    r.c_c = 4 / (N + 4);
    const double root = N + std::sqrt(2.0);
    const double c_cov = 2 / (mu * root * root) +
                         (1 - 1 / mu) * std::min(1.0, (2 * mu - 1) / ((N + 2) * (N + 2) + mu));
    r.c_1 = c_cov / mu;
    r.c_mu = c_cov * (1 - 1 / mu);
  } else {
    r.c_c = (4 + mu / N) / (N + 4 + 2 * mu / N);
    r.c_1 = 2 / ((N + 1.3) * (N + 1.3) + mu);
    r.c_mu = std::min(1 - r.c_1, 2 * (0.25 + mu + 1 / mu - 2) / ((N + 2) * (N + 2) + mu));
  }
  if (diagonal) {  // n instead of n^2/2 numbers to learn: faster
    r.c_1 = std::min(1.0, r.c_1 * (N + 2) / 3);
    r.c_mu = std::min(1 - r.c_1, r.c_mu * (N + 2) / 3);
  }
  // positive weights sum to one; negative ones as far as C stays positive definite
  const double positive = sum_of(r.weights, true), negative = sum_of(r.weights, false);
  const double most = std::min(
      {1 + r.c_1 / r.c_mu, 1 + 2 * mu_negative / (mu + 2), (1 - r.c_1 - r.c_mu) / (N * r.c_mu)});
  for (double& w : r.weights) w = w > 0 ? w / positive : w < 0 ? w * most / negative : 0;
  r.chi = std::sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N * N));
  // C may change by a hundredth before it is decomposed again
  r.eigen_gap = std::max(1, static_cast<int>(0.01 / (r.c_1 + r.c_mu)));
  return r;
}

void CmaEs::prepare() {
  const Eigen::Index n = state_.mean.size();
  const int lambda = population();
  rates_ = cma_rates(unknowns(), lambda, state_.settings.weights, state_.settings.diagonal);
  Z_.resize(n, lambda);
  Y_.resize(n, lambda);
  step_.resize(n);
  z_step_.resize(n);
  folded_step_.resize(n);
  order_.resize(static_cast<std::size_t>(lambda));
  if (!state_.settings.diagonal) eigen_ = SymmetricEigen(static_cast<int>(n));
  median_scratch_.resize(state_.best_history.size());
}

double CmaEs::to_user(Eigen::Index i, double inside) const {
  const auto at = static_cast<std::size_t>(i);
  if (is_free(state_, at)) return inside;
  const double lower = state_.lower[at], upper = state_.upper[at];
  return std::clamp(lower + (upper - lower) * fold(inside), lower, upper);
}

void CmaEs::ask(double* points) {
  const Eigen::Index n = state_.mean.size();
  for (Eigen::Index k = 0; k < population(); ++k) {
    auto y = Y_.col(k);
    for (Eigen::Index i = 0; i < n; ++i) Z_(i, k) = state_.random.normal();
    if (state_.settings.diagonal) {
      y = state_.D.cwiseProduct(Z_.col(k));
    } else {
      y.setZero();
      for (Eigen::Index i = 0; i < n; ++i) y += state_.B.col(i) * (state_.D[i] * Z_(i, k));
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      points[k * n + i] = to_user(i, state_.mean[i] + state_.sigma * y[i]);
    }
  }
}

void CmaEs::tell(const double* values) {
  CmaState& s = state_;
  rank(values);
  // the sample is made again rather than kept: the same operations give the same bits
  const int first = order_[0];
  if (rankable(values[first]) < s.best_value) {
    s.best_value = values[first];
    for (Eigen::Index i = 0; i < s.mean.size(); ++i) {
      s.best[i] = to_user(i, s.mean[i] + s.sigma * Y_(i, first));
    }
  }
  remember_values(values);
  bool path_is_short = true;
  move_mean_and_paths(path_is_short);
  learn_shape(path_is_short);
  double growth = rates_.c_sigma / rates_.d_sigma * (norm(s.path_sigma) / rates_.chi - 1);
  if (is_flat(values)) growth += 0.2 + rates_.c_sigma / rates_.d_sigma;
  s.sigma *= exponential(std::min(1.0, growth));
  ++s.generation;
  s.evaluations += population();
  s.stop = CmaStop::none;
  if (s.generation - s.decomposed >= rates_.eigen_gap) decompose();
  if (s.stop == CmaStop::none) s.stop = reason_to_stop(values);
}

void CmaEs::rank(const double* values) {
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [values](int a, int b) {
    const double x = rankable(values[a]), y = rankable(values[b]);
    return x != y ? x < y : a < b;
  });
}

void CmaEs::move_mean_and_paths(bool& path_is_short) {
  CmaState& s = state_;
  const CmaRates& r = rates_;
  const double N = static_cast<double>(s.mean.size());
  step_.setZero();
  z_step_.setZero();
  for (int i = 0; i < r.parents; ++i) {
    const double w = r.weights[static_cast<std::size_t>(i)];
    const int k = order_[static_cast<std::size_t>(i)];
    step_ += w * Y_.col(k);
    z_step_ += w * Z_.col(k);
  }
  s.mean += s.sigma * step_;

  // C^-1/2 step = B z_step
  if (s.settings.diagonal) {
    folded_step_ = z_step_;
  } else {
    folded_step_.setZero();
    for (Eigen::Index i = 0; i < s.mean.size(); ++i) folded_step_ += z_step_[i] * s.B.col(i);
  }
  s.path_sigma *= 1 - r.c_sigma;
  s.path_sigma += std::sqrt(r.c_sigma * (2 - r.c_sigma) * r.mu_eff) * folded_step_;
  s.fading *= (1 - r.c_sigma) * (1 - r.c_sigma);
  path_is_short = norm(s.path_sigma) / std::sqrt(1 - s.fading) < (1.4 + 2 / (N + 1)) * r.chi;
  s.path_c *= 1 - r.c_c;
  if (path_is_short) s.path_c += std::sqrt(r.c_c * (2 - r.c_c) * r.mu_eff) * step_;
}

void CmaEs::learn_shape(bool path_is_short) {
  CmaState& s = state_;
  const CmaRates& r = rates_;
  const Eigen::Index n = s.mean.size();
  const bool diagonal = s.settings.diagonal;
  const double lost = path_is_short ? 0 : r.c_c * (2 - r.c_c);
  const double sum = std::accumulate(r.weights.begin(), r.weights.end(), 0.0);
  const double kept = 1 + r.c_1 * lost - r.c_1 - r.c_mu * sum;

  const auto add = [&](double factor, const double* y) {
    if (diagonal) {
      for (Eigen::Index i = 0; i < n; ++i) s.C(i, 0) += factor * (y[i] * y[i]);
      return;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      double* column = &s.C(0, j);
      const double scaled = factor * y[j];
      for (Eigen::Index i = j; i < n; ++i) column[i] += scaled * y[i];
    }
  };
  s.C *= kept;
  add(r.c_1, s.path_c.data());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    double w = r.weights[i];
    if (w == 0) continue;
    const int k = order_[i];
    // a bad sample counts as if it had the length that is usual
    if (w < 0) w *= static_cast<double>(n) / std::max(1e-300, Z_.col(k).squaredNorm());
    add(r.c_mu * w, &Y_(0, k));
  }
}

void CmaEs::decompose() {
  CmaState& s = state_;
  s.decomposed = s.generation;
  double least = 0, largest = 0;
  if (s.settings.diagonal) {
    least = s.C.minCoeff();
    largest = s.C.maxCoeff();
  } else if (eigen_.compute(s.C)) {
    least = eigen_.values()[0];
    largest = eigen_.values()[s.mean.size() - 1];
  }
  if (!(least > 0) || !std::isfinite(largest) || largest > s.settings.condition * least) {
    s.stop = CmaStop::condition;
    return;
  }
  if (s.settings.diagonal) {
    s.D = s.C.col(0).cwiseSqrt();
  } else {
    s.B = eigen_.vectors();
    s.D = eigen_.values().cwiseSqrt();
  }
}

double CmaEs::widest() const { return state_.sigma * state_.D.maxCoeff(); }
double CmaEs::narrowest() const { return state_.sigma * state_.D.minCoeff(); }

void CmaEs::remember_values(const double* values) {
  const std::size_t at = static_cast<std::size_t>(state_.generation) % state_.best_history.size();
  state_.best_history[at] = rankable(values[order_[0]]);
  state_.median_history[at] = rankable(values[order_[order_.size() / 2]]);
}

// Hansen 2016, B.2: the best value equals that of seven tenths of the samples.
bool CmaEs::is_flat(const double* values) const {
  const int last = (7 * population() + 9) / 10 - 1;
  const double worse = rankable(values[order_[static_cast<std::size_t>(last)]]);
  return rankable(values[order_[0]]) == worse;
}

// Hansen 2016, B.3, over a window of constant length.
bool CmaEs::has_stagnated() const {
  const std::size_t length = state_.best_history.size();
  const auto g = static_cast<std::size_t>(state_.generation);
  if (g < length) return false;
  const std::size_t part = 3 * length / 10;
  const auto median = [&](const std::vector<double>& ring, std::size_t from) {
    for (std::size_t i = 0; i < part; ++i) median_scratch_[i] = ring[(from + i) % length];
    const auto begin = median_scratch_.begin();
    const auto middle = begin + static_cast<std::ptrdiff_t>(part / 2);
    std::nth_element(begin, middle, begin + static_cast<std::ptrdiff_t>(part));
    return *middle;
  };
  // the oldest entry is where the next one will go
  const std::size_t oldest = g % length, late = oldest + length - part;
  const auto no_better = [&](const std::vector<double>& ring) {
    return median(ring, late) >= median(ring, oldest);
  };
  return no_better(state_.best_history) && no_better(state_.median_history);
}

CmaStop CmaEs::reason_to_stop(const double* values) const {
  const CmaState& s = state_;
  const CmaSettings& settings = s.settings;
  const Eigen::Index n = s.mean.size();
  if (s.best_value <= settings.target) return CmaStop::target;
  if (!std::isfinite(s.sigma) || !s.mean.allFinite()) return CmaStop::condition;

  double spread = 0;  // largest standard deviation of a coordinate, or path
  bool moves = true;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double variance = settings.diagonal ? s.C(i, 0) : s.C(i, i);
    const double deviation = s.sigma * std::sqrt(std::max(0.0, variance));
    spread = std::max({spread, deviation, s.sigma * std::fabs(s.path_c[i])});
    if (s.mean[i] + 0.2 * deviation == s.mean[i]) moves = false;
  }
  if (spread < settings.tol_x) return CmaStop::tol_x;

  const int recent = recent_generations(unknowns(), population());
  if (s.generation >= recent) {
    double low = rankable(values[order_[0]]), high = rankable(values[order_.back()]);
    for (int i = 1; i <= recent; ++i) {
      const std::size_t at = static_cast<std::size_t>(s.generation - i) % s.best_history.size();
      low = std::min(low, s.best_history[at]);
      high = std::max(high, s.best_history[at]);
    }
    if (high - low < settings.tol_fun) return CmaStop::tol_fun;
  }
  if (s.generation >= settings.max_generations) return CmaStop::generations;
  if (s.evaluations >= settings.max_evaluations) return CmaStop::evaluations;
  if (settings.stagnation && has_stagnated()) return CmaStop::stagnation;

  if (!settings.diagonal && moves) {
    const Eigen::Index axis = s.generation % n;
    const double length = 0.1 * s.sigma * s.D[axis];
    moves = false;
    for (Eigen::Index i = 0; i < n && !moves; ++i) {
      moves = s.mean[i] + length * s.B(i, axis) != s.mean[i];
    }
  }
  return moves ? CmaStop::none : CmaStop::no_effect;
}

}  // namespace molejo

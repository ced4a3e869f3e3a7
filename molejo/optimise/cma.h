// CMA-ES: minimises f(x) from values of f alone, by a normal distribution that learns its shape.
//
//   x_k = m + sigma B D z_k,  z_k ~ N(0, 1),  C = B D^2 B^T
//
// Only the order of the values counts. Sources: Hansen, "The CMA evolution strategy: a tutorial"
// (2016, arXiv 1604.00772), `active` and `positive`; the formulas of 2006, `classic`; Ros and
// Hansen, "A simple modification in CMA-ES" (2008), `diagonal`. Details:
// docs/theory/10-optimise.md.
//
// Inside, a coordinate with bounds is counted in widths of its interval, from its lower bound, and
// folded smoothly at both ends; so samples never leave the box, and sigma and tol_x have no unit.
// The same bits on every machine.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "molejo/math/random.h"
#include "molejo/math/symmetric_eigen.h"
#include "molejo/math/types.h"

namespace molejo {

enum class CmaWeights {
  classic,   // ln(mu + 1) - ln i, learning rates of 2006
  positive,  // the tutorial of 2016 without negative weights
  active     // the tutorial of 2016: bad samples shrink the variance in their directions
};

struct CmaSettings {
  int population = 0;  // samples a generation, 2 or more; 0: 4 + floor(3 ln n)
  double sigma = 0.3;  // first standard deviation
  CmaWeights weights = CmaWeights::active;
  bool diagonal = false;  // variances only: learns faster, cannot turn
  std::uint64_t seed = 1;

  // When to stop. Defaults run to the limits of double precision.
  double target = -std::numeric_limits<double>::infinity();  // a value as low as this
  double tol_x = 1e-12;     // all standard deviations and sigma * path below
  double tol_fun = 1e-12;   // range of values in this and the best of recent generations below
  double condition = 1e14;  // of C above
  bool stagnation = true;   // neither best nor median values improve over a long window
  int max_generations = 100'000;
  std::int64_t max_evaluations = std::numeric_limits<std::int64_t>::max();
};

enum class CmaStop {
  none,
  target,
  tol_x,
  tol_fun,
  generations,
  evaluations,
  stagnation,  // neither best nor median values have improved for long
  condition,   // C became too narrow, or numbers not finite
  no_effect    // a step of 0.1 sigma along an axis no longer changes the mean
};
std::string_view name(CmaStop stop);

// All that a run is, between two generations.
struct CmaState {
  CmaSettings settings;              // with the population filled in
  std::vector<double> lower, upper;  // of each coordinate; empty: none has bounds
  VecX mean;                         // inside coordinates
  double sigma = 0;
  VecX path_sigma, path_c;
  MatX C;             // lower triangle; one column, the diagonal, if `diagonal`
  MatX B;             // none if `diagonal`
  VecX D;             // B D^2 B^T is what C was at generation `decomposed`
  double fading = 1;  // (1 - c_sigma)^(2 generation)
  int generation = 0, decomposed = 0;
  std::int64_t evaluations = 0;
  Random random = Random(1);
  VecX best;  // best sample so far, the start before there is one
  double best_value = std::numeric_limits<double>::infinity();
  std::vector<double> best_history, median_history;  // rings: generation g at g % size
  CmaStop stop = CmaStop::none;
};

// floor(4 + 3 ln n).
int default_population(int unknowns);

// Length of the rings in CmaState.
int history_length(int unknowns, int population);

// Weights and learning rates: Hansen 2016, table 1; `classic` as in the C code of 2006.
struct CmaRates {
  int parents = 0;
  double mu_eff = 0, c_sigma = 0, d_sigma = 0, c_c = 0, c_1 = 0, c_mu = 0;
  double chi = 0;               // expected length of a normal vector
  int eigen_gap = 1;            // generations between two decompositions
  std::vector<double> weights;  // by rank, best first
};
CmaRates cma_rates(int unknowns, int population, CmaWeights weights, bool diagonal);

class CmaEs {
 public:
  // Bounds: both empty, or one pair a coordinate, finite with lower < upper or both infinite.
  // A start outside its bounds is moved to the nearer one.
  CmaEs(const CmaSettings& settings, std::span<const double> start,
        std::span<const double> lower = {}, std::span<const double> upper = {});
  // Goes on with the same bits. The sizes in the state must fit together.
  explicit CmaEs(CmaState state);

  int unknowns() const { return static_cast<int>(state_.mean.size()); }
  int population() const { return state_.settings.population; }

  // points: population() rows of unknowns(), all within their bounds. ask and tell alternate.
  // Neither allocates.
  void ask(double* points);
  // values: population(). What is not finite ranks last.
  void tell(const double* values);

  // Whether it is over, and why; decided by tell.
  CmaStop stop() const { return state_.stop; }

  // Not between ask and tell.
  const CmaState& state() const { return state_; }
  // sigma times the largest and the least standard deviation.
  double widest() const, narrowest() const;

 private:
  void prepare();
  void rank(const double* values);
  void move_mean_and_paths(bool& path_is_short);
  void learn_shape(bool path_is_short);
  void decompose();
  void remember_values(const double* values);
  CmaStop reason_to_stop(const double* values) const;
  bool is_flat(const double* values) const;
  bool has_stagnated() const;
  double to_user(Eigen::Index i, double inside) const;

  CmaState state_;
  CmaRates rates_;
  MatX Z_, Y_;  // one column a sample
  VecX step_, z_step_, folded_step_;
  std::vector<int> order_;  // samples from best to worst
  SymmetricEigen eigen_;
  mutable std::vector<double> median_scratch_;
};

// A number as it is inside a box: lower at 0, upper at 1, folded; see docs/theory/10-optimise.md.
// What is not finite becomes 0.5.
double fold(double inside);
double unfold(double folded);  // fold(unfold(x)) = x for x in [0, 1]

}  // namespace molejo

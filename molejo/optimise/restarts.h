// CMA-ES again and again, for functions with many minima.
//
//   ipop   each restart has twice the population of the last
//          (Auger and Hansen, "A restart CMA evolution strategy with increasing population size",
//          2005)
//   bipop  runs of growing population alternate with short ones of small population and smaller
//          sigma, whichever kind has used fewer evaluations (Hansen, BBOB workshop, 2009)
//
// A restart begins anywhere in the box; a coordinate without bounds within 2 sigma of the start.
#pragma once

#include "molejo/optimise/cma.h"

namespace molejo {

enum class RestartKind { ipop, bipop };

struct RestartSettings {
  CmaSettings cma;  // population of the first run; `target` ends all
  RestartKind kind = RestartKind::bipop;
  int restarts = 9;  // of growing population
  double growth = 2;
  std::int64_t max_evaluations = std::numeric_limits<std::int64_t>::max();  // of all runs
};

// All that is known between two generations.
struct RestartState {
  RestartSettings settings;
  std::vector<double> start;
  int run = 0, grown = 0;        // runs before this one; of growing population among them
  bool small = false;            // this run is a short one
  std::int64_t evaluations = 0;  // of all runs
  std::int64_t used_by_grown = 0, used_by_small = 0;  // of the runs that ended
  Random random = Random(1);
  VecX best;  // of all runs
  double best_value = std::numeric_limits<double>::infinity();
  CmaState cma;  // of this run
  bool over = false;
};

class Restarts {
 public:
  // Bounds as for CmaEs.
  Restarts(const RestartSettings& settings, std::span<const double> start,
           std::span<const double> lower = {}, std::span<const double> upper = {});
  // Goes on with the same bits.
  explicit Restarts(const RestartState& state);

  int unknowns() const { return cma_.unknowns(); }
  int population() const { return cma_.population(); }  // changes from run to run

  void ask(double* points) { cma_.ask(points); }
  void tell(const double* values);
  bool over() const { return kept_.over; }

  int run() const { return kept_.run; }
  std::int64_t evaluations() const { return kept_.evaluations; }
  const VecX& best() const { return kept_.best; }
  double best_value() const { return kept_.best_value; }
  const CmaEs& cma() const { return cma_; }

  // Complete, between two generations.
  RestartState state() const;

 private:
  void begin_next();

  RestartState kept_;  // but for `cma`, which lives in cma_
  CmaEs cma_;
};

}  // namespace molejo

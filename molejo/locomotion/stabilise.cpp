#include "molejo/locomotion/stabilise.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/eigenvalues.h"
#include "molejo/math/index.h"
#include "molejo/math/parallel.h"
#include "molejo/math/riccati.h"
#include "molejo/math/same_bits.h"
#include "molejo/model/error.h"
#include "molejo/optimise/cma.h"

namespace molejo {

namespace {

constexpr double two_pi = 6.283185307179586;

// Errors are weighed in groups: sideways, height, three turns, joints; three speeds, three spins,
// rates of joints.
constexpr int error_groups = 13;
int group_of(const Character& c, int error) {
  const int positions = 5 + c.internal;
  if (error < positions) return std::min(error, 5);
  return 6 + std::min(error - positions, 6);
}

// Logarithms to the base 2: weights of groups of errors, then of inputs; the last two scale the
// clips of amplitudes and of times.
VecX usual_weights(const GaitProblem& problem, double input_weight) {
  VecX w = VecX::Zero(error_groups + input_count(problem) + 2);
  w[0] = -6.6;  // the way sideways hardly matters
  for (int i = 0; i < input_count(problem); ++i)
    w[error_groups + i] = logarithm(input_weight) / logarithm(2);
  return w;
}

double power_of_two(double x) { return exponential(x * logarithm(2)); }

bool is_amplitude(const GaitProblem& problem, int input) {
  return problem.first_amplitude() + input < problem.last_amplitude();
}

// False: the Riccati equation has no solution.
bool design(const GaitProblem& problem, const CycleMap& map, const double* w, Feedback& feedback) {
  const int n = problem.cycle_size(), m = input_count(problem);
  MatX Q = MatX::Zero(n, n), R = MatX::Zero(m, m);
  for (int i = 0; i < n; ++i) Q(i, i) = power_of_two(w[group_of(problem.character(), i)]);
  for (int i = 0; i < m; ++i) R(i, i) = power_of_two(w[error_groups + i]);
  const Riccati riccati = solve_riccati(map.A, map.B, Q, R);
  if (!riccati.converged) return false;
  // short numbers in files: what is tried is what is kept
  feedback.K = riccati.K.unaryExpr([](double x) { return std::round(x * 1e4) / 1e4; });
  feedback.clip.resize(m);
  for (int i = 0; i < m; ++i) {
    // 0.3 of an amplitude, 60 ms
    const double clip = is_amplitude(problem, i) ? 15 * power_of_two(w[error_groups + m])
                                                 : 12 * power_of_two(w[error_groups + m + 1]);
    feedback.clip[i] = std::max(std::round(clip * 100) / 100, 0.01);
  }
  return true;
}

// What every candidate goes through.
std::vector<Trial> exam(const GaitProblem& problem, const std::vector<double>& unknowns,
                        const StabiliseSettings& s) {
  const Character& c = problem.character();
  const Gait gait = problem.gait(unknowns.data());
  const double force = s.push * total_mass(c) / 0.2;
  std::vector<Trial> trials;
  for (int phase = 0; phase < s.phases; ++phase) {
    for (int d = 0; d < s.directions; ++d) {
      Trial trial;
      // the first cycle is undisturbed
      const double from = gait.duration() * (1 + static_cast<double>(phase) / s.phases);
      trial.pushes.push_back(torso_push(c, two_pi * d / s.directions, force, from));
      trial.seconds = from + 0.2 + s.seconds;
      trials.push_back(std::move(trial));
    }
  }
  for (int i = 0; i < 2; ++i) {
    Trial trial;
    trial.seconds = 2 * s.seconds;
    trial.noise = s.noise;
    trial.seed = seed_of_stream(s.seed, static_cast<std::uint64_t>(i));
    trials.push_back(std::move(trial));
  }
  return trials;
}

// 1: always up to the end, and calm there.
double score_of(const std::vector<Trial>& trials, const TrialResult* results) {
  double sum = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const TrialResult& r = results[i];
    const double from = trials[i].pushes.empty() ? 0 : trials[i].pushes[0].from;
    if (r.fell) {
      sum += 0.5 * std::min((r.seconds - from) / (trials[i].seconds - from), 1.0);
    } else {
      sum += 0.9 + 0.1 / (1 + r.last_error);
    }
  }
  return sum / static_cast<double>(trials.size());
}

class Search {
 public:
  Search(const GaitProblem& problem, const std::vector<double>& unknowns,
         const StabiliseSettings& settings,
         const std::function<bool(const StabiliseProgress&)>& proceed)
      : problem_(problem),
        unknowns_(unknowns),
        settings_(settings),
        proceed_(proceed),
        exam_(exam(problem, unknowns, settings)) {}

  Stabilised run() {
    for (const double step : settings_.steps) {
      maps_.push_back(linearised(problem_, unknowns_, step, settings_.threads));
    }
    bool going = true;
    for (std::size_t k = 0; k < maps_.size() && going; ++k) {
      MatX candidates(usual_weights(problem_, 1).size(),
                      static_cast<Eigen::Index>(settings_.weights.size()));
      for (std::size_t i = 0; i < settings_.weights.size(); ++i) {
        candidates.col(static_cast<Eigen::Index>(i)) =
            usual_weights(problem_, settings_.weights[i]);
      }
      judge(k, candidates);
      going = tell(0);
    }
    if (best_.score < 0) {
      throw InputError("no feedback was found: the cycle cannot be stabilised by its pulses");
    }
    if (going && settings_.generations > 0) improve();
    const CycleMap& map = maps_[best_map_];
    best_.radius = spectral_radius(map.A - map.B * best_.feedback.K);
    best_.push = settings_.push, best_.seed = settings_.seed;
    best_.open_radius = spectral_radius(map.A);
    return best_;
  }

 private:
  // Scores of candidates, one a column; the best of all is kept.
  std::vector<double> judge(std::size_t map, const MatX& candidates) {
    const int count = static_cast<int>(candidates.cols());
    std::vector<Feedback> feedbacks(at(count));
    std::vector<char> exists(at(count));
    parallel_for(count, settings_.threads, [&](int i) {
      exists[at(i)] = design(problem_, maps_[map], candidates.col(i).data(), feedbacks[at(i)]);
    });
    std::vector<Trial> trials;
    for (int i = 0; i < count; ++i) {
      for (Trial trial : exam_) {
        if (!exists[at(i)]) trial.seconds = 0;
        trial.feedback = exists[at(i)] ? &feedbacks[at(i)] : nullptr;
        trials.push_back(std::move(trial));
      }
    }
    const std::vector<TrialResult> results =
        run_trials(problem_, unknowns_, trials, settings_.threads);
    std::vector<double> scores(at(count), -1);
    latest_ = -1;
    for (int i = 0; i < count; ++i) {
      if (!exists[at(i)]) continue;
      scores[at(i)] = score_of(exam_, results.data() + at(i) * exam_.size());
      latest_ = std::max(latest_, scores[at(i)]);
      if (scores[at(i)] <= best_.score) continue;
      best_.score = scores[at(i)];
      best_.feedback = feedbacks[at(i)];
      best_.step = settings_.steps[map];
      best_weights_ = candidates.col(i);
      best_map_ = map;
    }
    best_.tried += count;
    return scores;
  }

  bool tell(int generation) const {
    return !proceed_ || proceed_({generation, best_.tried, best_.score, latest_});
  }

  void improve() {
    CmaSettings cma;
    cma.population = settings_.population;
    cma.sigma = 1;  // a factor of two
    cma.seed = settings_.seed;
    cma.max_generations = settings_.generations;
    const std::size_t map = best_map_;
    CmaEs search(cma, {best_weights_.data(), at(static_cast<int>(best_weights_.size()))});
    MatX points(search.unknowns(), search.population());
    for (int g = 1; search.stop() == CmaStop::none; ++g) {
      search.ask(points.data());
      std::vector<double> values = judge(map, points);
      for (double& v : values) v = -v;
      search.tell(values.data());
      if (!tell(g)) return;
    }
  }

  const GaitProblem& problem_;
  const std::vector<double>& unknowns_;
  const StabiliseSettings& settings_;
  const std::function<bool(const StabiliseProgress&)>& proceed_;
  std::vector<Trial> exam_;
  std::vector<CycleMap> maps_;
  Stabilised best_{.feedback = {}, .score = -1};
  VecX best_weights_;
  std::size_t best_map_ = 0;
  double latest_ = 0;
};

}  // namespace

Stabilised stabilise(const GaitProblem& problem, const std::vector<double>& unknowns,
                     const StabiliseSettings& settings,
                     const std::function<bool(const StabiliseProgress&)>& proceed) {
  return Search(problem, unknowns, settings, proceed).run();
}

}  // namespace molejo

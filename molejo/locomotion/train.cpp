#include "molejo/locomotion/train.h"

#include <algorithm>
#include <cmath>

#include "molejo/locomotion/style.h"
#include "molejo/math/index.h"
#include "molejo/optimise/least_squares.h"

namespace molejo {

namespace {

constexpr double objective_weight = 1e-5;  // the thesis's w_p
constexpr double easy_weight = 1e5;        // and w_r
constexpr double wall_weight = 1e-2;       // instead of w_r: hinges do the work
constexpr double take_off_weight = 2000;   // of the penalty, see `hinge_cost`
constexpr int extra_hinges = 9;            // beside those in bins of time
constexpr int joint_rounds = 1;            // simulations before the one that counts
constexpr int polish_every = 60;           // generations
constexpr int generations_of_a_run = 300;
constexpr int runs_before_restart = 2;

// Bounds that the polish aims at, inside those that count.
EasyLimits tighter(EasyLimits limits) {
  limits.least_speed += 0.05;
  limits.joint_speed *= 0.98;
  limits.support_gap *= 0.3;
  limits.stumble += 0.004;
  limits.clearance += 0.003;
  limits.start_gap += 0.002;
  limits.peak_force *= 0.975;
  limits.upright += 0.01;
  return limits;
}

// How much of each hinge weighs as much as a cyclic error of its tolerance: 5 cm/s, 3 mm, 0.3 mm
// of the toe, 3 mm, 3 mm, a tenth of a body weight, 1 rad/s.
constexpr double hinge_weight[] = {20, 300, 3000, 300, 300, 10, 1};

// Where the state of the joints is among the unknowns.
bool is_joint(const Character& character, int i) {
  const int positions = 5 + character.internal;
  return (i >= 5 && i < positions) ||
         (i >= positions + 6 && i < positions + 6 + character.internal);
}

std::vector<int> joint_unknowns(const Character& character) {
  std::vector<int> list;
  for (int i = 0; i < 11 + 2 * character.internal; ++i) {
    if (is_joint(character, i)) list.push_back(i);
  }
  return list;
}

// The memory of one thread.
struct Worker {
  Rollout rollout;
  std::vector<Gait> gaits = std::vector<Gait>(4);
  std::vector<RolloutResult> results = std::vector<RolloutResult>(4);
  std::vector<std::vector<double>> x = std::vector<std::vector<double>>(4);
  std::vector<double> next_x = {};
};

void set_hinges(const GaitProblem& problem, const double* x, const RolloutResult& r, double* h) {
  const EasyLimits& limits = problem.motion().rollout.limits;
  const auto above = [](double value, double most) { return std::max(0.0, value - most); };
  for (std::size_t k = 0; k < r.hinges.size(); ++k) {
    h[k] = hinge_weight[k / hinge_bins] * r.hinges[k];
  }
  h += r.hinges.size();
  // where the lift is zero nothing tells which way it grows; the toe at the end does
  const bool flies = limits.lift > 0;
  h[6] = flies ? above(limits.lift + 0.01, r.last_toe) * 300 : 0;
  h[0] = flies ? above(limits.lift + 0.003, r.lift) * 1000 : 0;
  h[1] = above(r.energy / limits.energy, 0.96) * 20;
  h[2] = above(limits.mean_speed + 0.05, r.mean_velocity.x) * 20;
  h[3] = above(std::fabs(r.mean_velocity.y), 0.8 * limits.drift) * 20;
  h[4] = above(std::fabs(r.mean_velocity.z), 0.8 * limits.drift) * 20;
  const bool styled = problem.asks_for_style();
  h[7] = styled ? above(limits.likeness + 0.02, r.likeness) * 50 : 0;
  h[8] = styled ? above(limits.size + 0.02, r.size) * 50 : 0;
  // the wall is one plus a square
  const double priority = problem.priority_term(x);
  h[5] = priority > 0 ? 100 * std::sqrt(std::max(priority - 1, 1e-12)) : 0;
}

double easy_weight_of(const TrainingSettings& training) {
  return training.thesis ? easy_weight : wall_weight;
}

// What the search minimises in place of walls: a slope wherever a constraint is violated. A run
// without flight is a basin of its own that keeps all other constraints; it must not look good.
double hinge_cost(const EasyLimits& limits, const RolloutResult& r,
                  std::span<const double> hinges) {
  double sum = 0;
  for (const double h : hinges) sum += h * h;
  if (limits.lift <= 0) return sum;
  const double toe = 2.5 * limits.lift;  // at the end of the step
  return sum + take_off_weight * (std::max(0.0, limits.lift - r.lift) / limits.lift +
                                  std::max(0.0, toe - r.last_toe) / toe);
}

void evaluate_group(const GaitProblem& problem, const GaitOutputs& outputs,
                    const std::vector<int>& joints, int count, const double* points,
                    double* results, Worker& worker) {
  const int n = problem.size();
  const Gait* gaits[4];
  int rounds = 0;
  for (int i = 0; i < count; ++i) {
    const double* point = points + i * (n + 1);
    worker.x[at(i)].assign(point, point + n);
    rounds = std::max(rounds, static_cast<int>(point[n]));
    problem.set_gait(worker.x[at(i)].data(), worker.gaits[at(i)]);
    gaits[i] = &worker.gaits[at(i)];
  }
  const std::span<const Gait* const> group(gaits, at(count));
  const std::span<RolloutResult> out(worker.results.data(), at(count));
  for (int round = 0; round < rounds; ++round) {
    worker.rollout.run(group, out);
    for (int i = 0; i < count; ++i) {
      const double* point = points + i * (n + 1);
      const RolloutResult& r = out[at(i)];
      if (round >= static_cast<int>(point[n]) || !r.finite) continue;
      std::vector<double>& x = worker.x[at(i)];
      Gait& gait = worker.gaits[at(i)];
      worker.next_x = x;
      problem.set_state(problem.next_start(gait, r.end), worker.next_x.data());
      for (const int k : joints) x[at(k)] = worker.next_x[at(k)];
      problem.set_gait(x.data(), gait);
    }
  }
  worker.rollout.run(group, out);
  for (int i = 0; i < count; ++i) {
    double* o = results + i * outputs.count();
    const double* x = worker.x[at(i)].data();
    const RolloutResult& r = out[at(i)];
    problem.cycle_error(worker.gaits[at(i)], r, o + outputs.first_cycle());
    double* hinges = o + outputs.first_hinge();
    set_hinges(problem, x, r, hinges);
    const TrainingSettings& training = problem.motion().training;
    o[0] = objective_weight * problem.objective(r);
    o[1] = easy_weight_of(training) * problem.easy_sum(x, r);
    if (!training.thesis) {
      o[0] += training.cycle_penalty() *
              hinge_cost(problem.motion().rollout.limits, r, {hinges, at(outputs.hinges)});
    }
    if (!r.finite) o[1] = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < joints.size(); ++k) {
      o[outputs.first_joint() + static_cast<int>(k)] = x[joints[k]];
    }
  }
}

}  // namespace

// Points over some of the unknowns, the others as they are in a base; some outputs may weigh more.
class ReducedEvaluator : public Evaluator {
 public:
  ReducedEvaluator(Evaluator& inner, std::vector<int> free, std::vector<double> base, int rounds)
      : Evaluator(static_cast<int>(free.size()), inner.outputs()),
        inner_(inner),
        free_(std::move(free)),
        base_(std::move(base)) {
    base_.push_back(rounds);
  }

  void weigh(int first, int count, double factor) {
    first_weighed_ = first, weighed_ = count, factor_ = factor;
  }

 private:
  void do_evaluate(int count, const double* points, double* results) override {
    const auto n = base_.size();
    rows_.resize(at(count) * n);
    for (int i = 0; i < count; ++i) {
      double* row = rows_.data() + at(i) * n;
      std::copy(base_.begin(), base_.end(), row);
      for (std::size_t k = 0; k < free_.size(); ++k) {
        row[free_[k]] = points[at(i) * free_.size() + k];
      }
    }
    inner_.evaluate(count, rows_.data(), results);
    for (int i = 0; i < count; ++i) {
      double* first = results + i * outputs() + first_weighed_;
      for (int k = 0; k < weighed_; ++k) first[k] *= factor_;
    }
  }

  Evaluator& inner_;
  std::vector<int> free_;
  std::vector<double> base_, rows_;
  int first_weighed_ = 0, weighed_ = 0;
  double factor_ = 1;
};

namespace {

struct BudgetSpent {};

// No more than so many points: throws BudgetSpent instead.
class Bounded : public Evaluator {
 public:
  Bounded(Evaluator& inner, std::int64_t most)
      : Evaluator(inner.unknowns(), inner.outputs()), inner_(inner), most_(most) {}

 private:
  void do_evaluate(int count, const double* points, double* results) override {
    if (evaluations() + count > most_) throw BudgetSpent();
    inner_.evaluate(count, points, results);
  }

  Evaluator& inner_;
  const std::int64_t most_;
};

double ratio_of(const GaitOutputs& outputs, const std::vector<double>& o) {
  double ratio = 0;
  for (int i = 0; i < outputs.cycle; ++i) {
    ratio = std::max(ratio, std::fabs(o[at(outputs.first_cycle() + i)]));
  }
  return ratio;
}

// Levenberg-Marquardt over all unknowns, until every constraint holds and the cyclic error is below
// `ratio` tolerances. Where it ends near with some constraint still violated, hinges get heavier.
Solution shoot(const GaitProblem& problem, Evaluator& evaluator, const std::vector<double>& x,
               double ratio) {
  const GaitOutputs outputs = gait_outputs(problem);
  std::vector<int> all(at(problem.size()));
  for (int i = 0; i < problem.size(); ++i) all[at(i)] = i;
  ReducedEvaluator full(evaluator, all, std::vector<double>(all.size()), 0);
  const std::vector<double> lower(all.size(), 0), upper(all.size(), 1);
  LeastSquaresSettings settings;
  settings.first_residual = outputs.first_cycle();
  settings.residuals = outputs.cycle + outputs.hinges;
  settings.max_iterations = 25;
  settings.tol_cost = 0.005;
  settings.enough = [&](const Solution& s) {
    return s.easy() == 0 && ratio_of(outputs, s.outputs) < ratio;
  };
  Solution s = least_squares(full, x, lower, upper, settings).solution;
  settings.max_iterations = 8;
  double factor = 1;
  for (int more = 0; more < 3; ++more) {
    if (settings.enough(s) || ratio_of(outputs, s.outputs) > 2.5) break;
    factor *= 3;
    full.weigh(outputs.first_hinge(), outputs.hinges, factor);
    s = least_squares(full, s.x, lower, upper, settings).solution;
  }
  for (int k = 0; k < outputs.hinges; ++k) s.outputs[at(outputs.first_hinge() + k)] /= factor;
  return s;
}

}  // namespace

GaitOutputs gait_outputs(const GaitProblem& problem) {
  GaitOutputs outputs;
  outputs.cycle = problem.cycle_size();
  outputs.hinges = static_cast<int>(std::size(hinge_weight)) * hinge_bins + extra_hinges;
  outputs.joints = 2 * problem.character().internal;
  return outputs;
}

Problem evaluation(const GaitProblem& problem, int workers) {
  const GaitOutputs outputs = gait_outputs(problem);
  auto memory = std::make_shared<std::vector<Worker>>();
  for (int i = 0; i < workers; ++i) {
    memory->push_back({compared_rollout(problem)});
    memory->back().rollout.measure_hinges(tighter(problem.motion().rollout.limits));
  }
  const std::vector<int> joints = joint_unknowns(problem.character());
  Problem p;
  p.unknowns = problem.size() + 1;
  p.outputs = outputs.count();
  p.group = 4;
  p.evaluate = [&problem, outputs, joints, memory](int worker, int count, const double* points,
                                                   double* results) {
    evaluate_group(problem, outputs, joints, count, points, results, (*memory)[at(worker)]);
  };
  return p;
}

// One search by multipliers, from the sketch.
struct Training::Search {
  Search(Evaluator& evaluator, std::vector<int> free_unknowns, std::vector<double> base, int rounds,
         Multipliers m)
      : free(std::move(free_unknowns)),
        reduced(evaluator, free, std::move(base), rounds),
        multipliers(std::move(m)),
        points(at(multipliers.population()) * free.size()),
        results(at(multipliers.population() * evaluator.outputs())) {}
  std::vector<int> free;
  ReducedEvaluator reduced;
  Multipliers multipliers;
  std::vector<double> points, results;
};

Training::Training(const GaitProblem& problem, Evaluator& evaluator, std::uint64_t seed)
    : problem_(problem), evaluator_(evaluator), outputs_(gait_outputs(problem)) {
  state_.seed = seed;
  begin();
}

Training::Training(const GaitProblem& problem, Evaluator& evaluator, TrainingState state)
    : problem_(problem),
      evaluator_(evaluator),
      outputs_(gait_outputs(problem)),
      state_(std::move(state)) {
  if (!state_.valid) state_.over = false;
  begin();
}

Training::~Training() = default;

void Training::begin() {
  const TrainingSettings& t = problem_.motion().training;
  std::vector<int> free;
  for (int i = 0; i < problem_.size(); ++i) {
    if (t.thesis || !is_joint(problem_.character(), i)) free.push_back(i);
  }
  const VecX sketch = problem_.start();
  std::vector<double> base(sketch.data(), sketch.data() + sketch.size());
  const int rounds = t.thesis ? 0 : joint_rounds;
  if (state_.search) {
    search_ = std::make_unique<Search>(evaluator_, std::move(free), std::move(base), rounds,
                                       Multipliers(*state_.search));
    return;
  }
  MultiplierSettings s;
  s.cma.population = t.population > 0 || t.thesis ? t.population : 16;
  s.cma.sigma = t.sigma;
  s.cma.weights = CmaWeights::classic;
  s.cma.seed = state_.seed + 1000 * static_cast<std::uint64_t>(state_.restart);
  s.cma.tol_x = t.tolerance_x;
  s.cma.max_generations = t.generations > 0 ? t.generations
                          : t.thesis        ? 1000
                                            : generations_of_a_run;
  // errors come in units of their tolerances; the thesis wants them as they are
  s.tolerance.assign(at(outputs_.cycle), 1);
  s.scaled = false;
  if (t.thesis) {
    for (int i = 0; i < outputs_.cycle; ++i) s.tolerance[at(i)] = problem_.tolerance()[i];
    // it stops by its own two rules only
    s.cma.tol_fun = 0, s.cma.stagnation = false;
  }
  s.penalty = t.cycle_penalty();
  s.runs = t.thesis ? t.runs : std::min(t.runs, runs_before_restart);
  s.sigma_decay = t.sigma_decay, s.sigma_floor = t.sigma_floor;
  s.run_0_until_easy = false;
  s.penalty_in_run_0 = !t.thesis;
  const std::vector<double> lower(free.size(), 0), upper(free.size(), 1);
  std::vector<double> start;
  for (const int i : free) start.push_back(base[at(i)]);
  Multipliers multipliers(s, outputs_.count(), start, lower, upper);
  search_ = std::make_unique<Search>(evaluator_, std::move(free), std::move(base), rounds,
                                     std::move(multipliers));
}

std::int64_t Training::generation_evaluations() const {
  const int each = problem_.motion().training.thesis ? 1 : 1 + joint_rounds;
  return std::int64_t{search_->multipliers.population()} * each;
}

std::int64_t Training::evaluations_left() const {
  return problem_.motion().training.evaluations - evaluations();
}

// One generation.
void Training::search_on() {
  Multipliers& m = search_->multipliers;
  m.ask(search_->points.data());
  search_->reduced.evaluate(m.population(), search_->points.data(), search_->results.data());
  if (problem_.motion().training.thesis) {
    // as they are: metres, radians and their rates
    for (int i = 0; i < m.population(); ++i) {
      double* phi = &search_->results[at(i * outputs_.count() + outputs_.first_cycle())];
      for (int k = 0; k < outputs_.cycle; ++k) phi[k] *= problem_.tolerance()[k];
    }
  }
  m.tell(search_->points.data(), search_->results.data());
  state_.evaluations += generation_evaluations();
}

bool Training::advance() {
  if (state_.over) return false;
  const TrainingSettings& t = problem_.motion().training;
  Multipliers& m = search_->multipliers;
  // due already: a polish that was cut
  if (m.phase() == MultiplierPhase::running && !polish_is_due()) {
    if (generation_evaluations() > evaluations_left()) {
      state_.over = true;
      return false;
    }
    search_on();
  }
  if (polish_is_due() && !polish()) {
    state_.over = true;
    return false;
  }
  if (m.phase() == MultiplierPhase::run_ended) {
    m.next_run();
  }
  if (m.phase() == MultiplierPhase::solved) {
    state_.valid = full_solution(m.best());
    state_.over = true;
  } else if (m.phase() != MultiplierPhase::running && m.phase() != MultiplierPhase::run_ended) {
    if (t.thesis) {
      state_.best = full_solution(m.best());
      state_.over = true;
    } else if (!state_.over) {
      ++state_.restart;
      state_.search.reset();
      state_.polished.clear();
      begin();
    }
  }
  return !state_.over;
}

Solution Training::full_solution(const Solution& reduced) const {
  const VecX sketch = problem_.start();
  Solution full{{sketch.data(), sketch.data() + sketch.size()}, reduced.outputs};
  for (std::size_t k = 0; k < search_->free.size(); ++k) {
    full.x[at(search_->free[k])] = reduced.x[k];
  }
  const std::vector<int> joints = joint_unknowns(problem_.character());
  for (std::size_t k = 0; k < joints.size(); ++k) {
    full.x[at(joints[k])] = reduced.outputs[at(outputs_.first_joint()) + k];
  }
  return full;
}

bool Training::polish_is_due() const {
  const Multipliers& m = search_->multipliers;
  const bool is_time = m.generation() > 0 && m.generation() % polish_every == 0;
  return !problem_.motion().training.thesis && is_time && !m.solution().outputs.empty() &&
         m.solution().x != state_.polished;
}

// False: it was cut.
bool Training::polish() {
  const Solution& candidate = search_->multipliers.solution();
  const Solution full = full_solution(candidate);
  Bounded bounded(evaluator_, evaluations_left());
  Solution polished;
  try {
    polished = shoot(problem_, bounded, full.x, 0.9);
  } catch (const BudgetSpent&) {
    cut_ = bounded.evaluations();
    return false;
  }
  state_.polished = candidate.x;
  state_.evaluations += bounded.evaluations();
  for (const Solution& s : {full, polished}) {
    if (merit(s) < merit(state_.best)) state_.best = s;
  }
  if (polished.easy() == 0 && ratio_of(outputs_, polished.outputs) < 1) {
    state_.valid = polished;
    state_.over = true;
  }
  return true;
}

// How far from valid; before there are outputs, farther than anything.
double Training::merit(const Solution& s) const {
  if (s.outputs.empty()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (int i = 0; i < outputs_.cycle + outputs_.hinges; ++i) {
    const double r = s.outputs[at(outputs_.first_cycle() + i)];
    sum += r * r;
  }
  return sum;
}

const TrainingState& Training::state() {
  state_.search = search_->multipliers.state();
  return state_;
}

TrainingProgress Training::progress() const {
  const Multipliers& m = search_->multipliers;
  TrainingProgress p;
  p.restart = state_.restart;
  p.run = m.run(), p.generation = m.generation();
  p.evaluations = evaluations();
  const Solution* shown = state_.valid ? &*state_.valid : &m.solution();
  if (shown->outputs.empty()) return p;
  p.objective = shown->objective(),
  p.easy = shown->easy() / easy_weight_of(problem_.motion().training);
  p.ratio = m.ratio(shown->outputs.data());
  return p;
}

bool Training::is_valid() const { return state_.valid.has_value(); }

std::vector<double> Training::solution() const {
  if (state_.valid) return state_.valid->x;
  // the search may be nearer than what was polished last
  const Solution& searched = search_->multipliers.solution();
  if (!searched.outputs.empty()) {
    Solution full = full_solution(searched);
    if (merit(full) < merit(state_.best) || state_.best.x.empty()) return std::move(full.x);
  }
  if (!state_.best.x.empty()) return state_.best.x;
  const VecX sketch = problem_.start();
  return {sketch.data(), sketch.data() + sketch.size()};
}

std::vector<double> tightened(const GaitProblem& problem, Evaluator& evaluator,
                              const std::vector<double>& x, double ratio) {
  const GaitOutputs outputs = gait_outputs(problem);
  const Solution s = shoot(problem, evaluator, x, ratio);
  return s.easy() == 0 && ratio_of(outputs, s.outputs) < 1 ? s.x : x;
}

}  // namespace molejo

#include "molejo/locomotion/trials.h"

#include <algorithm>
#include <cmath>

#include "molejo/locomotion/replay.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/parallel.h"
#include "molejo/math/random.h"

namespace molejo {

namespace {

Vec3 root_position(const Character& c, const State& s) {
  const Link& root = c.model.links[at(c.root.index)];
  return {s.q[root.q], s.q[root.q + 1], s.q[root.q + 2]};
}

// One trial on its way.
class Runner {
 public:
  Runner(const GaitProblem& problem, const Gait& nominal, const std::vector<double>& unknowns,
         const Trial& trial, TrialResult& result)
      : problem_(problem),
        nominal_(nominal),
        unknowns_(unknowns),
        trial_(trial),
        result_(result),
        random_(trial.seed),
        gait_(nominal) {
    state_ = nominal.start;
  }

  bool over() const { return result_.fell || result_.seconds >= trial_.seconds; }
  const Gait& gait() const { return gait_; }
  std::span<const GaitPush> pushes() const { return pushes_; }

  void begin_cycle() {
    VecX error(problem_.cycle_size());
    problem_.state_error(nominal_.start, state_, error.data());
    VecX input = VecX::Zero(problem_.size() - problem_.first_amplitude());
    if (trial_.feedback) {
      input = trial_.feedback->input(error);
      apply_input(problem_, unknowns_, input, gait_);
    }
    gait_.start = state_;
    if (trial_.noise > 0) shake();
    result_.last_error = std::sqrt(error.squaredNorm() / static_cast<double>(error.size()));
    if (trial_.keep_states) result_.starts.push_back({error, input});
    pushes_ = pushes_in_cycle(problem_.character(), trial_.pushes, result_.seconds,
                              gait_.duration(), nominal_.mirrored && result_.cycles % 2 == 1);
    ++result_.cycles;
  }

  void end_cycle(const RolloutResult& r) {
    const Character& c = problem_.character();
    result_.seconds += gait_.duration();
    result_.peak_force = std::max(result_.peak_force, r.peak_force);
    if (!r.finite || has_fallen(c, r.end)) {
      result_.fell = true;
      return;
    }
    const Vec3 way = root_position(c, r.end) - root_position(c, gait_.start);
    result_.forward += dot(way, c.forward);
    const double side = std::fabs(dot(root_position(c, r.end), c.left));
    result_.sideways = std::max(result_.sideways, side);
    state_ = problem_.next_start(gait_, r.end);
  }

 private:
  void shake() {
    const Link& root = problem_.character().model.links[at(problem_.character().root.index)];
    for (int i = 0; i < 3; ++i) gait_.start.v[root.v + i] += trial_.noise * random_.normal();
  }

  const GaitProblem& problem_;
  const Gait& nominal_;
  const std::vector<double>& unknowns_;
  const Trial& trial_;
  TrialResult& result_;
  Random random_;
  Gait gait_;
  State state_;
  std::vector<GaitPush> pushes_;
};

void run_pack(std::vector<Runner>& runners, Rollout& rollout) {
  std::vector<RolloutResult> results(runners.size());
  while (true) {
    check_interrupt();
    std::vector<Runner*> alive;
    std::vector<const Gait*> gaits;
    std::vector<std::span<const GaitPush>> pushes;
    bool pushed = false;
    for (Runner& runner : runners) {
      if (runner.over()) continue;
      runner.begin_cycle();
      alive.push_back(&runner);
      gaits.push_back(&runner.gait());
      pushes.push_back(runner.pushes());
      pushed = pushed || !pushes.back().empty();
    }
    if (alive.empty()) return;
    if (!pushed) pushes.clear();
    rollout.run(gaits, {results.data(), alive.size()}, pushes);
    for (std::size_t i = 0; i < alive.size(); ++i) alive[i]->end_cycle(results[i]);
  }
}

}  // namespace

std::vector<TrialResult> run_trials(const GaitProblem& problem, const std::vector<double>& unknowns,
                                    std::span<const Trial> trials, int threads) {
  const Gait nominal = problem.gait(unknowns.data());
  std::vector<TrialResult> results(trials.size());
  const int packs = (static_cast<int>(trials.size()) + 3) / 4;
  const int workers = std::min(thread_count(threads), std::max(packs, 1));
  std::vector<Rollout> rollouts;
  for (int i = 0; i < workers; ++i) {
    rollouts.emplace_back(problem.character(), problem.motion().rollout);
  }
  parallel_for_workers(packs, workers, [&](int worker, int pack) {
    std::vector<Runner> runners;
    for (std::size_t i = at(4 * pack); i < std::min(trials.size(), at(4 * pack + 4)); ++i) {
      runners.emplace_back(problem, nominal, unknowns, trials[i], results[i]);
    }
    run_pack(runners, rollouts[at(worker)]);
  });
  return results;
}

}  // namespace molejo

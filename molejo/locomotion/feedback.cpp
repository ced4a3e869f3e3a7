#include "molejo/locomotion/feedback.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "molejo/math/index.h"
#include "molejo/math/parallel.h"

namespace molejo {

namespace {

// The start moved by `step` tolerances along error i. Coordinates of the error are the unknowns.
void move_start(const GaitProblem& problem, const Gait& nominal, int i, double step, Gait& gait) {
  const Character& c = problem.character();
  const Link& root = c.model.links[at(c.root.index)];
  const int positions = 5 + c.internal;
  const double d = step * problem.tolerance()[i];
  VecX change = VecX::Zero(c.model.nv);
  const bool rate = i >= positions;
  const int k = rate ? i - positions : i + 1;  // forward, left, up, turns, joints
  const Vec3 axes[] = {c.forward, c.left, c.up};
  if (k < 3) {
    for (int n = 0; n < 3; ++n) change[root.v + n] = d * axes[k][n];
  } else {
    change[k < 6 ? root.v + k : c.first_internal + k - 6] = d;
  }
  gait.start = nominal.start;
  if (rate) {
    gait.start.v += change;
  } else {
    move(c.model, change.data(), 1, gait.start.q.data());
  }
}

}  // namespace

VecX Feedback::input(const VecX& error) const {
  VecX u = -(K * error);
  for (int i = 0; i < static_cast<int>(u.size()); ++i) u[i] = std::clamp(u[i], -clip[i], clip[i]);
  return u;
}

int input_count(const GaitProblem& problem) { return problem.size() - problem.first_amplitude(); }

double input_unit(const GaitProblem& problem, int input) {
  const int i = problem.first_amplitude() + input;
  if (i < problem.last_amplitude() || i == problem.size() - 1) return 0.02;
  return 0.005;
}

void apply_input(const GaitProblem& problem, const std::vector<double>& unknowns, const VecX& input,
                 Gait& gait) {
  std::vector<double> x = unknowns;
  for (int i = 0; i < input_count(problem); ++i) {
    const int k = problem.first_amplitude() + i;
    const Unknown& u = problem.unknowns()[at(k)];
    x[at(k)] += input[i] * input_unit(problem, i) / (u.upper - u.lower);
    const double top = problem.motion().range.amplitude;
    const bool amplitude = k < problem.last_amplitude();
    x[at(k)] = std::clamp(x[at(k)], amplitude ? (-top - u.lower) / (u.upper - u.lower) : 0.0,
                          amplitude ? (top - u.lower) / (u.upper - u.lower) : 1.0);
  }
  const State start = gait.start;
  problem.set_gait(x.data(), gait);
  gait.start = start;
}

WiderGait with_more_inputs(const GaitProblem& problem, const std::vector<double>& unknowns,
                           int lowest_modes) {
  WiderGait wider{problem.motion(), {}};
  const int most = std::min(lowest_modes, problem.character().internal);
  for (MotionStep& step : wider.motion.steps) {
    for (PhaseMarks* marks : {&step.air, &step.ground}) {
      for (int mode = 1; mode <= most; ++mode) {
        const auto same = [&](const MarkedMode& m) { return m.mode == mode; };
        const auto& others = marks->others;
        if (std::any_of(marks->priority.begin(), marks->priority.end(), same)) continue;
        if (std::find(others.begin(), others.end(), mode) != others.end()) continue;
        marks->others.push_back(mode);
      }
    }
  }
  std::map<std::string, double> known;
  for (int i = 0; i < problem.size(); ++i) {
    known[problem.unknowns()[static_cast<std::size_t>(i)].name] =
        unknowns[static_cast<std::size_t>(i)];
  }
  const GaitProblem wide(problem.character(), wider.motion);
  for (const Unknown& u : wide.unknowns()) {
    const auto found = known.find(u.name);
    wider.unknowns.push_back(found != known.end() ? found->second : u.part(0));
  }
  return wider;
}

BetweenCycles feedback_hook(const GaitProblem& problem, const std::vector<double>& unknowns,
                            const Feedback& feedback) {
  const State nominal = problem.gait(unknowns.data()).start;
  return [&problem, unknowns, feedback, nominal](const State& state, int, Gait& gait) {
    VecX error(problem.cycle_size());
    problem.state_error(nominal, state, error.data());
    apply_input(problem, unknowns, feedback.input(error), gait);
  };
}

CycleMap linearised(const GaitProblem& problem, const std::vector<double>& unknowns, double step,
                    int threads) {
  const Gait nominal = problem.gait(unknowns.data());
  const int n = problem.cycle_size(), m = input_count(problem);
  // column k is moved up and down; two columns are a pack
  MatX differences(n, n + m);
  const int packs = (n + m + 1) / 2;
  const int workers = std::min(thread_count(threads), packs);
  std::vector<Rollout> rollouts;
  for (int i = 0; i < workers; ++i) {
    rollouts.emplace_back(problem.character(), problem.motion().rollout);
  }
  parallel_for_workers(packs, workers, [&](int worker, int pack) {
    std::vector<Gait> gaits(4, nominal);
    std::vector<RolloutResult> results(4);
    const Gait* list[4];
    for (int i = 0; i < 4; ++i) {
      const int k = std::min(2 * pack + i / 2, n + m - 1);
      const double signed_step = i % 2 == 0 ? step : -step;
      Gait& gait = gaits[at(i)];
      list[i] = &gait;
      if (k < n) {
        move_start(problem, nominal, k, signed_step, gait);
      } else {
        apply_input(problem, unknowns, VecX::Unit(m, k - n) * signed_step, gait);
      }
    }
    rollouts[at(worker)].run(list, results);
    for (int i = 0; i < 4; i += 2) {
      const int k = 2 * pack + i / 2;
      if (k >= n + m) break;
      VecX ends[2];
      for (int s = 0; s < 2; ++s) {
        ends[s].resize(n);
        problem.state_error(nominal.start, problem.next_start(nominal, results[at(i + s)].end),
                            ends[s].data());
      }
      differences.col(k) = (ends[0] - ends[1]) / (2 * step);
    }
  });
  return {differences.leftCols(n), differences.rightCols(m)};
}

}  // namespace molejo

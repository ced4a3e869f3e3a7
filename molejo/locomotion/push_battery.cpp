#include "molejo/locomotion/push_battery.h"

#include <algorithm>

#include "molejo/math/pack.h"

namespace molejo {

namespace {

// One direction and phase on its way: survived below, fell above.
struct Bracket {
  double from = 0, direction = 0;
  double survived = 0, fell = -1;  // N s/kg; below zero: has not fallen yet
  int bisections = 0;

  bool is_settled(const PushBatterySettings& s) const {
    return fell >= 0 ? bisections == s.bisections : survived >= s.most;
  }
};

}  // namespace

GaitPush torso_push(const Character& character, double direction, double force, double from,
                    double seconds) {
  const SinCos<double> turn = sincos(direction);
  GaitPush push;
  push.body = character.torso.index;
  const Link& link = character.model.links[static_cast<std::size_t>(push.body)];
  push.p = link.p_BM + link.p_MC;
  push.force = (character.forward * turn.cos + character.left * turn.sin) * force;
  push.from = from, push.until = from + seconds;
  return push;
}

double total_mass(const Character& character) {
  double mass = 0;
  for (const Link& link : character.model.links) mass += link.mass;
  return mass;
}

double PushBattery::least(int direction) const {
  double x = at(direction, 0);
  for (int p = 1; p < phases; ++p) x = std::min(x, at(direction, p));
  return x;
}

double PushBattery::least() const { return *std::min_element(impulse.begin(), impulse.end()); }

PushBattery push_battery(const GaitProblem& problem, const std::vector<double>& unknowns,
                         const Feedback* feedback, const PushBatterySettings& s) {
  const Character& c = problem.character();
  PushBattery battery;
  battery.directions = s.directions, battery.phases = s.phases;
  battery.seconds = s.seconds, battery.after = s.after, battery.most = s.most;
  battery.mass = total_mass(c);
  const double cycle = problem.gait(unknowns.data()).duration();
  std::vector<Bracket> brackets;
  for (int d = 0; d < s.directions; ++d) {
    for (int p = 0; p < s.phases; ++p) {
      brackets.push_back({.from = cycle * (1 + static_cast<double>(p) / s.phases),
                          .direction = 6.283185307179586 * d / s.directions});
    }
  }
  battery.impulse.resize(brackets.size());
  while (true) {
    std::vector<Trial> trials;
    std::vector<Bracket*> tried;
    std::vector<double> impulses;
    for (Bracket& b : brackets) {
      if (b.is_settled(s)) continue;
      const bool falls = b.fell >= 0;
      const double impulse =
          falls ? (b.survived + b.fell) / 2 : std::min(b.survived + s.step, s.most);
      if (falls) ++b.bisections;
      Trial& trial = trials.emplace_back();
      trial.feedback = feedback;
      trial.seconds = b.from + s.seconds + s.after;
      trial.pushes = {torso_push(c, b.direction, battery.force(impulse), b.from, s.seconds)};
      tried.push_back(&b);
      impulses.push_back(impulse);
    }
    if (trials.empty()) break;
    const std::vector<TrialResult> results = run_trials(problem, unknowns, trials, s.threads);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      (results[i].fell ? tried[i]->fell : tried[i]->survived) = impulses[i];
    }
    int settled = 0;
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      battery.impulse[i] = brackets[i].survived;
      settled += brackets[i].is_settled(s);
    }
    if (s.goes_on && !s.goes_on(battery, settled)) break;
  }
  return battery;
}

}  // namespace molejo

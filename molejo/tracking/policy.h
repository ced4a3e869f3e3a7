// An action for each tick of a loop, linear in what the body senses:
//
//   a = a0 + M (s - s0)
//
// Liu, van de Panne, Yin, "Guided learning of control graphs for physics-based characters" (2016).
// M is found by ridge regression on what a search did on its best ways. What is sensed later in a
// window is an effect of what was tried in it, so only the first tick of a window teaches how to
// answer: at a tick those do whose windows it lies in.
#pragma once

#include <deque>

#include "molejo/math/matrix.h"
#include "molejo/tracking/likeness.h"

namespace molejo::tracking {

inline constexpr int ticks_per_window = 4;
inline constexpr int most_actions = 32;
using Action = std::array<double, most_actions>;  // rad, of each sampled freedom

class Policy {
 public:
  Policy(long ticks, bool loops, std::size_t actions);

  long ticks() const { return static_cast<long>(rows_.size()); }
  // For a tick counted from the start, in any loop. Offsets stay within +-0.6 rad.
  void act(long tick, const Senses& senses, Action& action) const;

  // What was done where; `round` tells when, so that old ones can be forgotten.
  // `first`: of its window.
  void remember(long tick, bool first, const Senses& senses, const Action& action, double weight,
                int round);
  void forget_before(int round);
  // From what is remembered.
  void fit(double ridge = 10);

 private:
  struct Row {
    Action a0{};
    Senses s0{};
    std::vector<double> M;  // a row of senses for each action
  };
  struct Example {
    Senses s;
    Action a;
    double weight;
    int round;
    bool first;
  };
  std::size_t row(long tick) const;
  void fit_row(std::size_t row, double ridge);

  std::size_t actions_;
  bool loops_;
  std::vector<Row> rows_;
  std::vector<std::deque<Example>> examples_;
};

}  // namespace molejo::tracking

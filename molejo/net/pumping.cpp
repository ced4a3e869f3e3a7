#include "molejo/net/pumping.h"

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Goes before the other when both are enabled.
bool goes_before(const Transition& a, const Transition& b) {
  if (a.event.empty() != b.event.empty()) return a.event.empty();
  return a.event.empty() && a.priority > b.priority;
}

// The transition is disabled now, but the gain alone might enable it.
bool may_be_enabled(const Topology& topology, int t, const LoopStep& step,
                    const std::vector<std::uint8_t>& gains) {
  for (const auto& [p, w] : topology.inputs[t]) {
    if (step.before[at(p)] < w && gains[at(p)] == 0) return false;
  }
  for (const auto& [p, w] : topology.inhibitors[t]) {
    if (step.before[at(p)] >= w) return false;
  }
  return true;
}

}  // namespace

bool can_repeat(const Net& net, const Topology& topology, Choice choice,
                std::span<const LoopStep> loop, const std::vector<std::uint8_t>& gains) {
  for (const LoopStep& step : loop) {
    check_interrupt();
    for (const auto& [p, w] : topology.inhibitors[step.transition]) {
      if (gains[at(p)] != 0) return false;
    }
    if (choice == Choice::any) continue;
    const Transition& fired = net.transitions[at(step.transition)];
    // only transitions that take from a gaining place can be newly enabled
    for (std::size_t p = 0; p < gains.size(); ++p) {
      if (gains[p] == 0) continue;
      for (const auto& [t, w] : topology.consumers[static_cast<int>(p)]) {
        if (step.before[p] < w && goes_before(net.transitions[at(t)], fired) &&
            may_be_enabled(topology, t, step, gains)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace molejo

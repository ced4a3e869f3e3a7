#include "molejo/net/behaviour.h"

#include <algorithm>
#include <cassert>
#include <deque>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Tarjan's search. `low` holds the lowest visit number that a state can reach on the stack.
class Components {
 public:
  Components(const StateSpace& space, std::uint64_t max_memory)
      : space_(space), max_memory_(max_memory) {
    const std::size_t transitions = space.net().transitions.size();
    result_.live.assign(transitions, 1);
    result_.alive.assign(transitions, 0);
    fires_inside_.assign(transitions, 0);
  }

  // False when the memory is not enough.
  bool run() {
    if (sizeof(std::uint32_t) * space_.size() > max_memory_) return false;
    low_.assign(space_.size(), unseen);
    visit(space_.initial());
    while (!path_.empty()) {
      check_interrupt();
      Visit& top = path_.back();
      StateSpace::Edge edge;
      if (!space_.next_edge(top.state, top.position, edge)) {
        leave();
        continue;
      }
      const std::uint32_t low = low_[edge.state];
      if (low == unseen) {
        visit(edge.state);
        if (bytes() > max_memory_) return false;
      } else if (low != finished) {
        top.low = std::min(top.low, low);
      }
    }
    for (std::size_t t = 0; t < result_.alive.size(); ++t) {
      result_.alive[t] = space_.fired({static_cast<int>(t)}) > 0 ? 1 : 0;
    }
    if (result_.final_components != 1) result_.home_markings = 0;
    result_.reversible = result_.components == 1;
    return true;
  }
  const Behaviour& result() const { return result_; }

 private:
  static constexpr std::uint32_t unseen = 0, finished = UINT32_MAX;

  struct Visit {
    std::uint32_t state, low, position;  // position: of its next edge
  };

  std::uint64_t bytes() const {
    return low_.size() * sizeof(std::uint32_t) + stack_.size() * sizeof(std::uint32_t) +
           path_.size() * sizeof(Visit);
  }

  void visit(std::uint32_t state) {
    low_[state] = ++visits_;
    stack_.push_back(state);
    path_.push_back({state, visits_, 0});
  }

  void leave() {
    const Visit done = path_.back();
    path_.pop_back();
    const bool is_root = done.low == low_[done.state];  // its number, until it is left
    low_[done.state] = done.low;
    if (is_root) {
      finish_component(done.state);
    } else {
      path_.back().low = std::min(path_.back().low, done.low);
    }
  }

  void finish_component(std::uint32_t root) {
    const auto first = std::find(stack_.rbegin(), stack_.rend(), root).base() - 1;
    ++result_.components;
    // final unless a firing leads to a component that was finished before
    bool is_final = true;
    std::fill(fires_inside_.begin(), fires_inside_.end(), 0);
    for (auto s = first; s != stack_.end() && is_final; ++s) {
      check_interrupt();
      space_.successors(*s, found_);
      for (const StateSpace::Edge& edge : found_) {
        is_final &= low_[edge.state] != finished;
        fires_inside_[static_cast<std::size_t>(edge.transition.index)] = 1;
      }
    }
    if (is_final) {
      ++result_.final_components;
      result_.home_markings = static_cast<std::uint64_t>(stack_.end() - first);
      for (std::size_t t = 0; t < fires_inside_.size(); ++t) result_.live[t] &= fires_inside_[t];
    }
    for (auto s = first; s != stack_.end(); ++s) low_[*s] = finished;
    stack_.erase(first, stack_.end());
  }

  const StateSpace& space_;
  std::uint64_t max_memory_;
  std::vector<std::uint32_t> low_;
  std::deque<std::uint32_t> stack_;  // grows without a copy of itself
  std::deque<Visit> path_;
  std::vector<StateSpace::Edge> found_;
  std::vector<std::uint8_t> fires_inside_;
  std::uint32_t visits_ = 0;
  Behaviour result_;
};

}  // namespace

bool Behaviour::is_live() const { return std::find(live.begin(), live.end(), 0) == live.end(); }

std::optional<Behaviour> behaviour(const StateSpace& space, std::uint64_t max_memory) {
  assert(space.end() == SpaceEnd::complete);
  Components components(space, max_memory);
  if (!components.run()) return std::nullopt;
  return components.result();
}

Behaviour behaviour(const StateSpace& space) { return *behaviour(space, UINT64_MAX); }

}  // namespace molejo

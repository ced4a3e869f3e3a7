#include "molejo/net/behaviour.h"

#include <algorithm>
#include <cassert>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

constexpr std::uint32_t unseen = 0, finished = UINT32_MAX;

// Tarjan's search. `low` holds the lowest visit number that a state can reach on the stack.
class Components {
 public:
  explicit Components(const StateSpace& space)
      : space_(space), low_(space.size(), unseen), result_{} {
    const std::size_t transitions = space.net().transitions.size();
    result_.live.assign(transitions, 1);
    result_.alive.assign(transitions, 0);
    fires_inside_.assign(transitions, 0);
  }

  Behaviour run() {
    visit(space_.initial());
    while (!path_.empty()) {
      check_interrupt();
      Visit& top = path_.back();
      if (top.next < edges_.size()) {
        const StateSpace::Edge edge = edges_[top.next++];
        const std::uint32_t low = low_[edge.state];
        if (low == unseen) {
          visit(edge.state);
        } else if (low != finished) {
          top.low = std::min(top.low, low);
        }
        continue;
      }
      leave();
    }
    for (std::size_t t = 0; t < result_.alive.size(); ++t) {
      result_.alive[t] = space_.fired({static_cast<int>(t)}) > 0 ? 1 : 0;
    }
    if (result_.final_components != 1) result_.home_markings = 0;
    result_.reversible = result_.components == 1;
    return result_;
  }

 private:
  struct Visit {
    std::uint32_t state, number, low;
    std::size_t first, next;  // its edges not yet followed: edges_[next ...]
  };

  void visit(std::uint32_t state) {
    const std::uint32_t number = ++visits_;
    low_[state] = number;
    stack_.push_back(state);
    space_.successors(state, found_);
    path_.push_back({state, number, number, edges_.size(), edges_.size()});
    edges_.insert(edges_.end(), found_.begin(), found_.end());
  }

  void leave() {
    const Visit done = path_.back();
    path_.pop_back();
    edges_.resize(done.first);
    low_[done.state] = done.low;
    if (done.low == done.number) finish_component(done.state);
    if (!path_.empty() && low_[done.state] != finished) {
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
  std::vector<std::uint32_t> low_, stack_;
  std::vector<Visit> path_;
  std::vector<StateSpace::Edge> edges_, found_;
  std::vector<std::uint8_t> fires_inside_;
  std::uint32_t visits_ = 0;
  Behaviour result_;
};

}  // namespace

bool Behaviour::is_live() const { return std::find(live.begin(), live.end(), 0) == live.end(); }

Behaviour behaviour(const StateSpace& space) {
  assert(space.end() == SpaceEnd::complete);
  return Components(space).run();
}

}  // namespace molejo

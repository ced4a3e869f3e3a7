#include "molejo/net/check_open.h"

#include <algorithm>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Classes that can be left and come back to: strongly connected components (Tarjan 1972).
class Rounds {
 public:
  Rounds(const OpenSpace& space, const std::vector<std::uint8_t>& goal, bool only_sure)
      : space_(space),
        goal_(goal),
        only_sure_(only_sure),
        low_(only_sure ? space.sure() : space.size(), unseen) {}

  // f(component) for every component in which one can go round without the goal; ascending.
  template <class F>
  void for_each(F&& f) {
    for (std::uint32_t s = 0; s < low_.size(); ++s) {
      if (low_[s] != unseen || goal_[s] != 0) continue;
      visit(s);
      while (!path_.empty()) {
        check_interrupt();
        Visit& top = path_.back();
        const auto edges = space_.edges(top.state);
        if (top.next == edges.size()) {
          leave(f);
          continue;
        }
        const OpenSpace::Edge& edge = edges[top.next++];
        if (!follows(edge)) continue;
        const std::uint32_t low = low_[edge.to];
        if (low == unseen) {
          visit(edge.to);
        } else if (low != finished) {
          top.low = std::min(top.low, low);
        }
      }
    }
  }

  bool follows(const OpenSpace::Edge& edge) const {
    return (edge.sure || !only_sure_) && edge.to < low_.size() && goal_[edge.to] == 0;
  }

 private:
  static constexpr std::uint32_t unseen = 0, finished = UINT32_MAX;

  struct Visit {
    std::uint32_t state, low;
    std::size_t next;
  };

  void visit(std::uint32_t state) {
    low_[state] = ++visits_;
    stack_.push_back(state);
    path_.push_back({state, visits_, 0});
  }

  template <class F>
  void leave(F& f) {
    const Visit done = path_.back();
    path_.pop_back();
    if (!path_.empty()) path_.back().low = std::min(path_.back().low, done.low);
    if (done.low != low_[done.state]) {
      low_[done.state] = done.low;
      return;
    }
    const auto first = std::find(stack_.rbegin(), stack_.rend(), done.state).base() - 1;
    std::vector<std::uint32_t> component(first, stack_.end());
    stack_.erase(first, stack_.end());
    for (const std::uint32_t s : component) low_[s] = finished;
    std::sort(component.begin(), component.end());
    const auto edges = space_.edges(done.state);
    const bool turns = component.size() > 1 ||
                       std::any_of(edges.begin(), edges.end(),
                                   [&](const auto& e) { return follows(e) && e.to == done.state; });
    if (turns) f(component);
  }

  const OpenSpace& space_;
  const std::vector<std::uint8_t>& goal_;
  bool only_sure_;
  std::vector<std::uint32_t> low_, stack_;
  std::vector<Visit> path_;
  std::uint32_t visits_ = 0;
};

bool holds(const std::vector<std::uint32_t>& sorted, std::uint32_t state) {
  return std::binary_search(sorted.begin(), sorted.end(), state);
}

// A wait ends in every round: rounds take time.
bool ends_waits(const OpenSpace& space, const Rounds& rounds,
                const std::vector<std::uint32_t>& component) {
  for (const std::uint32_t s : component) {
    check_interrupt();
    for (const OpenSpace::Edge& e : space.edges(s)) {
      if (e.ends_waits && rounds.follows(e) && holds(component, e.to)) return true;
    }
  }
  return false;
}

// Some wait goes on all the time: it ends before one has gone round for ever.
bool is_cut_short(const OpenSpace& space, const Rounds& rounds,
                  const std::vector<std::uint32_t>& component) {
  bool first = true;
  std::vector<int> going_on;
  for (const std::uint32_t s : component) {
    check_interrupt();
    for (const OpenSpace::Edge& e : space.edges(s)) {
      if (!rounds.follows(e) || !holds(component, e.to)) continue;
      const std::vector<int> here = space.waits_through(s, e.to);
      if (first) going_on = here;
      first = false;
      std::erase_if(going_on,
                    [&](int p) { return !std::binary_search(here.begin(), here.end(), p); });
      if (going_on.empty()) return false;
    }
  }
  return true;
}

class Certainty {
 public:
  Certainty(const Property& property, const Net& net, const OpenSettings& settings)
      : result_{.property = property, .how = over_open_runs},
        space_(net, explored_up_to(property, settings)),
        met_(space_.size(), 0),
        certain_(space_.size(), 0) {
    std::vector<std::int64_t> tokens, waiting;
    const bool deadlocks = property.formula.asks_for_deadlock();
    for (std::uint32_t s = 0; s < space_.size(); ++s) {
      check_interrupt();
      met_[s] = property.formula.holds(space_.view(s, tokens, waiting, deadlocks)) ? 1 : 0;
      certain_[s] = met_[s] != 0 && !space_.may_be_left(s) ? 1 : 0;
    }
  }

  PropertyResult run() {
    bool doubtful = false;
    for (std::uint32_t s = 0; s < space_.size(); ++s) {
      check_interrupt();
      if (met_[s] == 0 && (space_.is_late(s) || stays(s))) {
        if (s < space_.sure()) return fails(s);
        doubtful = true;
      }
      doubtful = doubtful || (certain_[s] == 0 && space_.is_late(s));
    }
    // with a deadline nothing can go round for ever
    if (!result_.property.within) {
      if (const auto round = endless_round()) return fails(*round);
      doubtful = doubtful || goes_round();
    }
    if (space_.end() != TimedEnd::complete) {
      result_.how += space_.finds_all() ? "; at some instant the firings may never end"
                                        : ", of which only a part was explored";
    } else if (doubtful) {
      result_.how += "; whether the world can avoid it for ever is not known";
    } else {
      result_.verdict = Verdict::holds;
    }
    return std::move(result_);
  }

 private:
  static OpenSettings explored_up_to(const Property& property, OpenSettings settings) {
    settings.until = property.formula;
    settings.deadline = property.within;
    return settings;
  }

  bool stays(std::uint32_t state) const {
    return !result_.property.within && space_.may_stay(state);
  }

  PropertyResult fails(std::uint32_t state) {
    result_.verdict = Verdict::fails;
    result_.trace = space_.trace(space_.path_to(state), &result_.until);
    result_.has_trace = true;
    result_.for_ever = !result_.property.within;
    return std::move(result_);
  }

  // A class from which one can surely go round for ever without the goal.
  std::optional<std::uint32_t> endless_round() const {
    std::optional<std::uint32_t> found;
    Rounds rounds(space_, met_, true);
    rounds.for_each([&](const std::vector<std::uint32_t>& component) {
      if (!found && ends_waits(space_, rounds, component)) found = component.front();
    });
    return found;
  }
  // Some round without the goal may be gone for ever.
  bool goes_round() const {
    bool found = false;
    Rounds rounds(space_, certain_, false);
    rounds.for_each([&](const std::vector<std::uint32_t>& component) {
      found = found || ends_waits(space_, rounds, component) ||
              !is_cut_short(space_, rounds, component);
    });
    return found;
  }

  PropertyResult result_;
  OpenSpace space_;
  // At rest; certain: where events that are held cannot take the rest away.
  std::vector<std::uint8_t> met_, certain_;
};

}  // namespace

PropertyResult check_eventually(const Property& property, const Net& net,
                                const OpenSettings& settings) {
  if (property.within && !OpenSpace::explores(net, *property.within)) {
    return {.property = property, .how = "the deadline and the delays have no common tick"};
  }
  return Certainty(property, net, settings).run();
}

}  // namespace molejo

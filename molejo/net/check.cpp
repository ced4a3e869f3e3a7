#include "molejo/net/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Both spaces as one kind of graph.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual std::uint32_t size() const = 0;
  virtual bool complete() const = 0;
  virtual std::vector<std::uint32_t> starts() const = 0;
  virtual void successors(std::uint32_t state, std::vector<std::uint32_t>& result) const = 0;
  virtual MarkingView view(std::uint32_t state) const = 0;
  // Firings along a path of states from a start.
  virtual std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path) const = 0;
  // From a start to the nearest of these states.
  virtual std::vector<std::uint32_t> nearest(const std::vector<std::uint32_t>& states) const = 0;
  virtual std::int64_t ticks(std::uint32_t) const { return 0; }
  virtual std::int64_t ticks_per_second() const { return 1; }
};

class UntimedGraph : public Graph {
 public:
  UntimedGraph(const StateSpace& space, bool deadlocks) : space_(space), deadlocks_(deadlocks) {
    tokens_.resize(space.net().places.size());
  }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(space_.size()); }
  bool complete() const override { return space_.end() == SpaceEnd::complete; }
  std::vector<std::uint32_t> starts() const override { return {space_.initial()}; }
  void successors(std::uint32_t state, std::vector<std::uint32_t>& result) const override {
    space_.successors(state, edges_);
    result.clear();
    for (const StateSpace::Edge& e : edges_) {
      if (e.state < space_.size()) result.push_back(e.state);
    }
  }
  MarkingView view(std::uint32_t state) const override {
    space_.marking(state, tokens_);
    MarkingView view{.tokens = tokens_};
    if (deadlocks_) {
      space_.successors(state, edges_);
      view.deadlock = edges_.empty();
    }
    view.is_enabled = [this](int t) { return is_enabled(t); };
    return view;
  }
  std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path) const override {
    std::vector<TimedFiring> firings;
    for (const TransitionId t : space_.trace(path.front())) firings.push_back({0, t});
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      space_.successors(path[i], edges_);
      const auto next = std::find_if(edges_.begin(), edges_.end(), [&](const StateSpace::Edge& e) {
        return e.state == path[i + 1];
      });
      firings.push_back({0, next->transition});
    }
    return firings;
  }
  std::vector<std::uint32_t> nearest(const std::vector<std::uint32_t>& states) const override {
    std::uint32_t best = states.front();
    std::uint64_t least = UINT64_MAX;
    for (const std::uint32_t s : states) {
      const std::uint64_t d = space_.distance(s);
      if (d < least) least = d, best = s;
    }
    return {best};
  }

 private:
  bool is_enabled(int t) const {
    for (const Arc& a : space_.net().arcs) {
      if (a.transition.index != t || a.kind == ArcKind::output) continue;
      const std::int64_t n = tokens_[static_cast<std::size_t>(a.place.index)];
      if ((a.kind == ArcKind::inhibitor) != (n < a.weight)) return false;
    }
    return true;
  }

  const StateSpace& space_;
  bool deadlocks_;
  mutable std::vector<std::int64_t> tokens_;
  mutable std::vector<StateSpace::Edge> edges_;
};

class TimedGraph : public Graph {
 public:
  explicit TimedGraph(const TimedSpace& space)
      : space_(space), tokens_(space.net().places.size()), waiting_(tokens_.size()) {}
  std::uint32_t size() const override { return space_.size(); }
  bool complete() const override { return space_.end() == TimedEnd::complete; }
  std::vector<std::uint32_t> starts() const override {
    std::vector<std::uint32_t> all;
    for (std::uint32_t s = 0; s < space_.starts(); ++s) all.push_back(s);
    return all;
  }
  void successors(std::uint32_t state, std::vector<std::uint32_t>& result) const override {
    const auto next = space_.successors(state);
    result.assign(next.begin(), next.end());
  }
  MarkingView view(std::uint32_t state) const override {
    space_.tokens(state, tokens_, waiting_);
    return {.tokens = tokens_,
            .waiting = waiting_,
            .deadlock = space_.is_final(state),
            .is_enabled = [this, state](int t) { return space_.is_enabled(state, t); }};
  }
  std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path) const override {
    return space_.trace(path);
  }
  std::vector<std::uint32_t> nearest(const std::vector<std::uint32_t>& states) const override {
    return space_.path_to(*std::min_element(states.begin(), states.end()));
  }
  std::int64_t ticks(std::uint32_t state) const override { return space_.ticks_to_next(state); }
  std::int64_t ticks_per_second() const override { return space_.ticks_per_second(); }

 private:
  const TimedSpace& space_;
  mutable std::vector<std::int64_t> tokens_, waiting_;
};

// A path that never meets the formula: it ends, comes back to itself, or takes too long.
class Avoidance {
 public:
  Avoidance(const Graph& graph, const Property& property)
      : graph_(graph), property_(property), colour_(graph.size(), white) {
    if (property.within) {
      limit_ = static_cast<__int128>(property.within->numerator) * graph.ticks_per_second();
      scale_ = property.within->denominator;
    }
  }

  std::vector<std::uint32_t> run() {
    for (const std::uint32_t start : graph_.starts()) {
      std::vector<std::uint32_t> found = for_ever(start);
      if (found.empty() && property_.within) found = too_late(start);
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  enum Colour : std::uint8_t { white, on_path, done };
  struct Step {
    std::uint32_t state;
    std::vector<std::uint32_t> next;
  };

  bool holds(std::uint32_t state) const { return property_.formula.holds(graph_.view(state)); }

  std::vector<std::uint32_t> for_ever(std::uint32_t start) {
    std::vector<Step> path;
    const auto enter = [&](std::uint32_t state) {
      if (holds(state)) {
        colour_[state] = done;
        return false;
      }
      colour_[state] = on_path;
      path.push_back({state, {}});
      graph_.successors(state, path.back().next);
      return path.back().next.empty();  // it stays so
    };
    const auto states = [&] {
      std::vector<std::uint32_t> all;
      for (const Step& s : path) all.push_back(s.state);
      return all;
    };
    if (colour_[start] == white && enter(start)) return states();
    while (!path.empty()) {
      check_interrupt();
      Step& top = path.back();
      if (top.next.empty()) {
        colour_[top.state] = done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = top.next.back();
      top.next.pop_back();
      if (colour_[next] == on_path) return states();
      if (colour_[next] == white && enter(next)) return states();
    }
    return {};
  }

  // The latest time at which a state is reached without the formula; no such path comes back to
  // itself, or for_ever would have found it.
  std::vector<std::uint32_t> too_late(std::uint32_t start) {
    std::vector<std::int64_t> latest(graph_.size(), -1);
    std::vector<std::uint32_t> from(graph_.size(), UINT32_MAX), open, next;
    if (holds(start)) return {};
    latest[start] = 0;
    open.push_back(start);
    for (std::size_t i = 0; i < open.size(); ++i) {
      check_interrupt();
      const std::uint32_t state = open[i];
      const std::int64_t then = latest[state] + graph_.ticks(state);
      graph_.successors(state, next);
      if (static_cast<__int128>(then) * scale_ > limit_) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t s = state; s != UINT32_MAX; s = from[s]) path.push_back(s);
        std::reverse(path.begin(), path.end());
        return path;
      }
      for (const std::uint32_t s : next) {
        if (then <= latest[s] || holds(s)) continue;
        latest[s] = then;
        from[s] = state;
        open.push_back(s);
      }
    }
    return {};
  }

  const Graph& graph_;
  const Property& property_;
  std::vector<std::uint8_t> colour_;
  __int128 limit_ = 0;
  std::int64_t scale_ = 1;
};

std::vector<std::uint32_t> states_where(const Graph& graph, const MarkingFormula& formula,
                                        bool wanted) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (formula.holds(graph.view(s)) == wanted) found.push_back(s);
  }
  return found;
}

PropertyResult decide(const Property& property, const Graph& graph, const std::string& over) {
  PropertyResult result;
  result.property = property;
  result.how = over;
  const std::string part = over + ", of which only a part was explored";
  if (property.kind == PropertyKind::eventually) {
    if (!graph.complete()) {
      result.how = part;
      return result;
    }
    const std::vector<std::uint32_t> path = Avoidance(graph, property).run();
    result.verdict = path.empty() ? Verdict::holds : Verdict::fails;
    if (path.empty()) return result;
    result.trace = graph.trace(path);
    result.has_trace = result.for_ever = true;
    return result;
  }
  const bool wanted = property.kind != PropertyKind::always;
  const std::vector<std::uint32_t> found = states_where(graph, property.formula, wanted);
  const bool possible = property.kind == PropertyKind::possible;
  if (!found.empty()) {
    result.verdict = possible ? Verdict::holds : Verdict::fails;
    result.trace = graph.trace(graph.nearest(found));
    result.has_trace = true;
  } else if (graph.complete()) {
    result.verdict = possible ? Verdict::fails : Verdict::holds;
  } else {
    result.how = part;
  }
  return result;
}

}  // namespace

PropertyResult check(const Property& property, const StateSpace& space, bool sure) {
  const UntimedGraph graph(space, property.formula.asks_for_deadlock());
  if (property.kind == PropertyKind::eventually && (space.net().has_events() || !sure)) {
    PropertyResult result;
    result.property = property;
    result.how = space.net().has_events() ? "nobody knows whether the events will come"
                                          : "delays could not be taken into account";
    return result;
  }
  if (!sure && property.formula.asks_for_waiting()) {
    PropertyResult result;
    result.property = property;
    result.how = "who waits depends on delays, which could not be taken into account";
    return result;
  }
  PropertyResult result =
      decide(property, graph, sure ? "all reachable markings" : "all orders of firing");
  // more markings than the run can reach: a proof stays one, what was found may not be reached
  if (!sure && result.has_trace) {
    result.verdict = Verdict::unknown;
    result.how += "; the delays may exclude the trace";
  }
  return result;
}

PropertyResult check(const Property& property, const TimedSpace& space) {
  PropertyResult result = decide(property, TimedGraph(space), "all runs in exact time");
  result.timed = true;
  return result;
}

}  // namespace molejo

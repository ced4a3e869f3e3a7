#include "molejo/net/check.h"

#include <algorithm>
#include <numeric>

#include "molejo/math/interrupt.h"
#include "molejo/net/check_open.h"
#include "molejo/net/token_rules.h"

namespace molejo {

namespace {

// All spaces as one kind of graph.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual std::uint32_t size() const = 0;
  virtual std::uint32_t sure() const { return size(); }  // the first so many are reached
  virtual bool finds_all() const = 0;                    // states that count
  virtual bool complete() const { return finds_all(); }  // and all runs go through them
  virtual bool counts(std::uint32_t) const { return true; }
  virtual std::vector<std::uint32_t> starts() const = 0;
  virtual void successors(std::uint32_t state, std::vector<std::uint32_t>& result) const = 0;
  virtual MarkingView view(std::uint32_t state) const = 0;
  // Firings along a path of states from a start.
  virtual std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path,
                                         Fraction& end) const = 0;
  // States from a start to this one, the last part of which `trace` can follow.
  virtual std::vector<std::uint32_t> path_to(std::uint32_t state) const = 0;
  virtual std::uint64_t distance(std::uint32_t state) const { return state; }
  virtual std::int64_t ticks(std::uint32_t) const { return 0; }
  virtual std::int64_t ticks_per_second() const { return 1; }
};

class UntimedGraph : public Graph {
 public:
  // `rests`: only those count at which nothing fires by itself.
  UntimedGraph(const StateSpace& space, bool deadlocks, bool rests)
      : space_(space), deadlocks_(deadlocks), rests_only_(rests) {
    tokens_.resize(space.net().places.size());
  }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(space_.size()); }
  bool finds_all() const override { return space_.end() == SpaceEnd::complete; }
  // In a net that waits for events time passes where nothing fires by itself.
  bool counts(std::uint32_t state) const override {
    if (!rests_only_) return true;
    space_.successors(state, edges_);
    return std::none_of(edges_.begin(), edges_.end(), [this](const StateSpace::Edge& e) {
      return space_.net().transitions[static_cast<std::size_t>(e.transition.index)].event.empty();
    });
  }
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
  std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path, Fraction&) const override {
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
  std::vector<std::uint32_t> path_to(std::uint32_t state) const override { return {state}; }
  std::uint64_t distance(std::uint32_t state) const override { return space_.distance(state); }

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
  bool deadlocks_, rests_only_;
  mutable std::vector<std::int64_t> tokens_;
  mutable std::vector<StateSpace::Edge> edges_;
};

// Of both spaces in time.
class RestGraph : public Graph {
 public:
  RestGraph(const RestSpace& space, bool deadlocks) : space_(space), deadlocks_(deadlocks) {}
  std::uint32_t size() const override { return space_.size(); }
  bool finds_all() const override { return space_.finds_all(); }
  MarkingView view(std::uint32_t state) const override {
    return space_.view(state, tokens_, waiting_, deadlocks_);
  }
  std::vector<TimedFiring> trace(const std::vector<std::uint32_t>& path,
                                 Fraction& end) const override {
    return space_.trace(path, &end);
  }
  std::vector<std::uint32_t> path_to(std::uint32_t state) const override {
    return space_.path_to(state);
  }

 private:
  const RestSpace& space_;
  bool deadlocks_;
  mutable std::vector<std::int64_t> tokens_, waiting_;
};

class TimedGraph final : public RestGraph {
 public:
  TimedGraph(const TimedSpace& space, bool deadlocks)
      : RestGraph(space, deadlocks), space_(space) {}
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
  std::int64_t ticks(std::uint32_t state) const override { return space_.ticks_to_next(state); }
  std::int64_t ticks_per_second() const override { return space_.ticks_per_second(); }

 private:
  const TimedSpace& space_;
};

// What eventually happens is decided elsewhere (net/check_open.h): nobody goes along its edges.
class OpenGraph final : public RestGraph {
 public:
  OpenGraph(const OpenSpace& space, bool deadlocks) : RestGraph(space, deadlocks), space_(space) {}
  std::uint32_t sure() const override { return space_.sure(); }
  std::vector<std::uint32_t> starts() const override { return {}; }
  void successors(std::uint32_t, std::vector<std::uint32_t>&) const override {}

 private:
  const OpenSpace& space_;
};

// The search would take more memory than it may.
struct NoMemoryLeft {};

// A path that never meets the formula: it ends, comes back to itself, or takes too long. One that
// is too late is followed to the deadline.
class Avoidance {
 public:
  Avoidance(const Graph& graph, const Property& property, std::uint64_t max_memory)
      : graph_(graph), property_(property), max_memory_(max_memory) {
    constexpr std::uint64_t of_a_state = 1 + 8 + 8;  // colours, latest times and where from
    spend(of_a_state * graph.size());
    colour_.assign(graph.size(), white);
    if (property.within) {
      limit_ = static_cast<__int128>(property.within->numerator) * graph.ticks_per_second();
      scale_ = property.within->denominator;
    }
  }

  std::vector<std::uint32_t> run() {
    for (const std::uint32_t start : graph_.starts()) {
      std::vector<std::uint32_t> found = for_ever(start);
      if (found.empty() && property_.within) found = too_late(start);
      if (!found.empty() && property_.within) has_trace_ = follow(found);
      if (!found.empty()) return found;
    }
    return {};
  }
  // Whether the path is all that is to be played; false: that would be too long.
  bool has_trace() const { return has_trace_; }

 private:
  enum Colour : std::uint8_t { white, on_path, done };
  struct Step {
    std::uint32_t state;
    std::vector<std::uint32_t> next;
  };

  bool holds(std::uint32_t state) const { return property_.formula.holds(graph_.view(state)); }
  void spend(std::uint64_t bytes) {
    memory_ += bytes;
    if (memory_ > max_memory_) throw NoMemoryLeft{};
  }
  static std::uint64_t bytes(const Step& step) {
    return 2 * sizeof(Step) + step.next.capacity() * sizeof(std::uint32_t) + 32;
  }

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
      spend(bytes(path.back()));
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
        memory_ -= bytes(top);
        path.pop_back();
        continue;
      }
      const std::uint32_t next = top.next.back();
      top.next.pop_back();
      if (colour_[next] == on_path) {
        std::vector<std::uint32_t> round = states();
        back_ = static_cast<std::size_t>(round.end() - std::find(round.begin(), round.end(), next));
        return round;
      }
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
      if (is_late(then)) {
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

  bool is_late(std::int64_t tick) const { return static_cast<__int128>(tick) * scale_ > limit_; }

  // Goes round until the deadline is over, and no further. Without time nothing is ever late.
  bool follow(std::vector<std::uint32_t>& path) {
    constexpr std::size_t most_states = 1'000'000;
    constexpr std::uint64_t of_a_state = 4 + 2 * sizeof(TimedFiring);  // and its part of a trace
    std::int64_t now = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      check_interrupt();
      const std::int64_t ticks = graph_.ticks(path[i]);
      now += ticks;
      if (is_late(now)) {
        path.resize(i + 1);
      } else if (i + 1 == path.size() && back_ > 0 && ticks > 0) {
        memory_ += of_a_state;
        if (path.size() == most_states || memory_ > max_memory_) return false;
        path.push_back(path[path.size() - back_]);
      }
    }
    return true;
  }

  const Graph& graph_;
  const Property& property_;
  std::uint64_t max_memory_, memory_ = 0;
  std::vector<std::uint8_t> colour_;
  std::size_t back_ = 0;  // states of the round that the path ends with
  bool has_trace_ = true;
  __int128 limit_ = 0;
  std::int64_t scale_ = 1;
};

// A time that is told in whole ticks where the other one is.
Fraction just_after(const Fraction& time) {
  constexpr std::int64_t millisecond = 1000;
  const std::int64_t more = std::lcm(time.denominator, millisecond) / time.denominator;
  return {time.numerator * more + time.denominator * more / millisecond, time.denominator * more};
}

// The nearest of these states that counts and where the formula has this value.
std::optional<std::uint32_t> nearest(const Graph& graph, std::uint32_t from, std::uint32_t to,
                                     const MarkingFormula& formula, bool wanted) {
  std::optional<std::uint32_t> best;
  std::uint64_t least = UINT64_MAX;
  for (std::uint32_t s = from; s < to; ++s) {
    check_interrupt();
    if (formula.holds(graph.view(s)) != wanted || !graph.counts(s)) continue;
    const std::uint64_t distance = graph.distance(s);
    if (distance < least) least = distance, best = s;
  }
  return best;
}

PropertyResult decide(const Property& property, const Graph& graph, const std::string& over,
                      std::uint64_t max_memory) {
  PropertyResult result{.property = property, .how = over};
  const std::string part = over + ", of which only a part was explored";
  if (property.kind == PropertyKind::eventually) {
    if (!graph.complete()) {
      result.how = graph.finds_all() ? over + "; at some instant the firings may never end" : part;
      return result;
    }
    try {
      Avoidance avoidance(graph, property, max_memory);
      const std::vector<std::uint32_t> path = avoidance.run();
      result.verdict = path.empty() ? Verdict::holds : Verdict::fails;
      if (path.empty()) return result;
      result.for_ever = !property.within;
      result.has_trace = avoidance.has_trace();
      if (!result.has_trace) {
        result.how += "; the way to the deadline is too long to be told";
        return result;
      }
      result.trace = graph.trace(path, result.until);
      if (property.within) result.until = *property.within;
    } catch (const NoMemoryLeft&) {
      result.how = over + ", more than the memory allows";
    }
    return result;
  }
  const bool wanted = property.kind != PropertyKind::always;
  const bool possible = property.kind == PropertyKind::possible;
  const auto found = nearest(graph, 0, graph.sure(), property.formula, wanted);
  if (found) {
    result.verdict = possible ? Verdict::holds : Verdict::fails;
    result.trace = graph.trace(graph.path_to(*found), result.until);
    result.has_trace = true;
  } else if (nearest(graph, graph.sure(), graph.size(), property.formula, wanted)) {
    result.how = over + "; it may depend on events that are held";
  } else if (graph.finds_all()) {
    result.verdict = possible ? Verdict::fails : Verdict::holds;
  } else {
    result.how = part;
  }
  return result;
}

}  // namespace

bool only_rests_count(const Net& net) { return net.has_events() || lets_tokens_wait(net); }

PropertyResult check(const Property& property, const StateSpace& space, bool sure,
                     std::uint64_t max_memory) {
  PropertyResult unknown{.property = property};
  if (property.kind == PropertyKind::eventually && (space.net().has_events() || !sure)) {
    unknown.how = space.net().has_events() ? "nobody knows whether the events will come"
                                           : "delays could not be taken into account";
    return unknown;
  }
  const MarkingFormula& formula = property.formula;
  if (lets_tokens_wait(space.net()) && (formula.asks_for_waiting() || formula.asks_for_enabled())) {
    unknown.how = "who waits depends on delays, which could not be taken into account";
    return unknown;
  }
  // in a space that holds more than runs do, a rest may not look like one
  const UntimedGraph graph(space, formula.asks_for_deadlock(), sure && space.net().has_events());
  PropertyResult result =
      decide(property, graph, sure ? "all reachable markings" : "all orders of firing", max_memory);
  if (property.within && result.has_trace) {
    // all fires at once: time passes when somebody waits until the deadline is over
    result.timed = true;
    result.until = just_after(*property.within);
  }
  // more markings than the run can reach: a proof stays one, what was found may not be reached
  if (!sure && result.has_trace) {
    result.verdict = Verdict::unknown;
    result.has_trace = false;
    result.trace.clear();
    result.how += ", of which the net may not do all";
  }
  return result;
}

PropertyResult check(const Property& property, const TimedSpace& space, std::uint64_t max_memory) {
  const TimedGraph graph(space, property.formula.asks_for_deadlock());
  PropertyResult result = decide(property, graph, "all runs in exact time", max_memory);
  result.timed = true;
  return result;
}

PropertyResult check(const Property& property, const OpenSpace& space,
                     const OpenSettings& settings) {
  PropertyResult result =
      property.kind == PropertyKind::eventually
          ? check_eventually(property, space.net(), settings)
          : decide(property, OpenGraph(space, property.formula.asks_for_deadlock()), over_open_runs,
                   settings.max_memory);
  result.timed = true;
  result.by_world = result.verdict == Verdict::fails && property.kind != PropertyKind::possible;
  return result;
}

}  // namespace molejo

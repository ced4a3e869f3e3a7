#include "molejo/net/analysis.h"

#include <algorithm>

#include "molejo/math/quoted_list.h"
#include "molejo/net/check_open.h"

namespace molejo {

namespace {

using Fires = Claims::Fires;

std::uint64_t net_size(const Net& net) {
  return std::max<std::uint64_t>(1, net.places.size() + net.transitions.size() + net.arcs.size());
}

// Every event has one transition, so that raising it fires nothing else.
bool events_are_single(const Net& net) {
  std::vector<std::string> events;
  for (const Transition& t : net.transitions) {
    if (!t.event.empty()) events.push_back(t.event);
  }
  std::sort(events.begin(), events.end());
  return std::adjacent_find(events.begin(), events.end()) == events.end();
}

class Analyst {
 public:
  Analyst(const Net& net, const AnalysisSettings& settings)
      : net_(net), settings_(settings), max_memory_(settings.space.max_memory) {}

  Analysis run() {
    for (const auto* list : {&net_.properties, &settings_.properties}) {
      for (const std::string& text : *list) properties_.push_back(parse_property(text, net_));
    }
    result_.waits = lets_tokens_wait(net_);
    analyse_structure();
    analyse_markings();
    analyse_time();
    claim_bounds();
    const std::vector<std::int64_t>& bounds = result_.claims.bounds;
    if (std::find(bounds.begin(), bounds.end(), -1) != bounds.end()) take_bounds_without_growth();
    claim_firings();
    claim_deadlocks();
    for (const Property& property : properties_) {
      PropertyResult& r = result_.properties.emplace_back(checked(property));
      r.by_world = r.by_world && world_matters();
    }
    return std::move(result_);
  }

 private:
  std::uint64_t memory_left() const {
    const std::uint64_t used = result_.bytes();
    return used < max_memory_ ? max_memory_ - used : 0;
  }

  void analyse_structure() {
    StructureLimits limits = settings_.structure;
    limits.memory = std::min(limits.memory, max_memory_ / 2);
    result_.kind = classify(net_);
    result_.place_flows = place_semiflows(net_, limits);
    result_.transition_flows = transition_semiflows(net_, limits);
    result_.siphons = minimal_siphons(net_, limits);
    result_.traps = minimal_traps(net_, limits);
    result_.conservative = covers_all(result_.place_flows, net_.places.size());
    result_.consistent = covers_all(result_.transition_flows, net_.transitions.size());
    flow_bounds_ = semiflow_bounds(net_, result_.place_flows);
  }

  SpaceSettings space_settings(Choice choice, std::uint64_t max_memory) const {
    SpaceSettings space = settings_.space;
    space.choice = choice;
    space.bounds = flow_bounds_;
    space.max_memory = max_memory;
    return space;
  }

  void analyse_markings() {
    // the logic of a net in time leaves room for its time
    const std::uint64_t room = only_rests_count(net_) ? memory_left() / 3 : memory_left();
    result_.space =
        std::make_unique<StateSpace>(net_, space_settings(settings_.space.choice, room));
    result_.bounds = result_.space->bounds();
    result_.most_tokens = result_.space->most_tokens();
    if (result_.space->end() == SpaceEnd::complete) {
      result_.behaviour = behaviour(*result_.space, memory_left());
    } else if (result_.space->end() == SpaceEnd::unbounded) {
      // a node of a large net is dear, and compared with all before it
      constexpr std::uint64_t most_work = 50'000'000, most_nodes = 20'000;
      const std::uint64_t bytes_a_node = 4 * sizeof(std::int64_t) * net_.places.size() + 200;
      result_.cover = coverability(
          net_, settings_.space.choice,
          std::min({most_nodes, most_work / net_size(net_), memory_left() / bytes_a_node}));
    }
  }

  // States of an instant that an eighth of the memory holds.
  std::uint64_t at_once(std::uint64_t most) const {
    const std::uint64_t bytes_a_state = 3 * net_.places.size() + 300;
    return std::clamp<std::uint64_t>(memory_left() / 8 / bytes_a_state, 1, most);
  }

  void analyse_time() {
    // a state of a large net is dear: some seconds in all
    constexpr std::uint64_t most_work = 1'000'000'000, most_open_work = 200'000'000;
    if (net_.is_timed() && TimedSpace::explores(net_)) {
      TimedSettings timed = settings_.timed;
      timed.max_states = std::min(timed.max_states, most_work / net_size(net_));
      timed.max_memory = std::min(timed.max_memory, memory_left() / 2);
      timed.most_at_once = at_once(timed.most_at_once);
      result_.timed = std::make_unique<TimedSpace>(net_, timed);
      result_.cycle = result_.timed->cycle();
      result_.circuit = cycle_time(net_);
    } else if (only_rests_count(net_) && OpenSpace::explores(net_)) {
      open_ = settings_.open;
      open_.max_states = std::min(open_.max_states, most_open_work / net_size(net_));
      open_.max_memory = std::min(open_.max_memory, memory_left() / 2);
      open_.most_at_once = at_once(open_.most_at_once);
      result_.open = std::make_unique<OpenSpace>(net_, open_);
    }
  }

  // `space` holds all that runs do, or more.
  bool space_holds_runs() const {
    if (!result_.waits) return true;
    return orders_hold_all_runs(net_) && !net_.has_events() &&
           (settings_.space.choice == Choice::any || !net_.has_priorities());
  }

  // Markings that hold those of every run, or null: there is no such space.
  const StateSpace* all_orders() {
    if (space_holds_runs()) return result_.space.get();
    if (!orders_hold_all_runs(net_)) return nullptr;
    if (!result_.orders) {
      result_.orders = std::make_unique<StateSpace>(
          net_, space_settings(Choice::any, memory_left() - memory_left() / 4));
    }
    return result_.orders.get();
  }

  // All orders of firing in a net without the places that grow, or null: there are none.
  const StateSpace* bounded_orders() {
    const StateSpace* orders = all_orders();
    if (result_.bounded) return result_.bounded.get();
    if (orders == nullptr || orders->end() != SpaceEnd::unbounded) return nullptr;
    constexpr int most_rounds = 10;
    for (int round = 0; round < most_rounds && orders->end() == SpaceEnd::unbounded; ++round) {
      const std::vector<PlaceId> grow = orders->growth().places;
      result_.left_out.insert(result_.left_out.end(), grow.begin(), grow.end());
      Net without = net_;
      std::erase_if(without.arcs, [&](const Arc& a) { return is_left_out(a.place); });
      result_.bounded.reset();
      result_.bounded_net = std::make_unique<Net>(std::move(without));
      SpaceSettings space = space_settings(Choice::any, memory_left() / 2);
      space.bounds.clear();
      result_.bounded = std::make_unique<StateSpace>(*result_.bounded_net, space);
      orders = result_.bounded.get();
    }
    return result_.bounded.get();
  }
  bool is_left_out(PlaceId p) const {
    return std::find(result_.left_out.begin(), result_.left_out.end(), p) != result_.left_out.end();
  }

  // What `space` holds is reached by runs, and they pass through nothing else.
  bool space_is_exact() const {
    return !result_.waits && events_are_single(net_) &&
           (settings_.space.choice == Choice::by_priority || !net_.has_priorities());
  }

  template <class Space>
  void claim_bounds_in_time(const Space& space) {
    if (space.finds_all() && space.interleaves()) {
      take_bounds(space.bounds());
    } else if (const StateSpace* orders = all_orders();
               orders != nullptr && orders->end() == SpaceEnd::complete) {
      take_bounds(orders == result_.space.get() ? result_.bounds : orders->bounds());
    }
  }
  void take_bounds(const std::vector<std::int64_t>& bounds) {
    std::vector<std::int64_t>& known = result_.claims.bounds;
    for (std::size_t p = 0; p < known.size(); ++p) {
      if (known[p] < 0 || bounds[p] < known[p]) known[p] = bounds[p];
    }
  }
  // Of those that do not grow.
  void take_bounds_without_growth() {
    const StateSpace* part = bounded_orders();
    if (part == nullptr || part->end() != SpaceEnd::complete) return;
    const std::vector<std::int64_t> bounds = part->bounds();
    for (std::size_t p = 0; p < bounds.size(); ++p) {
      std::int64_t& known = result_.claims.bounds[p];
      if (known < 0 && !is_left_out({static_cast<int>(p)})) known = bounds[p];
    }
  }

  void claim_bounds() {
    Claims& claims = result_.claims;
    claims.bounds = flow_bounds_;
    if (result_.timed) return claim_bounds_in_time(*result_.timed);
    if (result_.open) return claim_bounds_in_time(*result_.open);
    const StateSpace* orders = all_orders();
    if (orders == nullptr || orders->end() != SpaceEnd::complete) return;
    take_bounds(orders == result_.space.get() ? result_.bounds : orders->bounds());
  }

  template <class Space>
  static bool saw_all_firings(const Space& space) {
    return space.end() == TimedEnd::complete || (space.finds_all() && space.interleaves());
  }

  void claim_firings() {
    std::vector<Fires>& fires = result_.claims.fires;
    fires.assign(net_.transitions.size(), Fires::unknown);
    for (int t = 0; t < static_cast<int>(fires.size()); ++t) {
      Fires& f = fires[static_cast<std::size_t>(t)];
      if (result_.timed) {
        if (result_.timed->fired({t}) > 0) f = Fires::can;
        if (f == Fires::unknown && saw_all_firings(*result_.timed)) f = Fires::never;
      } else if (result_.open) {
        if (result_.open->fired({t}, true) > 0) f = Fires::can;
        const bool seen = result_.open->fired({t}, false) > 0;
        if (!seen && saw_all_firings(*result_.open)) f = Fires::never;
      }
      if (f == Fires::unknown && space_is_exact() && result_.space->fired({t}) > 0) f = Fires::can;
    }
    if (std::find(fires.begin(), fires.end(), Fires::unknown) != fires.end()) claim_dead(fires);
  }

  // By all orders of firing.
  void claim_dead(std::vector<Fires>& fires) {
    const StateSpace* orders = all_orders();
    if (orders == nullptr) return;
    const bool covered = orders == result_.space.get() && result_.cover &&
                         result_.cover->complete && result_.cover->decides;
    for (int t = 0; t < static_cast<int>(fires.size()); ++t) {
      Fires& f = fires[static_cast<std::size_t>(t)];
      if (f != Fires::unknown) continue;
      const bool never = covered ? std::find(result_.cover->dead.begin(), result_.cover->dead.end(),
                                             TransitionId{t}) != result_.cover->dead.end()
                                 : orders->end() == SpaceEnd::complete && orders->fired({t}) == 0;
      if (never) f = Fires::never;
    }
    const StateSpace* part = bounded_orders();
    if (part == nullptr || part->end() != SpaceEnd::complete) return;
    for (int t = 0; t < static_cast<int>(fires.size()); ++t) {
      Fires& f = fires[static_cast<std::size_t>(t)];
      if (f == Fires::unknown && part->fired({t}) == 0) f = Fires::never;
    }
  }

  void claim_deadlocks() {
    Claims& claims = result_.claims;
    claims.no_deadlock = checked(parse_property("never: deadlock", Net{}));
    claims.over = result_.timed   ? "all runs in exact time"
                  : result_.open  ? over_open_runs
                  : result_.waits ? "all orders of firing"
                                  : "all reachable markings";
    if (result_.timed) {
      claims.deadlocks = result_.timed->finals(result_.timed->size());
    } else if (result_.open) {
      claims.deadlocks = result_.open->finals(result_.open->sure());
    } else if (!result_.waits) {
      claims.deadlocks = result_.space->deadlock_count();
    }
  }

  // Some word from outside may be heard: nobody waits for one in vain.
  bool world_matters() const {
    const Claims& claims = result_.claims;
    for (std::size_t t = 0; t < claims.fires.size(); ++t) {
      if (!net_.transitions[t].event.empty() && claims.fires[t] != Fires::never) return true;
    }
    for (std::size_t p = 0; p < claims.bounds.size(); ++p) {
      if (net_.places[p].awaited && claims.bounds[p] != 0) return true;
    }
    return false;
  }

  PropertyResult checked(const Property& property) {
    PropertyResult result{.property = property};
    if (result_.timed) {
      result = check(property, *result_.timed, memory_left());
    } else if (result_.open) {
      OpenSettings open = open_;
      open.max_memory = std::min(open.max_memory, memory_left());
      result = check(property, *result_.open, open);
    }
    if (result.verdict != Verdict::unknown) return result;
    const StateSpace* orders = all_orders();
    if (orders == nullptr) {
      if (result.how.empty())
        result.how = "an inhibitor arc looks at a place whose tokens may wait";
      return result;
    }
    PropertyResult by_orders = check(property, *orders, space_is_exact(), memory_left());
    by_orders.by_world = by_orders.verdict == Verdict::fails && net_.has_events();
    if (by_orders.verdict != Verdict::unknown) return by_orders;
    PropertyResult without_growth = checked_without_growth(property);
    if (without_growth.verdict != Verdict::unknown) return without_growth;
    return result.how.empty() ? by_orders : result;
  }

  PropertyResult checked_without_growth(const Property& property) {
    const MarkingFormula& formula = property.formula;
    const StateSpace* part = bounded_orders();
    const bool asks = formula.asks_for_deadlock() || formula.asks_for_enabled() ||
                      std::any_of(result_.left_out.begin(), result_.left_out.end(),
                                  [&](PlaceId p) { return formula.mentions(p); });
    if (part == nullptr || asks) return {.property = property};
    PropertyResult result = check(property, *part, false, memory_left());
    std::vector<std::string> names;
    for (const PlaceId p : result_.left_out) {
      names.push_back(net_.places[static_cast<std::size_t>(p.index)].name);
    }
    result.how += " without " + quoted_list(names);
    return result;
  }

  const Net& net_;
  const AnalysisSettings& settings_;
  std::uint64_t max_memory_;
  OpenSettings open_;
  std::vector<Property> properties_;
  std::vector<std::int64_t> flow_bounds_;
  Analysis result_;
};

}  // namespace

bool Analysis::is_safe() const {
  return std::all_of(claims.bounds.begin(), claims.bounds.end(),
                     [](std::int64_t n) { return n == 0 || n == 1; });
}

std::uint64_t Analysis::bytes() const {
  return (space ? space->bytes() : 0) + (timed ? timed->bytes() : 0) + (open ? open->bytes() : 0) +
         (orders ? orders->bytes() : 0) + (bounded ? bounded->bytes() : 0);
}

Analysis analyse(const Net& net, const AnalysisSettings& settings) {
  return Analyst(net, settings).run();
}

}  // namespace molejo

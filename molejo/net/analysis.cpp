#include "molejo/net/analysis.h"

#include <algorithm>

namespace molejo {

namespace {

std::uint64_t net_size(const Net& net) {
  return net.places.size() + net.transitions.size() + net.arcs.size();
}

void analyse_structure(const Net& net, const StructureLimits& limits, Analysis& result) {
  result.kind = classify(net);
  result.place_flows = place_semiflows(net, limits);
  result.transition_flows = transition_semiflows(net, limits);
  result.siphons = minimal_siphons(net, limits);
  result.traps = minimal_traps(net, limits);
  result.conservative = covers_all(result.place_flows, net.places.size());
  result.consistent = covers_all(result.transition_flows, net.transitions.size());
}

void analyse_markings(const Net& net, const SpaceSettings& given, Analysis& result) {
  SpaceSettings settings = given;
  settings.bounds = semiflow_bounds(net, result.place_flows);
  result.space = std::make_unique<StateSpace>(net, settings);
  result.bounds = result.space->bounds();
  result.most_tokens = result.space->most_tokens();
  if (result.space->end() == SpaceEnd::complete) {
    result.behaviour = behaviour(*result.space);
  } else if (result.space->end() == SpaceEnd::unbounded) {
    // a node of a large net is dear, and compared with all before it
    constexpr std::uint64_t most_work = 50'000'000, most_nodes = 20'000;
    result.cover =
        coverability(net, settings.choice,
                     std::min(most_nodes, most_work / std::max<std::uint64_t>(1, net_size(net))),
                     settings.cancelled);
  }
}

void check_properties(const Net& net, const AnalysisSettings& settings, Analysis& result) {
  std::vector<Property> properties;
  for (const auto* list : {&net.properties, &settings.properties}) {
    for (const std::string& text : *list) properties.push_back(parse_property(text, net));
  }
  std::unique_ptr<StateSpace> orders;
  for (const Property& property : properties) {
    if (result.timed) {
      result.properties.push_back(check(property, *result.timed));
    } else if (!lets_tokens_wait(net)) {
      result.properties.push_back(check(property, *result.space, true));
    } else if (!orders_hold_all_runs(net)) {
      PropertyResult unknown;
      unknown.property = property;
      unknown.how = "an inhibitor arc looks at a place with a delay, and events may come any time";
      result.properties.push_back(std::move(unknown));
    } else {
      if (!orders) {
        SpaceSettings all = settings.space;
        all.choice = Choice::any;
        all.bounds = semiflow_bounds(net, result.place_flows);
        orders = std::make_unique<StateSpace>(net, all);
      }
      result.properties.push_back(check(property, *orders, false));
    }
  }
}

}  // namespace

bool lets_tokens_wait(const Net& net) {
  return net.is_timed() || std::any_of(net.places.begin(), net.places.end(),
                                       [](const Place& p) { return p.awaited; });
}

// An inhibitor arc must not see tokens that still wait.
bool orders_hold_all_runs(const Net& net) {
  return std::none_of(net.arcs.begin(), net.arcs.end(), [&](const Arc& a) {
    const Place& p = net.places[static_cast<std::size_t>(a.place.index)];
    return a.kind == ArcKind::inhibitor && (p.delay.numerator > 0 || p.awaited);
  });
}

bool Analysis::is_safe() const {
  return space->end() == SpaceEnd::complete &&
         std::all_of(bounds.begin(), bounds.end(), [](std::int64_t n) { return n <= 1; });
}

Analysis analyse(const Net& net, const AnalysisSettings& settings) {
  Analysis result;
  analyse_structure(net, settings.structure, result);
  analyse_markings(net, settings.space, result);
  if (net.is_timed() && TimedSpace::explores(net)) {
    // a state of a large net is dear: some seconds in all
    TimedSettings timed = settings.timed;
    constexpr std::uint64_t most_work = 1'000'000'000;
    timed.max_states =
        std::min(timed.max_states, most_work / std::max<std::uint64_t>(1, net_size(net)));
    result.timed = std::make_unique<TimedSpace>(net, timed);
    result.cycle = result.timed->cycle();
    result.circuit = cycle_time(net);
  }
  check_properties(net, settings, result);
  return result;
}

}  // namespace molejo

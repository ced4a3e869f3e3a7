#include "tests/net/random_nets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace molejo::test {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_enabled(const Net& net, const Marking& m, int t) {
  for (const Arc& a : net.arcs) {
    if (a.transition.index != t) continue;
    const std::int64_t tokens = m[at(a.place.index)];
    if (a.kind == ArcKind::inhibitor && tokens >= a.weight) return false;
    if ((a.kind == ArcKind::input || a.kind == ArcKind::interrupter) && tokens < a.weight) {
      return false;
    }
  }
  return true;
}

std::string random_term(Dice& dice, const Net& net) {
  const std::string p = net.places[at(dice.draw(static_cast<int>(net.places.size())))].name;
  const std::string t =
      net.transitions[at(dice.draw(static_cast<int>(net.transitions.size())))].name;
  switch (dice.draw(10)) {
    case 0:
      return fmt::format("waiting({})", p);
    case 1:
      return fmt::format("ready({})", p);
    case 2:
      return fmt::format("enabled({})", t);
    case 3:
      return fmt::format("{} >= 2", p);
    case 4:
      return "deadlock";
    default:
      return p;
  }
}

std::string random_property(Dice& dice, const Net& net) {
  std::string formula = random_term(dice, net);
  if (dice.chance(60)) formula += (dice.chance(70) ? " & " : " | ") + random_term(dice, net);
  constexpr const char* within[] = {"1", "2", "5/2", "4"};
  switch (dice.draw(6)) {
    case 0:
      return "always: !(" + formula + ")";
    case 1:
      return "possible: " + formula;
    case 2:
      return "eventually: " + formula;
    case 3:
      return fmt::format("eventually within {}: {}", within[dice.draw(4)], formula);
    default:
      return "never: " + formula;
  }
}

}  // namespace

Net random_net(std::uint32_t seed, const RandomNet& kind) {
  Dice dice(seed);
  Net net;
  NetBuilder builder(net);
  const Fraction delays[] = {1, 1, 2, Fraction(1, 2), Fraction(3, 2), 3, Fraction(1, 3)};
  for (int p = 0; p < kind.places; ++p) {
    Place place{.name = "p" + std::to_string(p), .tokens = dice.draw(kind.most_tokens + 1)};
    if (dice.chance(kind.timed)) place.delay = delays[dice.draw(7)];
    place.awaited = dice.chance(kind.awaited);
    builder.add(std::move(place));
  }
  for (int t = 0; t < kind.transitions; ++t) {
    Transition transition{.name = "t" + std::to_string(t),
                          .priority = 1 + dice.draw(kind.priorities)};
    if (dice.chance(kind.events)) {
      transition.event = "e" + std::to_string(dice.draw(kind.event_names));
    }
    builder.add(std::move(transition));
    const int inputs = dice.chance(kind.sources) ? 0 : 1 + dice.draw(2);
    const bool keeps = dice.chance(kind.conservative);
    const int outputs = keeps ? inputs : dice.draw(3);
    for (int i = 0; i < inputs + outputs; ++i) {
      const PlaceId p{dice.draw(kind.places)};
      const bool cuts = dice.chance(kind.interrupters), heavy = dice.chance(kind.heavy);
      try {
        builder.join(i >= inputs ? ArcKind::output
                     : cuts      ? ArcKind::interrupter
                                 : ArcKind::input,
                     p, {t}, heavy && !keeps ? 2 + dice.draw(kind.most_weight - 1) : 1);
      } catch (const NetError&) {  // an input and an interrupting arc between the same
      }
    }
  }
  for (int i = 0; i < kind.inhibitors; ++i) {
    const PlaceId p{dice.draw(kind.places)};
    const TransitionId t{dice.draw(kind.transitions)};
    builder.join(ArcKind::inhibitor, p, t, 1 + dice.draw(2));
  }
  for (int i = 0; i < kind.properties; ++i) net.properties.push_back(random_property(dice, net));
  return net;
}

RandomNet random_kind(std::uint32_t seed) {
  Dice dice(~seed);
  const bool open = dice.chance(75);
  RandomNet kind;
  kind.places = 2 + dice.draw(4);
  kind.transitions = 2 + dice.draw(5);
  kind.heavy = 20;
  kind.inhibitors = dice.chance(50) ? 0 : 1 + dice.draw(3);
  kind.priorities = dice.chance(50) ? 1 : 3;
  kind.events = open ? 50 : 0;
  kind.event_names = 1 + dice.draw(3);
  kind.conservative = 75;
  kind.timed = dice.chance(80) ? 55 : 0;
  kind.awaited = open && dice.chance(30) ? 40 : 0;
  kind.interrupters = 20;
  kind.sources = 3;
  kind.properties = 6;
  return kind;
}

std::vector<int> may_fire(const Net& net, const Marking& m, bool ignore_priorities) {
  std::vector<int> enabled, result;
  bool alone = false;
  int highest = INT32_MIN;
  for (int t = 0; t < static_cast<int>(net.transitions.size()); ++t) {
    if (!is_enabled(net, m, t)) continue;
    enabled.push_back(t);
    if (!net.transitions[at(t)].event.empty()) continue;
    alone = true;
    highest = std::max(highest, net.transitions[at(t)].priority);
  }
  if (ignore_priorities || !alone) return enabled;
  for (const int t : enabled) {
    const Transition& transition = net.transitions[at(t)];
    if (transition.event.empty() && transition.priority == highest) result.push_back(t);
  }
  return result;
}

Marking after(const Net& net, Marking m, int t) {
  for (const Arc& a : net.arcs) {
    if (a.transition.index != t) continue;
    if (a.kind == ArcKind::output) m[at(a.place.index)] += a.weight;
    if (a.kind == ArcKind::input || a.kind == ArcKind::interrupter) {
      m[at(a.place.index)] -= a.weight;
    }
  }
  return m;
}

BruteForce brute_force(const Net& net, std::size_t limit, bool ignore_priorities) {
  BruteForce result;
  Marking start;
  for (const Place& p : net.places) start.push_back(p.tokens);
  result.markings.push_back(start);
  result.index[start] = 0;
  result.distance.push_back(0);
  for (std::size_t i = 0; i < result.markings.size(); ++i) {
    for (const int t : may_fire(net, result.markings[i], ignore_priorities)) {
      const Marking next = after(net, result.markings[i], t);
      const auto [found, fresh] = result.index.emplace(next, result.markings.size());
      if (fresh) {
        result.markings.push_back(next);
        result.distance.push_back(result.distance[i] + 1);
      }
      result.edges.push_back({i, found->second, t});
    }
    if (result.markings.size() > limit) {
      result.complete = false;
      return result;
    }
  }
  return result;
}

std::vector<std::vector<std::uint8_t>> BruteForce::reachable() const {
  const std::size_t n = markings.size();
  std::vector<std::vector<std::uint8_t>> r(n, std::vector<std::uint8_t>(n, 0));
  for (std::size_t i = 0; i < n; ++i) r[i][i] = 1;
  for (const Edge& e : edges) r[e.from][e.to] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (r[i][k] == 0) continue;
      for (std::size_t j = 0; j < n; ++j) r[i][j] = r[i][j] | r[k][j];
    }
  }
  return r;
}

}  // namespace molejo::test

#include "tests/net/random_nets.h"

#include <algorithm>

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

}  // namespace

Net random_net(std::uint32_t seed, const RandomNet& kind) {
  std::mt19937 random(seed);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Net net;
  NetBuilder builder(net);
  for (int p = 0; p < kind.places; ++p) {
    Place place{.name = "p" + std::to_string(p), .tokens = draw(kind.most_tokens + 1)};
    if (kind.timed) place.delay = Fraction(draw(5), 1 + draw(3));
    builder.add(std::move(place));
  }
  for (int t = 0; t < kind.transitions; ++t) {
    Transition transition{.name = "t" + std::to_string(t), .priority = 1 + draw(kind.priorities)};
    if (draw(10) < kind.events) transition.event = "e" + std::to_string(draw(3));
    builder.add(std::move(transition));
    const int inputs = 1 + draw(2), outputs = kind.conservative ? inputs : draw(3);
    for (int i = 0; i < inputs + outputs; ++i) {
      const bool takes = i < inputs;
      const int weight = kind.conservative ? 1 : 1 + draw(kind.most_weight);
      builder.join(takes ? ArcKind::input : ArcKind::output, {draw(kind.places)}, {t}, weight);
    }
  }
  for (int i = 0; i < kind.inhibitors; ++i) {
    const PlaceId p{draw(kind.places)};
    const TransitionId t{draw(kind.transitions)};
    const auto same = [&](const Arc& a) {
      return a.kind == ArcKind::inhibitor && a.place == p && a.transition == t;
    };
    if (std::any_of(net.arcs.begin(), net.arcs.end(), same)) continue;
    builder.connect(ArcKind::inhibitor, p, t, 1 + draw(2));
  }
  return net;
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

#include "molejo/net/cycle_time.h"

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/structure.h"

namespace molejo {

namespace {

// A place of the marked graph: from its producer to its consumer.
struct Edge {
  int from, to;
  std::int64_t delay, tokens;
};

// Edges of a circuit with sum(delay * d - tokens * n) > 0, or none: Bellman and Ford.
std::vector<int> longer_circuit(const std::vector<Edge>& edges, std::size_t nodes, __int128 n,
                                __int128 d) {
  std::vector<__int128> longest(nodes, 0);
  std::vector<int> last(nodes, -1);
  int changed = -1;
  for (std::size_t round = 0; round <= nodes; ++round) {
    check_interrupt();
    changed = -1;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const Edge& edge = edges[e];
      const __int128 length = longest[at(edge.from)] + edge.delay * d - edge.tokens * n;
      if (length <= longest[at(edge.to)]) continue;
      longest[at(edge.to)] = length;
      last[at(edge.to)] = static_cast<int>(e);
      changed = edge.to;
    }
    if (changed < 0) return {};
  }
  // what still changes hangs on a circuit: walk back into it, then around it
  for (std::size_t i = 0; i < nodes; ++i) changed = edges[at(last[at(changed)])].from;
  std::vector<int> circuit;
  for (int node = changed; circuit.empty() || node != changed;) {
    circuit.push_back(last[at(node)]);
    node = edges[at(circuit.back())].from;
  }
  std::reverse(circuit.begin(), circuit.end());
  return circuit;
}

}  // namespace

std::optional<CycleTime> cycle_time(const Net& net) {
  const NetClass kind = classify(net);
  constexpr std::size_t most_nodes = 20'000;  // the search is quadratic
  if (!kind.marked_graph || !kind.strongly_connected || net.has_priorities() || net.has_events() ||
      net.has_kind(ArcKind::inhibitor) || net.has_kind(ArcKind::interrupter) ||
      net.places.size() > most_nodes) {
    return std::nullopt;
  }
  std::int64_t L = 1;
  for (const Place& p : net.places) {
    const auto multiple = common_multiple(L, p.delay.denominator, 1'000'000'000'000);
    if (!multiple) return std::nullopt;
    L = *multiple;
  }
  const Topology topology(net);
  std::vector<Edge> edges;
  CycleTime best;
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    const Place& p = net.places[i];
    const int id = static_cast<int>(i);
    const __int128 delay = static_cast<__int128>(p.delay.numerator) * (L / p.delay.denominator);
    if (delay > INT64_MAX / 2 / static_cast<std::int64_t>(net.places.size() + 1)) {
      return std::nullopt;
    }
    edges.push_back({topology.producers[id][0].node, topology.consumers[id][0].node,
                     static_cast<std::int64_t>(delay), p.tokens});
    if (best.period < p.delay || best.circuit.empty()) best = {p.delay, {{id}}};
  }
  // without tokens a circuit is longer than any period
  if (!longer_circuit(
           [&] {
             std::vector<Edge> empty = edges;
             for (Edge& e : empty)
               e.delay = 1, e.tokens *= static_cast<std::int64_t>(edges.size() + 1);
             return empty;
           }(),
           net.transitions.size(), 1, 1)
           .empty()) {
    return std::nullopt;
  }
  for (;;) {
    const Fraction ticks(best.period.numerator, best.period.denominator);
    const std::vector<int> circuit =
        longer_circuit(edges, net.transitions.size(), static_cast<__int128>(ticks.numerator) * L,
                       ticks.denominator);
    if (circuit.empty()) return best;
    std::int64_t delay = 0, tokens = 0;
    best.circuit.clear();
    for (const int e : circuit) {
      delay += edges[at(e)].delay;
      tokens += edges[at(e)].tokens;
      best.circuit.push_back({e});
    }
    const Fraction turn(delay, tokens);
    if (turn.denominator > INT64_MAX / L) return std::nullopt;
    best.period = Fraction(turn.numerator, turn.denominator * L);
  }
}

}  // namespace molejo

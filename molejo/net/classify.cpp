#include <algorithm>
#include <cstdint>
#include <iterator>

#include "molejo/math/interrupt.h"
#include "molejo/net/structure.h"

namespace molejo {

namespace {

std::vector<int> sorted_nodes(std::span<const Neighbour> neighbours) {
  std::vector<int> nodes;
  for (const Neighbour& n : neighbours) nodes.push_back(n.node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

// Every node is reached from the first one, along the arcs or against them.
bool reaches_all(const Net& net, const Topology& topology, bool forward) {
  const std::size_t places = net.places.size(), all = places + net.transitions.size();
  if (all == 0) return true;
  std::vector<std::uint8_t> seen(all, 0);
  std::vector<std::size_t> open{0};
  seen[0] = 1;
  std::size_t count = 1;
  while (!open.empty()) {
    check_interrupt();
    const std::size_t node = open.back();
    open.pop_back();
    const bool is_place = node < places;
    const int id = static_cast<int>(is_place ? node : node - places);
    const auto next = is_place ? (forward ? topology.consumers[id] : topology.producers[id])
                               : (forward ? topology.outputs[id] : topology.inputs[id]);
    for (const Neighbour& n : next) {
      const std::size_t other = static_cast<std::size_t>(n.node) + (is_place ? places : 0);
      if (seen[other] != 0) continue;
      seen[other] = 1;
      ++count;
      open.push_back(other);
    }
  }
  return count == all;
}

// Places that share this consumer have the same ones, or each has all of another's.
void compare_inputs(const Topology& topology, int t, NetClass& result) {
  std::vector<std::vector<int>> sets;
  for (const Neighbour& p : topology.inputs[t]) {
    check_interrupt();
    sets.push_back(sorted_nodes(topology.consumers[p.node]));
  }
  std::sort(sets.begin(), sets.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const std::vector<int>&small = sets[i - 1], &large = sets[i];
    result.extended_free_choice &= small == large;
    result.asymmetric_choice &=
        std::includes(large.begin(), large.end(), small.begin(), small.end());
  }
}

}  // namespace

NetClass classify(const Net& net) {
  const Topology topology(net);
  const int places = static_cast<int>(net.places.size());
  const int transitions = static_cast<int>(net.transitions.size());
  NetClass result{true, true, true, true, true, true, true, false};
  for (const Arc& a : net.arcs) {
    if (a.kind != ArcKind::inhibitor) result.ordinary &= a.weight == 1;
  }
  for (int t = 0; t < transitions; ++t) {
    check_interrupt();
    const auto inputs = topology.inputs[t];
    result.state_machine &= inputs.size() == 1 && topology.outputs[t].size() == 1;
    const std::vector<int> in = sorted_nodes(inputs), out = sorted_nodes(topology.outputs[t]);
    std::vector<int> both;
    std::set_intersection(in.begin(), in.end(), out.begin(), out.end(), std::back_inserter(both));
    result.pure &= both.empty();
  }
  for (int p = 0; p < places; ++p) {
    const auto own = topology.consumers[p];
    result.marked_graph &= own.size() == 1 && topology.producers[p].size() == 1;
    for (const Neighbour& t : own) {
      result.free_choice &= own.size() == 1 || topology.inputs[t.node].size() == 1;
    }
  }
  for (int t = 0; t < transitions && result.asymmetric_choice; ++t) {
    compare_inputs(topology, t, result);
  }
  if (!result.ordinary) {
    result.state_machine = result.marked_graph = result.free_choice = false;
    result.extended_free_choice = result.asymmetric_choice = false;
  }
  result.strongly_connected = reaches_all(net, topology, true) && reaches_all(net, topology, false);
  return result;
}

}  // namespace molejo

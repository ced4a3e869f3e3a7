#include <algorithm>
#include <cstdint>

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
  std::vector<std::uint8_t> seen(all, 0);
  std::vector<std::size_t> open{0};
  seen[0] = 1;
  std::size_t count = 1;
  while (!open.empty()) {
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
    const auto inputs = topology.inputs[t];
    result.state_machine &= inputs.size() == 1 && topology.outputs[t].size() == 1;
    for (const Neighbour& out : topology.outputs[t]) {
      const auto is_same = [&](const Neighbour& in) { return in.node == out.node; };
      result.pure &= std::none_of(inputs.begin(), inputs.end(), is_same);
    }
  }
  for (int p = 0; p < places; ++p) {
    result.marked_graph &= topology.consumers[p].size() == 1 && topology.producers[p].size() == 1;
    const std::vector<int> own = sorted_nodes(topology.consumers[p]);
    for (const int t : own) {
      result.free_choice &= own.size() == 1 || topology.inputs[t].size() == 1;
      // compared with every place that shares a consumer
      for (const Neighbour& in : topology.inputs[t]) {
        if (in.node <= p) continue;
        const std::vector<int> other = sorted_nodes(topology.consumers[in.node]);
        result.extended_free_choice &= own == other;
        result.asymmetric_choice &=
            std::includes(own.begin(), own.end(), other.begin(), other.end()) ||
            std::includes(other.begin(), other.end(), own.begin(), own.end());
      }
    }
  }
  if (!result.ordinary) {
    result.state_machine = result.marked_graph = result.free_choice = false;
    result.extended_free_choice = result.asymmetric_choice = false;
  }
  result.strongly_connected = reaches_all(net, topology, true) && reaches_all(net, topology, false);
  return result;
}

}  // namespace molejo

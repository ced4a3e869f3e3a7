#include "molejo/net/coverability.h"

#include <algorithm>
#include <unordered_set>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

using Marking = std::vector<std::int64_t>;

struct MarkingHash {
  std::size_t operator()(const Marking& m) const {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (const std::int64_t x : m) {
      h = (h ^ static_cast<std::uint64_t>(x)) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return h;
  }
};

class Tree {
 public:
  Tree(const Net& net, Choice choice, std::uint64_t max_nodes)
      : net_(net), choice_(choice), topology_(net), max_nodes_(max_nodes) {}

  Coverability run() {
    Coverability result;
    result.decides = !net_.has_kind(ArcKind::inhibitor) &&
                     (choice_ == Choice::any || (!net_.has_priorities() && !net_.has_events()));
    Marking start;
    for (const Place& p : net_.places) start.push_back(p.tokens);
    seen_.insert(start);
    nodes_.push_back({std::move(start), -1, -1});
    std::vector<std::uint8_t> fired(net_.transitions.size(), 0);
    for (std::size_t i = 0; i < nodes_.size() && result.complete; ++i) {
      for (const int t : enabled(nodes_[i].marking)) {
        fired[at(t)] = 1;
        Marking next = after(nodes_[i].marking, t);
        accelerate(next, static_cast<int>(i), t);
        if (!seen_.insert(next).second) continue;
        nodes_.push_back({std::move(next), static_cast<int>(i), t});
        if (nodes_.size() > max_nodes_) {
          result.complete = false;
          break;
        }
      }
    }
    for (std::size_t p = 0; p < net_.places.size(); ++p) {
      const auto grows = [&](const Node& n) { return n.marking[p] == unlimited; };
      if (std::any_of(nodes_.begin(), nodes_.end(), grows)) {
        result.unbounded.push_back({static_cast<int>(p)});
      }
    }
    for (std::size_t t = 0; t < fired.size(); ++t) {
      if (fired[t] == 0) result.dead.push_back({static_cast<int>(t)});
    }
    result.nodes = nodes_.size();
    return result;
  }

 private:
  struct Node {
    Marking marking;
    int parent, transition;  // that led here
  };

  bool is_enabled(const Marking& m, int t) const {
    for (const auto& [p, w] : topology_.inputs[t]) {
      if (m[at(p)] < w) return false;
    }
    for (const auto& [p, w] : topology_.inhibitors[t]) {
      if (m[at(p)] >= w) return false;
    }
    return true;
  }

  // Those that may fire.
  std::vector<int> enabled(const Marking& m) const {
    std::vector<int> all, best;
    for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
      if (is_enabled(m, t)) all.push_back(t);
    }
    if (choice_ == Choice::any) return all;
    const auto alone = [&](int t) { return net_.transitions[at(t)].event.empty(); };
    const bool any_alone = std::any_of(all.begin(), all.end(), alone);
    if (!any_alone) return all;
    int highest = INT32_MIN;
    for (const int t : all) {
      if (alone(t)) highest = std::max(highest, net_.transitions[at(t)].priority);
    }
    for (const int t : all) {
      if (alone(t) && net_.transitions[at(t)].priority == highest) best.push_back(t);
    }
    return best;
  }

  Marking after(Marking m, int t) const {
    for (const auto& [p, w] : topology_.inputs[t]) {
      if (m[at(p)] != unlimited) m[at(p)] -= w;
    }
    for (const auto& [p, w] : topology_.outputs[t]) {
      if (m[at(p)] != unlimited) m[at(p)] += w;
    }
    return m;
  }

  // Puts omega where the new marking exceeds an ancestor that it covers.
  void accelerate(Marking& m, int parent, int transition) const {
    const bool plain = !net_.has_kind(ArcKind::inhibitor) && choice_ == Choice::any;
    std::vector<LoopStep> loop{{nodes_[at(parent)].marking, transition}};  // last first
    for (int a = parent; a >= 0; a = nodes_[at(a)].parent) {
      check_interrupt();
      const Marking& ancestor = nodes_[at(a)].marking;
      std::vector<std::uint8_t> gains(m.size(), 0);
      bool covers = true, more = false;
      for (std::size_t p = 0; p < m.size() && covers; ++p) {
        covers = m[p] >= ancestor[p];
        gains[p] = m[p] > ancestor[p] ? 1 : 0;
        more |= gains[p] != 0;
      }
      if (covers && more && (plain || can_repeat(net_, topology_, choice_, loop, gains))) {
        for (std::size_t p = 0; p < m.size(); ++p) {
          if (gains[p] != 0) m[p] = unlimited;
        }
      }
      const Node& node = nodes_[at(a)];
      if (node.parent >= 0) {
        loop.push_back({nodes_[at(node.parent)].marking, node.transition});
      }
    }
  }

  const Net& net_;
  Choice choice_;
  Topology topology_;
  std::uint64_t max_nodes_;
  std::vector<Node> nodes_;
  std::unordered_set<Marking, MarkingHash> seen_;
};

}  // namespace

Coverability coverability(const Net& net, Choice choice, std::uint64_t max_nodes) {
  return Tree(net, choice, max_nodes).run();
}

}  // namespace molejo

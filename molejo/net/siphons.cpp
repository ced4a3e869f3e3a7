#include <algorithm>
#include <cstdint>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/structure.h"

namespace molejo {

namespace {

using Set = std::vector<std::uint8_t>;  // of places

// Siphons of the net; of the reversed net they are the traps.
class SiphonSearch {
 public:
  SiphonSearch(const Net& net, bool reversed, const StructureLimits& limits)
      : places_(net.places.size()), transitions_(net.transitions.size()), limits_(limits) {
    const Topology topology(net);
    const Neighbours& puts = reversed ? topology.consumers : topology.producers;
    const Neighbours& takes = reversed ? topology.producers : topology.consumers;
    for (std::size_t p = 0; p < places_; ++p) {
      fed_by_.emplace_back(nodes(puts[static_cast<int>(p)]));
      feeds_.emplace_back(nodes(takes[static_cast<int>(p)]));
    }
    const Neighbours& outputs = reversed ? topology.inputs : topology.outputs;
    for (std::size_t t = 0; t < transitions_; ++t) {
      outputs_.emplace_back(nodes(outputs[static_cast<int>(t)]));
    }
  }

  PlaceSets run() {
    PlaceSets result;
    std::vector<Problem> open{{Set(places_, 1), Set(places_, 0)}};
    const std::size_t most_open = limits_.memory / 4 / (2 * places_ + 2 * sizeof(Problem));
    for (std::size_t steps = 0; !open.empty(); ++steps) {
      check_interrupt();
      if (steps > limits_.siphon_steps || result.sets.size() > limits_.siphons ||
          work_ > limits_.work || open.size() > most_open) {
        result.complete = false;
        break;
      }
      const Problem problem = std::move(open.back());
      open.pop_back();
      const Set siphon = smallest_within(problem);
      if (siphon.empty()) continue;
      // it may hold a smaller one that lacks a place the problem insists on
      if (is_minimal(siphon)) result.sets.push_back(listed(siphon));
      // all others lack one of its places: the first that they lack tells them apart
      Problem rest = problem;
      for (std::size_t p = 0; p < places_; ++p) {
        if (siphon[p] == 0 || problem.inside[p] != 0) continue;
        Problem without = rest;
        without.allowed[p] = 0;
        open.push_back(std::move(without));
        rest.inside[p] = 1;
      }
    }
    std::sort(result.sets.begin(), result.sets.end(), [](const auto& a, const auto& b) {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                          [](PlaceId x, PlaceId y) { return x.index < y.index; });
    });
    return result;
  }

 private:
  struct Problem {
    Set allowed, inside;  // a siphon within `allowed` that holds all of `inside`
  };

  static std::vector<int> nodes(std::span<const Neighbour> neighbours) {
    std::vector<int> result;
    for (const Neighbour& n : neighbours) result.push_back(n.node);
    return result;
  }

  // The largest siphon within the set: a place whose feeder takes nothing from the set leaves it.
  void shrink(Set& set) const {
    work_ += places_ + transitions_;
    std::vector<int> takers(transitions_, 0);  // places of the set that a transition takes from
    for (std::size_t p = 0; p < places_; ++p) {
      if (set[p] == 0) continue;
      for (const int t : feeds_[p]) ++takers[at(t)];
    }
    std::vector<std::size_t> leaving;
    const auto leave = [&](std::size_t p) {
      set[p] = 0;
      leaving.push_back(p);
    };
    for (std::size_t p = 0; p < places_; ++p) {
      if (set[p] == 0) continue;
      const auto starves = [&](int t) { return takers[at(t)] == 0; };
      if (std::any_of(fed_by_[p].begin(), fed_by_[p].end(), starves)) leave(p);
    }
    while (!leaving.empty()) {
      const std::size_t p = leaving.back();
      leaving.pop_back();
      for (const int t : feeds_[p]) {
        if (--takers[at(t)] > 0) continue;
        for (const int q : outputs_[at(t)]) {
          if (set[at(q)] != 0) leave(at(q));
        }
      }
    }
  }

  static bool holds(const Set& set, const Set& part) {
    for (std::size_t p = 0; p < set.size(); ++p) {
      if (part[p] != 0 && set[p] == 0) return false;
    }
    return true;
  }
  static bool is_empty(const Set& set) { return std::find(set.begin(), set.end(), 1) == set.end(); }

  // A siphon of the problem from which no place can be left out; empty when there is none.
  Set smallest_within(const Problem& problem) const {
    Set set = problem.allowed;
    shrink(set);
    if (is_empty(set) || !holds(set, problem.inside)) return {};
    for (std::size_t p = 0; p < places_; ++p) {
      if (set[p] == 0 || problem.inside[p] != 0) continue;
      check_interrupt();
      Set smaller = set;
      smaller[p] = 0;
      shrink(smaller);
      if (!is_empty(smaller) && holds(smaller, problem.inside)) set = std::move(smaller);
    }
    return set;
  }

  bool is_minimal(const Set& siphon) const {
    for (std::size_t p = 0; p < places_; ++p) {
      if (siphon[p] == 0) continue;
      check_interrupt();
      Set smaller = siphon;
      smaller[p] = 0;
      shrink(smaller);
      if (!is_empty(smaller)) return false;
    }
    return true;
  }

  static std::vector<PlaceId> listed(const Set& set) {
    std::vector<PlaceId> places;
    for (std::size_t p = 0; p < set.size(); ++p) {
      if (set[p] != 0) places.push_back({static_cast<int>(p)});
    }
    return places;
  }

  std::size_t places_, transitions_;
  const StructureLimits& limits_;
  mutable std::uint64_t work_ = 0;
  std::vector<std::vector<int>> fed_by_, feeds_;  // transitions of a place
  std::vector<std::vector<int>> outputs_;         // places of a transition
};

PlaceSets search(const Net& net, bool reversed, const StructureLimits& limits) {
  // one step costs up to the square of the net
  const std::uint64_t size = net.places.size() + net.transitions.size();
  if (net.places.size() > limits.rows || size * size > limits.work) return {{}, false};
  return SiphonSearch(net, reversed, limits).run();
}

}  // namespace

PlaceSets minimal_siphons(const Net& net, const StructureLimits& limits) {
  return search(net, false, limits);
}
PlaceSets minimal_traps(const Net& net, const StructureLimits& limits) {
  return search(net, true, limits);
}

}  // namespace molejo

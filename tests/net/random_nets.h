// Small random nets, and what can be found out about them by trying everything.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "molejo/net/net.h"

namespace molejo::test {

using Marking = std::vector<std::int64_t>;

struct RandomNet {
  int places = 5, transitions = 5;
  int most_weight = 2, most_tokens = 2;
  int inhibitors = 0, priorities = 1, events = 0;
  bool conservative = false;  // as many tokens out as in: bounded
  bool timed = false;
};

Net random_net(std::uint32_t seed, const RandomNet& kind);

// Everything, by the definitions and the slowest way.
struct BruteForce {
  struct Edge {
    std::size_t from, to;
    int transition;
  };
  bool complete = true;  // fewer markings than the limit
  std::vector<Marking> markings;
  std::map<Marking, std::size_t> index;
  std::vector<Edge> edges;
  std::vector<std::size_t> distance;  // from the start

  std::vector<std::vector<std::uint8_t>> reachable() const;  // [from][to], itself included
};

std::vector<int> may_fire(const Net& net, const Marking& marking, bool ignore_priorities);
Marking after(const Net& net, Marking marking, int transition);
BruteForce brute_force(const Net& net, std::size_t limit, bool ignore_priorities = false);

}  // namespace molejo::test

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

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  int draw(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return draw(100) < percent; }

 private:
  std::mt19937 random_;
};

// What a random net has; chances in percent.
struct RandomNet {
  int places = 5, transitions = 5;
  int most_tokens = 2;   // of a place at the start
  int most_weight = 2;   // of an arc
  int heavy = 50;        // arcs of more than 1, where a transition need not keep the tokens
  int inhibitors = 0;    // at most so many
  int priorities = 1;    // different ones
  int events = 0;        // transitions that wait for one
  int event_names = 3;   // different ones
  int conservative = 0;  // transitions with as many tokens out as in; 100: a bounded net
  int timed = 0;         // places with a delay, in sixths of a second
  int awaited = 0;       // places
  int interrupters = 0;  // arcs among those that take
  int sources = 0;       // transitions that take nothing
  int properties = 0;    // of every kind
};

Net random_net(std::uint32_t seed, const RandomNet& kind);
// A small one with everything that a net may have.
RandomNet random_kind(std::uint32_t seed);

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

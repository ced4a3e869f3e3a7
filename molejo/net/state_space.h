// All markings that a net can reach, delays ignored.
//
//   S_0 = {M0},  S_(k+1) = {M' : M -> M', M in S_k} \ (S_0 + ... + S_k)
//
// Breadth first, so that every marking knows a shortest way to it. Markings are packed into words
// and kept in 64 parts by their hash; a level is fired block by block, and each part takes in what
// falls to it in a fixed order: counts, numbers and traces are the same on any number of threads.
// About 25 bytes a marking for nets that fit one word. Bounded by states and memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "molejo/net/net.h"
#include "molejo/net/packed_net.h"

namespace molejo {

struct SpaceSettings {
  std::uint64_t max_states = 10'000'000;
  std::uint64_t max_memory = std::uint64_t{4} << 30;  // bytes
  int threads = 1;                                    // 0: as many as the machine has
  Choice choice = Choice::by_priority;
  // Known upper bounds of the tokens of each place, -1 where there is none; may be empty.
  std::vector<std::int64_t> bounds = {};
};

enum class SpaceEnd {
  complete,    // every reachable marking was found
  unbounded,   // a sequence that can be repeated for ever adds tokens: see growth()
  max_states,  // what was found is reachable, but there is more
  max_memory,
  too_many_tokens  // a place has more than 2^31 - 1 tokens
};

// A way to a marking and a loop from it that ends with more tokens and can be fired again.
struct Growth {
  std::vector<TransitionId> way, loop;
  std::vector<PlaceId> places;  // that gain tokens
};

class StateSpace {
 public:
  // The net must outlive the space.
  StateSpace(const Net& net, const SpaceSettings& settings);
  ~StateSpace();
  StateSpace(StateSpace&&) noexcept;

  const Net& net() const;
  SpaceEnd end() const;
  std::uint64_t size() const;     // markings; their numbers are 0 ... size() - 1
  std::uint64_t firings() const;  // edges of the graph, of the markings that were fired
  std::uint64_t depth() const;    // levels after the first
  std::uint64_t bytes() const;    // held now
  const Growth& growth() const;

  std::uint32_t initial() const;
  void marking(std::uint32_t state, std::span<std::int64_t> tokens) const;
  std::vector<std::int64_t> marking(std::uint32_t state) const;
  std::optional<std::uint32_t> find(std::span<const std::int64_t> tokens) const;
  std::uint64_t distance(std::uint32_t state) const;  // length of its trace
  // A shortest sequence of firings from the start.
  std::vector<TransitionId> trace(std::uint32_t state) const;
  // Markings without successor, nearest first; at most 1000 are kept.
  std::span<const std::uint32_t> deadlocks() const;
  std::uint64_t deadlock_count() const;
  std::uint64_t fired(TransitionId transition) const;  // edges of this transition
  // Highest number of tokens over all markings, of each place. Cost O(size).
  std::vector<std::int64_t> bounds() const;
  // Highest number of tokens in one marking.
  std::int64_t most_tokens() const;

  struct Edge {
    TransitionId transition;
    std::uint32_t state = 0;
  };
  // Replaces `edges`. Of a space that is not complete: UINT32_MAX for states it does not hold.
  void successors(std::uint32_t state, std::vector<Edge>& edges) const;
  // One by one: the next edge from `position` on, which is 0 at first and moves behind it. False:
  // there is none left.
  bool next_edge(std::uint32_t state, std::uint32_t& position, Edge& edge) const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace molejo

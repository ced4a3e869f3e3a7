// How tokens move at one instant: the rules that both spaces in time share.
//
//   state    tokens that may enable, tokens that wait, time left of each wait
//   instant  waits have ended, or a word has come from outside; then the net settles: transitions
//            fire by themselves, the highest priority first, until none is enabled
//
// Where no priorities differ, firings that compete with nobody are not interleaved (persistent
// sets, Godefroid 1996): the settled states and the transitions that fire are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

struct TokenState {
  std::vector<std::int64_t> marking, waiting, left;  // left: ticks of the current wait

  // Instead of ticks: the wait is over but for the word from outside; it goes on, and how long is
  // known elsewhere.
  static constexpr std::int64_t overdue = -1, running = -2;
};

// The event that has come: those of its transitions that it may still fire, each once. `held`:
// meanwhile other events may be held and fire too.
struct RaisedEvent {
  std::vector<int> pending = {};
  bool held = false;
};

constexpr std::uint32_t no_parent = UINT32_MAX;  // of the first state

// The states of one instant, from which each came and by which firing.
struct Instant {
  std::vector<std::string> codes;
  std::vector<std::uint32_t> parent;
  std::vector<int> by;
  std::vector<std::uint32_t> settled;  // indices of those at which time passes, no state twice
  bool endless = false;                // from some of them the firings never end
  bool cut = false;                    // more states than are looked at
};

// What is counted over many instants.
struct InstantTally {
  explicit InstantTally(const Net& net)
      : fired(net.transitions.size(), 0), most(net.places.size(), 0) {}
  std::vector<std::uint64_t> fired;  // of each transition
  std::vector<std::int64_t> most;    // tokens of each place, waiting ones included
};

// By delays or by actions that are awaited.
bool lets_tokens_wait(const Net& net);
// An inhibitor arc sees no tokens that may wait. Then ignoring delays and priorities (Choice::any)
// only adds markings: what is never so in any order of firing is never so in time.
bool orders_hold_all_runs(const Net& net);

class TokenRules {
 public:
  // Ticks a second in which all delays and the time `also` are whole; nothing when there are none.
  static std::optional<std::int64_t> common_ticks(const Net& net, Fraction also = 0);

  // The net must outlive the rules and must have common ticks, a multiple of which is given.
  // `most_at_once`: states of an instant that are looked at.
  TokenRules(const Net& net, std::int64_t ticks_per_second, std::uint64_t most_at_once);

  const Net& net() const { return net_; }
  const Topology& topology() const { return topology_; }
  std::int64_t ticks_per_second() const { return per_second_; }
  std::int64_t delay(int place) const { return delay_[static_cast<std::size_t>(place)]; }
  bool waits(int place) const { return waits_[static_cast<std::size_t>(place)] != 0; }
  const std::vector<std::vector<int>>& events() const { return events_; }  // their transitions
  // Every order of the firings of an instant is looked at.
  bool interleaves() const { return !reduces_; }

  TokenState start() const;
  std::string encode(const TokenState& state) const;
  TokenState decode(const std::string& code) const;  // the beginning of the text
  std::size_t code_size(const std::string& code) const;

  bool allows(const TokenState& state, int transition) const;
  void fire(TokenState& state, int transition) const;
  // The wait of the serving token is over.
  void ripen(TokenState& state, int place) const;

  // Transitions that may fire by themselves.
  void may_fire(const TokenState& state, std::vector<int>& result) const;
  // The enabled transitions of an event that go first, among those given.
  void first_of(const TokenState& state, const std::vector<int>& of_event,
                std::vector<int>& result) const;
  // Until nothing fires by itself, nor by the event.
  Instant settle(const TokenState& from, const RaisedEvent& event, InstantTally& tally) const;
  // Firings from the first state of an instant to one of its states.
  static std::vector<int> firings_to(const Instant& instant, std::uint32_t state);

 private:
  void put(TokenState& state, int place, std::int64_t count) const;
  void begin_service(TokenState& state, int place) const;
  void find_free_transitions();

  const Net& net_;
  Topology topology_;
  Neighbours taken_, cut_;
  std::int64_t per_second_;
  std::uint64_t most_at_once_;
  std::vector<std::int64_t> delay_;  // ticks
  std::vector<std::uint8_t> waits_;
  std::vector<std::vector<int>> events_;
  bool reduces_ = false;
  std::vector<std::uint8_t> alone_;  // of a transition: competes with nobody
};

}  // namespace molejo

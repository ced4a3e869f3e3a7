// All that can be told of a net before it runs.
//
// Three views, and which one an answer is from is always told:
//   - all markings, delays ignored: a net without time is exactly this. Of a net in time it is the
//     logic: priorities decide among all tokens, as if none had to wait (net/state_space.h).
//   - exact time: what the runs of a timed net do (net/timed_space.h).
//   - exact time and a world that may say every word at any instant, or never: what nets with
//     events and awaited places do (net/open_space.h).
//
// What is claimed of a net is claimed of its runs. What never happens was looked for in all of
// them, or in more; what is certain happens in all of them; what is possible has a trace that
// plays. Where a space is too large, proofs come from all orders of firing, which hold every run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "molejo/net/behaviour.h"
#include "molejo/net/check.h"
#include "molejo/net/coverability.h"
#include "molejo/net/cycle_time.h"
#include "molejo/net/state_space.h"
#include "molejo/net/structure.h"
#include "molejo/net/timed_space.h"
#include "molejo/net/token_rules.h"

namespace molejo {

struct AnalysisSettings {
  // Its max_memory is for the whole analysis: all spaces and searches together stay below it.
  SpaceSettings space = {};
  TimedSettings timed = {};
  OpenSettings open = {{.max_states = 50'000}};
  StructureLimits structure = {};
  std::vector<std::string> properties = {};  // besides those of the net
};

// What the runs of a net do.
struct Claims {
  enum class Fires : std::uint8_t { never, can, unknown };

  std::string over;                  // what was looked at
  std::vector<std::int64_t> bounds;  // most tokens of each place, at any time; -1: not known
  std::vector<Fires> fires;          // of each transition
  PropertyResult no_deadlock;        // never: deadlock
  std::uint64_t deadlocks = 0;       // that were found
};

struct Analysis {
  NetClass kind;
  Semiflows place_flows, transition_flows;
  PlaceSets siphons, traps;
  bool conservative = false;  // a positive weight for every place keeps the weighted sum
  bool consistent = false;    // some sequence with every transition gives the marking again

  std::unique_ptr<StateSpace> space;   // delays ignored
  std::vector<std::int64_t> bounds;    // of each place, of the markings found
  std::int64_t most_tokens = 0;        // in one marking
  std::optional<Coverability> cover;   // where the net is not bounded
  std::optional<Behaviour> behaviour;  // where all markings were found, and memory was left

  std::unique_ptr<TimedSpace> timed;   // of timed nets that nobody interferes with
  std::unique_ptr<OpenSpace> open;     // of nets that wait for the world
  std::unique_ptr<StateSpace> orders;  // all orders of firing, where `space` does not hold them
  // The same without places that grow without end: more can happen, in the others.
  std::unique_ptr<Net> bounded_net;
  std::unique_ptr<StateSpace> bounded;
  std::vector<PlaceId> left_out;
  std::optional<TimedSpace::Cycle> cycle;
  std::optional<CycleTime> circuit;  // of marked graphs

  Claims claims;
  std::vector<PropertyResult> properties;

  bool ignores_time() const { return timed || open || waits; }  // `space` does
  bool waits = false;                                           // tokens do
  bool is_safe() const;                                         // by the claims
  std::uint64_t bytes() const;                                  // of all spaces
};

// Throws NetError for a property that cannot be read. The net must outlive the result.
Analysis analyse(const Net& net, const AnalysisSettings& settings);

}  // namespace molejo

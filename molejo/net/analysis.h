// All that can be told of a net before it runs.
//
// Two views, and which one an answer is from is always told:
//   - all markings, delays ignored: an untimed net is exactly this. Of a timed net it is the logic:
//     priorities decide among all tokens, as if none had to wait (net/state_space.h).
//   - exact time: what the runs of a timed net do (net/timed_space.h). Properties of timed nets are
//     decided here.
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

namespace molejo {

struct AnalysisSettings {
  SpaceSettings space = {};
  TimedSettings timed = {};
  StructureLimits structure = {};
  std::vector<std::string> properties = {};  // besides those of the net
};

struct Analysis {
  NetClass kind;
  Semiflows place_flows, transition_flows;
  PlaceSets siphons, traps;
  bool conservative = false;  // a positive weight for every place keeps the weighted sum
  bool consistent = false;    // some sequence with every transition gives the marking again

  std::unique_ptr<StateSpace> space;
  std::vector<std::int64_t> bounds;    // of each place, of the markings found
  std::int64_t most_tokens = 0;        // in one marking
  std::optional<Coverability> cover;   // where the net is not bounded
  std::optional<Behaviour> behaviour;  // where all markings were found

  std::unique_ptr<TimedSpace> timed;  // of timed nets that can be explored in exact time
  std::optional<TimedSpace::Cycle> cycle;
  std::optional<CycleTime> circuit;  // of marked graphs

  std::vector<PropertyResult> properties;

  bool is_safe() const;
};

// By delays or by actions that are awaited.
bool lets_tokens_wait(const Net& net);
// Whether ignoring delays and priorities (Choice::any) only adds markings: what is never so in any
// order of firing is never so in time.
bool orders_hold_all_runs(const Net& net);

// Throws NetError for a property that cannot be read. The net must outlive the result.
Analysis analyse(const Net& net, const AnalysisSettings& settings);

}  // namespace molejo

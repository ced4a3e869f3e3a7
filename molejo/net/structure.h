// What the arcs alone say of a net: its class, its semiflows, its siphons and traps.
//
//   P-semiflow  y >= 0, y C = 0:   y . M = y . M0 in every reachable marking
//   T-semiflow  x >= 0, C x = 0:   firing each t x(t) times gives the same marking again
//   siphon S    every t that puts into S takes from S: once empty, S stays empty
//   trap   S    every t that takes from S puts into S: once marked, S stays marked
//
// Semiflows with minimal support: Farkas' algorithm (Colom and Silva 1991). Minimal siphons by
// branching on the places of one that was found (Cordone, Ferrarini and Piroddi 2005). Both lists
// may be exponentially long: bounded, and told when incomplete. Inhibitor arcs and priorities only
// take behaviour away: what semiflows, siphons and traps forbid stays forbidden.
#pragma once

#include <cstdint>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

struct StructureLimits {
  std::size_t rows = 5'000;                       // of Farkas' table
  std::size_t cells = 20'000'000;                 // of Farkas' table
  std::size_t siphons = 1'000;                    // minimal ones
  std::size_t siphon_steps = 20'000;              // branches
  std::uint64_t work = 300'000'000;               // elementary steps of each search: a second or so
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes, of one search and all results
};

struct Semiflows {
  std::vector<std::vector<std::int64_t>> flows;  // one weight a node, greatest common divisor 1
  bool complete = true;                          // all with minimal support are there
};

Semiflows place_semiflows(const Net& net, const StructureLimits& limits = {});
Semiflows transition_semiflows(const Net& net, const StructureLimits& limits = {});

// Upper bounds of the tokens of each place from its semiflows, -1 where none holds it.
std::vector<std::int64_t> semiflow_bounds(const Net& net, const Semiflows& flows);

struct PlaceSets {
  std::vector<std::vector<PlaceId>> sets;  // each ascending
  bool complete = true;
};

PlaceSets minimal_siphons(const Net& net, const StructureLimits& limits = {});
PlaceSets minimal_traps(const Net& net, const StructureLimits& limits = {});

struct NetClass {
  bool state_machine = false;         // each transition has one input and one output
  bool marked_graph = false;          // each place has one producer and one consumer
  bool free_choice = false;           // places that share a consumer have it as their only one
  bool extended_free_choice = false;  // places that share a consumer share all
  bool asymmetric_choice = false;     // of two places that share one, one has all the other has
  bool ordinary = false;              // all weights are 1
  bool pure = false;                  // no transition takes from and puts into one place
  bool strongly_connected = false;
};

// Of the input and output arcs; state machine to asymmetric choice only for ordinary nets.
NetClass classify(const Net& net);

// Every place (transition) has a positive weight in some semiflow.
bool covers_all(const Semiflows& flows, std::size_t nodes);

}  // namespace molejo

// What was measured, as aligned Markdown tables and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/contact_report.h"
#include "bench/expression.h"
#include "bench/locomotion.h"
#include "bench/measure.h"

namespace bench {

struct Machine {
  std::string processor, compiler, load;
  int cores = 0, core = 0;  // how many there are, and the one that all ran on
};

// Work D in one engine with one integrator: four links and sixteen, from 90 and from 30 degrees.
struct DriftRow {
  Entrant entrant;
  double cost = 0;           // microseconds per step of the 16-link chain
  double cost_of_plain = 0;  // the same for the engine's first integrator
  Drift four_90, four_30, sixteen_90, sixteen_30;
};

struct Goal {
  std::string sentence;
  double bound = 0, found = 0;
  bool at_least = false;  // else at most
  bool met() const { return at_least ? found >= bound : found <= bound; }
};

struct Results {
  Machine machine;
  std::vector<std::string> versions, skipped;
  std::vector<Verification> verifications;
  // Molejo's plain integrator first; of forward dynamics: four worlds second, then peers
  std::vector<Entrant> entrants, forward_entrants;
  std::vector<Race> steps, forward_dynamics;
  std::vector<DriftRow> drifts;
  std::vector<Race> single_worlds, four_worlds;  // same works; entrants: one integrator each
  std::vector<std::string> world_integrators;
  ContactResults contact;
  std::vector<ExpressionRace> expressions;
  LocomotionRace locomotion;
  std::vector<Goal> goals;
};

std::string text(const Results& results);
std::string json(const Results& results);

}  // namespace bench

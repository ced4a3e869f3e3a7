// Contact side by side: how long a step takes and how good it is, since speed without quality is
// no figure. All qualities come from the states of the bodies, by one measure for all.
#pragma once

#include "bench/measure.h"

namespace bench {

// Every engine with each of its ways to solve contact, Molejo first.
std::vector<Entrant> contact_entrants(const Engines& engines);

// One work in one engine, sampled all the way.
struct ContactRun {
  double microseconds = 0;    // per step, best of the passes
  double seconds = 0;         // simulated; less than asked for when the engine was too slow
  bool complete = true;       // as long as was asked for
  double ground_depth = 0;    // deepest penetration into the plane, m
  double part_depth = 0;      // deepest penetration of two parts, m
  double joint_error = 0;     // largest, m
  double energy_gain = 0;     // largest rise of the energy above an earlier value, J
  double kinetic_at_end = 0;  // J
  std::string complaint;      // why there are no figures
};

struct ContactRace {
  std::string work;
  bool jointed = false, parts_touch = false;
  std::vector<ContactRun> runs;  // one per entrant
};

struct ContactEffort {
  double seconds = 5;     // to simulate
  double glance = 4;      // seconds of processor time after which an engine is stopped that would
  double limit = 40;      //   need more than this for all
  double again = 7;       // seconds of processor time for further passes
  int passes = 4;         // at most
  int sampled_steps = 2;  // between samples
};

// 1 ms. The first pass is sampled between its steps, which are timed; further ones run through.
ContactRace race_contact(const Work& work, const std::vector<Entrant>& entrants,
                         const ContactEffort& effort);

// What contact ought to do, and what an engine makes of it, at 1 ms. Nothing: it declines.
struct Probes {
  struct Slide {
    double distance = 0, direction_deg = 0;
  };
  std::optional<Slide> slide;                // after 2 s; exact: v^2 / (2 mu g), 30 degrees
  std::optional<double> apex;                // first, e = 0.5, of the lowest point; exact: 0.25 m
  std::optional<double> bounce_energy;       // e = 1, relative change after 5 s; exact: 0
  std::optional<double> creep_12, creep_60;  // of the pinched capsule, m/s; infinite: it was lost
  std::optional<double> stretch;             // joint error of the heavy end in 5 s, m
};
Probes probe(const Entrant& entrant);
double exact_slide();

}  // namespace bench

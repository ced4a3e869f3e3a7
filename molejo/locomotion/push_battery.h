// How hard a running character may be pushed: the largest impulse, by direction and by phase of the
// step, after which it is still up some seconds later.
//
// A horizontal force acts on the torso's centre of mass for 0.2 s. From small to large pushes in
// even steps until one is not survived, then bisection between the last two: so everything on the
// grid below the result was survived. Impulses are per mass of the character, N s/kg, as it is
// usual: Yin, Loken, van de Panne, "SIMBICON" (2007): 350 N for 0.2 s on 70 kg is 1.0.
#pragma once

#include <functional>

#include "molejo/locomotion/trials.h"

namespace molejo {

// On the torso's centre of mass; `direction` in rad from forward to the left.
GaitPush torso_push(const Character& character, double direction, double force, double from,
                    double seconds = 0.2);
// Sum of the masses of all bodies, kg.
double total_mass(const Character& character);

struct PushBattery;

struct PushBatterySettings {
  int directions = 8, phases = 4;
  double seconds = 0.2;         // of a push
  double after = 5;             // to be up after it
  double step = 0.1, most = 2;  // N s/kg: of the grid, and its end
  int bisections = 3;
  int threads = 0;
  // Told after each round of pushes what was survived so far, and how many of the directions times
  // phases are settled. False: the others stay as they are.
  std::function<bool(const PushBattery& so_far, int settled)> goes_on = {};
};

struct PushBattery {
  int directions = 0, phases = 0;
  double seconds = 0, after = 0, most = 0;
  double mass = 0;              // kg
  std::vector<double> impulse;  // N s/kg, phases of direction 0, then of direction 1, ...

  double at(int direction, int phase) const {
    return impulse[static_cast<std::size_t>(direction * phases + phase)];
  }
  double least(int direction) const;  // of all phases
  double least() const;               // of all
  double force(double impulse_per_mass) const { return impulse_per_mass * mass / seconds; }  // N
};

// Phase p of n: the push begins p/n of a (half) cycle after the second cycle has begun.
PushBattery push_battery(const GaitProblem& problem, const std::vector<double>& unknowns,
                         const Feedback* feedback, const PushBatterySettings& settings);

}  // namespace molejo

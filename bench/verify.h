// Is every engine doing the same work? Each is held against numbers found another way: the start
// by forward kinematics, the chain by its closed form and by reference values that several engines
// share, the trees by the fall of their centre of mass and by the motion an accurate run gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/engines.h"

namespace bench {

// Differences of one engine and integrator, all at 1 ms. Lengths in metres.
struct Verification {
  std::string engine, integrator;
  double start = 0;                     // largest difference of a start pose or velocity
  std::optional<double> accelerations;  // of the four-link chain, against the closed form, relative
  double tip = 0;                       // of the four-link chain at 1 s, against the reference
  double energy_90 = 0, energy_30 = 0;  // largest |dE|/E_ref in the first second, four links
  double center = 0;                    // ragdoll: centre of mass against g t^2/2 at 0.5 s
  double ragdoll = 0, humanoid = 0;     // largest difference of a centre at 0.5 s from `accurate`
  std::string complaint;                // empty when all is as it should be
};

// Every engine with each of its integrators, Molejo first.
std::vector<Verification> verify(const Engines& engines);

// The same question where something touches: free flight until then, and the first touch where
// the shapes say. Lengths in metres.
struct ContactVerification {
  std::string engine, solver;
  double start = 0;               // largest difference of a start pose or velocity
  double ragdoll = 0, chain = 0;  // largest difference of a centre from `accurate` at 0.25 s
  std::optional<double> cubes;    // of the pile of 100 at 0.15 s
  double ragdoll_touch = 0, chain_touch = 0;  // lowest point when the ground is first felt
  double round_touch = 0;  // the same of a sphere and of capsules along y and z: the farthest off
  std::string complaint;
};
std::vector<ContactVerification> verify_contact(const Engines& engines);

}  // namespace bench

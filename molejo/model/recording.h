// What happened: the one thing that exporters, plots, viewers and tests read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "molejo/model/model.h"

namespace molejo {

struct Energy {
  double kinetic = 0;
  double gravity = 0;  // zero at the world origin
  double elastic = 0;  // springs between points and springs, limits and motors of joints
  double total() const { return kinetic + gravity + elastic; }
};

// A point where two bodies touch. `a` comes before `b` in the model, or b is the world.
struct TouchPoint {
  BodyId a, b;
  Vec3 point;      // world, m
  Vec3 normal;     // unit, from b to a
  double gap = 0;  // negative: penetration, m
  Vec3 force;      // on a, N; the mean over the last step
};

enum class ContactPhase { begin, persist, end };

// Two bodies begin to touch, still touch (told once a frame), or part.
struct ContactEvent {
  double t = 0;
  ContactPhase phase = ContactPhase::begin;
  BodyId a, b;
  Vec3 point, normal;  // means over the points, weighted with their impulses
  Vec3 impulse;        // on a since the last event of these two, N s
};

struct Frame {
  State state;
  std::vector<Pose> X_WB;  // pose of each body frame
  Energy energy;
  Vec3 momentum;
  Vec3 angular_momentum;        // about the world origin
  double constraint_error = 0;  // largest violation of a loop closure (m or rad)
  std::vector<TouchPoint> contacts;
  std::vector<double> probes;  // in the order of Recording::probes
  int asleep = 0;              // bodies that rest and are not computed
};

// Memory that it takes, about.
std::size_t bytes_of(const Frame& frame);

struct Summary {
  double duration = 0;  // simulated seconds
  std::int64_t steps = 0, rejected_steps = 0, frames = 0;
  std::int64_t projections = 0;  // steps after which drift was removed
  double energy_initial = 0, energy_final = 0;
  double energy_deviation = 0;  // standard deviation over the frames, J
  // largest |E - E0| over the frames, as a part of the energy that was exchanged (physics/audit.h)
  double energy_drift = 0;
  double momentum_drift = 0, angular_momentum_drift = 0;  // largest change over the frames
  double constraint_error = 0;                            // largest over all steps
  std::int64_t impacts = 0;        // event-driven: times at which impulses acted
  double largest_penetration = 0;  // of any two bodies after any step, m
  double wall_seconds = 0, steps_per_second = 0;
  std::uint64_t hash = 0;             // of the final state
  std::string failure;                // empty, or why the run stopped early (time, body, cause)
  std::vector<std::string> warnings;  // a line for each thing that was not kept as it should be
};

// A number that formulas gave: a probe, a component of one, or the work done by a force so far.
struct RecordedProbe {
  std::string name;
  std::string unit;
};

struct Recording {
  std::vector<Frame> frames;
  std::vector<RecordedProbe> probes;
  std::vector<ContactEvent> contacts;
  Summary summary;
};

}  // namespace molejo

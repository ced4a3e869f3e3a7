// A gait simulated from its start to its end, once, and what the optimiser wants to know of it.
//
// Semi-implicit Euler on the articulated-body algorithm; passive springs and dampers of joints
// implicit; contact of points with the ground z = 0 (physics/point_contact.h). Every phase takes a
// whole number of steps of nearly the chosen size, and the step in which a pulse ends takes part of
// it, so that the result is continuous in all times, but for a trace where a phase comes to take
// one step more. Four candidates go in a pack, each with steps of its own: lane by lane the bits of
// a single one.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "molejo/locomotion/character.h"
#include "molejo/locomotion/gait.h"
#include "molejo/math/snapshot.h"
#include "molejo/physics/point_contact.h"

namespace molejo {

// Bounds of the easy constraints (Nunes 2012, s.4.4.4). What follows `lift` is not in the thesis.
struct EasyLimits {
  double least_speed = 0.5;   // m/s, of the centre of mass, forward, at every step
  double mean_speed = 2.0;    // m/s
  double drift = 0.25;        // m/s, mean speed upwards and sideways
  double joint_speed = 20;    // rad/s
  double energy = 5e5;        // mean square of the active torques, (N m)^2
  double support_gap = 1e-3;  // m, of the toe, in the first half of the ground pulse
  double lift = 0.02;         // m
  double stumble = 0;         // m, by which the other leg must be shorter
  double upright = 0;         // m, of the torso above the centre of mass
  double start_gap = 0;       // m, of toes and heels at the start
  double clearance = -2e-3;   // m, of toes and heels of feet that swing; no other body may touch
  double peak_force = 4;      // body weights
  // Where it is compared with a sketch: correlation, and how much of its movement is there.
  double likeness = 0.7, size = 0.6;
};

enum class EasyTerm {
  least_speed,
  mean_speed,
  joint_speed,
  energy,
  upright,
  support,
  take_off,
  no_stumble,
  start_gap,
  clearance,
  peak_force,
  likeness,
  size,
};
inline constexpr int easy_terms = 13;
std::string_view to_string(EasyTerm term);

struct RolloutSettings {
  double time_step = 1e-3;
  double friction = 0.9;
  double gravity = 1;      // part of the model's: 0 for the sketch
  bool contact = true;     // false: there is no ground
  bool whole_body = true;  // false: only the feet of the step touch the ground, as in the thesis
  double force_smoothing = 5e-3;  // s: time constant of the filter before the peak is taken
  EasyLimits limits{};
};

// Feet of the step alone on the ground, and none of the constraints that the thesis does not have.
RolloutSettings rollout_of_the_thesis();

// A force on a body while a gait runs; the time counts from its start.
struct GaitPush {
  int body = 0;
  Vec3 p;      // in the body frame
  Vec3 force;  // world
  double from = 0, until = 0;
};

// The course of some coordinates of the joints' turns that a gait is compared with.
struct StyleReference {
  static constexpr int views = 24;  // of a phase, at equal parts of it
  MatX shapes;  // a column a coordinate: what it takes of each internal freedom's turn
  MatX course;  // a row a view, a column a coordinate; means over the cycle are zero
  // The second half of the columns are images of the first: their coordinates in the second half
  // of a mirrored cycle. Both have one mean.
  bool images = false;
};

struct RolloutResult {
  State end;  // not mirrored
  bool finite = true;
  std::array<double, easy_terms> terms{};  // penalties, zero where the constraint holds
  Vec3 mean_velocity;                      // of the centre of mass: forward, left, up
  double energy = 0;                       // mean square of the active torques
  double work = 0;                         // J, of the active torques of joints that they drive
  double peak_force = 0;                   // body weights, smoothed
  double least_speed = 0;                  // m/s
  double lift = 0;                         // m, smallest of the steps
  double last_toe = 0;      // m, least height of a pushing toe at the end of its step
  double contact_time = 0;  // s, in which some foot of the step touches
  double torso_low = 0;     // m, least height of the torso's centre
  double likeness = 0;      // correlation with the reference, -1 .. 1; zero without one
  double size = 0;          // the part of the reference's movement that is there, likewise
  int steps = 0;
  std::vector<double> hinges;  // worst violations in bins of time, where asked for
};

// One step of a simulation that somebody watches.
struct RolloutView {
  double t = 0, h = 0;
  std::span<const double> q, v;  // at the start of the step
  std::span<const GroundPoint> points;
  std::span<const Vec3> impulses;  // on the points, over the step
  std::span<const double> torque;  // active, of the internal freedoms, in joint frames
  int step = 0;                    // of the gait
  bool in_air_phase = true;
};

// Memory for one thread. The character must outlive it.
class Rollout {
 public:
  // Throws InputError where gravity is not along -z, and for forces of the scene given over time.
  Rollout(const Character& character, const RolloutSettings& settings);
  ~Rollout();
  Rollout(Rollout&&) noexcept;

  // Up to four gaits of the same number of steps and mirroring, in one pack; `pushes`: none, or one
  // list a gait.
  void run(std::span<const Gait* const> gaits, std::span<RolloutResult> results,
           std::span<const std::span<const GaitPush>> pushes = {});
  // One by itself: the same bits.
  RolloutResult run(const Gait& gait, std::span<const GaitPush> pushes = {},
                    const std::function<void(const RolloutView&)>& watch = {});

  // One step of time after the other. The gait must stay where it is. Nothing is allocated after
  // the first cycle. False: the gait is over.
  void begin(const Gait& gait);
  bool advance(std::span<const GaitPush> pushes = {},
               const std::function<void(const RolloutView&)>& watch = {});
  RolloutResult result() const;       // of a gait that is over: the bits of run()
  double time() const;                // since the gait began
  std::span<const double> q() const;  // now
  std::span<const double> v() const;
  std::span<const GroundPoint> points() const;
  // For snapshots (math/snapshot.h): where it is between two steps of time.
  void save(SnapshotWriter& a) const;
  void restore(const Gait& gait, SnapshotReader& a);

  // Ask for RolloutResult::likeness and size.
  void compare_with(const StyleReference& reference);
  // Ask for RolloutResult::hinges with bounds that may be tighter.
  void measure_hinges(const EasyLimits& tightened);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

inline constexpr int hinge_bins = 12;

}  // namespace molejo

// What shall be followed: coordinates of the bodies at even times, from a clip or from whatever
// else moves a skeleton.
//
//   windows   W steps each; an action holds for one of them
//   loop      coordinates at step n K + k are those at k, carried n times over the ground
#pragma once

#include <memory>
#include <vector>

#include "molejo/motion/clip.h"
#include "molejo/tracking/policy.h"

namespace molejo::tracking {

class Reference {
 public:
  virtual ~Reference() = default;
  virtual double step() const = 0;  // s
  virtual int steps_per_window() const = 0;
  virtual long windows() const = 0;  // of one loop
  virtual bool loops() const = 0;
  // At n steps from the start; before it and behind the end of what does not loop, the nearest.
  virtual void coordinates(long n, VecX& q) const = 0;
  // Where that is in the loop of a policy.
  virtual long tick(long n) const { return n * ticks_per_window / steps_per_window(); }
};

struct ClipReferenceOptions {
  double window = 0.1;  // s, about; a loop takes whole windows
  int steps_per_window = 24;
  bool loops = true;
  double speed = 0;    // m/s along the front, of a clip that steps in place
  double sway = 0.05;  // s, over which feet are lifted out of the ground
};

class ClipReference : public Reference {
 public:
  // `scale`: metres per unit of the model.
  ClipReference(const TrackedBody& body, const RagdollMap& map, const Rig& rig,
                const motion::Clip& clip, double scale, const ClipReferenceOptions& options = {});

  double step() const override { return step_; }
  int steps_per_window() const override { return options_.steps_per_window; }
  long windows() const override { return windows_; }
  bool loops() const override { return options_.loops; }
  void coordinates(long n, VecX& q) const override;

  // The reverse for what follows it: coordinates at k steps of that loop, as seen from where the
  // loop began; `in_place`: as if it stayed there.
  void bring_home(long loop, long k, bool in_place, VecX& q) const;

  double duration() const { return step_ * static_cast<double>(steps()); }
  long steps() const { return windows_ * options_.steps_per_window; }
  double speed() const;                      // m/s over the ground
  double lifted() const { return lifted_; }  // m, the most that a frame was moved up or down
  double lift() const { return lift_; }      // m, all frames

 private:
  void stand_on_ground(const TrackedBody& body);
  Vec3 way_of(long loops) const;

  ClipReferenceOptions options_;
  const Link* root_ = nullptr;
  double step_ = 0;
  long windows_ = 0;
  std::vector<VecX> frames_;  // of one loop, and its end
  Vec3 way_;                  // of one loop, seen from its start
  double turn_ = 0;
  double lift_ = 0, lifted_ = 0;
};

// Coordinates and velocities at n steps from the start.
void state_of(const TrackedBody& body, const Reference& reference, long n, State& state);

}  // namespace molejo::tracking

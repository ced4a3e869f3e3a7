// How like its reference a body is at the end of a window, and the few numbers of its state that a
// controller answers to. All is seen from the heading of the reference, so that turning the world
// changes nothing.
#pragma once

#include <array>

#include "molejo/model/kinematics.h"
#include "molejo/tracking/tracked_body.h"

namespace molejo::tracking {

// What counts of a state.
struct Features {
  Vec3 com, com_velocity, spin;
  Quat root;
  double heading = 0;
  std::vector<Quat> joints;  // of each part but the root
  std::vector<Vec3> rates;
  std::vector<Vec3> feet, hands;  // centres of mass
};

class FeatureReader {
 public:
  explicit FeatureReader(const TrackedBody& body) : body_(body), kinematics_(body.model) {}
  void read(const State& state, Features& f);

 private:
  const TrackedBody& body_;
  Kinematics<double> kinematics_;
};

// Liu et al., "Sampling-based contact-rich motion control" (2010), section 3.3: lengths in parts of
// the leg, weights those of a prototype on men of 1.7 m.
struct LikenessWeights {
  double pose = 5, root = 10, ends = 30, balance = 30, drift = 10;
  double effort = 2;  // of the deviation of an action from its mean
};
double unlikeness(const Features& now, const Features& wanted, double leg_length,
                  const LikenessWeights& weights);

// Turn and spin of the root, velocity of the centre of mass, feet against it, height, drift; and
// how fast the reference turns.
inline constexpr int sense_count = 17;
using Senses = std::array<double, sense_count>;
Senses senses(const Features& now, const Features& wanted);

// The turn from a to b the short way, in the axes of a.
Vec3 turn_between(const Quat& a, const Quat& b);

}  // namespace molejo::tracking

// A clip made physical: what its character does when it follows the clip by muscle and contact
// alone, as a clip of the same skeleton.
//
//   loops   a policy is learnt until it goes on by itself; its last loop is the clip
//   others  the most like the clip of several searches, from its first frame to its last
#pragma once

#include <memory>
#include <string>

#include "molejo/motion/character.h"
#include "molejo/tracking/push_test.h"
#include "molejo/tracking/track.h"

namespace molejo::tracking {

struct PhysicalClipSettings {
  TrackSettings track;
  int rounds = 8;               // at most
  std::optional<bool> loops;    // unless given: where its ends are alike
  std::optional<double> speed;  // m/s of a loop; unless given: that of its standing feet
  double window = 0.1;          // s
  int steps_per_window = 24;
  double fps = 60;  // of the clip that is made
  TrackedBodyOptions body;
  navigation::RagdollOptions ragdoll;
};

// What is told of a joint.
struct JointFigures {
  std::string name;
  double error = 0;   // rad, mean
  double torque = 0;  // N m, largest
};

struct PhysicalClip {
  motion::Clip clip;
  bool loops = false;
  bool stands = false;    // to the end; a loop: for the time of the test, by its policy
  double seconds = 0;     // that it stood
  double speed = 0;       // m/s over the ground, of the reference
  double lifted = 0;      // m, the most that the reference had to be moved up or down
  double error = 0;       // rad, mean over joints
  double root = 0;        // m, mean distance of the centres of mass
  double peak_force = 0;  // of the ground, in weights
  std::vector<JointFigures> joints;
};

class ClipTracker {
 public:
  // Throws InputError for a clip or a character that cannot be followed.
  ClipTracker(const motion::Character& character, const motion::Roles& roles,
              const motion::Clip& clip, const PhysicalClipSettings& settings);
  ~ClipTracker();

  bool loops() const;
  int rounds() const;  // done
  int most_rounds() const;
  // One more round. False: nothing is gained by more.
  bool round();
  double stood() const;  // s, the search of the last round
  bool steady() const;
  PhysicalClip result() const;
  // Of a loop, by the policy of the last round.
  std::vector<PushOutcome> pushed(const PushTest& test) const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace molejo::tracking

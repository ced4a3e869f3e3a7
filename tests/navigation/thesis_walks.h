// Walkers of the thesis for the tests of this folder: which clips, how long, and whether all is a
// number.
#pragma once

#include <doctest/doctest.h>

#include "molejo/navigation/thesis_walker.h"
#include "tests/support/characters.h"
#include "tests/support/walks.h"

namespace molejo::test {

using namespace navigation;

inline constexpr double dt = 1.0 / 60;
inline constexpr double degree = 3.141592653589793 / 180;

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

inline std::shared_ptr<const WalkClips> known() {
  static const auto clips = ready_clips(gait_character(), "gait");
  return clips;
}

// The known gait, and the real ones that are installed.
inline std::vector<std::pair<std::string, std::shared_ptr<const WalkClips>>> walks() {
  std::vector<std::pair<std::string, std::shared_ptr<const WalkClips>>> all{
      {"known gait", known()}};
  for (const std::string family : {"viverse", "dcl"}) {
    if (auto clips = installed_walk(family)) {
      all.emplace_back(family, std::move(clips));
    } else {
      MESSAGE("skipped: " << family << " is not installed");
    }
  }
  return all;
}

// Half the angle between two rotations, doubled.
inline double angle_between(const Quat& a, const Quat& b) {
  return norm(log_quat(conjugate(a) * b));
}

inline bool finite(const ThesisWalker& walker) {
  bool good = true;
  const auto check = [&](const Vec3& v) { good = good && std::isfinite(v.x + v.y + v.z); };
  check(walker.position());
  check(walker.placement().origin);
  for (const Affine& X : walker.model_transforms()) check(X.origin), check(X.linear.r0);
  for (const FootState& f : walker.feet()) check(f.target), check(f.ankle), check(f.heel);
  return good && std::isfinite(walker.heading());
}

inline void walk_for(ThesisWalker& walker, double seconds, const Steering& steering = {}) {
  for (int n = 0; n < std::lround(seconds / dt); ++n) walker.advance(dt, steering);
}

}  // namespace molejo::test

// Where the reference stands in the world. Who is pushed goes on from where that took him: the
// reference comes along as soon as he is farther from it than some slack.
#pragma once

#include "molejo/tracking/likeness.h"

namespace molejo::tracking {

struct Slack {
  double distance = 0.15;  // m
  double turn = 0.35;      // rad
};
inline constexpr Slack no_slack{1e300, 1e300};  // a reference that stays where it is

struct Anchor {
  double turn = 0;  // about the vertical through the origin, then
  Vec3 shift;       // along the ground

  Vec3 operator*(const Vec3& p) const;
  // What is wanted, as seen from here.
  void carry(Features& wanted) const;
  // So that `now` is within the slack of `wanted`, which was carried.
  void follow(const Features& now, const Features& wanted, const Slack& slack);
};

}  // namespace molejo::tracking

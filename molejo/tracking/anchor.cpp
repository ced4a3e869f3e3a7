#include "molejo/tracking/anchor.h"

#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/rotation.h"

namespace molejo::tracking {

Vec3 Anchor::operator*(const Vec3& p) const { return turned_by(turn, p) + shift; }

void Anchor::carry(Features& f) const {
  f.com = *this * f.com;
  f.com_velocity = turned_by(turn, f.com_velocity);
  f.spin = turned_by(turn, f.spin);
  f.root = exp_quat(Vec3{0, 0, turn}) * f.root;
  f.heading = wrapped(f.heading + turn);
  for (Vec3& p : f.feet) p = *this * p;
  for (Vec3& p : f.hands) p = *this * p;
}

void Anchor::follow(const Features& now, const Features& wanted, const Slack& slack) {
  const double turned = wrapped(now.heading - wanted.heading);
  Vec3 off = now.com - wanted.com;
  off.z = 0;
  if (std::fabs(turned) > slack.turn) {
    // about where it stands
    const double more = turned - std::copysign(slack.turn, turned);
    shift = turned_by(more, shift - wanted.com) + wanted.com;
    shift.z = 0;
    turn += more;
  }
  const double distance = norm(off);
  if (distance > slack.distance) shift += off * (1 - slack.distance / distance);
}

}  // namespace molejo::tracking

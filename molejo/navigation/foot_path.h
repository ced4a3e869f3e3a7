// The way of one foot in the world: it stands on a print, or swings from one to the next.
//
//   x(s) = (1 - w(s)) A x_c + w(s) B x_c + lift(s) z,    w = smooth(s)
//
// x_c is the foot in the clip, over flat ground; A and B lay the ground of the clip onto that of
// the world, so that the old print (A) or the new one (B) is where the foot stood or will stand. On
// flat ground A = B and the foot does as in the clip. Close to a print the maps lean with its
// slope; in between they are upright, so that no swing follows a slope that has ended.
#pragma once

#include <array>

#include "molejo/navigation/foot_tracks.h"
#include "molejo/navigation/foothold.h"

namespace molejo::navigation {

struct GroundMap {
  Quat tilted, upright;
  Vec3 from, to;      // a point on the ground of the clip, and where it lies in the world
  double height = 0;  // of the world's ground there
};

// For snapshots (math/snapshot.h).
template <class Archive>
void visit(Archive& a, Seen<Archive, GroundMap>& m) {
  a(m.tilted, m.upright, m.from, m.to, m.height);
}

// Lays the print of a clip onto a foothold, by its heel.
GroundMap map_onto(const Print& print, const Foothold& hold);
// Lays a foot of the clip onto one in the world, over ground of this height.
GroundMap map_onto(const FootPose& clip, const FootPose& world, double heading, double height);

class FootPath {
 public:
  double scale = 1;
  GroundMap from, to;
  bool swings = false;
  double s = 0;  // part of the swing, 0 to 1

  // Where the foot is, for the foot of the clip now.
  FootPose at(const FootPose& clip) const;
  // Height of the ground that carries this leg: between those of its prints.
  double height() const;

  void stand(const GroundMap& map);
  // The same for a foot that is shown elsewhere: it settles there over a quarter of a second.
  void settle_on(const GroundMap& map, const FootPose& shown, const FootPose& clip);
  void pass(double dt);
  // Leaves the print; `pivot` is the point of it that leaves last.
  void begin(const Vec3& pivot);
  // Another goal. The foot goes on from where it is: what changes is led in until it lands.
  void aim(const GroundMap& goal, const FootPose& clip);
  // Where a swing without lift has the foot at a part of it.
  FootPose sketch(const FootPose& clip, double part) const;
  // Heights over that sketch that the foot needs, at `knots` even parts of it; the path takes
  // the least concave curve above them.
  static constexpr int knots = 9;
  void clear(const std::array<double, knots>& needed, const FootPose& clip);
  void land();

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, FootPath>& f) {
    a(f.from, f.to, f.swings, f.s, f.lift_, f.p_off_, f.turn_off_, f.height_off_, f.s_off_,
      f.settled_);
    a.require(f.s >= 0 && f.s <= 1, "a part of a swing");
  }

 private:
  FootPose plain(const FootPose& clip) const;
  double plain_height() const;
  double still_off() const;  // part of what was led in that is left
  double lift() const;
  void keep(const FootPose& shown, double height, const FootPose& clip);

  std::array<double, knots + 2> lift_{};  // with both ends, which are zero
  Vec3 p_off_, turn_off_;                 // from the new goal's way to where the foot was
  double height_off_ = 0;
  double s_off_ = 1;    // when
  double settled_ = 1;  // part of it that is over, in stance
};

}  // namespace molejo::navigation

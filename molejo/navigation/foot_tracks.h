// What the feet of a clip do over flat ground, mended so that who stands neither slips, nor sinks,
// nor hovers:
//
//   in stance   the standing points of the sole stay on their prints (within millimetres of height)
//   elsewhere   as in the clip, led to and from the prints over a short time
//
// Ground axes: x front, y left, z up, the floor at zero; the body goes the way of the footfalls.
// Phases grow without bound; a loop later all is `way` further on. Lengths as in the model.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/navigation/footfalls.h"

namespace molejo::navigation {

// Of a foot's joint: orientation without scale, and place.
struct FootPose {
  Quat q;
  Vec3 p;
};

// Where a sole stands: heel and toe on the floor.
struct Print {
  Vec3 heel, toe;
  double on = 0, off = 0;  // phases of its stance
  double heel_on = 0, heel_off = 0, toe_on = 0, toe_off = 0;
};

// For snapshots (math/snapshot.h).
template <class Archive>
void visit(Archive& a, Seen<Archive, FootPose>& f) {
  a(f.q, f.p);
}
template <class Archive>
void visit(Archive& a, Seen<Archive, Print>& p) {
  a(p.heel, p.toe, p.on, p.off, p.heel_on, p.heel_off, p.toe_on, p.toe_off);
}

class FootTracks {
 public:
  FootTracks(const Rig& rig, const Clip& clip, const Footfalls& falls);

  FootPose at(int leg, double phase) const;
  // The stance that holds the phase, or the next one if the leg swings then.
  Print print_at(int leg, double phase) const;
  // The one after it.
  Print print_after(int leg, const Print& print) const;
  // Heel and toe in the orthonormal frame of the foot, metric as the model.
  const Sole& sole(int leg) const { return soles_[static_cast<std::size_t>(leg)]; }
  double sole_length(int leg) const;
  // How high heel and toe are at least while it swings at this phase: what a clip clears anyway.
  double clearance(int leg, double phase) const;

 private:
  struct Track {
    std::vector<Quat> q;  // at even phases, the last is the first
    std::vector<Vec3> p;  // in place
    std::vector<Print> prints;
  };
  void sample(const Rig& rig, const Clip& clip);
  void find_prints(int leg);
  void mend(int leg);
  std::size_t at(int k) const { return static_cast<std::size_t>((k % n_ + n_) % n_); }
  Vec3 way(int k) const;  // at a sample, any
  Print shifted(const Print& print, double loops) const;

  Footfalls falls_;
  int n_;
  double leg_length_;
  std::vector<Track> tracks_;
  std::vector<Sole> soles_;
};

// The shortest rotation that turns a onto b; neither is zero.
Quat shortest_turn(const Vec3& a, const Vec3& b);
// 3 s^2 - 2 s^3 between 0 and 1, held outside.
double smooth(double s);

}  // namespace molejo::navigation

// The difference A - B = {a - b} of two solids' cores: they overlap where it holds the origin.
//
// All is seen from the frame of a, so that places far from the world's origin lose no digits.
#pragma once

#include "molejo/collision/simplex.h"

namespace molejo {

struct Difference {
  Difference(const Convex& solid_a, const Pose& X_WA, const Convex& solid_b, const Pose& X_WB)
      : a(solid_a),
        b(solid_b),
        R_AB(transpose(X_WA.R) * X_WB.R),
        p_AB(transpose_times(X_WA.R, X_WB.p - X_WA.p)),
        size(solid_a.reach + solid_b.reach) {}

  const Convex& a;
  const Convex& b;
  Mat3 R_AB;
  Vec3 p_AB;
  double size;  // the scale of tolerances

  bool is_curved() const { return a.core == Core::cylinder || b.core == Core::cylinder; }

  DifferencePoint of(const Extreme& on_a, const Extreme& on_b) const {
    return {on_a.p - (p_AB + R_AB * on_b.p), on_a, on_b};
  }
  // The farthest point in direction d.
  DifferencePoint support(const Vec3& d, int start_a = 0, int start_b = 0) const {
    return of(extreme(a, d, start_a), extreme(b, transpose_times(R_AB, -d), start_b));
  }
};

// The cores: how far apart, along which unit normal (frame of a, from b to a), between which
// points.
struct CoreSeparation {
  double distance = 0;
  Vec3 normal;
  Simplex foot;
};

// Of points and segments, in closed form.
CoreSeparation segment_separation(const Difference& difference);

// The least translation that takes the origin out of the difference.
struct Penetration {
  Vec3 normal;       // unit, outward, in the frame of a
  double depth = 0;  // this one parts the cores; none that is smaller by 1e-12 (curved: 1e-9) of
                     // the size does
  Simplex foot;      // the point of the boundary nearest to the origin, with weights
  Simplex seed;      // points that hold the origin: a good start of the next query
};

// `simplex` holds the origin, or comes so near to it that the cores touch.
Penetration penetration(const Difference& difference, const Simplex& simplex);

}  // namespace molejo

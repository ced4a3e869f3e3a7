// How far apart two convex solids are, where, and by which of their features.
//
//   apart        distance > 0, closest points, normal from b to a
//   overlapping  distance < 0: the least translation of a along the normal that parts them
//
// Method: GJK on the cores (Gilbert, Johnson, Keerthi 1988) with the sub-distances of Ericson,
// Real-Time Collision Detection (2005), 9.5; overlapping cores by the expanding polytope (van den
// Bergen 2001). The radii are taken off at the end, so spheres and capsules are exact.
// Features after Bacin (1999), section 7.4.
#pragma once

#include "molejo/collision/convex.h"

namespace molejo {

enum class FeatureKind : std::uint8_t { vertex, edge, face, surface };  // surface: a curved part
struct Feature {
  FeatureKind kind = FeatureKind::vertex;
  int index = 0;  // in the ConvexMesh; else as told below
  bool operator==(const Feature&) const = default;
};

// Features are those of the core. Segment: vertices 0 and 1 at -z and +z, edge 0. Triangle: edge i
// from corner i to the next, face 0. Cylinder: surface 0, rims edge 0 and 1 and caps face 0 and 1,
// at -z and +z. Point: vertex 0. A point within 1e-9 of the size of a smaller feature is on that.

struct Separation {
  double distance = 0;  // signed, m
  Vec3 p_a, p_b;        // on the two surfaces, world: p_a - p_b = distance normal
  Vec3 normal;          // unit, world, from b to a
  Feature a, b;         // that hold the two points
};

// Where the last query of a pair ended, in the solids' own frames: a start for the next one.
// Changes the speed, and the result by no more than rounding or the choice among equals.
struct SeparationCache {
  int count = 0;  // 0: nothing known
  int moves = 0;  // of the last query: how often the closest points had to move on
  Vec3 normal;    // in the frame of a; curved solids start from it, others from points
  int vertex_a[4] = {}, vertex_b[4] = {};
  Vec3 a[4], b[4];
};

// Error below 1e-10 of the size of the solids, with cylinders 1e-8 (their points: 1e-5). Never
// fails: solids that touch, coincide or contain each other included. Finite input gives finite
// results; no allocation.
Separation separation(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                      SeparationCache* cache = nullptr);

// Bacin's normalised pair: features whose dimensions add up to two (vertex-face, edge-edge), at the
// same distance, whose plane separates the two polyhedra (boxes and polyhedra only, apart or
// touching within `tolerance`). Degenerate pairs of the four other kinds become one of these. Of
// several the one whose plane leaves the widest gap. Solids that overlap by more may have none:
// then `separation` comes back. Not for inner loops: it allocates.
struct FeaturePair {
  Feature a, b;
  Vec3 p_a, p_b;
  Vec3 normal;        // from b to a, unit
  double offset = 0;  // the plane normal . x = offset, through the middle
};
FeaturePair normalized_pair(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                            const Separation& separation, double tolerance);

}  // namespace molejo

// Distances and depths without any cleverness: all features of one solid against all of the other.
#pragma once

#include "molejo/collision/convex.h"
#include "molejo/math/rotation.h"

// World coordinates of all vertices, faces and edges.
struct PlacedMesh {
  PlacedMesh(const molejo::ConvexMesh& mesh, const molejo::Pose& X_WS);
  // The core of a solid that is no cylinder. A point is an edge without length.
  PlacedMesh(const molejo::Convex& solid, const molejo::Pose& X_WS);

  std::vector<molejo::Vec3> vertices, normals, edge_directions;
  std::vector<std::vector<molejo::Vec3>> faces;
  std::vector<std::pair<molejo::Vec3, molejo::Vec3>> edges;
};

double point_segment_distance(const molejo::Vec3& p, const molejo::Vec3& a, const molejo::Vec3& b);
double segment_segment_distance(const molejo::Vec3& a, const molejo::Vec3& b, const molejo::Vec3& c,
                                const molejo::Vec3& d);
// To a convex polygon, itself included.
double point_polygon_distance(const molejo::Vec3& p, const std::vector<molejo::Vec3>& polygon,
                              const molejo::Vec3& normal);

// min over a of n . x minus max over b of n . x: how far the slab across n parts them.
double gap_along(const PlacedMesh& a, const PlacedMesh& b, const molejo::Vec3& n);

// Written anew, so that the library's support function does not judge itself.
molejo::Vec3 farthest(const molejo::Convex& core, const molejo::Vec3& direction);
double gap_along(const molejo::Convex& a, const molejo::Pose& X_WA, const molejo::Convex& b,
                 const molejo::Pose& X_WB, const molejo::Vec3& n);

// Distance of a point, in the solid's frame, from its surface: negative inside. Exact inside of
// polyhedra and for all other solids; outside of polyhedra the height above the highest face.
double signed_distance(const molejo::Convex& solid, const molejo::Vec3& p);

// The smallest distance of any two features.
double smallest_distance(const PlacedMesh& a, const PlacedMesh& b);

// max over all unit n of gap_along, when that is not positive: the largest is along a normal of a
// face or across two edges. When it is positive the smallest distance of any two features, and so
// too for two cores without faces.
double brute_force_separation(const PlacedMesh& a, const PlacedMesh& b);

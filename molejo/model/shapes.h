// Shapes of bodies: what is drawn, weighed and touched.
//
// All lengths in metres, in the shape's own frame S: round shapes have their axis along z, the
// plane is z = 0 with its normal along +z. X_BS places the shape on its body.
#pragma once

#include <array>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "molejo/math/rotation.h"

namespace molejo {

struct Sphere {
  double radius = 0;
};
struct Capsule {
  double radius = 0;
  double half_length = 0;  // of the straight part, without the caps
};
struct Box {
  Vec3 half;  // half extents
};
struct Cylinder {
  double radius = 0;
  double half_length = 0;
};
// Convex: the triangles are counter-clockwise seen from outside and cover a closed surface.
struct Polyhedron {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
// All below z = 0 is solid.
struct Plane {};
// A terrain z(x, y) on a grid whose middle is the origin; all below it is solid. The cell between
// four points is two triangles that meet along the diagonal from its corner of least x and y.
struct HeightField {
  int columns = 0, rows = 0;    // points along x and along y, two or more
  double dx = 1, dy = 1;        // between neighbouring points
  std::vector<double> heights;  // columns x rows, x running first, from -x and -y
};

using Geometry = std::variant<Sphere, Capsule, Box, Cylinder, Polyhedron, Plane, HeightField>;

struct Color {
  double r = 0.72, g = 0.70, b = 0.66, a = 1;
  bool operator==(const Color&) const = default;
};

// How a shape rubs and bounces; two shapes that touch combine theirs (scene.h, Combination).
struct Surface {
  double friction = 0.5;   // Coulomb's coefficient
  double restitution = 0;  // 0: stays, 1: bounces with all its speed
  bool operator==(const Surface&) const = default;
};

struct Shape {
  Geometry geometry;
  Pose X_BS;
  Color color;
  Surface surface = {};
  bool collides = true;  // false: only drawn and weighed
};

// The convex hull of a set of points, triangulated, outward. Throws InputError when there are
// fewer than four points or all lie in one plane (relative to the extent of the set).
Polyhedron convex_hull(std::span<const Vec3> points);

// Checks that `faces` (in any orientation) over `vertices` bound a convex body; returns them
// oriented outward. Throws InputError naming the face that is not on the hull.
Polyhedron convex_polyhedron(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> faces);

// Triangles for drawing. `segments` is the number of sides of a full turn.
struct Mesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  // one per position
  std::vector<std::array<int, 3>> triangles;
};
// Half the side of the square that stands for a plane.
inline constexpr double drawn_plane_half = 10;
Mesh tessellate(const Geometry& geometry, int segments = 32);

}  // namespace molejo

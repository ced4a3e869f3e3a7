// A convex solid as the distance queries see it: a core and a radius that swells it.
//
//   sphere = point + radius    capsule = segment + radius    box, cylinder, polyhedron: radius 0
//
// Cores are given by their support function, the farthest point in a direction, in the solid's own
// frame. Faces of polyhedra are polygons: coplanar triangles are merged.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "molejo/model/shapes.h"

namespace molejo {

// Vertices, edges and faces of a convex polyhedron, and how they are neighbours.
struct ConvexMesh {
  struct Face {
    Vec3 normal;        // unit, outward
    double offset = 0;  // normal . x on the face
    // Its corners in face_vertices, counter-clockwise; edge i, in face_edges, begins at corner i.
    int first = 0, count = 0;
  };
  struct Edge {
    int vertex[2];
    int face[2];  // left and right of the direction from vertex 0 to vertex 1
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<int> face_vertices, face_edges;
  std::vector<Edge> edges;
  // Of vertex i: neighbours[start[i] .. start[i+1]), ascending. A vertex without a farther
  // neighbour is the farthest of all; hence diagonals of faces may be among the neighbours.
  std::vector<int> neighbour_start, neighbours;
  // Around vertex i: vertex_faces[start[i] .. start[i+1]), ascending, and vertex_edges likewise.
  std::vector<int> vertex_start, vertex_faces, vertex_edges;
};

// The convex hull of the vertices. Coplanar neighbours (to 3e-7 of the extent: what single
// precision keeps) become one face; vertices inside a face or an edge are left out. Throws
// InputError when all vertices lie in one plane.
ConvexMesh convex_mesh(const Polyhedron& polyhedron);
// Vertex i has +x, +y, +z where bits 0, 1, 2 of i are set; face 2 axis + (1 on the positive side).
ConvexMesh box_mesh(const Vec3& half);

enum class Core : std::uint8_t { point, segment, triangle, box, cylinder, polyhedron };

// Refers to meshes that it does not own. Planes and height fields are not convex solids.
struct Convex {
  Core core = Core::point;
  double radius = 0;
  Vec3 half = {};                    // box: half extents; segment: (0, 0, h); cylinder: (r, r, h)
  Vec3 corner[3] = {};               // triangle
  const ConvexMesh* mesh = nullptr;  // polyhedron and box
  double reach = 0;                  // largest distance of a point of the solid from its origin
};

// Boxes and polyhedra add their mesh to `meshes`, which must live as long as the result.
// The geometry must not be a plane or a height field.
Convex make_convex(const Geometry& geometry, std::deque<ConvexMesh>& meshes);
Convex convex_triangle(const Vec3& a, const Vec3& b, const Vec3& c);

// Farthest point of the core in a direction (of any length), in the solid's frame.
Vec3 support(const Convex& a, const Vec3& direction);

}  // namespace molejo

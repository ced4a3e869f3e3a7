// Pieces that the readers of URDF and MJCF share.
#pragma once

#include <string>
#include <vector>

#include "molejo/io/mesh_file.h"
#include "molejo/io/xml.h"
#include "molejo/model/shapes.h"

namespace molejo {

struct Scene;

inline constexpr std::size_t max_imported_bodies = 20'000;

// The mesh as a convex polyhedron; a warning when that adds more than a thousandth to its volume.
// Errors (fewer than four points, all in one plane) name `at`.
Polyhedron hull_of_mesh(const TriangleMesh& mesh, const XmlValue& at, ImportWarnings& warnings);

// Volume enclosed by the triangles: sum of signed tetrahedra, positive when they face outward.
double enclosed_volume(const TriangleMesh& mesh);

// Indices of bodies that a joint moves although neither they nor anything they carry has mass,
// and whose joint has no rotor inertia. Parents must come before their children.
std::vector<std::size_t> weightless_moving_bodies(const Scene& scene);

}  // namespace molejo

// Triangle meshes in files: Wavefront OBJ (v and f lines) and STL (binary and ASCII).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/types.h"

namespace molejo {

struct TriangleMesh {
  std::vector<Vec3> vertices;                 // equal corners of STL triangles are one vertex
  std::vector<std::array<int, 3>> triangles;  // indices into the vertices
};

inline constexpr std::size_t max_mesh_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_mesh_vertices = 500'000;
inline constexpr std::size_t max_mesh_triangles = 1'000'000;

// By the ending of the path. Throws InputError: "path:line: value: what was expected".
TriangleMesh read_mesh(const std::string& path);

TriangleMesh parse_obj(std::string_view text, const std::string& file);
TriangleMesh parse_stl(std::string_view bytes, const std::string& file);

}  // namespace molejo

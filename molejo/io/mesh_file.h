// Triangle meshes in files: Wavefront OBJ (obj.h) and STL, binary and ASCII.
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/obj.h"

namespace molejo {

using TriangleMesh = ObjMesh;

inline constexpr std::size_t max_mesh_bytes = std::size_t{64} << 20;

// By the ending of the path; at least one triangle. Throws InputError: "path:line: value: what was
// expected".
TriangleMesh read_mesh(const std::string& path);

// Equal corners become one vertex.
TriangleMesh parse_stl(std::string_view bytes, const std::string& file);

}  // namespace molejo

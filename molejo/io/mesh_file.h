// Triangle meshes in files: Wavefront OBJ (obj.h) and STL, binary and ASCII.
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/obj.h"

namespace molejo {

using TriangleMesh = ObjMesh;

inline constexpr std::size_t max_mesh_bytes = std::size_t{64} << 20;

// By the ending of the name; at least one triangle. Throws InputError "file:line: what was
// expected", which quotes nothing.
TriangleMesh read_mesh(const SourceFile& file);

// Equal corners become one vertex.
TriangleMesh parse_stl(std::string_view bytes, const std::string& file);

}  // namespace molejo

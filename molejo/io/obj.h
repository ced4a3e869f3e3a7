// Wavefront OBJ: the vertices ("v x y z") and faces ("f a b c ...") of a mesh.
//
// Indices count from 1, negative ones from the last vertex so far; "a/t/n" names a texture
// coordinate and a normal, which are skipped, as is every other record. "o name" and "g name ..."
// say which object and which groups the faces after them belong to.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file_scope.h"
#include "molejo/math/types.h"

namespace molejo {

inline constexpr std::size_t max_obj_vertices = 1'000'000;
inline constexpr std::size_t max_obj_triangles = 2'000'000;
inline constexpr std::size_t max_obj_parts = 100'000;
inline constexpr std::size_t max_obj_part_corners = 16'000'000;  // of all parts together

// The vertices that the faces of an object or of a group use, in the order of the faces.
struct ObjPart {
  std::string name;
  std::vector<int> vertices;  // with repetitions
};

struct ObjMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // polygons as fans
  std::vector<ObjPart> objects = {},
                       groups = {};  // that have faces, in the order of the first face
};

// Throws InputError "file:line: ..." for a bad number or index, and when there are no vertices. It
// quotes nothing: what is named as a mesh may be anything.
ObjMesh parse_obj(std::string_view text, const std::string& file);
ObjMesh read_obj(const SourceFile& file);

}  // namespace molejo

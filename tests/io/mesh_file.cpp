#include "molejo/io/mesh_file.h"

#include <cstring>

#include "tests/support/imports.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A tetrahedron as binary STL.
std::string binary_stl() {
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  std::string bytes(80, 's');
  bytes += std::string("\4\0\0\0", 4);
  for (const auto& triangle : triangles) {
    bytes += std::string(12, '\0');
    for (const int corner : triangle) {
      char raw[12];
      std::memcpy(raw, corners[corner], sizeof raw);
      bytes.append(raw, sizeof raw);
    }
    bytes += std::string(2, '\0');
  }
  return bytes;
}

}  // namespace

TEST_CASE("mesh_file: binary and ASCII STL share corners") {
  const TriangleMesh binary = parse_stl(binary_stl(), "m.stl");
  CHECK(binary.vertices.size() == 4);
  CHECK(binary.triangles.size() == 4);
  const TriangleMesh ascii = parse_stl(
      "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\n"
      "endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\n"
      "vertex 0 1 0\nendloop\nendfacet\nendsolid\n",
      "m.stl");
  CHECK(ascii.vertices.size() == 4);
  CHECK(ascii.triangles[1] == std::array{1, 3, 2});
}

TEST_CASE("mesh_file: bad meshes are refused with file and line") {
  const auto stl = [](const std::string& text) {
    return error_text([&] { parse_stl(text, "m.stl"); });
  };
  CHECK(stl("") == "m.stl: expected STL: \"solid\", or 84 + 50 bytes for each triangle");
  CHECK(stl(binary_stl().substr(0, 200)) ==
        "m.stl: expected STL: \"solid\", or 84 + 50 bytes for each triangle");
  CHECK(stl("solid\nvertex 1 2 3\nendloop\n") ==
        "m.stl:3: endloop: expected three vertices before it");
  CHECK(stl("solid\nvertex 1 2 3\n") == "m.stl:2: the file ends inside a triangle");
  std::string nan = binary_stl();
  nan.replace(84 + 12, 4, std::string("\0\0\xc0\x7f", 4));
  CHECK(stl(nan) == "m.stl: triangle 1: expected finite numbers");
  std::string huge = binary_stl().substr(0, 84);
  huge.replace(80, 4, "\xff\xff\xff\xff");
  CHECK(stl(huge) == "m.stl: expected STL: \"solid\", or 84 + 50 bytes for each triangle");
  CHECK(stl("solid\nvertex 1 2\n") == "m.stl:2: expected three numbers");
  CHECK(stl("solid\nvertex 1 2 nan\n") == "m.stl:2: expected a finite number");
  CHECK(error_text([] { read_mesh(SourceFile::given("none.obj")); }) == "none.obj: no such file");
  CHECK(error_text([] { read_mesh(SourceFile::given("/dev/null")); }) ==
        "/dev/null: '' meshes cannot be read; expected .obj or .stl");
  const TemporaryFolder folder("mesh");
  folder.write("empty.obj", "v 0 0 0\n");
  CHECK(error_text([&] { read_mesh(SourceFile::given(folder.file("empty.obj"))); }) ==
        folder.file("empty.obj") + ": the mesh has no triangles");
}

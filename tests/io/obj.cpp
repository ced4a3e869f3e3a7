#include "molejo/io/obj.h"

#include <doctest/doctest.h>

#include "tests/support/error_text.h"

using namespace molejo;

namespace {

std::string error_of(const std::string& text) {
  return test::error_text([&] { parse_obj(text, "bad.obj"); });
}

}  // namespace

TEST_CASE("obj: vertices, polygons, references of all forms") {
  const ObjMesh mesh = parse_obj(
      "# a square and a triangle\r\n"
      "o thing\r\n"
      "v 0 0 0\nv 1 0 0 # corner\n  v\t1 1 0 1.0\nv -0.5e-1 +1 .25\n"
      "vt 0 0\nvn 0 0 1\n"
      "f 1 2 3 4\n"
      "f 1/1 2/1/1 -1//1\n"
      "s off\nusemtl stone",
      "square.obj");
  REQUIRE(mesh.vertices.size() == 4);
  CHECK(mesh.vertices[2] == Vec3{1, 1, 0});
  CHECK(mesh.vertices[3] == Vec3{-0.05, 1, 0.25});
  REQUIRE(mesh.triangles.size() == 3);
  CHECK(mesh.triangles[0] == std::array{0, 1, 2});
  CHECK(mesh.triangles[1] == std::array{0, 2, 3});
  CHECK(mesh.triangles[2] == std::array{0, 1, 3});
}

TEST_CASE("obj: errors name the line") {
  CHECK(error_of("") == "bad.obj: no vertices ('v x y z'), expected an OBJ file");
  CHECK(error_of("hello world") == "bad.obj: no vertices ('v x y z'), expected an OBJ file");
  CHECK(error_of("v 1 2") == "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 1 2 x") == "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 1 2 3..4") == "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 1 2 nan") == "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 1 2 inf") == "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 1 2 1e999") == "bad.obj:1: expected a coordinate");
  // whoever writes so many digits means no number
  CHECK(error_of("v 1 2 " + std::string(400, '1').replace(1, 1, ".") + "1") ==
        "bad.obj:1: expected a coordinate");
  CHECK(error_of("v 0 0 0\n\nf 1 1 2") ==
        "bad.obj:3: an index that is none of the 1 vertices so far");
  CHECK(error_of("v 0 0 0\nf 1 0 1") ==
        "bad.obj:2: an index that is none of the 1 vertices so far");
  CHECK(error_of("v 0 0 0\nf 1 -2 1") ==
        "bad.obj:2: an index that is none of the 1 vertices so far");
  CHECK(error_of("v 0 0 0\nf 1 a 1") == "bad.obj:2: expected the index of a vertex");
  CHECK(error_of("v 0 0 0\nf 1 99999999999 1") == "bad.obj:2: expected the index of a vertex");
  CHECK(error_of("v 0 0 0\nf 1 1") == "bad.obj:2: a face needs at least three vertices");
}

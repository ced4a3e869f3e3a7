// Height fields and meshes in the native scene file.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"
#include "tests/io/grey_png.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

// A folder of its own for each test.
std::string folder(const std::string& name) {
  const auto path = std::filesystem::path(test::binary_dir()) / "terrain" / name;
  std::filesystem::create_directories(path);
  return path.string() + "/";
}

std::vector<Shape> shapes(const std::string& shape, const std::string& beside = "") {
  const std::string text = R"({"bodies": [{"name": "a", "immobile": true, "shape": {)" + shape;
  return parse_scene(text + "}}]}", SourceFile::given(beside + "test.json")).bodies.at(0).shapes;
}
HeightField field(const std::string& keys, const std::string& beside = "") {
  return std::get<HeightField>(shapes("\"height_field\": {" + keys + "}", beside).at(0).geometry);
}
std::string error_of(const std::string& shape, const std::string& beside = "") {
  try {
    shapes(shape, beside);
  } catch (const InputError& e) {
    const std::string text = e.what();
    return text.substr(text.find("test.json:1: /bodies/0/shape") + 28);
  }
  return "no error";
}

constexpr const char* two_wedges =
    "g all\n"
    "o left wedge\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"
    "o right\nv -1 0 0\ng all other\nf 1 3 4\nf 1 5 -3\nf 3 4 5\nf 1 4 5\n";

}  // namespace

TEST_CASE("height field: rows are as on a map, the first at +y") {
  const HeightField f = field(R"("spacing": [0.5, 2], "heights": [[1, 2, "=1+2"], [4, 5, 6]])");
  CHECK(f.columns == 3);
  CHECK(f.rows == 2);
  CHECK(f.dx == 0.5);
  CHECK(f.dy == 2);
  CHECK(f.heights == std::vector<double>{4, 5, 6, 1, 2, 3});
}

TEST_CASE("height field: the size is that of the whole") {
  const HeightField f = field(R"("size": [3, 4], "heights": [[0, 0, 0, 0], [0, 0, 0, 0]])");
  CHECK(f.dx == 1);
  CHECK(f.dy == 4);
  const HeightField square = field(R"("size": 6, "heights": [[0, 0, 0], [0, 0, 0], [0, 0, 0]])");
  CHECK(square.dx == 3);
  CHECK(square.dy == 3);
}

TEST_CASE("height field: black and white of an image are low and high") {
  const std::string beside = folder("image");
  write_file(beside + "hill.png", test::grey_png({{0, 51}, {255, 102}, {0, 0}}, 8));
  write_file(beside + "fine.png", test::grey_png({{0, 65535}, {13107, 0}}, 16));
  const HeightField f = field(R"("image": "hill.png", "size": 2, "height": [-1, 4])", beside);
  CHECK(f.columns == 2);
  CHECK(f.rows == 3);
  CHECK(f.dx == 2);
  CHECK(f.dy == 1);
  const std::vector<double> expected{-1, -1, 4, 1, -1, 0};
  REQUIRE(f.heights.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(f.heights[i] == doctest::Approx(expected[i]));
  const HeightField g = field(R"("image": "fine.png", "spacing": 1, "height": 10)", beside);
  CHECK(g.heights == std::vector<double>{2, 0, 0, 10});
}

TEST_CASE("height field: bad ones are told with their place") {
  const std::string beside = folder("bad_image");
  write_file(beside + "dot.png", test::grey_png({{0}}, 8));
  write_file(beside + "text.png", "no image");
  const auto bad = [&](const std::string& keys) {
    return error_of("\"height_field\": {" + keys + "}", beside);
  };
  CHECK(bad(R"("size": 1)") == "/height_field: {\"size\": 1}: key 'heights' or 'image' is missing");
  CHECK(bad(R"("heights": [[0, 1], [2, 3]])") ==
        "/height_field: {\"heights\": [[0, 1], [2, 3]]}: key 'size' or 'spacing' is missing");
  CHECK(bad(R"("size": 1, "heights": [[0, 1]])") ==
        "/height_field/heights: [[0, 1]]: expected two or more rows");
  CHECK(bad(R"("size": 1, "heights": [[0], [1]])") ==
        "/height_field/heights/0: [0]: expected two or more heights in a row");
  CHECK(bad(R"("size": 1, "heights": [[0, 1], [1, 2, 3]])") ==
        "/height_field/heights/1: [1, 2, 3]: 3 heights, but the first row has 2");
  CHECK(bad(R"("size": 1, "height": 1, "heights": [[0, 1], [1, 2]])") ==
        "/height_field/height: 1: only an image has a range of heights");
  CHECK(bad(R"("size": 0, "heights": [[0, 1], [1, 2]])") ==
        "/height_field/size: 0: must be greater than zero");
  CHECK(bad(R"("size": [1, 2, 3], "heights": [[0, 1], [1, 2]])") ==
        "/height_field/size: [1, 2, 3]: expected a number or [x, y]");
  CHECK(bad(R"("size": 1, "spacing": 1, "heights": [[0, 1], [1, 2]])") ==
        "/height_field/spacing: 1: 'size' and 'spacing' exclude each other");
  CHECK(bad(R"("spacing": 1e308, "heights": [[0, 1, 2, 3], [0, 1, 2, 3]])") ==
        "/height_field/spacing: 1e+308: must be 1e+30 at most");
  CHECK(bad(R"("size": 5e-324, "heights": [[0, 1, 2, 3], [0, 1, 2, 3]])") ==
        "/height_field/size: 5e-324: too small for so many points");
  CHECK(bad(R"("size": 1, "image": "dot.png")").find("key 'height' is missing") !=
        std::string::npos);
  CHECK(bad(R"("size": 1, "height": 1, "image": "dot.png")") ==
        "/height_field/image: \"dot.png\": the image has less than 2 x 2 pixels");
  CHECK(bad(R"("size": 1, "height": 1, "image": "text.png")") ==
        "/height_field/image: \"text.png\": " + beside + "text.png: not a PNG image");
  CHECK(bad(R"("size": 1, "height": 1, "image": "none.png")") ==
        "/height_field/image: \"none.png\": " + beside + "none.png: no such file");
}

TEST_CASE("mesh: its parts are hulls, by vertex indices") {
  const std::vector<Shape> parts = shapes(
      R"("mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[-1,0,0]], "scale": 2,
         "parts": [[0, 1, 2, 3], [0, 4, 2, 3]]}, "position": [5, 0, 0], "friction": 0.1, "color": "#ff0000")");
  REQUIRE(parts.size() == 2);
  for (const Shape& part : parts) {
    CHECK(std::get<Polyhedron>(part.geometry).triangles.size() == 4);
    CHECK(part.X_BS.p == Vec3{5, 0, 0});
    CHECK(part.surface.friction == 0.1);
    CHECK(part.color == Color{1, 0, 0, 1});
    CHECK(mass_properties(part, 1).mass == doctest::Approx(8.0 / 6).epsilon(1e-14));
  }
  CHECK(mass_properties(parts[0], 1).p_BC.x == doctest::Approx(5.5));
  CHECK(mass_properties(parts[1], 1).p_BC.x == doctest::Approx(4.5));
}

TEST_CASE("mesh: parts of an OBJ file are its objects or groups") {
  const std::string beside = folder("mesh");
  write_file(beside + "wedges.obj", two_wedges);
  const auto volumes = [&](const std::string& keys) {
    std::vector<double> all;
    for (const Shape& part : shapes("\"mesh\": {\"obj\": \"wedges.obj\"" + keys + "}", beside)) {
      all.push_back(std::round(6 * mass_properties(part, 1).mass * 1e12) / 1e12);
    }
    return all;
  };
  CHECK(volumes("") == std::vector<double>{1, 1});
  CHECK(volumes(R"(, "parts": ["right"])") == std::vector<double>{1});
  CHECK(volumes(R"(, "parts": ["left wedge", "all"])") == std::vector<double>{1, 2});
  CHECK(volumes(R"(, "parts": ["other", [0, 1, 2, 3, 4]])") == std::vector<double>{1, 2});
}

TEST_CASE("mesh: bad ones are told with their place") {
  const std::string beside = folder("bad_mesh");
  write_file(beside + "wedges.obj", two_wedges);
  write_file(beside + "plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
  const auto bad = [&](const std::string& keys) {
    return error_of("\"mesh\": {" + keys + "}", beside);
  };
  CHECK(bad(R"("obj": "plain.obj")") ==
        "/mesh: {\"obj\": \"plain.obj\"}: key 'parts' is missing, and the mesh has no objects or "
        "groups");
  CHECK(bad(R"("obj": "wedges.obj", "parts": ["rihgt"])") ==
        "/mesh/parts/0: \"rihgt\": unknown object or group 'rihgt'; did you mean 'right'?");
  CHECK(bad(R"("obj": "wedges.obj", "parts": [])") ==
        "/mesh/parts: []: expected at least one part");
  CHECK(bad(R"("obj": "wedges.obj", "parts": [[0, 1, 2, 5]])") ==
        "/mesh/parts/0/3: 5: must be from 0 to 4");
  CHECK(bad(R"("obj": "wedges.obj", "parts": [[0, 1, 2]])")
            .starts_with("/mesh/parts/0: [0, 1, 2]: "));
  CHECK(bad(R"("obj": "wedges.obj", "vertices": [])") ==
        "/mesh/vertices: []: 'obj' and 'vertices' exclude each other");
  CHECK(bad(R"("parts": [])") == "/mesh: {\"parts\": []}: key 'obj' or 'vertices' is missing");
}

// The shapes of bodies, and how they rub and bounce.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "molejo/io/json_place.h"
#include "molejo/io/plane_names.h"
#include "molejo/io/png.h"
#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// Sets the length of a round shape, and its pose when it is given by its two ends.
template <class Round>
Round read_round(const JsonCursor& cursor, SceneObject kind, Pose& X_BS) {
  cursor.expect_keys(scene_keys(kind));
  Round round;
  round.radius = cursor.need("radius").positive();
  if (!cursor.has("from") && !cursor.has("to")) {
    round.half_length = cursor.need("length").positive() / 2;
    return round;
  }
  cursor.only_one({"length", "from"});
  const Vec3 from = cursor.need("from").vec3(), to = cursor.need("to").vec3();
  const Vec3 along = to - from;
  const double length = norm(along);
  if (!(length > 0)) cursor.fail("'from' and 'to' are the same point");
  round.half_length = length / 2;
  X_BS = tidy(X_BS * Pose{direction_frame(along / length), (from + to) * 0.5});
  return round;
}

std::vector<Vec3> read_vertices(const JsonCursor& cursor) {
  cursor.expect_array(max_scene_vertices);
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < cursor.size(); ++i) vertices.push_back(cursor[i].vec3());
  return vertices;
}

// polygons as fans of triangles
std::vector<std::array<int, 3>> read_faces(const JsonCursor& cursor, std::size_t vertices) {
  cursor.expect_array(2 * max_scene_vertices);
  std::vector<std::array<int, 3>> triangles;
  const int last = static_cast<int>(vertices) - 1;
  for (std::size_t f = 0; f < cursor.size(); ++f) {
    const JsonCursor face = cursor[f];
    if (!face.is_array() || face.size() < 3) face.fail("expected a face of 3 or more vertices");
    for (std::size_t i = 2; i < face.size(); ++i) {
      triangles.push_back(
          {face[0].whole(0, last), face[i - 1].whole(0, last), face[i].whole(0, last)});
    }
  }
  return triangles;
}

// Friction, restitution and whether it collides, where they are given.
void read_surface(const JsonCursor& cursor, Surface& surface, bool& collides) {
  cursor.read_not_negative("friction", surface.friction);
  cursor.read_between("restitution", 0, 1, surface.restitution);
  cursor.read("collides", collides);
}

void scale_all(std::vector<Vec3>& vertices, double scale) {
  if (scale == 1) return;
  for (Vec3& v : vertices) v = v * scale;
}

// Rows as on a map: the first one at +y, x to the right.
void read_heights(const JsonCursor& rows, HeightField& field) {
  field.rows = static_cast<int>(rows.size());
  field.columns = static_cast<int>(rows[0].size());
  for (std::size_t r = rows.size(); r-- > 0;) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) field.heights.push_back(rows[r][c].number());
  }
}

// Points from the key "cells", a number or [x, y]: one more than cells.
void read_cells(const JsonCursor& cursor, HeightField& field) {
  constexpr int most = 100'000;
  if (cursor.is_number()) {
    field.columns = field.rows = cursor.whole(1, most) + 1;
    return;
  }
  if (!cursor.is_array() || cursor.size() != 2) cursor.fail("expected a number or [x, y]");
  field.columns = cursor[0].whole(1, most) + 1;
  field.rows = cursor[1].whole(1, most) + 1;
}

// The distance between neighbouring points, given as it is or by the size of the whole.
void read_spacing(const JsonCursor& cursor, HeightField& field) {
  const std::string_view key = cursor.only_one({"size", "spacing"});
  if (key.empty()) cursor.fail("key 'size' or 'spacing' is missing");
  const JsonCursor value = cursor.need(key);
  double along[2] = {};
  if (value.is_number()) {
    along[0] = along[1] = value.positive();
  } else {
    if (!value.is_array() || value.size() != 2) value.fail("expected a number or [x, y]");
    for (std::size_t k = 0; k < 2; ++k) along[k] = value[k].positive();
  }
  field.dx = key == "size" ? along[0] / (field.columns - 1) : along[0];
  field.dy = key == "size" ? along[1] / (field.rows - 1) : along[1];
  if (!(field.dx > 0 && field.dy > 0)) value.fail("too small for so many points");
}

// The heights of a formula in x and y.
void sample_heights(const JsonCursor& cursor, HeightField& field, std::size_t& operations) {
  const std::string text = cursor.word();
  try {
    const Formula formula{.text = text, .wanted = Wanted::number};
    const ExpressionProgram program = compile({}, {&formula, 1}, PlaneNames(cursor.scope()));
    const auto points =
        static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
    constexpr std::size_t most = 1'000'000'000;  // a few seconds
    operations += points * (program.code.size() + 1);
    if (operations > most) cursor.fail("too long a formula for so many points");
    ExpressionWorkspace work(program);
    field.heights.reserve(points);
    for (int r = 0; r < field.rows; ++r) {
      for (int c = 0; c < field.columns; ++c) {
        const double at[] = {(c - 0.5 * (field.columns - 1)) * field.dx,
                             (r - 0.5 * (field.rows - 1)) * field.dy};
        evaluate(program, at, work);
        const double z = output(program, 0, work);
        if (!std::isfinite(z)) {
          cursor.fail(fmt::format("has no finite value at x = {:g}, y = {:g}", at[0], at[1]));
        }
        field.heights.push_back(z);
      }
    }
  } catch (const ExpressionError& e) {
    cursor.fail(e.what());
  }
}

}  // namespace

void BodyReader::count_vertices(const JsonCursor& cursor, std::size_t count) {
  vertices_ += count;
  if (vertices_ <= max_scene_vertices) return;
  cursor.fail(fmt::format("more than {} vertices in the scene", max_scene_vertices));
}

void BodyReader::count_heights(const JsonCursor& cursor, std::size_t count) {
  heights_ += count;
  if (heights_ <= max_scene_heights) return;
  cursor.fail(fmt::format("more than {} heights in the scene", max_scene_heights));
}

const ObjMesh& BodyReader::obj_mesh(const JsonCursor& name) {
  const SourceFile file = file_beside(name);
  const auto known = obj_meshes_.find(file.name());
  if (known != obj_meshes_.end()) return known->second;
  ObjMesh mesh = placed(name, [&] { return read_obj(file); });
  return obj_meshes_.emplace(file.name(), std::move(mesh)).first->second;
}

Polyhedron BodyReader::read_polyhedron(const JsonCursor& cursor) {
  cursor.expect_keys(scene_keys(SceneObject::polyhedron));
  const std::string_view source = cursor.only_one({"vertices", "obj"});
  if (source.empty()) cursor.fail("key 'vertices' or 'obj' is missing");
  const double scale = cursor.has("scale") ? cursor.need("scale").positive() : 1;
  const JsonCursor from = cursor.need(source);
  std::vector<Vec3> vertices;
  if (source == "obj") {
    if (cursor.has("faces")) cursor.need("faces").fail("the hull of an OBJ file has its own faces");
    const SourceFile file = file_beside(from);
    if (!obj_hulls_.contains(file.name())) {
      // every later use needs the corners only
      obj_hulls_[file.name()] =
          placed(from, [&] { return convex_hull(read_obj(file).vertices).vertices; });
    }
    vertices = obj_hulls_[file.name()];
  } else {
    vertices = read_vertices(from);
  }
  count_vertices(cursor, vertices.size());
  scale_all(vertices, scale);
  return placed(cursor, [&] {
    const auto faces = cursor.find("faces");
    if (!faces) return convex_hull(vertices);
    const std::size_t count = vertices.size();
    return convex_polyhedron(std::move(vertices), read_faces(*faces, count));
  });
}

std::vector<Polyhedron> BodyReader::read_mesh(const JsonCursor& cursor) {
  cursor.expect_keys(scene_keys(SceneObject::mesh));
  const std::string_view source = cursor.only_one({"obj", "vertices"});
  if (source.empty()) cursor.fail("key 'obj' or 'vertices' is missing");
  const double scale = cursor.has("scale") ? cursor.need("scale").positive() : 1;
  const JsonCursor from = cursor.need(source);
  ObjMesh own;
  if (source == "vertices") own.vertices = read_vertices(from);
  const ObjMesh& mesh = source == "obj" ? obj_mesh(from) : own;
  count_vertices(cursor, own.vertices.size());

  std::vector<Polyhedron> hulls;
  const auto add_hull = [&](const JsonCursor& at, std::vector<int> indices) {
    if (++shapes_ > max_scene_shapes) at.fail(fmt::format("more than {} shapes", max_scene_shapes));
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    count_vertices(at, indices.size());
    std::vector<Vec3> points;
    for (const int i : indices) points.push_back(mesh.vertices[static_cast<std::size_t>(i)]);
    scale_all(points, scale);
    hulls.push_back(placed(at, [&] { return convex_hull(points); }));
  };

  const auto parts = cursor.find("parts");
  if (!parts) {
    // every object of the file, or every group where it has no objects
    const std::vector<ObjPart>& all = mesh.objects.empty() ? mesh.groups : mesh.objects;
    if (all.empty()) cursor.fail("key 'parts' is missing, and the mesh has no objects or groups");
    for (const ObjPart& part : all) add_hull(from, part.vertices);
    return hulls;
  }
  parts->expect_array(max_scene_shapes);
  if (parts->size() == 0) parts->fail("expected at least one part");
  const int last = static_cast<int>(mesh.vertices.size()) - 1;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const JsonCursor part = (*parts)[k];
    std::vector<int> indices;
    if (part.is_array()) {
      for (std::size_t i = 0; i < part.size(); ++i) indices.push_back(part[i].whole(0, last));
    } else {
      const std::string name = part.name();
      std::vector<std::string> known;
      const ObjPart* found = nullptr;
      for (const std::vector<ObjPart>* list : {&mesh.objects, &mesh.groups}) {
        for (const ObjPart& candidate : *list) {
          known.push_back(candidate.name);
          if (!found && candidate.name == name) found = &candidate;
        }
      }
      if (!found) part.fail(unknown_word("object or group", name, known));
      indices = found->vertices;
    }
    add_hull(part, std::move(indices));
  }
  return hulls;
}

HeightField BodyReader::read_height_field(const JsonCursor& cursor) {
  cursor.expect_keys(scene_keys(SceneObject::height_field));
  const std::string_view source = cursor.only_one({"heights", "image"});
  if (source.empty()) cursor.fail("key 'heights' or 'image' is missing");
  const JsonCursor from = cursor.need(source);
  HeightField field;
  const bool by_formula = source == "heights" && from.is_string();
  if (!by_formula && cursor.has("cells")) {
    cursor.need("cells").fail("only a formula needs a number of cells");
  }
  if (by_formula) {
    if (cursor.has("height")) cursor.need("height").fail("only an image has a range of heights");
    read_cells(cursor.need("cells"), field);
    count_heights(from,
                  static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows));
    read_spacing(cursor, field);
    sample_heights(from, field, height_operations_);
    return field;
  }
  if (source == "heights") {
    if (cursor.has("height")) cursor.need("height").fail("only an image has a range of heights");
    from.expect_array(max_scene_heights);
    if (from.size() < 2) from.fail("expected two or more rows");
    for (std::size_t r = 0; r < from.size(); ++r) {
      from[r].expect_array(max_scene_heights);
      if (from[r].size() < 2) from[r].fail("expected two or more heights in a row");
      if (from[r].size() != from[0].size()) {
        from[r].fail(
            fmt::format("{} heights, but the first row has {}", from[r].size(), from[0].size()));
      }
    }
    count_heights(from, from.size() * from[0].size());
    read_heights(from, field);
  } else {
    // black is low, white is high
    double low = 0, high = 0;
    const JsonCursor range = cursor.need("height");
    if (range.is_number()) {
      high = range.number();
    } else {
      const std::vector<double> ends = range.numbers(2);
      low = ends[0], high = ends[1];
    }
    const GreyImage image =
        placed(from, [&] { return read_png(file_beside(from), max_scene_heights); });
    if (image.width < 2 || image.height < 2) from.fail("the image has less than 2 x 2 pixels");
    count_heights(from, image.pixels.size());
    field.columns = image.width;
    field.rows = image.height;
    for (int r = image.height - 1; r >= 0; --r) {
      for (int c = 0; c < image.width; ++c) {
        const double white =
            image.pixels[static_cast<std::size_t>(r) * static_cast<std::size_t>(image.width) +
                         static_cast<std::size_t>(c)];
        field.heights.push_back(low * (1 - white) + high * white);
      }
    }
  }
  read_spacing(cursor, field);
  return field;
}

Geometry BodyReader::read_geometry(const JsonCursor& cursor, std::string_view kind, Pose& X_BS) {
  if (kind == "sphere") {
    if (cursor.is_number()) return Sphere{cursor.positive()};
    cursor.expect_keys(scene_keys(SceneObject::sphere));
    return Sphere{cursor.need("radius").positive()};
  }
  if (kind == "box") {
    if (cursor.is_number()) {
      const double half = cursor.positive() / 2;
      return Box{{half, half, half}};
    }
    cursor.vec3();
    return Box{{cursor[0].positive() / 2, cursor[1].positive() / 2, cursor[2].positive() / 2}};
  }
  if (kind == "capsule") return read_round<Capsule>(cursor, SceneObject::capsule, X_BS);
  if (kind == "cylinder") return read_round<Cylinder>(cursor, SceneObject::cylinder, X_BS);
  if (kind == "polyhedron") return read_polyhedron(cursor);
  if (kind == "height_field") return read_height_field(cursor);
  if (!cursor.boolean()) cursor.fail("expected true");
  return Plane{};
}

ShapeDefaults BodyReader::defaults_of(const JsonCursor& body, const Material* material) const {
  ShapeDefaults defaults;
  if (material) {
    Surface& surface = defaults.surface;
    defaults.color = material->color.value_or(defaults.color);
    surface.friction = material->friction.value_or(surface.friction);
    surface.restitution = material->restitution.value_or(surface.restitution);
  }
  if (const auto color = body.find("color")) defaults.color = read_color(*color, colors_);
  read_surface(body, defaults.surface, defaults.collides);
  return defaults;
}

void BodyReader::read_shape(const JsonCursor& cursor, const ShapeDefaults& defaults,
                            SceneBody& body) {
  cursor.expect_keys(scene_keys(SceneObject::shape));
  if (++shapes_ > max_scene_shapes)
    cursor.fail(fmt::format("more than {} shapes", max_scene_shapes));
  Shape shape;
  shape.X_BS = read_pose(cursor);
  shape.color = defaults.color;
  if (const auto color = cursor.find("color")) shape.color = read_color(*color, colors_);
  shape.surface = defaults.surface;
  shape.collides = defaults.collides;
  read_surface(cursor, shape.surface, shape.collides);
  const std::string_view kind = cursor.only_one(
      {"sphere", "capsule", "box", "cylinder", "polyhedron", "plane", "height_field", "mesh"});
  if (kind.empty()) {
    cursor.fail(
        "expected one of the keys sphere, capsule, box, cylinder, polyhedron, plane, height_field, "
        "mesh");
  }
  if (kind != "mesh") {
    shape.geometry = read_geometry(cursor.need(kind), kind, shape.X_BS);
    body.shapes.push_back(std::move(shape));
    return;
  }
  for (Polyhedron& part : read_mesh(cursor.need(kind))) {
    shape.geometry = std::move(part);
    body.shapes.push_back(shape);
  }
}

void BodyReader::read_shapes(const JsonCursor& cursor, const ShapeDefaults& defaults,
                             SceneBody& body) {
  cursor.only_one({"shape", "shapes"});
  if (const auto shape = cursor.find("shape")) read_shape(*shape, defaults, body);
  const auto shapes = cursor.find("shapes");
  if (!shapes) return;
  shapes->expect_array(max_scene_shapes);
  for (std::size_t i = 0; i < shapes->size(); ++i) read_shape((*shapes)[i], defaults, body);
}

}  // namespace molejo

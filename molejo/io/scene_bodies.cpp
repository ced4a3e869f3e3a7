// Bodies, shapes, materials.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "molejo/io/obj.h"
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

// Mass properties of the shapes, scaled to the mass that is wanted.
MassProperties scaled_to(double mass, const JsonCursor& cursor, const std::vector<Shape>& shapes) {
  MassProperties m;
  for (const Shape& shape : shapes) m = m + mass_properties(shape, 1);
  if (!(m.mass > 0) || !std::isfinite(mass / m.mass)) {
    cursor.fail("a 'mass' needs a shape with a volume; without one give 'mass_properties'");
  }
  m.I_BC = m.I_BC * (mass / m.mass);
  m.mass = mass;
  return m;
}

MassProperties read_mass_properties(const JsonCursor& cursor) {
  cursor.expect_keys(scene_keys(SceneObject::mass_properties));
  MassProperties m;
  m.mass = cursor.need("mass").not_negative();
  cursor.read("center", m.p_BC);
  if (const auto inertia = cursor.find("inertia")) {
    if (!inertia->is_array() || (inertia->size() != 3 && inertia->size() != 6)) {
      inertia->fail("expected [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    }
    std::vector<double> I = inertia->numbers(inertia->size());
    I.resize(6, 0);
    m.I_BC = {I[0], I[1], I[2], I[3], I[4], I[5]};
  }
  return m;
}

void read_mass(const JsonCursor& cursor, SceneBody& body) {
  cursor.only_one({"mass", "mass_properties"});
  cursor.only_one({"mass", "density"});
  cursor.read_positive("density", body.density);
  if (const auto mass = cursor.find("mass")) {
    body.given = scaled_to(mass->positive(), *mass, body.shapes);
  }
  const auto properties = cursor.find("mass_properties");
  if (!properties) return;
  body.given = read_mass_properties(*properties);
  if (body.immobile || body.massless) return;
  if (body.given->mass == 0) properties->need("mass").fail("must be greater than zero");
  const auto inertia = properties->find("inertia");
  if (!inertia) properties->fail("key 'inertia' is missing");
  if (!is_physical_inertia(body.given->I_BC)) {
    inertia->fail(
        "not the inertia of a solid: it must be positive definite, and no principal moment above "
        "the sum of the other two");
  }
}

void read_velocity(const JsonCursor& cursor, const Surroundings& around, SceneBody& body) {
  const std::string_view angular = cursor.only_one({"angular_velocity", "angular_velocity_deg"});
  if (angular.empty() && !cursor.has("velocity")) return;
  SceneBody::Velocity v;
  cursor.read("velocity", v.linear);
  if (!angular.empty()) v.angular = cursor.need(angular).vec3();
  if (angular == "angular_velocity_deg") {
    v.angular = {radians(v.angular.x), radians(v.angular.y), radians(v.angular.z)};
  }
  if (around.X_WI.R != Mat3::identity()) {
    v = {around.X_WI.R * v.linear, around.X_WI.R * v.angular};
  }
  body.velocity = v;
}

}  // namespace

void BodyReader::read_palette(const JsonCursor& scene) {
  constexpr std::size_t longest = 1000;
  const auto expect_map = [&](const JsonCursor& map) {
    map.expect_object();
    if (map.size() > longest) map.fail(fmt::format("more than {} entries", longest));
  };
  if (const auto colors = scene.find("colors")) {
    expect_map(*colors);
    for (std::size_t i = 0; i < colors->size(); ++i) {
      colors_[colors->value().keys[i]] = read_color((*colors)[i], colors_);
    }
  }
  const auto materials = scene.find("materials");
  if (!materials) return;
  expect_map(*materials);
  for (std::size_t i = 0; i < materials->size(); ++i) {
    const JsonCursor item = (*materials)[i];
    item.expect_keys(scene_keys(SceneObject::material));
    Material& material = materials_[materials->value().keys[i]];
    if (const auto density = item.find("density")) material.density = density->positive();
    if (const auto color = item.find("color")) material.color = read_color(*color, colors_);
  }
}

Color BodyReader::color_of(const JsonCursor& cursor, const Color& otherwise) const {
  const auto color = cursor.find("color");
  return color ? read_color(*color, colors_) : otherwise;
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
    // beside the scene file
    const std::filesystem::path folder =
        std::filesystem::path(cursor.document().file).parent_path();
    const std::string path = (folder / from.name()).string();
    const auto known = obj_files_.find(path);
    if (known != obj_files_.end()) {
      vertices = known->second;
    } else {
      try {
        // every later use needs the corners only
        vertices = convex_hull(read_obj(path).vertices).vertices;
      } catch (const InputError& e) {
        from.fail(e.what());
      }
      obj_files_[path] = vertices;
    }
  } else {
    vertices = read_vertices(from);
  }
  vertices_ += vertices.size();
  if (vertices_ > max_scene_vertices) {
    cursor.fail(fmt::format("more than {} vertices in the scene", max_scene_vertices));
  }
  if (scale != 1) {
    for (Vec3& v : vertices) v = v * scale;
  }
  try {
    const auto faces = cursor.find("faces");
    if (!faces) return convex_hull(vertices);
    const std::size_t count = vertices.size();
    return convex_polyhedron(std::move(vertices), read_faces(*faces, count));
  } catch (const InputError& e) {
    // errors of single values already name their place
    if (std::string_view(e.what()).starts_with(cursor.document().file + ":")) throw;
    cursor.fail(e.what());
  }
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
  if (!cursor.boolean()) cursor.fail("expected true");
  return Plane{};
}

Shape BodyReader::read_shape(const JsonCursor& cursor, const Color& color) {
  cursor.expect_keys(scene_keys(SceneObject::shape));
  if (++shapes_ > max_scene_shapes)
    cursor.fail(fmt::format("more than {} shapes", max_scene_shapes));
  Shape shape;
  shape.X_BS = read_pose(cursor);
  shape.color = color_of(cursor, color);
  const std::string_view kind =
      cursor.only_one({"sphere", "capsule", "box", "cylinder", "polyhedron", "plane"});
  if (kind.empty()) {
    cursor.fail("expected one of the keys sphere, capsule, box, cylinder, polyhedron, plane");
  }
  shape.geometry = read_geometry(cursor.need(kind), kind, shape.X_BS);
  return shape;
}

void BodyReader::read_shapes(const JsonCursor& cursor, const Color& color, SceneBody& body) {
  cursor.only_one({"shape", "shapes"});
  if (const auto shape = cursor.find("shape")) body.shapes.push_back(read_shape(*shape, color));
  const auto shapes = cursor.find("shapes");
  if (!shapes) return;
  shapes->expect_array(max_scene_shapes);
  for (std::size_t i = 0; i < shapes->size(); ++i) {
    body.shapes.push_back(read_shape((*shapes)[i], color));
  }
}

SceneBody BodyReader::read(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::body));
  SceneBody body;
  const JsonCursor name = cursor.need("name");
  body.name = around.prefix + name.name();
  if (body.name == "world") name.fail("this name is taken by the world");
  body.X_WB = read_pose(cursor);
  if (around.X_WI != Pose{}) body.X_WB = tidy(around.X_WI * body.X_WB);

  Color color;
  if (const auto word = cursor.find("material")) {
    const auto found = materials_.find(word->word());
    if (found == materials_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, material] : materials_) known.push_back(key);
      word->fail(unknown_word("material", word->word(), known));
    }
    body.density = found->second.density.value_or(body.density);
    color = found->second.color.value_or(color);
  }
  read_shapes(cursor, color_of(cursor, color), body);
  cursor.read("immobile", body.immobile);
  cursor.read("massless", body.massless);
  read_mass(cursor, body);
  read_velocity(cursor, around, body);
  return body;
}

}  // namespace molejo

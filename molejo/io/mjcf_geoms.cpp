#include <algorithm>
#include <cmath>
#include <numbers>

#include "molejo/io/mjcf_parts.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr Color geom_gray{0.5, 0.5, 0.5, 1};

template <class Names>
std::vector<std::string> keys(const Names& named) {
  std::vector<std::string> all;
  for (const auto& entry : named) all.push_back(entry.first);
  return all;
}

Color color_from(const XmlValue& rgba) {
  const std::vector<double> c = rgba.numbers(4, 4);
  return {c[0], c[1], c[2], c[3]};
}

Color geom_color(const MjcfElement& geom, const MjcfReading& reading) {
  const auto rgba = geom.find("rgba"), material = geom.find("material");
  if (rgba) return color_from(*rgba);
  if (!material) return geom_gray;
  const auto found = reading.materials.find(material->text());
  if (found == reading.materials.end()) {
    material->fail(unknown_word("material", shown(material->text()), keys(reading.materials)));
  }
  return found->second;
}

// Corners of a mesh written in the file itself.
TriangleMesh inline_mesh(const MjcfElement& element, const XmlValue& vertex) {
  TriangleMesh mesh;
  const std::vector<double> v = vertex.numbers(12, 3 * max_obj_vertices);
  if (v.size() % 3 != 0) vertex.fail("expected three numbers for each vertex");
  for (std::size_t i = 0; i < v.size(); i += 3) mesh.vertices.push_back({v[i], v[i + 1], v[i + 2]});

  const auto face = element.find("face");
  if (!face) {
    try {
      const Polyhedron hull = convex_hull(mesh.vertices);
      return {hull.vertices, hull.triangles};
    } catch (const InputError& error) {
      vertex.fail(error.what());
    }
  }
  const std::vector<double> f = face->numbers(3, 3 * max_obj_triangles);
  if (f.size() % 3 != 0) face->fail("expected three vertices for each face");
  for (std::size_t i = 0; i < f.size(); i += 3) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double corner = f[i + k];
      if (corner != std::floor(corner) || corner < 0 ||
          corner >= static_cast<double>(mesh.vertices.size())) {
        face->fail("expected vertices from 0 to " + std::to_string(mesh.vertices.size() - 1));
      }
      triangle[k] = static_cast<int>(corner);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh load_mesh(const XmlElement& element, const MjcfReading& reading) {
  const MjcfElement mesh_element = reading.with_defaults(element, MjcfDefaults::main);
  const auto file = element.find("file"), vertex = element.find("vertex");
  if (!file && !vertex) element.fail("expected the attribute 'file' or 'vertex'");
  TriangleMesh mesh;
  try {
    mesh = file ? read_mesh(mjcf_asset(*file, reading)) : inline_mesh(mesh_element, *vertex);
  } catch (const InputError& error) {
    // errors inside this file already name their place
    if (!file || std::string_view(error.what()).starts_with(element.place())) throw;
    file->fail(error.what());
  }

  // the file's points are first moved into the reference frame, then scaled
  const Vec3 refpos = mesh_element.vector("refpos", {});
  const Vec3 scale = mesh_element.vector("scale", {1, 1, 1});
  Mat3 R = Mat3::identity();
  if (const auto refquat = mesh_element.find("refquat")) {
    const std::vector<double> q = refquat->numbers(4, 4);
    const Quat quat{q[0], q[1], q[2], q[3]};
    if (!(squared_norm(quat) > 1e-18)) refquat->fail("expected a quaternion that is not zero");
    R = matrix(normalized(quat));
  }
  for (Vec3& p : mesh.vertices) {
    const Vec3 local = transpose_times(R, p - refpos);
    p = {local.x * scale.x, local.y * scale.y, local.z * scale.z};
  }
  // a mirrored mesh turns inside out
  if (scale.x * scale.y * scale.z < 0) {
    for (std::array<int, 3>& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return mesh;
}

const TriangleMesh& mesh_named(const XmlValue& name, MjcfReading& reading) {
  const auto loaded = reading.meshes.find(name.text());
  if (loaded != reading.meshes.end()) return loaded->second;
  const auto found = reading.mesh_elements.find(name.text());
  if (found == reading.mesh_elements.end()) {
    name.fail(unknown_word("mesh", shown(name.text()), keys(reading.mesh_elements)));
  }
  return reading.meshes.emplace(name.text(), load_mesh(*found->second, reading)).first->second;
}

// The hull of points on the unit sphere, 16 around and 8 from pole to pole.
Polyhedron sphere_hull() {
  constexpr int around = 16, up = 8;
  std::vector<Vec3> points{{0, 0, 1}, {0, 0, -1}};
  for (int i = 1; i < up; ++i) {
    const double theta = std::numbers::pi * i / up;
    for (int k = 0; k < around; ++k) {
      const double phi = 2 * std::numbers::pi * k / around;
      points.push_back(
          {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)});
    }
  }
  return convex_hull(points);
}

// Stretching to the radii keeps it convex.
Polyhedron ellipsoid_hull(const Vec3& radii) {
  static const Polyhedron unit = sphere_hull();
  Polyhedron hull = unit;
  for (Vec3& p : hull.vertices) p = {p.x * radii.x, p.y * radii.y, p.z * radii.z};
  return hull;
}

MassProperties placed(double mass, const Sym3& I_SC, const Pose& X_BS) {
  return transformed(X_BS, MassProperties{mass, {}, I_SC});
}

MassProperties ellipsoid_mass(const Vec3& r, double density, const Pose& X_BS) {
  const double m = density * 4 / 3 * std::numbers::pi * r.x * r.y * r.z;
  const double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
  return placed(m, Sym3::diagonal(yy + zz, xx + zz, xx + yy) * (m / 5), X_BS);
}

// The same solid with another mass.
MassProperties reweighed(const MassProperties& of_unit_density, double mass) {
  if (!(of_unit_density.mass > 0) || mass == 0) return {};
  return {mass, of_unit_density.p_BC, of_unit_density.I_BC * (mass / of_unit_density.mass)};
}

// Reads one geom; its parts need each other's results, hence the class.
class GeomReader {
 public:
  GeomReader(const MjcfElement& geom, MjcfReading& reading) : geom_(geom), reading_(reading) {}

  MjcfGeom read(const Pose& X_BE) {
    static const std::vector<std::string> words{
        "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"};
    geom_.element.find("name");
    const auto type = geom_.find("type");
    std::string word = type ? words[type->word("geom type", words)] : "sphere";
    const auto mesh = geom_.find("mesh");
    if (word == "sdf") {
      reading_.warnings.add(geom_.element, "a geom of the type " + word + " was left out");
      for (const XmlAttribute& a : geom_.element.attributes) a.read = true;
      return {};
    }
    if (mesh && word != "mesh") {
      reading_.warnings.add(geom_.element,
                            "a " + word + " to be fitted to a mesh is the mesh's hull");
      word = "mesh";
    }

    Shape shape;
    shape.color = geom_color(geom_, reading_);
    shape.X_BS = X_BE * read_mjcf_pose(geom_, reading_.compiler);
    read_size(word, X_BE, shape);
    MassProperties unit;  // at a density of one
    if (word == "mesh") {
      if (!mesh) geom_.element.fail("expected the attribute 'mesh'");
      const TriangleMesh& triangles = mesh_named(*mesh, reading_);
      shape.geometry = mesh_hull(*mesh, triangles);
      const Shape solid{Polyhedron{triangles.vertices, triangles.triangles}, shape.X_BS, {}};
      unit = mass_properties(solid, 1);
      if (!(unit.mass > 0)) {
        reading_.warnings.add(geom_.element,
                              "a mesh does not enclose a volume: its hull was weighed");
        unit = mass_properties(shape, 1);
      }
    } else if (word == "ellipsoid") {
      unit = ellipsoid_mass({size_[0], size_[1], size_[2]}, 1, shape.X_BS);
      shape.geometry = ellipsoid_hull({size_[0], size_[1], size_[2]});
      reading_.warnings.add(geom_.element,
                            "an ellipsoid was replaced by a polyhedron; its mass is exact");
    } else if (word == "hfield") {
      const auto field = geom_.find("hfield");
      if (!field) geom_.element.fail("expected the attribute 'hfield'");
      shape.geometry = mjcf_field(*field, reading_);
    } else {
      unit = mass_properties(shape, 1);
    }
    MjcfGeom result{std::move(shape), weigh(unit), mask("contype"), mask("conaffinity"), false};
    result.shape->surface = surface();
    result.shape->collides = result.contype != 0 || result.conaffinity != 0;
    constexpr double last_shown_group = 2;
    result.hidden = geom_.number("group", 0) > last_shown_group;
    return result;
  }

 private:
  std::uint32_t mask(const char* attribute) const {
    const auto value = geom_.find(attribute);
    if (!value) return 1;
    const double x = value->number();
    constexpr double most = 4294967295.0;
    if (x != std::floor(x) || x < -2147483648.0 || x > most) {
      value->fail("expected a whole number of 32 bits");
    }
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
  }

  // Sliding friction; geoms of one contact dimension have none.
  Surface surface() const {
    Surface result{1, 0};
    if (const auto friction = geom_.find("friction")) {
      result.friction = friction->numbers(1, 3)[0];
      if (!(result.friction >= 0)) friction->fail("expected zero or more");
    }
    const auto condim = geom_.find("condim");
    if (!condim) return result;
    const double dimensions = condim->number();
    if (dimensions == 1) result.friction = 0;
    if (dimensions > 3) {
      reading_.warnings.add(*condim->element, "torsional and rolling friction was left out");
    }
    return result;
  }

  MassProperties weigh(const MassProperties& unit) const {
    const auto mass = geom_.find("mass"), density = geom_.find("density"),
               group = geom_.find("group");
    const double per_volume = density ? density->not_negative() : 1000;
    const double total = mass ? mass->not_negative() : unit.mass * per_volume;
    const double g = group ? group->number() : 0;
    if (g < reading_.compiler.first_group || g > reading_.compiler.last_group) return {};
    return reweighed(unit, total);
  }

  // Found once for all geoms that show the mesh.
  const Polyhedron& mesh_hull(const XmlValue& mesh, const TriangleMesh& triangles) {
    const auto known = reading_.hulls.find(mesh.text());
    if (known != reading_.hulls.end()) return known->second;
    return reading_.hulls.emplace(mesh.text(), hull_of_mesh(triangles, mesh, reading_.warnings))
        .first->second;
  }

  // Sizes and, with `fromto`, the place of the geom.
  void read_size(const std::string& word, const Pose& X_BE, Shape& shape) {
    const auto size = geom_.find("size"), fromto = geom_.find("fromto");
    if (size) size_ = size->numbers(1, 3);
    if (word == "plane") {
      shape.geometry = Plane{};
      return;
    }
    if (word == "mesh" || word == "hfield") return;
    std::size_t needed = word == "sphere" ? 1 : word == "box" || word == "ellipsoid" ? 3 : 2;
    const bool spans = fromto && word != "sphere";
    if (spans) needed = 1;
    if (!size) geom_.element.fail("expected the attribute 'size'");
    if (size_.size() < needed) {
      size->fail("expected " + std::to_string(needed) + " numbers for a " + word);
    }
    if (!std::all_of(size_.begin(), size_.begin() + static_cast<std::ptrdiff_t>(needed),
                     [](double s) { return s > 0; })) {
      size->fail("expected positive numbers");
    }
    if (spans) span(*fromto, word, X_BE, shape);

    if (word == "sphere") shape.geometry = Sphere{size_[0]};
    if (word == "capsule") shape.geometry = Capsule{size_[0], size_[1]};
    if (word == "cylinder") shape.geometry = Cylinder{size_[0], size_[1]};
    if (word == "box") shape.geometry = Box{{size_[0], size_[1], size_[2]}};
  }

  // The z axis points from the second point to the first, as in MuJoCo.
  void span(const XmlValue& fromto, const std::string& word, const Pose& X_BE, Shape& shape) {
    const std::vector<double> p = fromto.numbers(6, 6);
    const Vec3 from{p[0], p[1], p[2]}, to{p[3], p[4], p[5]};
    const double length = norm(from - to);
    if (!(length > 1e-12)) fromto.fail("expected two different points");
    shape.X_BS = X_BE * Pose{frame_from_z((from - to) / length), (from + to) * 0.5};
    const bool round = word == "capsule" || word == "cylinder";
    size_ = round ? std::vector{size_[0], length / 2} : std::vector{size_[0], size_[0], length / 2};
  }

  const MjcfElement& geom_;
  MjcfReading& reading_;
  std::vector<double> size_;
};

// Bounds and balance that the compiler asks for.
MassProperties adjusted(MassProperties m, const MjcfCompiler& compiler) {
  m.mass = std::max(m.mass, compiler.bound_mass);
  if (compiler.bound_inertia <= 0 && !compiler.balance_inertia) return m;
  PrincipalInertia principal = principal_inertia(m.I_BC);
  Vec3& I = principal.moments;
  for (int i = 0; i < 3; ++i) I[i] = std::max(I[i], compiler.bound_inertia);
  // ascending, so the last is the one that may exceed the sum of the others
  const bool balanced = I.x + I.y >= I.z;
  if (compiler.balance_inertia && !balanced) {
    const double mean = (I.x + I.y + I.z) / 3;
    I = {mean, mean, mean};
  }
  m.I_BC = rotated(principal.axes, Sym3::diagonal(I.x, I.y, I.z));
  return m;
}

MassProperties read_inertial(const XmlElement& inertial, const Pose& X_BE,
                             const MjcfReading& reading) {
  const MjcfElement element{inertial, reading.defaults, {&inertial}};
  inertial.require("pos");
  const Pose X_BC = X_BE * read_mjcf_pose(element, reading.compiler);
  const double mass = inertial.require("mass").not_negative();
  const auto value = element.find_any({"diaginertia", "fullinertia"});
  if (!value) inertial.fail("expected the attribute 'diaginertia' or 'fullinertia'");
  Sym3 I;
  if (value->attribute->name == "diaginertia") {
    const Vec3 d = value->vector();
    I = Sym3::diagonal(d.x, d.y, d.z);
  } else {
    const std::vector<double> f = value->numbers(6, 6);
    I = {f[0], f[1], f[2], f[3], f[4], f[5]};
  }
  const bool weightless = mass == 0 && I == Sym3{};
  const MassProperties result{mass, X_BC.p, rotated(X_BC.R, I)};
  const MassProperties checked = adjusted(result, reading.compiler);
  if (!weightless && !is_physical_inertia(checked.I_BC)) {
    value->fail("expected a positive definite inertia with no moment above the sum of the others");
  }
  return result;
}

// The name of a file without folder and ending.
std::string stem(std::string path) {
  path.erase(0, path.find_last_of("/\\") + 1);
  path.erase(std::min(path.rfind('.'), path.size()));
  return path;
}

}  // namespace

void read_mjcf_assets(const XmlElement& asset, MjcfReading& reading) {
  for (const XmlElement* mesh : asset.all("mesh")) {
    const auto name = mesh->find("name"), file = mesh->find("file");
    if (!name && !file) mesh->fail("expected the attribute 'name' or 'file'");
    const std::string key = name ? name->text() : stem(file->text());
    if (!reading.mesh_elements.try_emplace(key, mesh).second)
      mesh->fail("a second mesh of this name");
    // attributes that only matter when the mesh is used
    for (const char* later : {"vertex", "face", "scale", "refpos", "refquat", "class"}) {
      mesh->find(later);
    }
  }
  for (const XmlElement* field : asset.all("hfield")) {
    const auto name = field->find("name"), file = field->find("file");
    if (!name && !file) field->fail("expected the attribute 'name' or 'file'");
    const std::string key = name ? name->text() : stem(file->text());
    if (!reading.field_elements.try_emplace(key, field).second) {
      field->fail("a second hfield of this name");
    }
    // attributes that only matter when it is used
    for (const char* later : {"nrow", "ncol", "size", "elevation"}) field->find(later);
  }
  for (const XmlElement* material : asset.all("material")) {
    const MjcfElement element = reading.with_defaults(*material, MjcfDefaults::main);
    const auto rgba = element.find("rgba");
    const Color color = rgba ? color_from(*rgba) : Color{1, 1, 1, 1};
    if (!reading.materials.try_emplace(material->require_name(), color).second) {
      material->require("name").fail("a second material of this name");
    }
  }
}

MjcfGeom read_mjcf_geom(const MjcfElement& geom, const Pose& X_BE, MjcfReading& reading) {
  return GeomReader(geom, reading).read(X_BE);
}

MassProperties read_mjcf_mass(const XmlElement* inertial, const Pose& X_BE,
                              const MassProperties& of_geoms, const XmlElement& body,
                              const MjcfReading& reading) {
  using enum MjcfCompiler::InertiaFromGeom;
  const bool use_inertial = reading.compiler.inertia != yes && inertial != nullptr;
  MassProperties m;
  if (inertial != nullptr) m = read_inertial(*inertial, X_BE, reading);
  if (!use_inertial) m = reading.compiler.inertia == no ? MassProperties{} : of_geoms;
  m = adjusted(m, reading.compiler);
  if (m.mass > 0 && !is_physical_inertia(m.I_BC)) {
    body.fail("its inertia is not positive definite; expected <inertial> or a shape with volume");
  }
  return m.mass > 0 ? m : MassProperties{};
}

}  // namespace molejo

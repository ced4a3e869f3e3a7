// Bodies, their masses and materials.
#include <fmt/format.h>

#include <cmath>

#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

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
    if (const auto friction = item.find("friction")) material.friction = friction->not_negative();
    if (const auto e = item.find("restitution")) material.restitution = e->between(0, 1);
  }
}

SceneBody BodyReader::read(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::body));
  SceneBody body;
  const JsonCursor name = cursor.need("name");
  body.name = around.full_name(name, name.name());
  if (body.name == "world") name.fail("this name is taken by the world");
  if (body.name == any_body) name.fail("'*' stands for any body");
  body.X_WB = read_pose(cursor);
  if (around.X_WI != Pose{}) body.X_WB = tidy(around.X_WI * body.X_WB);

  const Material* material = nullptr;
  if (const auto word = cursor.find("material")) {
    const auto found = materials_.find(word->word());
    if (found == materials_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : materials_) known.push_back(key);
      word->fail(unknown_word("material", word->word(), known));
    }
    material = &found->second;
    body.density = material->density.value_or(body.density);
  }
  read_shapes(cursor, defaults_of(cursor, material), body);
  if (const auto group = cursor.find("group")) {
    body.group = group->name();
    if (body.group == any_body) group->fail("'*' stands for any body");
  }
  cursor.read("immobile", body.immobile);
  cursor.read("massless", body.massless);
  read_mass(cursor, body);
  read_velocity(cursor, around, body);
  if (const auto follow = cursor.find("follow")) body.follows = read_follow(*follow, around.X_WI);
  return body;
}

}  // namespace molejo

// What makes the bodies of a scene a character: torso, feet, mirrored bodies, forward.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// The name of a body that can move.
std::string read_body(const JsonCursor& cursor, const Scene& scene) {
  const std::string name = cursor.name();
  std::vector<std::string> known;
  for (const SceneBody& body : scene.bodies) {
    if (body.name == name) {
      if (body.immobile || body.follows) cursor.fail("a body that forces cannot move");
      return name;
    }
    known.push_back(body.name);
  }
  cursor.fail(unknown_word("body", name, known));
}

std::vector<SceneFoot> read_feet(const JsonCursor& cursor, const Scene& scene) {
  cursor.expect_array(max_feet);
  std::vector<SceneFoot> feet;
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const JsonCursor item = cursor[i];
    item.expect_keys(scene_keys(SceneObject::foot));
    SceneFoot foot;
    foot.body = read_body(item.need("body"), scene);
    for (const SceneFoot& other : feet) {
      if (other.body == foot.body) item.need("body").fail("already a foot");
    }
    foot.toe = item.need("toe").vec3();
    foot.heel = item.need("heel").vec3();
    item.read_positive("radius", foot.radius);
    feet.push_back(std::move(foot));
  }
  return feet;
}

std::vector<MirrorPair> read_mirror(const JsonCursor& cursor, const Scene& scene) {
  cursor.expect_array(max_scene_elements);
  std::vector<MirrorPair> pairs;
  std::set<std::string> paired;
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const JsonCursor item = cursor[i];
    if (!item.is_array() || item.size() != 2) item.fail("expected two bodies [left, right]");
    pairs.push_back({read_body(item[0], scene), read_body(item[1], scene)});
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& name = side == 0 ? pairs.back().left : pairs.back().right;
      if (!paired.insert(name).second) item[side].fail("has a mirror image already");
    }
  }
  return pairs;
}

}  // namespace

SceneCharacter read_character(const JsonCursor& cursor, const Scene& scene) {
  cursor.expect_keys(scene_keys(SceneObject::character));
  SceneCharacter character;
  character.torso = read_body(cursor.need("torso"), scene);
  if (const auto feet = cursor.find("feet")) character.feet = read_feet(*feet, scene);
  if (const auto mirror = cursor.find("mirror")) character.mirror = read_mirror(*mirror, scene);
  const auto forward = cursor.find("forward");
  if (!forward) return character;
  character.forward = forward->vec3();
  const Vec3 up = scene.settings.gravity;
  const double length = norm(character.forward);
  if (!(length > 0) || std::fabs(length - 1) > 1e-9) forward->fail("expected a unit vector");
  if (std::fabs(dot(character.forward, up)) > 1e-9 * norm(up)) {
    forward->fail("must be at right angles to gravity");
  }
  return character;
}

}  // namespace molejo

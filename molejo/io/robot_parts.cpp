#include "molejo/io/robot_parts.h"

#include <algorithm>
#include <unordered_map>

#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

double enclosed_volume(const TriangleMesh& mesh) {
  double six_volumes = 0;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[static_cast<std::size_t>(t[0])];
    const Vec3& b = mesh.vertices[static_cast<std::size_t>(t[1])];
    const Vec3& c = mesh.vertices[static_cast<std::size_t>(t[2])];
    six_volumes += dot(a, cross(b, c));
  }
  return six_volumes / 6;
}

Polyhedron hull_of_mesh(const TriangleMesh& mesh, const XmlValue& at, ImportWarnings& warnings) {
  Polyhedron hull;
  try {
    hull = convex_hull(mesh.vertices);
  } catch (const InputError& error) {
    at.fail(error.what());
  }
  const double hull_volume = enclosed_volume({hull.vertices, hull.triangles});
  if (std::abs(enclosed_volume(mesh)) < 0.999 * hull_volume) {
    warnings.add(*at.element, "a mesh that is not convex was replaced by its convex hull");
  }
  return hull;
}

std::vector<std::size_t> weightless_moving_bodies(const Scene& scene) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) index.emplace(scene.bodies[i].name, i);

  std::vector<const SceneJoint*> joint(scene.bodies.size(), nullptr);
  for (const SceneJoint& j : scene.joints) {
    if (!j.loop) joint[index.at(j.child)] = &j;
  }
  // children come after their parents: go backwards and hand the weight down
  std::vector<bool> weighs(scene.bodies.size(), false);
  std::vector<std::size_t> weightless;
  for (std::size_t i = scene.bodies.size(); i-- > 0;) {
    const SceneBody& body = scene.bodies[i];
    if (!body.massless || (body.given && body.given->mass > 0)) weighs[i] = true;
    const SceneJoint* j = joint[i];
    if (j != nullptr && !j->parent.empty() && weighs[i]) weighs[index.at(j->parent)] = true;

    const bool moves = !body.immobile && (j == nullptr || j->type != JointType::fixed);
    const bool rotor = j != nullptr && !j->drives.empty() &&
                       std::all_of(j->drives.begin(), j->drives.end(),
                                   [](const Drive& d) { return d.armature > 0; });
    if (moves && !weighs[i] && !rotor) weightless.push_back(i);
  }
  std::reverse(weightless.begin(), weightless.end());
  return weightless;
}

}  // namespace molejo

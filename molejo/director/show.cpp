#include "molejo/director/show.h"

#include <map>

#include "molejo/math/rotation.h"

namespace molejo {

void add_actor(const std::string& name, const Scene& character, const Vec3& position,
               double heading, Scene& scene) {
  const Pose X{axis_rotation({0, 0, 1}, heading), position};
  const std::string prefix = name + ".";
  const auto renamed = [&](const std::string& old) { return old.empty() ? old : prefix + old; };
  std::map<std::string, Pose> left;  // out
  for (SceneBody body : character.bodies) {
    if (body.immobile) {
      left[body.name] = body.X_WB;
      continue;
    }
    body.name = renamed(body.name);
    body.group = renamed(body.group);
    body.X_WB = X * body.X_WB;
    if (body.velocity) {
      body.velocity->linear = X.R * body.velocity->linear;
      body.velocity->angular = X.R * body.velocity->angular;
    }
    scene.bodies.push_back(std::move(body));
  }
  for (SceneJoint joint : character.joints) {
    if (left.count(joint.child) > 0) continue;
    if (const auto parent = left.find(joint.parent); parent != left.end()) {
      joint.X_PF = parent->second * joint.X_PF;
      joint.parent.clear();
    }
    if (joint.parent.empty()) joint.X_PF = X * joint.X_PF;
    joint.name = renamed(joint.name);
    joint.parent = renamed(joint.parent);
    joint.child = renamed(joint.child);
    joint.motor_formulas.clear();
    scene.joints.push_back(std::move(joint));
  }
  for (SceneContactPair pair : character.contact_pairs) {
    // what it says of all bodies would hold for those of others
    if (pair.a.empty() || pair.b.empty() || left.count(pair.a) + left.count(pair.b) > 0) continue;
    pair.a = renamed(pair.a), pair.b = renamed(pair.b);
    scene.contact_pairs.push_back(std::move(pair));
  }
}

}  // namespace molejo

#include "tests/support/assemble.h"

#include <stdexcept>

namespace molejo::test {

namespace {

Pose pose_of(const Scene& scene, const std::string& name) {
  if (name.empty()) return {};
  for (const SceneBody& body : scene.bodies) {
    if (body.name == name) return body.X_WB;
  }
  throw std::logic_error("no body " + name);
}

}  // namespace

Pose frame_at(const Vec3& p, const Vec3& z) { return {frame_from_z(z), p}; }

SceneBody& add_body(Scene& scene, const std::string& name, double mass, const Vec3& moments,
                    const Pose& X_WB) {
  SceneBody body;
  body.name = name;
  body.X_WB = X_WB;
  body.given = MassProperties{mass, {}, Sym3::diagonal(moments.x, moments.y, moments.z)};
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

SceneJoint& add_joint(Scene& scene, JointType type, const std::string& parent,
                      const std::string& child, const Pose& X_WJ) {
  SceneJoint joint;
  joint.name = child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.X_PF = inverse(pose_of(scene, parent)) * X_WJ;
  joint.X_BM = inverse(pose_of(scene, child)) * X_WJ;
  scene.joints.push_back(joint);
  return scene.joints.back();
}

SceneJoint& add_loop(Scene& scene, JointType type, const std::string& parent,
                     const std::string& child, const Pose& X_WJ) {
  SceneJoint& joint = add_joint(scene, type, parent, child, X_WJ);
  joint.name = (parent.empty() ? "world" : parent) + "_" + child;
  joint.loop = true;
  return joint;
}

MotionKey key(double t, const Vec3& p, const Vec3& turn) {
  MotionKey k;
  k.t = t, k.p = p, k.orientation = exp_quat(turn);
  return k;
}

}  // namespace molejo::test

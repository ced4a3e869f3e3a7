// Scenes by hand, a line per part: bodies by mass and moments, joints by their place in the world.
#pragma once

#include <string>

#include "molejo/model/scene.h"

namespace molejo::test {

// A frame at p whose z axis points along the unit vector z (and p alone: world axes).
Pose frame_at(const Vec3& p, const Vec3& z = {0, 0, 1});

// A body with its origin at the centre of mass and principal moments along its axes.
SceneBody& add_body(Scene& scene, const std::string& name, double mass, const Vec3& moments,
                    const Pose& X_WB = {});

// A joint whose two frames coincide with X_WJ in the zero configuration. An empty parent is the
// world. Named after its child, or "<parent>_<child>" for a loop closure.
SceneJoint& add_joint(Scene& scene, JointType type, const std::string& parent,
                      const std::string& child, const Pose& X_WJ);
SceneJoint& add_loop(Scene& scene, JointType type, const std::string& parent,
                     const std::string& child, const Pose& X_WJ);

// A key of a path without a velocity of its own; turned by a rotation vector.
MotionKey key(double t, const Vec3& p, const Vec3& turn = {});

}  // namespace molejo::test

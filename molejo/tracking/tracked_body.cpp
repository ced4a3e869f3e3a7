#include "molejo/tracking/tracked_body.h"

#include "molejo/math/index.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"

namespace molejo::tracking {

namespace {

// What a part of a ragdoll is for.
enum class Duty { root, trunk, hip, knee, foot, toes, hanging };

Duty duty(const Ragdoll& ragdoll, std::size_t i) {
  const navigation::RagdollPart& part = ragdoll.parts[i];
  if (part.parent < 0) return Duty::root;
  switch (part.kind) {
    case SegmentKind::waist:
    case SegmentKind::torso:
      return Duty::trunk;
    case SegmentKind::foot:
      return Duty::foot;
    case SegmentKind::toes:
      return Duty::toes;
    default:
      if (part.leg < 0) return Duty::hanging;
      return ragdoll.parts[at(part.parent)].leg == part.leg ? Duty::knee : Duty::hip;
  }
}

Scene with_ground(const Ragdoll& ragdoll, double friction) {
  Scene scene = *ragdoll.scene;
  scene.name = "tracked";
  for (SceneBody& body : scene.bodies) {
    for (Shape& shape : body.shapes) shape.surface.friction = friction;
  }
  // limbs do not meet each other in the search
  scene.contact_pairs.clear();
  for (std::size_t a = 0; a < scene.bodies.size(); ++a) {
    for (std::size_t b = a + 1; b < scene.bodies.size(); ++b) {
      SceneContactPair pair;
      pair.a = scene.bodies[a].name, pair.b = scene.bodies[b].name;
      pair.response = Response::none;
      scene.contact_pairs.push_back(pair);
    }
  }
  SceneBody ground;
  ground.name = "ground";
  ground.immobile = true;
  Shape plane;
  plane.geometry = Plane{};
  plane.surface.friction = friction;
  ground.shapes.push_back(plane);
  scene.bodies.push_back(ground);
  scene.settings.contact.sleep = false;
  return scene;
}

}  // namespace

TrackedBody make_tracked_body(const Ragdoll& ragdoll, const TrackedBodyOptions& options) {
  TrackedBody body;
  Scene scene = with_ground(ragdoll, options.friction);
  body.mass = ragdoll.mass;
  body.leg_length = ragdoll.leg_length;
  const double carried = ragdoll.mass * norm(scene.settings.gravity) * ragdoll.leg_length;
  std::vector<JointMotor> motors;
  for (std::size_t i = 0; i < ragdoll.parts.size(); ++i) {
    JointMotor motor;
    const Duty d = duty(ragdoll, i);
    if (d == Duty::hanging) {
      const double inertia = ragdoll.parts[i].carried_inertia;
      motor.stiffness = inertia * options.rate * options.rate;
      motor.damping = 1.5 * inertia * options.rate;
      motor.strength = 0.2 * carried;
    } else if (d == Duty::toes) {
      motor.stiffness = options.toes * carried;
      motor.damping = options.damping * motor.stiffness;
      motor.strength = 0.2 * carried;
    } else if (d != Duty::root) {
      motor.stiffness = options.stiffness * carried;
      motor.damping = options.damping * motor.stiffness;
      motor.strength = options.strength * carried;
    }
    motors.push_back(motor);
    if (i == 0) continue;
    SceneJoint& joint = scene.joints[i - 1];
    for (Drive& drive : joint.drives) {
      drive.damping = 0;
      drive.max_force = motor.strength;
    }
  }
  body.scene = std::make_shared<const Scene>(std::move(scene));
  body.model = build(*body.scene).model;
  body.motors.resize(at(body.model.nv));
  // the lowest joint of the trunk is the one that keeps it upright
  std::size_t trunk = 0;
  for (std::size_t i = ragdoll.parts.size(); i-- > 0;) {
    if (duty(ragdoll, i) == Duty::trunk) trunk = i;
  }
  for (std::size_t i = 0; i < ragdoll.parts.size(); ++i) {
    const int link_index = body.model.body(ragdoll.parts[i].name).index;
    body.links.push_back(link_index);
    const Link& link = body.model.links[at(link_index)];
    const Duty d = duty(ragdoll, i);
    const auto sample = [&](int axis, double spread) {
      body.sampled.push_back({link.v + axis, spread});
    };
    switch (d) {
      case Duty::root:
        body.root = body.torso = link_index;
        continue;
      case Duty::trunk:
        body.torso = link_index;
        if (i == trunk) sample(0, 0.5), sample(1, 0.5);
        break;
      case Duty::hip:
        sample(0, 1), sample(1, 1), sample(2, 1);
        break;
      case Duty::knee:
        sample(1, 1);
        break;
      case Duty::foot:
        sample(1, 1), sample(2, 1);
        body.feet.push_back(link_index);
        body.soles.push_back(link_index);
        break;
      case Duty::toes:
        body.soles.push_back(link_index);
        break;
      case Duty::hanging:
        if (ragdoll.parts[i].kind == SegmentKind::lower_arm) body.hands.push_back(link_index);
        break;
    }
    for (int axis = 0; axis < 3; ++axis) body.motors[at(link.v + axis)] = motors[i];
  }
  return body;
}

}  // namespace molejo::tracking

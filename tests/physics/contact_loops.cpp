// Contact with joints and loops: reduced and maximal coordinates move alike, closures keep closed.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Two bars with a hinge, dropped on the floor.
Scene jointed_pair(double friction, double e) {
  Scene scene;
  add_ground(scene, {friction, e});
  const Mat3 tilt = axis_rotation({0, 1, 0}, 0.4);
  add_solid(scene, "first", Box{{0.3, 0.05, 0.05}}, 2, {tilt, {-0.28, 0, 0.5}}, {friction, e});
  add_solid(scene, "second", Box{{0.3, 0.04, 0.05}}, 1,
            {axis_rotation({0, 1, 0}, -0.2), {0.33, 0, 0.45}}, {friction, e});
  add_joint(scene, JointType::revolute, "first", "second", frame_at({0.02, 0, 0.39}, {0, 1, 0}));
  return scene;
}

// A four-bar of hinges about y, free to fall.
Scene four_bar(double friction, double e) {
  Scene scene;
  add_ground(scene, {friction, e});
  // bars end short of their joints, so that no two touch the floor at one place
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    const double shorter = name[0] == 'b' ? 0 : 0.08;
    add_solid(scene, name, Capsule{0.03, 0.5 * norm(along) - shorter}, 1,
              {frame_from_z(normalized(along)), (from + to) * 0.5}, {friction, e});
  };
  const Vec3 a{0, 0, 0.4}, b{0.1, 0, 0.9}, c{0.7, 0, 1.0}, d{0.6, 0, 0.35};
  bar("base", a, d);
  bar("left", a, b);
  bar("top", b, c);
  bar("right", d, c);
  add_joint(scene, JointType::revolute, "base", "left", frame_at(a, {0, 1, 0}));
  add_joint(scene, JointType::revolute, "left", "top", frame_at(b, {0, 1, 0}));
  add_joint(scene, JointType::revolute, "base", "right", frame_at(d, {0, 1, 0}));
  add_loop(scene, JointType::revolute, "top", "right", frame_at(c, {0, 1, 0}));
  return scene;
}

double largest_difference(const Shown& a, const Shown& b, double until) {
  double most = 0;
  for (std::size_t i = 0; i < a.frames().size(); ++i) {
    if (a.seconds(i) > until) break;
    for (const Body& body : a.built.model.bodies) {
      most = std::max(most, norm(a.pose(body.name, i).p - b.pose(body.name, i).p));
    }
  }
  return most;
}

}  // namespace

TEST_CASE("contact with joints: reduced and maximal coordinates fall and bounce alike") {
  for (const bool loop : {false, true}) {
    for (const double e : {0.0, 0.5}) {
      for (const double friction : {0.0, 0.5}) {
        for (const Integrator way : all_ways) {
          CAPTURE(loop);
          CAPTURE(e);
          CAPTURE(friction);
          CAPTURE(to_string(way));
          Scene scene = loop ? four_bar(friction, e) : jointed_pair(friction, e);
          scene.settings = contact_settings(way, 0.6, 100);
          scene.settings.time_step = 5e-4;
          scene.settings.max_step = 2e-3;
          scene.settings.contact.sleep = false;
          const Shown reduced(scene);
          scene.settings.formulation = Formulation::maximal;
          const Shown maximal(scene);
          CHECK(reduced.recording.summary.failure == "");
          CHECK(maximal.recording.summary.failure == "");
          CHECK(reduced.recording.summary.constraint_error < 1e-5);
          CHECK(maximal.recording.summary.constraint_error < 1e-5);
          CHECK_FALSE(reduced.recording.contacts.empty());
          // until shortly after the first impacts; then small differences grow
          CHECK(largest_difference(reduced, maximal, 0.4) < (is_event_driven(way) ? 1e-4 : 2e-3));
          // nothing is in the ground, no energy is won
          for (const Shown* shown : {&reduced, &maximal}) {
            const double first = shown->frames()[0].energy.total();
            for (const Frame& frame : shown->frames()) {
              CHECK(frame.energy.total() < first * (1 + 2e-3));
            }
            CHECK(shown->recording.summary.largest_penetration < 2e-3);
          }
        }
      }
    }
  }
}

TEST_CASE("contact with joints: a four-bar comes to rest on the floor and stays closed") {
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    CAPTURE(to_string(formulation));
    Scene scene = four_bar(0.6, 0);
    for (SceneJoint& joint : scene.joints) {
      Drive drive;
      drive.damping = 0.2;
      joint.drives = {drive};
    }
    scene.settings = contact_settings(Integrator::midpoint, 6, 20);
    scene.settings.contact.sleep = false;
    scene.settings.formulation = formulation;
    const Shown shown(scene);
    CHECK(shown.recording.summary.failure == "");
    CHECK(shown.recording.summary.constraint_error < 1e-5);
    CHECK(shown.frames().back().energy.kinetic < 1e-3);
    CHECK(shown.recording.summary.largest_penetration < 1e-3);
    double lowest = 1;
    for (const Body& body : shown.built.model.bodies) {
      if (!body.immobile) lowest = std::min(lowest, shown.pose(body.name).p.z);
    }
    CHECK(lowest > 0.029);
  }
}

TEST_CASE("contact with joints: the ragdoll of the reference, in both formulations") {
  // work B: zero joint error in joint coordinates, at most 8 mm of penetration
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    CAPTURE(to_string(formulation));
    Scene scene = ragdoll_scene();
    for (SceneBody& body : scene.bodies) body.shapes[0].surface.friction = 0.8;
    add_ground(scene, {0.8, 0});
    SceneContactPair self;
    self.response = Response::none;
    scene.contact_pairs.push_back(self);
    SceneContactPair with_ground;
    with_ground.a = "ground";
    scene.contact_pairs.push_back(with_ground);
    scene.settings =
        contact_settings(Integrator::midpoint, formulation == Formulation::reduced ? 5 : 1.5, 50);
    scene.settings.formulation = formulation;
    const Shown shown(scene);
    CHECK(shown.recording.summary.failure == "");
    CHECK(shown.recording.summary.largest_penetration < 8e-3);
    CHECK(shown.recording.summary.constraint_error < 1e-5);
    const double first = shown.frames()[0].energy.total();
    for (const Frame& frame : shown.frames()) CHECK(frame.energy.total() < first * 1.001);
  }
}

// ANIMADO's springs: f = stiffness (reach - gap) - damping d/dt gap (spec: 3.8 (a) and 5.3).
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Top {
  double t, z;
};

// Tops of the path, by a parabola through three frames.
std::vector<Top> tops(const Shown& shown, const std::string& body) {
  std::vector<Top> list;
  for (std::size_t i = 1; i + 1 < shown.frames().size(); ++i) {
    const double a = shown.pose(body, i - 1).p.z, b = shown.pose(body, i).p.z,
                 c = shown.pose(body, i + 1).p.z;
    if (!(b > a && b >= c)) continue;
    const double h = shown.seconds(i + 1) - shown.seconds(i);
    const double s = 0.5 * (a - c) / (a - 2 * b + c);
    list.push_back({shown.seconds(i) + s * h, b - 0.25 * (a - c) * s});
  }
  return list;
}

}  // namespace

TEST_CASE("animado spring: sphere on floor has the apexes and the contact of the reference") {
  Scene scene = shipped_scene("animado_floor");
  scene.settings.fps = 1000;
  const Shown shown(scene);
  const std::vector<Top> found = tops(shown, "sphere");
  const Top reference[] = {{1.515, 2.9527}, {3.016, 2.9062}, {4.504, 2.8607}};
  REQUIRE(found.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::fabs(found[i].t - reference[i].t) < 1e-3);
    CHECK(std::fabs(found[i].z - reference[i].z) < 3e-4);
  }
  // it begins at z = 0.5 and t = 0.7143 s with 7 m/s
  const ContactEvent& begin = shown.recording.contacts.front();
  CHECK(begin.phase == ContactPhase::begin);
  CHECK(std::fabs(begin.t - 0.714286) < 2e-4);
  double deepest = 9, fastest = 0;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    deepest = std::min(deepest, shown.pose("sphere", i).p.z);
    if (shown.seconds(i) < 0.7143) {
      fastest = std::max(fastest, -shown.velocity("sphere", i).linear.z);
      CHECK(shown.pose("sphere", i).p.z > 0.5);
    }
  }
  CHECK(std::fabs(deepest - 0.2906) < 1e-4);
  CHECK(std::fabs(fastest - 7) < 0.005);
  CHECK(shown.pose("floor").p == Vec3{});
}

TEST_CASE("animado spring: every integrator follows the damped spring's own equation") {
  // z'' = -g + (k (reach + r - z) - d z')/m while that pushes, by a second integrator
  const double mass = 0.5, k = 600, d = 3, reach = 0.25, r = 0.25;
  const auto rate = [&](double, const VecX& x) {
    const double gap = x[0] - r;
    const double force = gap < reach ? std::max(0.0, k * (reach - gap) - d * x[1]) : 0;
    VecX result(2);
    result << x[1], -g + force / mass;
    return result;
  };
  VecX start(2);
  start << 1.2, 0;
  const VecX end = own_rk4(rate, start, 1.5, 300000);
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 1.5, 2));
    scene.settings.time_step = 1e-4;
    scene.settings.max_step = 1e-3;
    add_solid(scene, "sphere", Sphere{r}, mass, {Mat3::identity(), {0, 0, 1.2}});
    SceneContactPair pair;
    pair.response = Response::penalty;
    pair.stiffness = k, pair.damping = d, pair.reach = reach;
    scene.contact_pairs.push_back(pair);
    const Shown shown(scene);
    const double off = way == Integrator::semi_implicit_euler ? 2e-3 : 2e-4;
    CHECK(std::fabs(shown.pose("sphere").p.z - end[0]) < off);
    CHECK(std::fabs(shown.velocity("sphere").linear.z - end[1]) < 10 * off);
  }
}

TEST_CASE("animado spring: without damping the energy in the spring comes back") {
  Scene scene = on_ground(contact_settings(Integrator::rkf45, 2, 200));
  scene.settings.max_step = 1e-3;
  add_solid(scene, "box", Box{{0.2, 0.2, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.6}});
  SceneContactPair pair;
  pair.a = "ground", pair.b = "box";
  pair.response = Response::penalty;
  pair.stiffness = 2000, pair.reach = 0.1;
  scene.contact_pairs.push_back(pair);
  const Shown shown(scene);
  CHECK(shown.recording.summary.energy_drift < 1e-6);
  double most = 0;
  for (const Frame& frame : shown.frames()) most = std::max(most, frame.energy.elastic);
  CHECK(most > 3);
}

TEST_CASE("animado spring: two free bodies push each other off and keep their momentum") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene;
    scene.settings = contact_settings(way, 1, 100);
    scene.settings.gravity = {};
    add_solid(scene, "a", Sphere{0.1}, 1, {Mat3::identity(), {0, 0.03, 0}}).velocity =
        SceneBody::Velocity{{1, 0, 0}, {}};
    add_solid(scene, "b", Sphere{0.1}, 2, {Mat3::identity(), {0.5, 0, 0}});
    SceneContactPair pair;
    pair.response = Response::penalty;
    pair.stiffness = 500, pair.damping = 1, pair.reach = 0.05;
    scene.contact_pairs.push_back(pair);
    const Shown shown(scene);
    CHECK(shown.recording.summary.momentum_drift < 1e-12);
    CHECK(shown.recording.summary.angular_momentum_drift < 1e-10);
    CHECK(shown.velocity("b").linear.x > 0.5);
    CHECK(shown.velocity("a").linear.x < 0);
  }
}

// A motion that goes wrong ends in a report and the last good state; the same motion always has the
// same bits.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/math/parallel.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

bool is_finite(const Frame& frame) {
  for (const Pose& X : frame.X_WB) {
    if (!std::isfinite(X.p.x + X.p.y + X.p.z + X.R.r0.x + X.R.r1.y + X.R.r2.z)) return false;
  }
  return frame.state.q.allFinite() && frame.state.v.allFinite() &&
         std::isfinite(frame.energy.total());
}

}  // namespace

TEST_CASE("failure: a force beyond all measure ends the run and names time and body") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 1, 100));
    add_solid(scene, "quiet", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {3, 0, 0.1}});
    add_solid(scene, "victim", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}});
    SceneForce push;
    push.name = "push";
    push.at = {"victim", {0.05, 0.02, 0.1}};
    push.samples = {{0.5, {1e308, 0, -1e308}, {}}, {0.6, {1e308, 1e308, -1e308}, {}}};
    scene.forces.push_back(push);
    const Shown shown(scene);
    const std::string& failure = shown.recording.summary.failure;
    CAPTURE(failure);
    CHECK_FALSE(failure.empty());
    CHECK(failure.find("victim") != std::string::npos);
    CHECK(failure.find("quiet") == std::string::npos);
    CHECK(failure.find("t = 0.") != std::string::npos);
    // all that is recorded is good, up to just before the force
    for (const Frame& frame : shown.frames()) CHECK(is_finite(frame));
    const double last = shown.frames().back().state.t;
    CHECK(last > 0.45);
    CHECK(last < 0.6);
    CHECK(shown.recording.summary.duration == doctest::Approx(last));
    CHECK(norm(shown.pose("quiet").p - Vec3{3, 0, 0.1}) < 1e-3);
    CHECK(norm(shown.pose("victim", 40).p - Vec3{0, 0, 0.1}) < 1e-3);
    for (const ContactEvent& event : shown.recording.contacts) {
      CHECK(std::isfinite(event.impulse.x + event.impulse.y + event.impulse.z + event.point.x));
    }
  }
}

TEST_CASE("failure: absurd but finite scenes are carried or refused, never left in NaN") {
  // masses of 1e12 on 1e-6, a body within another, a hundred in one place
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 0.05, 100));
    add_solid(scene, "light", Box{{0.1, 0.1, 0.1}}, 1e-6, {Mat3::identity(), {0, 0, 0.1}});
    add_solid(scene, "heavy", Box{{0.1, 0.1, 0.1}}, 1e12, {Mat3::identity(), {0, 0, 0.3}});
    add_solid(scene, "within", Box{{0.05, 0.05, 0.05}}, 1, {Mat3::identity(), {0, 0, 0.1}});
    for (int i = 0; i < 10; ++i) {
      add_solid(scene, "same" + std::to_string(i), Sphere{0.1}, 1, {Mat3::identity(), {2, 0, 1}});
    }
    const Shown shown(scene);
    for (const Frame& frame : shown.frames()) CHECK(is_finite(frame));
  }
}

TEST_CASE("contact determinism: two runs, and runs side by side, have the same bits") {
  for (const char* name : {"e4", "e5", "stack", "dominoes", "coin", "ragdoll_on_terrain",
                           "newtons_cradle", "bullet_and_wall", "animado_floor", "slope"}) {
    Scene scene = shipped_scene(name);
    scene.settings.duration = std::min(scene.settings.duration, 0.6);
    CAPTURE(name);
    const Built built = build(scene);
    const std::uint64_t first = simulate(built, scene.settings).summary.hash;
    std::uint64_t hashes[4] = {};
    parallel_for(4, 2, [&](int i) { hashes[i] = simulate(built, scene.settings).summary.hash; });
    for (const std::uint64_t hash : hashes) CHECK(hash == first);
    scene.settings.duration *= 0.9;
    CHECK(simulate(built, scene.settings).summary.hash != first);
  }
}

TEST_CASE("contact determinism: what is far away changes no bit") {
  // another island does not change the first one
  for (const Integrator way : time_stepping) {
    CAPTURE(to_string(way));
    Pose ends[2];
    for (const bool other : {false, true}) {
      Scene scene = on_ground(contact_settings(way, 1, 10), {0.5, 0.3});
      add_solid(scene, "box", Box{{0.3, 0.2, 0.1}}, 2,
                {axis_rotation(normalized(Vec3{1, 2, 3}), 0.8), {0, 0, 0.6}}, {0.5, 0.3});
      if (other) {
        add_solid(scene, "other", Box{{0.1, 0.3, 0.2}}, 3,
                  {axis_rotation(normalized(Vec3{3, 2, 3}), 0.4), {50, 0, 0.9}}, {0.5, 0.3});
      }
      ends[other] = Shown(scene).pose("box");
    }
    CHECK(ends[0] == ends[1]);
  }
}

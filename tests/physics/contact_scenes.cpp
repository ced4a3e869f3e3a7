// The shipped scenes of contact show what they say.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

double fastest(const Shown& shown) {
  double most = 0;
  for (const Body& body : shown.built.model.bodies) {
    const SceneBody::Velocity v = shown.velocity(body.name);
    most = std::max({most, norm(v.linear), norm(v.angular)});
  }
  return most;
}

}  // namespace

TEST_CASE("shipped contact: ten boxes stand for ten seconds within a millimetre") {
  for (const Integrator way : time_stepping) {
    for (const bool sleep : {false, true}) {
      CAPTURE(to_string(way));
      CAPTURE(sleep);
      Scene scene = shipped_scene("stack");
      scene.settings.integrator = way;
      scene.settings.contact.sleep = sleep;
      const Shown shown(scene);
      CHECK(shown.recording.summary.failure == "");
      double moved = 0, tilt = 1;
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        for (int n = 0; n < 10; ++n) {
          const std::string name = "box" + std::to_string(n) + ".box";
          moved = std::max(moved, norm(shown.pose(name, i).p - shown.pose(name, 0).p));
          tilt = std::min(tilt, shown.pose(name, i).R.r2.z);
        }
      }
      CHECK(moved < 1e-3);
      CHECK(tilt > 1 - 1e-6);
      CHECK(shown.recording.summary.largest_penetration < 2e-4);
    }
  }
}

TEST_CASE("shipped contact: the dominoes fall one after another, all of them") {
  const Shown shown(shipped_scene("dominoes"));
  CHECK(shown.recording.summary.failure == "");
  double last = 0;
  for (int n = 0; n < 20; ++n) {
    const std::string name = "domino" + std::to_string(n) + ".tile";
    CAPTURE(name);
    // when it leans by 20 degrees
    double fell = -1;
    for (std::size_t i = 0; i < shown.frames().size() && fell < 0; ++i) {
      if (shown.pose(name, i).R.r2.z < std::cos(0.35)) fell = shown.seconds(i);
    }
    CHECK(fell > last);
    last = fell;
    CHECK(shown.pose(name).p.z < 0.55 * 0.24);
    CHECK(shown.pose(name).p.z > 0);
  }
  CHECK(last < 4);
  CHECK(shown.recording.summary.largest_penetration < 1e-3);
}

TEST_CASE("shipped contact: the spinning coin lies flat in the end") {
  const Shown shown(shipped_scene("coin"));
  CHECK(shown.recording.summary.failure == "");
  const Pose& X = shown.pose("coin");
  CHECK(std::fabs(X.p.z - 0.003) < 1.5e-4);
  CHECK(std::fabs(X.R.r2.z) > 1 - 1e-4);
  CHECK(fastest(shown) < 1e-3);
  // friction and impacts only take energy
  double energy = shown.frames()[0].energy.total();
  const double first = energy;
  for (const Frame& frame : shown.frames()) {
    CHECK(frame.energy.total() < energy + 2e-3 * first);
    energy = frame.energy.total();
  }
}

TEST_CASE("shipped contact: the ragdoll comes to rest on the terrain") {
  const Scene scene = shipped_scene("ragdoll_on_terrain");
  const Shown shown(scene);
  CHECK(shown.recording.summary.failure == "");
  CHECK(fastest(shown) == 0);
  CHECK(shown.frames().back().asleep == 13);
  CHECK(shown.recording.summary.largest_penetration < 8e-3);
  CHECK(shown.recording.summary.constraint_error < 1e-9);
}

TEST_CASE("shipped contact: a thousand boxes come to rest, none sinks by 2 % of its edge") {
  Scene scene = shipped_scene("pile");
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  scene.settings.duration = 0.5;  // the first layers land
#endif
  const bool to_the_end = scene.settings.duration > 5;
  const Shown shown(scene);
  CHECK(shown.recording.summary.failure == "");
  CHECK(shown.recording.summary.largest_penetration < 0.02 * 0.2);
  if (!to_the_end) return;
  CHECK(shown.frames().back().asleep == 1000);
  CHECK(fastest(shown) == 0);
  // what falls loses energy and wins hardly any back
  double lowest = shown.frames()[0].energy.total();
  for (const Frame& frame : shown.frames()) {
    CHECK(frame.energy.total() < lowest + 2e-5 * shown.frames()[0].energy.total());
    lowest = std::min(lowest, frame.energy.total());
  }
}

TEST_CASE("shipped contact: slope, rolling, bullets and balls have the values in their files") {
  {
    const Shown shown(shipped_scene("slope"));
    const double angle = 20 * std::acos(-1.0) / 180;
    const double friction[] = {0.1, 0.2, 0.3};
    for (int n = 0; n < 3; ++n) {
      const double a = g * (std::sin(angle) - friction[n] * std::cos(angle));
      const Vec3 way = shown.pose("slope.block" + std::to_string(n)).p -
                       shown.pose("slope.block" + std::to_string(n), 0).p;
      CHECK(norm(way) == doctest::Approx(2 * a).epsilon(1e-5));
    }
    CHECK(norm(shown.pose("slope.block3").p - shown.pose("slope.block3", 0).p) < 1e-5);
  }
  {
    Scene scene = shipped_scene("rolling");
    scene.settings.duration = 3;
    const Shown shown(scene);
    const double s = std::sin(15 * std::acos(-1.0) / 180);
    const auto way = [&](const char* name) {
      return norm(shown.pose(name).p - shown.pose(name, 0).p);
    };
    CHECK(way("slope.ball") == doctest::Approx(4.5 * g * s * 5 / 7).epsilon(1e-5));
    CHECK(way("slope.cylinder") == doctest::Approx(4.5 * g * s * 2 / 3).epsilon(1e-5));
    CHECK(shown.velocity("sliding").linear.x == doctest::Approx(20.0 / 7).epsilon(1e-4));
  }
  {
    const Shown shown(shipped_scene("bullet_and_wall"));
    CHECK(shown.velocity("hard").linear.x == doctest::Approx(-150));
    CHECK(std::fabs(shown.velocity("soft").linear.x) < 1e-9);
    for (std::size_t i = 0; i < shown.frames().size(); ++i) {
      CHECK(std::max(shown.pose("hard", i).p.x, shown.pose("soft", i).p.x) < -0.014);
    }
  }
  {
    const Shown shown(shipped_scene("bouncing_balls"));
    const double e[] = {0, 0.5, 0.7, 0.8, 0.9};
    for (int n = 0; n < 5; ++n) {
      CAPTURE(n);
      const std::string name = "ball" + std::to_string(n);
      const double T = std::sqrt(2 / g), stop = T * (1 + e[n]) / (1 - e[n]);
      double still = 0;
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        if (norm(shown.velocity(name, i).linear) > 1e-6) still = shown.seconds(i);
      }
      CHECK(still < stop + 0.02);
      CHECK(still > stop - 0.1);
    }
    CHECK(shown.pose("ball5", 0).p.z == doctest::Approx(1.1));
  }
}

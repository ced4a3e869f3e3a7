// Rolling: a solid of inertia k m r^2 rolls down a slope with g sin a / (1 + k); a ball launched
// sliding at v rolls after 2v / (7 friction g), with 5v / 7.
#include <doctest/doctest.h>

#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const double pi = std::acos(-1.0);
constexpr double radius = 0.3;

Scene on_slope(Integrator way, const Geometry& geometry, double angle, double friction) {
  Scene scene = on_ground(contact_settings(way, 1.5, 20), {friction, 0}, slope(angle));
  scene.settings.contact.sleep = false;
  // the axis of a cylinder lies across the slope
  add_solid(scene, "wheel", geometry, 2,
            slope(angle) * Pose{frame_from_z({0, 1, 0}), {0, 0, radius}}, {friction, 0});
  return scene;
}

}  // namespace

TEST_CASE("rolling: sphere and cylinder roll down a slope without slipping") {
  const double angle = 15 * pi / 180;
  for (const Integrator way : all_ways) {
    const struct {
      Geometry geometry;
      double k;  // inertia / m r^2
    } cases[] = {{Sphere{radius}, 0.4}, {Cylinder{radius, 0.4}, 0.5}, {Capsule{radius, 0.4}, 0}};
    for (const auto& c : cases) {
      auto [geometry, k] = c;
      CAPTURE(to_string(way));
      CAPTURE(c.geometry.index());
      const Shown shown(on_slope(way, geometry, angle, 0.8));
      if (k == 0) k = shown.built.model.links[shown.index("wheel")].I_BC.zz / (2 * radius * radius);
      const double a = g * std::sin(angle) / (1 + k);
      const double ahead = way == Integrator::semi_implicit_euler ? 0.5e-3 : 0;
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        const double t = shown.seconds(i);
        const Vec3 way_down = transpose_times(slope(angle).R, shown.pose("wheel", i).p);
        CHECK(std::fabs(way_down.x - 0.5 * a * t * (t + 2 * ahead)) < 1e-6);
        CHECK(std::fabs(way_down.y) < 1e-6);
        CHECK(std::fabs(way_down.z - radius) < 1e-6);
        // the point at the ground stands still
        const SceneBody::Velocity v = shown.velocity("wheel", i);
        CHECK(norm(v.linear - cross(v.angular, slope(angle).R.column(2) * radius)) < 1e-6);
      }
    }
  }
}

TEST_CASE("rolling: on a slope too smooth for it, a ball slips and spins up") {
  // friction below 2/7 tan a: a = g (sin a - friction cos a), angular acceleration 5/2 friction g
  // cos a / r
  const double angle = 30 * pi / 180, friction = 0.5 * 2.0 / 7 * std::tan(angle);
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    const Shown shown(on_slope(way, Sphere{radius}, angle, friction));
    const double t = 1.5, normal = g * std::cos(angle);
    const SceneBody::Velocity v = shown.velocity("wheel");
    CHECK(norm(v.linear) ==
          doctest::Approx((g * std::sin(angle) - friction * normal) * t).epsilon(1e-6));
    CHECK(v.angular.y == doctest::Approx(2.5 * friction * normal / radius * t).epsilon(1e-6));
  }
}

TEST_CASE("rolling: a ball launched sliding rolls when its time has come") {
  for (const Integrator way : all_ways) {
    for (const double friction : {0.1, 0.2, 0.5}) {
      for (const double speed : {2.0, 4.0}) {
        CAPTURE(to_string(way));
        CAPTURE(friction);
        CAPTURE(speed);
        const double rolls = 2 * speed / (7 * friction * g);
        Scene scene = on_ground(contact_settings(way, 1.5 * rolls, 2000 / rolls), {friction, 0});
        scene.settings.contact.sleep = false;
        SceneBody& ball = add_solid(scene, "ball", Sphere{radius}, 2,
                                    {Mat3::identity(), {0, 0, radius}}, {friction, 0});
        const Vec3 direction{0.6, 0.8, 0};
        ball.velocity = SceneBody::Velocity{direction * speed, {}};
        const Shown shown(scene);
        double since = 0;
        for (std::size_t i = 0; i < shown.frames().size(); i += 10) {
          const SceneBody::Velocity v = shown.velocity("ball", i);
          const double slip = norm(v.linear - cross(v.angular, Vec3{0, 0, radius}));
          if (slip > 0.02 * speed) since = shown.seconds(i);
        }
        // slip falls by 7/2 friction g each second: 2 % of the speed are left 2 % of the time
        // before
        CHECK(since == doctest::Approx(0.98 * rolls).epsilon(0.01));
        const SceneBody::Velocity v = shown.velocity("ball");
        CHECK(norm(v.linear - direction * (speed * 5 / 7)) < 1e-3 * speed * friction);
        CHECK(norm(v.linear - cross(v.angular, Vec3{0, 0, radius})) < 1e-9);
        // where it is: sliding, then rolling
        const double way_gone =
            speed * rolls - 0.5 * friction * g * rolls * rolls + speed * 5 / 7 * 0.5 * rolls;
        CHECK(dot(shown.pose("ball").p, direction) == doctest::Approx(way_gone).epsilon(1e-3));
      }
    }
  }
}

// Contact events: who begins and ends to touch when, and all the impulse that acted.
#include "molejo/physics/touch_log.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Count {
  int begin = 0, persist = 0, end = 0;
  Vec3 impulse;
};

// Of two bodies; the impulse is that on `a`.
Count count(const Shown& shown, const std::string& a, const std::string& b, double until = 1e9) {
  Count sum;
  const int i = static_cast<int>(shown.index(a)), j = static_cast<int>(shown.index(b));
  for (const ContactEvent& e : shown.recording.contacts) {
    const bool same = e.a.index == i && e.b.index == j, swapped = e.a.index == j && e.b.index == i;
    if ((!same && !swapped) || e.t > until) continue;
    sum.begin += e.phase == ContactPhase::begin;
    sum.persist += e.phase == ContactPhase::persist;
    sum.end += e.phase == ContactPhase::end;
    sum.impulse += same ? e.impulse : -e.impulse;
  }
  return sum;
}

Contact touching(int a, int b, const Vec3& impulse) {
  Contact c;
  c.body_a = a, c.body_b = b;
  c.normal = {0, 0, 1};
  c.impulse = impulse;
  return c;
}

}  // namespace

TEST_CASE("touch log: begin, persist and end, each with what acted since the last") {
  TouchLog log;
  std::vector<ContactEvent> events;
  std::vector<TouchPoint> points;
  const auto never = [](int) { return false; };
  log.add_step(0.1, 0.1, {touching(1, 0, {0, 0, 2})}, never, events);
  REQUIRE(events.size() == 1);
  CHECK(events[0].phase == ContactPhase::begin);
  CHECK(events[0].a.index == 0);  // in ascending order: signs turn
  CHECK(events[0].b.index == 1);
  CHECK(events[0].impulse == Vec3{0, 0, -2});
  CHECK(events[0].normal == Vec3{0, 0, -1});

  log.add_step(0.2, 0.1, {touching(1, 0, {0, 0, 3}), touching(1, 0, {0, 0, 1})}, never, events);
  CHECK(events.size() == 1);
  log.add_frame(0.25, events, points);
  REQUIRE(events.size() == 2);
  CHECK(events[1].phase == ContactPhase::persist);
  CHECK(events[1].impulse == Vec3{0, 0, -4});
  REQUIRE(points.size() == 2);
  CHECK(points[0].force.z == doctest::Approx(-30));
  CHECK(points[1].force.z == doctest::Approx(-10));

  log.add_step(0.3, 0.1, {touching(1, 0, {0, 0, 5})}, never, events);
  // an impulse of nothing is no touch
  log.add_step(0.4, 0.1, {touching(1, 0, {})}, never, events);
  REQUIRE(events.size() == 3);
  CHECK(events[2].phase == ContactPhase::end);
  CHECK(events[2].t == 0.4);
  CHECK(events[2].impulse == Vec3{0, 0, -5});

  // those that sleep go on
  log.add_step(0.5, 0.1, {touching(2, 3, {0, 0, 1}), touching(4, 5, {0, 0, 1})}, never, events);
  events.clear();
  log.add_step(
      0.6, 0.1, {}, [](int body) { return body < 4; }, events);
  REQUIRE(events.size() == 1);
  CHECK(events[0].phase == ContactPhase::end);
  CHECK(events[0].a.index == 4);
  // and press as they did
  log.add_frame(0.6, events, points);
  REQUIRE(events.size() == 2);
  CHECK(events[1].a.index == 2);
  CHECK(events[1].impulse.z == doctest::Approx(1));
}

TEST_CASE("touch log: an impact leaves all other touches as they were") {
  TouchLog log;
  std::vector<ContactEvent> events;
  std::vector<TouchPoint> points;
  const auto never = [](int) { return false; };
  log.add_step(0.1, 0.1, {touching(0, 1, {0, 0, 2}), touching(0, 2, {0, 0, 3})}, never, events);
  events.clear();
  log.add_impact(0.15, {touching(0, 2, {0, 0, 5}), touching(1, 3, {0, 0, 7})}, events);
  REQUIRE(events.size() == 1);
  CHECK(events[0].phase == ContactPhase::begin);
  CHECK(events[0].b.index == 3);
  CHECK(events[0].impulse.z == 7);
  log.add_frame(0.15, events, points);
  REQUIRE(events.size() == 4);
  CHECK(events[1].impulse.z == 0);  // told when it began
  CHECK(events[2].impulse.z == 5);
  CHECK(points[1].force.z == doctest::Approx(30));
}

TEST_CASE("touch log: the events of a run are in the order of time, ends follow begins") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 2, 50), {0.5, 0.6});
    add_solid(scene, "ball", Sphere{0.1}, 1, {Mat3::identity(), {0, 0, 0.6}}, {0.5, 0.6});
    add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1,
              {axis_rotation(normalized(Vec3{1, 1, 0}), 0.5), {1, 0, 0.6}}, {0.5, 0.6});
    const Shown shown(scene);
    double t = 0;
    bool touches[2] = {false, false};
    for (const ContactEvent& e : shown.recording.contacts) {
      CHECK(e.t >= t - 1e-12);
      t = e.t;
      bool& now = touches[e.b.index - 1];  // the ground is the first body
      CHECK(now == (e.phase != ContactPhase::begin));
      now = e.phase != ContactPhase::end;
      CHECK(norm(e.normal) == doctest::Approx(1));
      CHECK(std::fabs(e.point.z) < 5e-3);
    }
    CHECK(count(shown, "ball", "ground").begin >= 3);
    // both come to rest, and no impact of the one disturbs the other
    CHECK(count(shown, "ball", "ground").begin < 14);
  }
}

TEST_CASE("touch log: the impulses of a bounce are its change of momentum") {
  for (const Integrator way : all_ways) {
    for (const double e : {0.3, 1.0}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      Scene scene = on_ground(contact_settings(way, 0.6, 200), {0.5, e});
      add_solid(scene, "ball", Sphere{0.1}, 2, {Mat3::identity(), {0, 0, 1.1}}, {0.5, e});
      const Shown shown(scene);
      const Count found = count(shown, "ball", "ground");
      CHECK(found.begin == 1);
      CHECK(found.end == 1);
      // all of it: m (v(end) + g t)
      const double expected = 2 * (shown.velocity("ball").linear.z + g * 0.6);
      CHECK(found.impulse.z == doctest::Approx(expected).epsilon(1e-9));
      const double v = g * std::sqrt(2 / g);
      CHECK(found.impulse.z == doctest::Approx(2 * (1 + e) * v).epsilon(3e-3));
      if (is_event_driven(way)) {
        CHECK(found.impulse.z == doctest::Approx(2 * (1 + e) * v).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("touch log: what rests presses with its weight all the time, told once a frame") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 2, 50));
    scene.settings.contact.sleep = false;
    add_solid(scene, "box", Box{{0.2, 0.1, 0.1}}, 3, {Mat3::identity(), {0, 0, 0.1}});
    const Shown shown(scene);
    const Count found = count(shown, "box", "ground");
    CHECK(found.begin == 1);
    CHECK(found.end == 0);
    CHECK(found.persist == 100);
    CHECK(found.impulse.z == doctest::Approx(3 * g * 2).epsilon(1e-6));
    CHECK(std::hypot(found.impulse.x, found.impulse.y) < 1e-6);
    // forces at the corners
    for (std::size_t i = 1; i < shown.frames().size(); ++i) {
      Vec3 force;
      for (const TouchPoint& p : shown.frames()[i].contacts) {
        force += shown.index("box") == static_cast<std::size_t>(p.a.index) ? p.force : -p.force;
      }
      CHECK(force.z == doctest::Approx(3 * g).epsilon(1e-4));
    }
  }
}

TEST_CASE("touch log: a body asleep still touches, and presses with its weight") {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 3, 50));
  add_solid(scene, "box", Box{{0.2, 0.1, 0.1}}, 3, {Mat3::identity(), {0, 0, 0.1}});
  const Shown shown(scene);
  CHECK(shown.frames().back().asleep == 1);
  const Count found = count(shown, "box", "ground");
  CHECK(found.begin == 1);
  CHECK(found.end == 0);
  CHECK(found.persist == 150);
  Vec3 force;
  for (const TouchPoint& p : shown.frames().back().contacts) force += p.force;
  CHECK(std::fabs(force.z) == doctest::Approx(3 * g).epsilon(1e-4));
}

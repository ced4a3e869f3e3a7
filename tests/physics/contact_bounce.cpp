// A ball that falls from height h bounces at T, T (1 + 2e), T (1 + 2e + 2e^2), ... with
// T = sqrt(2h/g), rises to e^2 h, e^4 h, ... and lies still after T (1 + e)/(1 - e).
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double radius = 0.1, mass = 2;

Scene ball(double restitution, double height, const Settings& settings) {
  Scene scene = on_ground(settings, {0.5, restitution});
  scene.settings.contact.sleep = false;
  add_solid(scene, "ball", Sphere{radius}, mass, {Mat3::identity(), {0, 0, radius + height}},
            {0.5, restitution});
  return scene;
}

double fall_time(double height) { return std::sqrt(2 * height / g); }

std::vector<ContactEvent> events(const Shown& shown, ContactPhase phase) {
  std::vector<ContactEvent> list;
  for (const ContactEvent& e : shown.recording.contacts) {
    if (e.phase == phase) list.push_back(e);
  }
  return list;
}

// Heights of the ball above the ground at the tops of its path, between bounces, by energy.
std::vector<double> apexes(const Shown& shown) {
  std::vector<double> heights;
  const std::vector<ContactEvent> begins = events(shown, ContactPhase::begin);
  for (std::size_t n = 0; n + 1 < begins.size(); ++n) {
    const double middle = (begins[n].t + begins[n + 1].t) / 2;
    for (std::size_t i = 0; i < shown.frames().size(); ++i) {
      if (shown.seconds(i) < middle) continue;
      const double v = shown.velocity("ball", i).linear.z;
      heights.push_back(shown.pose("ball", i).p.z - radius + v * v / (2 * g));
      break;
    }
  }
  return heights;
}

double deepest(const Shown& shown) {
  double z = 1e9;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    z = std::min(z, shown.pose("ball", i).p.z - radius);
  }
  return -z;
}

}  // namespace

TEST_CASE("bounce: by events, each impact comes at its time, with its impulse, to its height") {
  for (const Integrator way : event_driven) {
    for (const double e : {0.3, 0.5, 0.8, 1.0}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      const Shown shown(ball(e, 1, contact_settings(way, 5, 200)));
      CHECK(shown.recording.summary.failure == "");
      const double T = fall_time(1);
      // as many as are faster than 0.2 m/s: below, the contact distance shows
      double t = T, v = g * T;
      std::size_t n = 0;
      const std::vector<ContactEvent> begins = events(shown, ContactPhase::begin);
      const std::vector<double> heights = apexes(shown);
      for (; v > 0.2 && t < 5; ++n) {
        CAPTURE(n);
        REQUIRE(n < begins.size());
        // every bounce may shift those that follow by the contact distance over the speed
        CHECK(std::fabs(begins[n].t - t) < 1e-6 * static_cast<double>(n + 1));
        CHECK(norm(begins[n].impulse) == doctest::Approx(mass * (1 + e) * v).epsilon(2e-5));
        CHECK(begins[n].normal.z == doctest::Approx(-1));  // on the ground, from the ball
        if (n < heights.size()) {
          CHECK(std::fabs(heights[n] - std::pow(e, 2.0 * static_cast<double>(n + 1))) < 1.5e-6);
        }
        v *= e;
        t += 2 * v / g;
      }
      CHECK(n >= 3);
      CHECK(deepest(shown) < (e < 1 ? 1e-12 : 0));  // it never is within the ground
    }
  }
}

TEST_CASE("bounce: by events, infinitely many bounces end in lasting contact") {
  for (const Integrator way : event_driven) {
    for (const double e : {0.0, 0.3, 0.5, 0.8, 0.9}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      const double T = fall_time(1), stop = T * (1 + e) / (1 - e);
      const Scene scene = ball(e, 1, contact_settings(way, stop + 1, 200));
      const Shown shown(scene);
      // bounces until the speed is below the rest speed: no more
      const double rest_speed = scene.settings.contact.rest_speed;
      const int bounces =
          e == 0 ? 1
                 : 1 + static_cast<int>(std::ceil(std::log(rest_speed / (g * T)) / std::log(e)));
      CHECK(shown.recording.summary.impacts >= bounces - 1);
      CHECK(shown.recording.summary.impacts <= bounces + 1);
      // the bounces that are left out would have lasted for this long
      const double left_out = 2 * rest_speed / g / (1 - e);
      const double last = events(shown, ContactPhase::begin).back().t;
      CHECK(last > stop - left_out);
      CHECK(last < stop + 1e-4);
      // from then on it lies still
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        if (shown.seconds(i) < last + 5e-3) continue;
        CHECK(std::fabs(shown.pose("ball", i).p.z - radius) < 1e-9);
        CHECK(norm(shown.velocity("ball", i).linear) < 1e-9);
        CHECK_FALSE(shown.frames()[i].contacts.empty());
      }
    }
  }
}

TEST_CASE("bounce: by time-stepping, heights are right to what a step of fall makes") {
  // A bounce comes when the ground would be crossed by the end of the step: up to half a step
  // before or after it is met (midpoint), up to a whole step before (Euler). What the ball does not
  // fall it need not rise: its apex is off by 1 - e^2 of that.
  for (const Integrator way : time_stepping) {
    const double steps = way == Integrator::midpoint ? 0.5 : 1;
    for (const double e : {0.3, 0.5, 0.8}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      for (const double height : {1.0, 1.0009, 1.0017, 1.0026, 1.0035, 1.0043}) {
        const Shown shown(ball(e, height, contact_settings(way, 2.2, 200)));
        const std::vector<double> heights = apexes(shown);
        REQUIRE(heights.size() >= 2);
        const double fall = steps * 1e-3 * g * fall_time(height);
        CHECK(std::fabs(heights[0] - e * e * height) < 1.3 * (1 - e * e) * fall);
        CHECK(std::fabs(heights[1] - e * e * heights[0]) < 1.3 * (1 - e * e) * e * fall);
        CHECK(deepest(shown) < 1.1 * fall);
      }
    }
  }
  // the drop of the reference values: 0.25 m to a millimetre
  for (const Integrator way : time_stepping) {
    const Shown shown(ball(0.5, 1, contact_settings(way, 1, 200)));
    CHECK(std::fabs(apexes(shown)[0] - 0.25) < 1e-3);
  }
}

TEST_CASE("bounce: fully elastic, the energy stays") {
  const double energy = mass * g * (radius + 1);
  const struct {
    Integrator way;
    double error;  // relative, after 5 s
  } cases[] = {{Integrator::midpoint, 1e-12},
               {Integrator::semi_implicit_euler, 1e-2},
               {Integrator::rkf45, 1e-12},
               {Integrator::rk4, 1e-12}};
  for (const auto& c : cases) {
    const auto& [way, error] = c;
    for (const double time_step : {1e-3, 2.3e-3, 5e-3}) {
      CAPTURE(to_string(c.way));
      CAPTURE(time_step);
      Settings settings = contact_settings(way, 5, 1 / time_step);
      settings.time_step = time_step;
      const Shown shown(ball(1, 1, settings));
      CHECK(events(shown, ContactPhase::begin).size() == 6);
      for (const Frame& frame : shown.frames()) {
        CHECK(std::fabs(frame.energy.total() - energy) < error * (time_step / 1e-3) * energy);
      }
    }
  }
}

TEST_CASE("bounce: by time-stepping, the ball comes to rest on the ground") {
  for (const Integrator way : time_stepping) {
    for (const double e : {0.0, 0.5, 0.8}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      const double stop = fall_time(1) * (1 + e) / (1 - e);
      const Shown shown(ball(e, 1, contact_settings(way, stop + 1, 200)));
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        if (shown.seconds(i) < stop + 0.1) continue;
        CHECK(std::fabs(shown.pose("ball", i).p.z - radius) < 1.1e-4);  // slop and no more
        CHECK(norm(shown.velocity("ball", i).linear) < 1e-9);
      }
    }
  }
}

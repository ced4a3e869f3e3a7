// The zero-gravity preview: closed forms of modes, momentum, and beginning again.
#include "molejo/locomotion/sketch.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/scene.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double stiffness = 200;

Character humanoid() {
  return make_character(
      read_scene(SourceFile::given(source_dir() + "/scenes/characters/humanoid.json")),
      {.stiffness = stiffness});
}

Motion blank(double time_step = 1e-3) {
  Motion m;
  m.steps.push_back({{"right_leg.foot"}, {}, {}});
  m.rollout.time_step = time_step;
  return m;
}

// The largest momentum and angular momentum about the centre of mass on the way.
std::pair<double, double> largest_momenta(double time_step) {
  const Character c = humanoid();
  Motion m = blank(time_step);
  m.steps[0].air.priority = {{2, 0.3}, {10, 0.2}};
  m.steps[0].ground.priority = {{3, 0.3}, {10, -0.3}};
  Sketch sketch(c, m);
  std::pair<double, double> most{0, 0};
  for (const Frame& frame : record_sketch(c, sketch, 1.4, 60).frames) {
    most.first = std::max(most.first, norm(frame.momentum));
    most.second = std::max(most.second, norm(frame.angular_momentum));
  }
  return most;
}

}  // namespace

TEST_CASE("sketch: a mode alone follows the equation of its oscillator") {
  // a'' + 0.1 w^2 a' + w^2 a = w^2 T / k while the pulse lasts: damping is 0.1 s times stiffness
  const Character c = humanoid();
  const Modes modes = air_modes(c);
  double last_error = 0;
  for (const double time_step : {1e-3, 2.5e-4}) {
    const Motion m = blank(time_step);
    Sketch sketch(c, m);
    const double amplitude = 1e-4;
    sketch.set_amplitude(0, SketchPhase::air, 2, amplitude);
    const double w = std::sqrt(modes.eigenvalue[1]), decay = 0.05 * w * w;
    REQUIRE(decay < w);
    const double swing = std::sqrt(w * w - decay * decay);
    const double goal = m.torque_scale * amplitude / stiffness;
    double error = 0;
    for (int n = 1; n <= 8; ++n) {
      sketch.advance(0.01);
      const double t = sketch.state().t;  // within the pulse, which lasts 0.0875 s
      CHECK(std::fabs(t - 0.01 * n) <= time_step);
      const double exact =
          goal *
          (1 - std::exp(-decay * t) * (std::cos(swing * t) + decay / swing * std::sin(swing * t)));
      const double a = sketch.modal_amplitude(0, SketchPhase::air, 2);
      error = std::max(error, std::fabs(a - exact));
      // it is the only one
      for (const int other : {1, 3, 4, 5, 12}) {
        CHECK(std::fabs(sketch.modal_amplitude(0, SketchPhase::air, other)) < 1e-3 * exact);
      }
    }
    const double reached = sketch.modal_amplitude(0, SketchPhase::air, 2);
    CHECK(reached > 0.15 * goal);
    CHECK(error < (time_step < 1e-3 ? 0.01 : 0.03) * reached);
    if (last_error > 0) CHECK(last_error / error == doctest::Approx(4).epsilon(0.1));
    last_error = error;
  }
}

TEST_CASE("sketch: momentum stays zero, up to the order of the integrator") {
  const auto coarse = largest_momenta(2e-3), fine = largest_momenta(5e-4);
  CAPTURE(coarse.first);
  CAPTURE(coarse.second);
  CAPTURE(fine.first);
  CAPTURE(fine.second);
  CHECK(coarse.first < 0.5);  // kg m/s, of 73 kg
  CHECK(coarse.second < 0.5);
  CHECK(coarse.first / fine.first > 3);
  CHECK(coarse.second / fine.second > 3);
}

TEST_CASE("sketch: the second half of a cycle has the mirrored pulses of the first") {
  const Character c = humanoid();
  Motion m = blank();
  m.steps[0].ground.priority = {{3, 0.2}};
  const Sketch sketch(c, m);
  const Gait& g = sketch.gait();
  REQUIRE(g.steps.size() == 2);
  CHECK(sketch.period() == doctest::Approx(m.range.period));
  const VecX &a = g.steps[0].ground.pulses[0].torque, &b = g.steps[1].ground.pulses[0].torque;
  CHECK(a.norm() == doctest::Approx(0.2 * m.torque_scale));
  CHECK(b == mirrored(c, a));
  CHECK(a != b);
  CHECK(g.steps[0].air.pulses[0].torque.norm() == 0);
}

TEST_CASE("sketch: it begins again from rest whenever an amplitude changes, with the same bits") {
  const Character c = humanoid();
  Sketch a(c, blank()), b(c, blank());
  a.set_amplitude(0, SketchPhase::ground, 2, 0.1);
  a.advance(0.5);
  CHECK((a.state().q - c.rest.q).norm() > 0.01);
  a.set_amplitude(0, SketchPhase::air, 2, -0.1);
  CHECK(a.state().q == c.rest.q);
  CHECK(a.state().v.norm() == 0);
  CHECK(a.state().t == 0);
  CHECK(a.amplitude(0, SketchPhase::ground, 2) == 0.1);
  b.set_amplitude(0, SketchPhase::air, 2, -0.1);
  b.set_amplitude(0, SketchPhase::ground, 2, 0.1);
  // in one stride, or in frames; over the end of the cycle
  a.advance(1.5);
  for (int n = 0; n < 90; ++n) b.advance(1.0 / 60);
  CHECK(a.state().q == b.state().q);
  CHECK(a.state().v == b.state().v);
  a.restart();
  CHECK(a.state().q == c.rest.q);
}

TEST_CASE("sketch: what the character does not have is refused") {
  const Character c = humanoid();
  Motion m = blank();
  m.steps[0].air.priority = {{31, 0.1}};
  CHECK(error_text([&] { Sketch(c, m); }) == "step 1, air: mode 31 does not exist, there are 30");
  m = blank();
  m.steps[0].feet = {"torso"};
  CHECK(error_text([&] { Sketch(c, m); }) == "body 'torso' is not a foot of the character");
  m.steps[0].feet.clear();
  CHECK(error_text([&] { Sketch(c, m); }) == "a step needs one foot or more");
}

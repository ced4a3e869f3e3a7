// Gaits that tests share: the basic run, its character and what a simulation of it shows.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "molejo/io/scene.h"
#include "molejo/locomotion/gait_problem.h"
#include "tests/support/places.h"

namespace molejo::test {

inline Character shipped_character(const std::string& name, const CharacterOptions& options = {}) {
  return make_character(
      read_scene(SourceFile::given(source_dir() + "/scenes/characters/" + name + ".json")),
      options);
}

// The basic run of the thesis, s.5.2: 3/4 priority modes, 5/7 allowed.
inline Motion basic_motion() {
  Motion m;
  m.steps.push_back({{"right_leg.foot"},
                     {{{2, 0.1}, {10, 0.05}, {11, 0.05}}, {3, 4}},
                     {{{2, 0.1}, {3, 0.2}, {4, 0.1}, {9, 0.05}}, {1, 5, 11}}});
  return m;
}

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The unknowns of the sketch, moved by up to `spread`, another way for each n.
inline std::vector<double> moved_sketch(const GaitProblem& problem, int n, double spread = 0.1) {
  const VecX sketch = problem.start();
  std::vector<double> x(sketch.begin(), sketch.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double wave = std::sin(12.9898 * static_cast<double>(i) + 78.233 * n);
    x[i] = std::clamp(x[i] + spread * wave, 0.0, 1.0);
  }
  return x;
}

// One step of a simulation, kept.
struct Observed {
  double t = 0, h = 0;
  State state;
  std::vector<Vec3> impulses;
  std::vector<double> torque;
  int step = 0;
  bool in_air_phase = true;
};
struct SeenRun {
  RolloutResult result;
  std::vector<Observed> steps;
  std::vector<GroundPoint> points;
};

inline SeenRun watched(const Character& character, const RolloutSettings& settings,
                       const Gait& gait) {
  SeenRun run;
  Rollout rollout(character, settings);
  run.result = rollout.run(gait, {}, [&](const RolloutView& view) {
    Observed seen{view.t,
                  view.h,
                  {},
                  {view.impulses.begin(), view.impulses.end()},
                  {view.torque.begin(), view.torque.end()},
                  view.step,
                  view.in_air_phase};
    seen.state.q = Eigen::Map<const VecX>(view.q.data(), static_cast<Eigen::Index>(view.q.size()));
    seen.state.v = Eigen::Map<const VecX>(view.v.data(), static_cast<Eigen::Index>(view.v.size()));
    run.steps.push_back(std::move(seen));
    run.points.assign(view.points.begin(), view.points.end());
  });
  return run;
}

// The image of a gait: mirrored start and torques, feet of the other side.
inline Gait image(const Character& c, Gait gait) {
  gait.start = mirrored(c, gait.start);
  for (GaitStep& step : gait.steps) {
    for (int& foot : step.feet) {
      const int body = c.mirror.body[at(c.feet[at(foot)].body.index)];
      for (std::size_t f = 0; f < c.feet.size(); ++f) {
        if (c.feet[f].body.index == body) {
          foot = static_cast<int>(f);
          break;
        }
      }
    }
    for (GaitPhase* phase : {&step.air, &step.ground}) {
      for (Pulse& pulse : phase->pulses) pulse.torque = mirrored(c, pulse.torque);
    }
  }
  return gait;
}

}  // namespace molejo::test

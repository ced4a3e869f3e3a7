// Scenes of bodies that touch, a line per thing, and what a run of them shows.
#pragma once

#include <functional>
#include <string>

#include "molejo/model/build.h"
#include "molejo/model/recording.h"
#include "tests/support/assemble.h"

namespace molejo::test {

inline constexpr double g = 9.81;

// Both ways of contact: by time-stepping, and by events with an integrator that is exact here.
inline constexpr Integrator time_stepping[] = {Integrator::midpoint,
                                               Integrator::semi_implicit_euler};
inline constexpr Integrator event_driven[] = {Integrator::rkf45, Integrator::rk4};
inline constexpr Integrator all_ways[] = {Integrator::midpoint, Integrator::semi_implicit_euler,
                                          Integrator::rkf45, Integrator::rk4};
bool is_event_driven(Integrator integrator);

// Settings of a run: steps of 1 ms, or a tolerance of 1e-10.
Settings contact_settings(Integrator integrator, double duration, double fps = 100);

// A plane that nothing moves, called "ground"; solid below the z axis of X_WG.
SceneBody& add_ground(Scene& scene, const Surface& surface = {}, const Pose& X_WG = {});
// A scene with nothing but that.
Scene on_ground(const Settings& settings, const Surface& surface = {}, const Pose& X_WG = {});
// Downhill is +x, z points out of the ground.
Pose slope(double angle);

// A uniform solid of one shape, free to move; its origin is the centre.
SceneBody& add_solid(Scene& scene, const std::string& name, const Geometry& geometry, double mass,
                     const Pose& X_WB, const Surface& surface = {});
SceneBody& add_wall(Scene& scene, const std::string& name, const Geometry& geometry,
                    const Pose& X_WB, const Surface& surface = {});

// A run, and places in it by name.
struct Shown {
  Built built;
  Recording recording;

  explicit Shown(const Scene& scene,
                 const std::function<bool(const Frame&, std::int64_t)>& progress = {});

  std::size_t index(const std::string& body) const;
  const Pose& pose(const std::string& body, std::size_t frame) const;
  // At the end of the run.
  const Pose& pose(const std::string& body) const;
  // Velocity of the body's origin and its angular velocity, world axes.
  SceneBody::Velocity velocity(const std::string& body, std::size_t frame) const;
  SceneBody::Velocity velocity(const std::string& body) const;
  const std::vector<Frame>& frames() const { return recording.frames; }
  double seconds(std::size_t frame) const { return recording.frames[frame].state.t; }
};

}  // namespace molejo::test

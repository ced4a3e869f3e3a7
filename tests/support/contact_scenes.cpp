#include "tests/support/contact_scenes.h"

#include "molejo/physics/world.h"
#include "tests/support/motion.h"

namespace molejo::test {

bool is_event_driven(Integrator integrator) {
  return integrator == Integrator::rk4 || integrator == Integrator::rkf45;
}

Settings contact_settings(Integrator integrator, double duration, double fps) {
  Settings settings;
  settings.gravity = {0, 0, -g};
  settings.integrator = integrator;
  settings.tolerance = 1e-10;
  settings.duration = duration;
  settings.fps = fps;
  return settings;
}

SceneBody& add_wall(Scene& scene, const std::string& name, const Geometry& geometry,
                    const Pose& X_WB, const Surface& surface) {
  SceneBody body;
  body.name = name;
  body.X_WB = X_WB;
  body.immobile = true;
  body.shapes.push_back({geometry, {}, {}, surface});
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

SceneBody& add_ground(Scene& scene, const Surface& surface, const Pose& X_WG) {
  return add_wall(scene, "ground", Plane{}, X_WG, surface);
}

Scene on_ground(const Settings& settings, const Surface& surface, const Pose& X_WG) {
  Scene scene;
  scene.settings = settings;
  add_ground(scene, surface, X_WG);
  return scene;
}

Pose slope(double angle) { return {axis_rotation({0, 1, 0}, angle), {}}; }

SceneBody& add_solid(Scene& scene, const std::string& name, const Geometry& geometry, double mass,
                     const Pose& X_WB, const Surface& surface) {
  SceneBody body;
  body.name = name;
  body.X_WB = X_WB;
  body.shapes.push_back({geometry, {}, {}, surface});
  const double unit = mass_properties(body.shapes[0], 1).mass;
  body.given = mass_properties(body.shapes[0], mass / unit);
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

Shown::Shown(const Scene& scene, const std::function<bool(const Frame&, std::int64_t)>& progress)
    : built(build(scene)), recording(simulate(built, scene.settings, progress)) {}

std::size_t Shown::index(const std::string& body) const {
  return static_cast<std::size_t>(built.model.body(body).index);
}
const Pose& Shown::pose(const std::string& body, std::size_t frame) const {
  return recording.frames[frame].X_WB[index(body)];
}
const Pose& Shown::pose(const std::string& body) const {
  return recording.frames.back().X_WB[index(body)];
}
SceneBody::Velocity Shown::velocity(const std::string& body, std::size_t frame) const {
  const Kinematics<double> k = kinematics(built.model, recording.frames[frame].state);
  const BodyId id = built.model.body(body);
  return {point_velocity(k, id, body_pose(built.model, k, id).p), k.bodies[index(body)].w};
}
SceneBody::Velocity Shown::velocity(const std::string& body) const {
  return velocity(body, recording.frames.size() - 1);
}

}  // namespace molejo::test

// A model and a recording made by hand: a crank that turns, a ball that flies, a floor and a post.
#pragma once

#include <string>

#include "molejo/io/export.h"
#include "molejo/model/scene.h"

namespace molejo::test {

struct Recorded {
  Scene scene;
  Model model;
  Recording recording;
};

// Frames at 0, 1/30, ... The crank turns at 4 rad/s about y through the origin and the ball falls
// and spins; energies are those of a harmonic exchange with total 7 J.
inline Recorded recorded(int frame_count = 61) {
  Recorded r;
  r.scene.name = "crank & ball";
  r.scene.description = "Two bodies on prescribed motion.";
  r.scene.plot = {"hinge", "ball.z"};

  const auto add = [&](const char* name, const char* joint, JointType type, Link link) {
    const Freedoms f = freedoms(type);
    link.q = r.model.nq, link.v = r.model.nv;
    link.translations = f.translations, link.rotations = f.rotations;
    r.model.nq += f.coordinates(), r.model.nv += f.count();
    r.model.links.push_back(link);
    Body body;
    body.name = name, body.joint = joint, body.joint_type = type;
    r.model.bodies.push_back(body);
  };
  add("crank", "hinge", JointType::revolute, {});
  add("ball", "ball", JointType::free, {});
  add("post", "weld", JointType::fixed, {});
  const std::vector<Vec3> corners{{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
  r.model.bodies[0].shapes = {
      {Box{{0.5, 0.05, 0.05}}, {Mat3::identity(), {0.5, 0, 0}}, {0.8, 0.3, 0.2, 1}},
      {Capsule{0.06, 0.2}, {axis_rotation({1, 0, 0}, 1.5707963267948966), {1, 0, 0}}, {}},
      {convex_hull(corners), {Mat3::identity(), {-0.3, 0, 0}}, {0.2, 0.3, 0.8, 0.5}}};
  r.model.bodies[1].shapes = {{Sphere{0.2}, {}, {0.2, 0.6, 0.4, 1}},
                              {Sphere{0.2}, {Mat3::identity(), {0.3, 0, 0}}, {0.2, 0.6, 0.4, 1}}};
  r.model.bodies[2].shapes = {{Plane{}, {Mat3::identity(), {0, 0, -1.2}}, {0.9, 0.9, 0.88, 1}},
                              {Cylinder{0.08, 0.6}, {Mat3::identity(), {0, 0.3, -0.6}}, {}}};

  for (int i = 0; i < frame_count; ++i) {
    const double t = i / 30.0, angle = 4 * t;
    const Quat spin = exp_quat(Vec3{0, 0, 5 * t});
    const Vec3 p{1 + 0.2 * t, -1, 2 + 3 * t - 4.905 * t * t};
    Frame f;
    f.state.t = t;
    f.state.q.resize(r.model.nq), f.state.v.resize(r.model.nv);
    f.state.q << angle, p.x, p.y, p.z, spin.w, spin.x, spin.y, spin.z;
    f.state.v << 4, 0.2, 0, 3 - 9.81 * t, 0, 0, 5;
    f.X_WB = {{axis_rotation({0, 1, 0}, angle), {}}, {matrix(spin), p}, {}};
    const double s = std::sin(3 * t), c = std::cos(3 * t);
    f.energy = {4 * s * s, 3 * c * c, 4 * c * c + 3 * s * s};
    f.momentum = {1, 2, 3}, f.angular_momentum = {4, 5, 6};
    f.constraint_error = 1e-12;
    r.recording.frames.push_back(f);
  }
  r.recording.summary.duration = (frame_count - 1) / 30.0;
  r.recording.summary.frames = frame_count;
  r.recording.summary.hash = 0x0123456789abcdefu;
  return r;
}

}  // namespace molejo::test

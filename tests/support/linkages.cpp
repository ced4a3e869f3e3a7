#include "tests/support/linkages.h"

#include <algorithm>
#include <cmath>

#include "tests/support/assemble.h"
#include "tests/support/motion.h"

namespace molejo::test {

namespace {

constexpr double g = 9.81;

Mat3 turn(double angle) { return axis_rotation({0, 0, 1}, angle); }

Scene planar_scene() {
  Scene scene;
  scene.settings.gravity = {0, -g, 0};
  scene.settings.contact.enabled = false;
  return scene;
}

// A slender bar from a to b, moving as given at its middle.
SceneBody& add_bar(Scene& scene, const std::string& name, const Vec3& a, const Vec3& b, double mass,
                   const Vec3& velocity, double spin) {
  const Vec3 along = b - a;
  const double across = mass * dot(along, along) / 12;
  SceneBody& body = add_body(scene, name, mass, {1e-3 * across, across, across},
                             {turn(std::atan2(along.y, along.x)), (a + b) * 0.5});
  body.velocity = SceneBody::Velocity{velocity, {0, 0, spin}};
  return body;
}

void hinge(Scene& scene, const std::string& parent, const std::string& child, const Vec3& p) {
  add_joint(scene, JointType::revolute, parent, child, frame_at(p));
}
void close(Scene& scene, const std::string& parent, const std::string& child, const Vec3& p) {
  add_loop(scene, JointType::revolute, parent, child, frame_at(p));
}

// angle'' = f(angle, rate).
template <class F>
PendulumState own_motion(double angle, double rate, double duration, F&& f) {
  VecX x(2);
  x << angle, rate;
  const auto slope = [&](double, const VecX& s) {
    VecX r(2);
    r << s[1], f(s[0], s[1]);
    return r;
  };
  x = own_rk4(slope, x, duration, 40'000);
  return {x[0], x[1]};
}

}  // namespace

Scene windows_scene(int windows, double rate, double angle, const LinkageSize& size) {
  Scene scene = planar_scene();
  const double L = size.length;
  const Vec3 rod = Vec3{-std::sin(angle), std::cos(angle), 0} * L;
  const Vec3 tip_velocity = Vec3{-std::cos(angle), -std::sin(angle), 0} * (L * rate);
  const auto foot = [&](int i) { return Vec3{i * L, 0, 0}; };
  const auto name = [](const char* kind, int i) { return kind + std::to_string(i); };
  for (int i = 0; i <= windows; ++i) {
    add_bar(scene, name("rod", i), foot(i), foot(i) + rod, size.mass, tip_velocity * 0.5, rate);
  }
  for (int i = 0; i < windows; ++i) {
    add_bar(scene, name("top", i), foot(i) + rod, foot(i + 1) + rod, size.mass, tip_velocity, 0);
  }
  for (int i = 0; i <= windows; ++i) hinge(scene, "", name("rod", i), foot(i));
  for (int i = 0; i < windows; ++i) {
    hinge(scene, name("rod", i), name("top", i), foot(i) + rod);
    close(scene, name("rod", i + 1), name("top", i), foot(i + 1) + rod);
  }
  return scene;
}

PendulumState windows_motion(int windows, double rate, double angle, double duration,
                             const LinkageSize& size) {
  const double n = windows;
  const double factor = g / size.length * ((n + 1) / 2 + n) / ((n + 1) / 3 + n);
  return own_motion(angle, rate, duration, [&](double s, double) { return factor * std::sin(s); });
}

Scene unequal_window_scene(double angle, double longer) {
  Scene scene = planar_scene();
  const Vec3 foot{1, 0, 0}, a{-std::sin(angle), std::cos(angle), 0};
  // the second tip is 1 from its foot and 1 + longer from the first
  const Vec3 apart = foot - a;
  const double far = norm(apart), reach = 1 + longer;
  const double along = (reach * reach - 1 + far * far) / (2 * far);
  const double across = std::sqrt(reach * reach - along * along);
  const Vec3 u = apart / far;
  const Vec3 b = a + u * along + Vec3{-u.y, u.x, 0} * across;
  add_bar(scene, "rod0", {}, a, 1, {}, 0);
  add_bar(scene, "rod1", foot, b, 1, {}, 0);
  add_bar(scene, "top0", a, b, 1, {}, 0);
  hinge(scene, "", "rod0", {});
  hinge(scene, "", "rod1", foot);
  hinge(scene, "rod0", "top0", a);
  close(scene, "rod1", "top0", b);
  return scene;
}

Scene equal_slider_crank_scene(double angle, double rate) {
  Scene scene = planar_scene();
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 pin{c, s, 0}, slider{2 * c, 0, 0};
  add_bar(scene, "crank", {}, pin, 1, Vec3{-s, c, 0} * (rate / 2), rate);
  add_bar(scene, "rod", pin, slider, 1, Vec3{-3 * s, c, 0} * (rate / 2), -rate);
  add_body(scene, "slider", 1, {0.01, 0.01, 0.01}, frame_at(slider)).velocity =
      SceneBody::Velocity{{-2 * s * rate, 0, 0}, {}};
  hinge(scene, "", "crank", {});
  hinge(scene, "crank", "rod", pin);
  add_joint(scene, JointType::prismatic, "", "slider", frame_at(slider, {1, 0, 0}));
  close(scene, "rod", "slider", slider);
  return scene;
}

PendulumState equal_slider_crank_motion(double angle, double rate, double duration) {
  // with T = M(s) s'^2 / 2: M s'' + M' s'^2 / 2 + V' = 0
  return own_motion(angle, rate, duration, [](double x, double v) {
    const double s = std::sin(x), c = std::cos(x);
    const double M = 1.0 / 3 + 9 * s * s / 4 + c * c / 4 + 1.0 / 12 + 4 * s * s;
    const double half_slope = (9.0 / 4 - 1.0 / 4 + 4) * s * c;
    return -(half_slope * v * v + g * c) / M;
  });
}

Scene gripper_scene(double slide, const LinkageSize& size) {
  Scene scene = planar_scene();
  const double L = size.length;
  const auto at = [&](double x, double y) { return Vec3{x * L, y * L, 0}; };
  const double m = size.mass, inertia = 0.01 * m * L * L;
  add_body(scene, "slider", 2 * m, {inertia, inertia, inertia}, frame_at(at(0, 0.2))).velocity =
      SceneBody::Velocity{{0, slide, 0}, {}};
  add_joint(scene, JointType::prismatic, "", "slider", frame_at(at(0, 0.2), {0, 1, 0}));
  for (const double side : {-1.0, 1.0}) {
    const std::string which = side < 0 ? "left_" : "right_";
    const Vec3 shoulder = at(side * 0.3, 0.5), elbow = at(side * 0.7, 0.9);
    const Vec3 inner = at(side * 0.15, 0.7), wrist = elbow + inner - shoulder;
    const Vec3 knee = at(side * 0.45, 0.4), hand = at(side * 0.1, 0.2);
    // the link turns the lower end of the driver about its shoulder
    const Vec3 link = knee - hand, lever = knee - shoulder;
    // (0, slide) + spin_link x link = spin x lever
    const double rate = slide / (lever.x * link.y - lever.y * link.x);
    const double spin_link = rate * lever.y, spin = rate * link.y;
    const auto across = [](const Vec3& r, double w) { return Vec3{-r.y * w, r.x * w, 0}; };
    add_bar(scene, which + "link", hand, knee, m, Vec3{0, slide, 0} + across(link * 0.5, spin_link),
            spin_link);
    const Vec3 middle = (knee + elbow) * 0.5;
    add_bar(scene, which + "driver", knee, elbow, m, across(middle - shoulder, spin), spin);
    const Vec3 bar = elbow - shoulder;
    add_bar(scene, which + "tip", elbow, wrist, m, across(bar, spin), 0);
    add_bar(scene, which + "rocker", inner, wrist, m, across(bar * 0.5, spin), spin);
    hinge(scene, "slider", which + "link", hand);
    hinge(scene, "", which + "driver", shoulder);
    hinge(scene, which + "driver", which + "tip", elbow);
    hinge(scene, "", which + "rocker", inner);
    close(scene, which + "link", which + "driver", knee);
    close(scene, which + "tip", which + "rocker", wrist);
  }
  return scene;
}

Scene moved_under_gravity(Scene scene, const Pose& X) {
  for (SceneBody& body : scene.bodies) {
    body.X_WB = X * body.X_WB;
    if (body.velocity) {
      body.velocity =
          SceneBody::Velocity{X.R * body.velocity->linear, X.R * body.velocity->angular};
    }
  }
  for (SceneJoint& joint : scene.joints) {
    if (joint.parent.empty()) joint.X_PF = X * joint.X_PF;
    if (joint.child.empty()) joint.X_BM = X * joint.X_BM;
  }
  for (SceneSpring& spring : scene.springs) {
    for (Attachment* end : {&spring.a, &spring.b}) {
      if (end->body.empty()) end->p = X * end->p;
    }
  }
  for (SceneForce& force : scene.forces) {
    for (ForceSample& sample : force.samples) {
      sample.force = X.R * sample.force, sample.torque = X.R * sample.torque;
    }
  }
  return scene;
}

namespace {

// Of a rotation the length is 1 and the mass an inertia.
void scale(Drive& d, double length, double mass) {
  d.rest *= length, d.target *= length, d.target_velocity *= length;
  if (d.lower) *d.lower *= length;
  if (d.upper) *d.upper *= length;
  for (double* x : {&d.stiffness, &d.damping, &d.limit_stiffness, &d.limit_damping, &d.kp, &d.kd,
                    &d.armature}) {
    *x *= mass;
  }
  d.force *= mass * length;
  if (d.max_force) *d.max_force *= mass * length;
}

MassProperties mass_of(const SceneBody& body) {
  if (body.given) return *body.given;
  MassProperties sum;
  for (const Shape& shape : body.shapes) sum = sum + mass_properties(shape, body.density);
  return sum;
}

}  // namespace

Scene scaled(Scene scene, const LinkageSize& size) {
  const double L = size.length, M = size.mass;
  scene.settings.gravity = scene.settings.gravity * L;
  for (SceneBody& body : scene.bodies) {
    body.X_WB.p = body.X_WB.p * L;
    if (body.velocity) body.velocity->linear = body.velocity->linear * L;
    MassProperties m = mass_of(body);
    m.mass *= M, m.p_BC = m.p_BC * L, m.I_BC = m.I_BC * (M * L * L);
    if (m.mass > 0) body.given = m;
  }
  for (SceneJoint& joint : scene.joints) {
    joint.X_PF.p = joint.X_PF.p * L, joint.X_BM.p = joint.X_BM.p * L;
    const auto translations = static_cast<std::size_t>(freedoms(joint.type).translations);
    for (std::vector<double>* numbers : {&joint.position, &joint.velocity}) {
      for (std::size_t i = 0; i < std::min(translations, numbers->size()); ++i) (*numbers)[i] *= L;
    }
    for (std::size_t i = 0; i < joint.drives.size(); ++i) {
      const bool travels = i < translations;
      scale(joint.drives[i], travels ? L : 1, travels ? M : M * L * L);
    }
  }
  for (SceneSpring& spring : scene.springs) {
    spring.a.p = spring.a.p * L, spring.b.p = spring.b.p * L;
    spring.stiffness *= M, spring.damping *= M, spring.rest_length *= L;
  }
  for (SceneForce& force : scene.forces) {
    force.at.p = force.at.p * L;
    for (ForceSample& sample : force.samples) {
      sample.force = sample.force * (M * L), sample.torque = sample.torque * (M * L * L);
    }
  }
  return scene;
}

Scene moved(Scene scene, const Pose& X) {
  scene.settings.gravity = X.R * scene.settings.gravity;
  return moved_under_gravity(std::move(scene), X);
}

}  // namespace molejo::test

// Points on level ground: rest, friction, momentum, the laws of contact, the general engine, packs.
#include "molejo/physics/point_contact.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/scene.h"
#include "molejo/locomotion/character.h"
#include "molejo/physics/forces.h"
#include "molejo/physics/integrate.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// One world or four, stepped by semi-implicit Euler with implicit drives.
template <class S>
struct World {
  World(const Model& m, double friction)
      : model(m),
        d(m),
        contact(m, ground_points(m), friction),
        q(at(m.nq)),
        v(at(m.nv)),
        free(at(m.nv)) {}

  void set(int lane, const State& state) {
    for (int i = 0; i < model.nq; ++i) set_lane(q[at(i)], lane, state.q[i]);
    for (int i = 0; i < model.nv; ++i) set_lane(v[at(i)], lane, state.v[i]);
  }
  State state(int lane_index = 0) const {
    State s{0, VecX(model.nq), VecX(model.nv)};
    for (int i = 0; i < model.nq; ++i) s.q[i] = lane(q[at(i)], lane_index);
    for (int i = 0; i < model.nv; ++i) s.v[i] = lane(v[at(i)], lane_index);
    return s;
  }
  // Velocities with contact; poses stay.
  void change_velocities(const S& h) {
    apply_drives(model, q.data(), v.data(), ImplicitDriveT<S>::end_of_step(h), d);
    forward_dynamics(model, q.data(), v.data(), d);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += d.a[i] * h;
    free = v;
    meet_ground(model, h, v.data(), d, contact);
  }
  void step(const S& h) {
    change_velocities(h);
    move(model, LinkRange{0, model.body_count(), 0, model.nv}, v.data(), h, q.data());
  }

  const Model& model;
  Dynamics<S> d;
  PointContact<S> contact;
  std::vector<S> q, v, free;
};

const Box brick{{0.15, 0.1, 0.05}};

Built one_body(const Geometry& geometry, const Pose& pose, double mass = 3) {
  Scene scene;
  add_solid(scene, "body", geometry, mass, pose);
  return build(scene);
}

double lowest(const World<double>& world) {
  Kinematics<double> k(world.model);
  update_poses(world.model, world.q.data(), k);
  double low = 1e300;
  for (const GroundPoint& p : world.contact.points) {
    const BodyMotion<double>& b = k.bodies[at(p.body)];
    low = std::min(low, (b.p + b.R * p.p).z - p.radius);
  }
  return low;
}

Character humanoid() {
  return make_character(
      read_scene(SourceFile::given(source_dir() + "/scenes/characters/humanoid.json")));
}

// A figure that turns and falls, in a state of its own for each n.
State tumbling(const Character& c, int n) {
  State s = c.rest;
  VecX dq = VecX::Zero(c.model.nv);
  for (int i = 0; i < c.model.nv; ++i) {
    dq[i] = 0.2 * std::sin(1.7 * i + n);
    s.v[i] = 0.8 * std::cos(2.3 * i - n);
  }
  dq[0] = dq[1] = 0;
  dq[2] = 0.1;
  move(c.model, dq.data(), 1, s.q.data());
  return s;
}

}  // namespace

TEST_CASE("point contact: points of a box, a sphere, a capsule and a cylinder") {
  const auto points = [](const Geometry& geometry) {
    return ground_points(one_body(geometry, {}).model);
  };
  const std::vector<GroundPoint> corners = points(brick);
  REQUIRE(corners.size() == 8);
  for (const GroundPoint& p : corners) {
    CHECK(std::fabs(p.p.x) == 0.15);
    CHECK(std::fabs(p.p.y) == 0.1);
    CHECK(std::fabs(p.p.z) == 0.05);
    CHECK(p.radius == 0);
  }
  REQUIRE(points(Sphere{0.3}).size() == 1);
  CHECK(points(Sphere{0.3})[0].radius == 0.3);
  const std::vector<GroundPoint> ends = points(Capsule{0.1, 0.4});
  REQUIRE(ends.size() == 2);
  CHECK(std::fabs(ends[0].p.z - ends[1].p.z) == 0.8);
  CHECK(ends[0].radius == 0.1);
  CHECK(points(Cylinder{0.1, 0.4}).size() == 16);
  // shapes that do not collide, and bodies that cannot move, have none
  Scene scene;
  add_wall(scene, "wall", brick, {});
  add_solid(scene, "ghost", brick, 1, {}).shapes[0].collides = false;
  CHECK(ground_points(build(scene).model).empty());
}

TEST_CASE("point contact: a box rests on its corners, without creep and above -0.1 mm") {
  const Built built = one_body(brick, {matrix(exp_quat(Vec3{0, 0, 0.3})), {0, 0, 0.05}});
  World<double> world(built.model, 0.6);
  world.set(0, built.initial);
  for (int n = 0; n < 2000; ++n) world.step(1e-3);
  CHECK(separation(built.model, world.state(), built.initial) < 1e-6);
  CHECK(std::fabs(world.contact.total.z - 3 * g * 1e-3) < 1e-9);

  // dropped on a corner it topples, comes to rest, and stays
  const Built tilted = one_body(brick, {matrix(exp_quat(Vec3{0.5, 0.4, 0.3})), {0, 0, 0.3}});
  world.set(0, tilted.initial);
  double deepest = 0;
  for (int n = 0; n < 3000; ++n) {
    world.step(1e-3);
    deepest = std::min(deepest, lowest(world));
  }
  CHECK(deepest > -1e-4);
  const State settled = world.state();
  for (int n = 0; n < 2000; ++n) world.step(1e-3);
  CHECK(separation(built.model, world.state(), settled) < 1e-6);
}

TEST_CASE("point contact: a sliding box stops after v^2 / (2 mu g), straight on") {
  for (const double angle : {0.0, 0.7, 2.5, 4.0}) {
    CAPTURE(angle);
    const double speed = 2, mu = 0.4;
    const Vec3 direction{std::cos(angle), std::sin(angle), 0};
    const Built built = one_body(brick, {Mat3::identity(), {0, 0, 0.05}});
    World<double> world(built.model, mu);
    State start = built.initial;
    for (int i = 0; i < 3; ++i) start.v[i] = speed * direction[i];
    world.set(0, start);
    const double h = 1e-3;
    for (int n = 0; n < 700; ++n) world.step(h);
    const State end = world.state();
    const Vec3 way{end.q[0] - start.q[0], end.q[1] - start.q[1], 0};
    // velocities at the ends of steps: half a step short
    const double expected = speed * speed / (2 * mu * g) - speed * h / 2;
    CHECK(std::fabs(dot(way, direction) - expected) < 2e-4);
    CHECK(norm(way - direction * dot(way, direction)) < 1e-6);
    CHECK(end.v.norm() < 1e-9);
  }
}

TEST_CASE("point contact: impulses are the change of momentum, and obey the laws of contact") {
  const Character c = humanoid();
  const double h = 1e-3, mu = 0.7;
  double most_touching = 0;
  for (int n = 0; n < 6; ++n) {
    CAPTURE(n);
    World<double> world(c.model, mu);
    world.set(0, tumbling(c, n));
    for (int k = 0; k < 600 + 250 * n; ++k) world.step(h);
    world.contact.tolerance = 1e-12;
    world.contact.most_iterations = 100000;
    world.change_velocities(h);
    const State after = world.state();
    Kinematics<double> k = kinematics(c.model, after);
    const Totals end = totals(c.model, k);
    update_velocities(c.model, world.free.data(), k);
    const Totals start = totals(c.model, k);
    Vec3 sum, moment;
    update_velocities(c.model, after.v.data(), k);
    for (std::size_t i = 0; i < world.contact.points.size(); ++i) {
      const GroundPoint& p = world.contact.points[i];
      const Vec3& impulse = world.contact.impulse[i];
      const BodyMotion<double>& b = k.bodies[at(p.body)];
      const Vec3 arm = b.R * p.p - Vec3{0, 0, p.radius}, place = b.p + arm;
      sum += impulse;
      moment += cross(place, impulse);

      // no pull, no approach beyond the gap, no force across a gap that opens
      const Vec3 v = b.v + cross(b.w, arm);
      const double least = place.z > 0 ? -place.z / h : -0.1 * place.z / h;
      CHECK(impulse.z >= 0);
      CHECK(v.z > least - 1e-7);
      if (impulse.z > 0) CHECK(std::fabs(v.z - least) < 1e-7);
      // Coulomb's cone; on its face the friction is against the way it slides
      const double friction = std::hypot(impulse.x, impulse.y), slip = std::hypot(v.x, v.y);
      CHECK(friction <= mu * impulse.z * (1 + 1e-9));
      if (impulse.z > 0 && slip > 1e-6) {
        CHECK(std::fabs(friction - mu * impulse.z) < 1e-9);
        CHECK(impulse.x * v.x + impulse.y * v.y < -(1 - 1e-6) * friction * slip);
      }
    }
    most_touching = std::max(most_touching, static_cast<double>(world.contact.touching));
    CHECK(norm(end.momentum - start.momentum - sum) < 1e-9);
    CHECK(norm(end.angular_momentum - start.angular_momentum - moment) < 1e-9);
    CHECK(norm(world.contact.total - sum) < 1e-10);
  }
  CHECK(most_touching >= 3);
}

TEST_CASE("point contact: a dropped humanoid moves as in the general engine") {
  const Character c = humanoid();
  State start = c.rest;
  start.q[2] += 0.05;
  World<double> points(c.model, 0.9);
  points.set(0, start);
  Scratch scratch(c.model);
  REQUIRE(scratch.contact != nullptr);
  State state = start;
  double apart = 0, pressed = 0;
  for (int n = 0; n < 200; ++n) {
    points.step(1e-3);
    pressed += points.contact.total.z;
    step(c.model, Integrator::semi_implicit_euler, 1e-3, state, scratch);
    state.t += 1e-3;
    const VecX dq = difference(c.model, points.state().q, state.q);
    apart = std::max(apart, dq.cwiseAbs().maxCoeff());
  }
  MESSAGE("largest difference of a coordinate over 0.2 s: ", apart);
  CHECK(pressed > 50);  // N s: it did land
  CHECK(apart < 2e-4);
}

TEST_CASE(
    "point contact: lanes have the bits of single worlds, with steps and contacts of their own") {
  const Character c = humanoid();
  World<Pack4> pack(c.model, 0.8);
  Pack4 h;
  std::vector<World<double>> single;
  for (int i = 0; i < 4; ++i) {
    single.emplace_back(c.model, 0.8);
    // the last one stays in the air, the first starts in the ground
    State start = tumbling(c, i);
    start.q[2] += i == 3 ? 10 : 0.1 * i - 0.4;
    single.back().set(0, start);
    pack.set(i, start);
    h.set(i, 1e-3 * (1 + 0.13 * i));
  }
  int different = 0;
  for (int n = 0; n < 800; ++n) {
    pack.step(h);
    for (int i = 0; i < 4; ++i) {
      World<double>& one = single[at(i)];
      one.step(h[i]);
      if (one.contact.touching != single[0].contact.touching) ++different;
      const State a = pack.state(i), b = one.state();
      REQUIRE(a.q == b.q);
      REQUIRE(a.v == b.v);
      for (std::size_t p = 0; p < one.contact.impulse.size(); ++p) {
        REQUIRE(pack.contact.impulse[p].z[i] == one.contact.impulse[p].z);
      }
    }
  }
  CHECK(different > 500);
  CHECK(single[3].contact.total.z == 0);
}

TEST_CASE("point contact: a body that may not touch falls through") {
  const Built built = one_body(brick, {Mat3::identity(), {0, 0, 0.05}});
  World<double> world(built.model, 0.6);
  world.contact.allowed[0] = 0;
  world.set(0, built.initial);
  const double h = 1e-3;
  for (int n = 0; n < 200; ++n) {
    world.step(h);
    CHECK(world.contact.total.z == 0);
  }
  CHECK(world.state().q[2] == doctest::Approx(0.05 - g * h * h * 200 * 201 / 2));
}

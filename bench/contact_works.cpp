#include "bench/contact_works.h"

#include <cmath>

namespace bench {

namespace {

constexpr double pi = 3.14159265358979323846;

Part free_part(const std::string& name, const Vec3& center, double mass, const Shape& shape) {
  Part part;
  part.name = name;
  part.joint = Joint::free;
  part.anchor = part.center = center;
  part.axis = {0, 0, 1};
  part.mass = mass;
  part.inertia = inertia_of(shape, mass);
  part.shape = shape;
  return part;
}

// `layers` of side x side cubes, each layer shifted against the one below, each cube turned.
Work pile(int side, int layers) {
  Work work;
  work.name = "pile of " + std::to_string(side * side * layers);
  work.ground = work.parts_touch = true;
  work.friction = 0.8;
  const double middle = 0.5 * (side - 1);
  for (int i = 0; i < side * side * layers; ++i) {
    const int k = i / (side * side), r = i % (side * side) / side, c = i % side;
    const Vec3 center{0.30 * (c - middle) + 0.05 * (7 * k % 3 - 1),
                      0.30 * (r - middle) + 0.05 * (5 * k % 3 - 1), 0.3 + 0.3 * k};
    Part cube = free_part("cube " + std::to_string(i), center, 8, box({0.1, 0.1, 0.1}));
    cube.angle = 0.37 * i;
    work.parts.push_back(cube);
  }
  return work;
}

Part finger(const std::string& name, double side, double force) {
  Part part;
  part.name = name;
  part.joint = Joint::slide;
  part.axis = {1, 0, 0};
  part.anchor = part.center = {side * (0.004 + 0.01), 0, 1};
  part.mass = 1;
  part.shape = box({0.01, 0.01, 0.02});
  part.inertia = inertia_of(part.shape, part.mass);
  part.force = -side * force;
  return part;
}

}  // namespace

Work falling_ragdoll() {
  Work work = ragdoll();
  work.name = "ragdoll falls";
  work.ground = true;
  work.friction = 0.8;
  return work;
}

Work pile_of_100() { return pile(5, 4); }
Work pile_of_1000() { return pile(10, 10); }

Work dropped_chain() {
  Work work = chain(16, 0);
  work.name = "chain of 16 falls";
  work.ground = true;
  work.friction = 0.8;
  // turned about the centre of link 0, whose upper end points up: the other end is the lower one
  constexpr double length = 0.2, half_width = 0.02, lean = pi / 3;
  const double lower_end = (15.5 * length) * std::cos(lean) + half_width * std::sin(lean);
  const Vec3 lift = Vec3{0, 0, 0.5 + lower_end} - work.parts[0].center;
  for (Part& part : work.parts) {
    part.anchor = part.anchor + lift;
    part.center = part.center + lift;
  }
  Part& first = work.parts[0];
  first.joint = Joint::free;
  first.anchor = first.center;
  first.angle = lean;
  first.spin = {0.5, 1.0, 0.2};
  return work;
}

Work dangling(const Shape& shape) {
  Work work;
  work.name = "dangling solid";
  work.ground = true;
  work.friction = 0.8;
  Part handle = free_part("handle", {0, 0, 1}, 1, box({0.05, 0.05, 0.05}));
  handle.axis = {1, 0, 0};
  handle.angle = pi / 6;
  Part solid = free_part("solid", {0, 0, 0.6}, 1, shape);
  solid.parent = 0;
  solid.joint = Joint::ball;
  solid.anchor = {0, 0, 0.8};
  work.parts = {handle, solid};
  return work;
}

Work sliding_block() {
  Work work;
  work.name = "sliding block";
  work.ground = true;
  work.friction = slide_friction;
  Part cube = free_part("cube", {0, 0, 0.25}, 10, box({0.25, 0.25, 0.25}));
  const double angle = slide_angle_deg * pi / 180;
  cube.velocity = Vec3{std::cos(angle), std::sin(angle), 0} * slide_speed;
  work.parts.push_back(cube);
  return work;
}

Work bouncing_ball(double restitution) {
  Work work;
  work.name = "bouncing ball";
  work.ground = true;
  work.friction = 0.5;
  work.restitution = restitution;
  work.parts.push_back(
      free_part("ball", {0, 0, drop_height + ball_radius}, 1, sphere(ball_radius)));
  return work;
}

Work pinched_capsule(double force) {
  Work work;
  work.name = "pinched capsule";
  work.parts_touch = true;
  work.friction = 0.7;
  work.parts = {finger("left finger", -1, force), finger("right finger", 1, force),
                free_part("capsule", {0, 0, 1}, 0.045, capsule(0.004, 0.04, 2))};
  return work;
}

Work heavy_end() {
  Work work = chain(10, pi / 6);
  work.name = "heavy end";
  Part ball;
  ball.name = "ball";
  ball.parent = 9;
  ball.axis = {0, 1, 0};
  ball.anchor = ball.center = {0, 0, -2};
  ball.mass = 100;
  ball.shape = sphere(0.1);
  ball.inertia = inertia_of(ball.shape, ball.mass);
  work.parts.push_back(ball);
  return work;
}

}  // namespace bench

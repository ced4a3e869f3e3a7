#include "bench/works.h"

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

constexpr double pi = 3.14159265358979323846;

// A cylinder of length 2h and two half spheres, whose centres of mass are 3r/8 from their flat
// sides.
Vec3 capsule_inertia(double mass, double r, double h, int along) {
  const double cylinder = 2 * pi * r * r * h, caps = 4.0 / 3 * pi * r * r * r;
  const double density = mass / (cylinder + caps);
  const double axial = density * (cylinder * r * r / 2 + caps * 0.4 * r * r);
  const double across =
      density * (cylinder * (r * r / 4 + h * h / 3) + caps * (0.4 * r * r + h * h + 0.75 * h * r));
  return along == 1 ? Vec3{across, axial, across} : Vec3{across, across, axial};
}

// The torso of the ragdoll is part 1; each call adds one limb segment per side.
struct Builder {
  Work work;

  int add(const std::string& name, int parent, Vec3 anchor, Vec3 center, double mass,
          const Shape& shape, Joint joint = Joint::ball) {
    Part part;
    part.name = name;
    part.parent = parent;
    part.joint = joint;
    part.anchor = anchor;
    part.center = center;
    part.mass = mass;
    part.inertia = inertia_of(shape, mass);
    part.shape = shape;
    work.parts.push_back(part);
    return static_cast<int>(work.parts.size()) - 1;
  }

  int hinge(const std::string& name, int parent, Vec3 anchor, Vec3 axis, Vec3 center, double mass,
            const Shape& shape, double angle_deg) {
    const int i = add(name, parent, anchor, center, mass, shape, Joint::hinge);
    work.parts.back().axis = axis;
    work.parts.back().angle = angle_deg * pi / 180;
    return i;
  }

  void raise(double height) {
    for (Part& part : work.parts) part.anchor.z += height, part.center.z += height;
  }
};

void add_ragdoll_side(Builder& b, const std::string& side, double s) {
  const Shape arm = capsule(.045, .11, 1), forearm = capsule(.040, .11, 1);
  const int upper = b.add("upper arm " + side, 1, {0, s * .18, 1.48}, {0, s * .33, 1.48}, 2.2, arm);
  b.add("forearm " + side, upper, {0, s * .48, 1.48}, {0, s * .63, 1.48}, 1.6, forearm);

  const int thigh =
      b.add("thigh " + side, 0, {0, s * .10, .92}, {0, s * .10, .70}, 8, capsule(.07, .15, 2));
  const int shin =
      b.add("shin " + side, thigh, {0, s * .10, .48}, {0, s * .10, .28}, 4, capsule(.05, .15, 2));
  b.add("foot " + side, shin, {0, s * .10, .07}, {.06, s * .10, .04}, 1.1, box({.12, .05, .03}));
}

// Hips with three hinges, knees with one, ankles with two, shoulders with two, elbows with one.
void add_humanoid_side(Builder& b, const std::string& side, double s, int chest, double swing) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3 hip{0, s * .10, .92}, knee{0, s * .10, .48}, ankle{0, s * .10, .07};
  const Shape ring = sphere(.06);
  const int hip_z = b.hinge("hip yaw " + side, 0, hip, z, hip, .6, ring, 5 * s);
  const int hip_x = b.hinge("hip roll " + side, hip_z, hip, x, hip, .6, ring, 4 * s);
  const int thigh = b.hinge("thigh " + side, hip_x, hip, y, {0, s * .10, .70}, 7,
                            capsule(.07, .15, 2), -25 * swing);
  const int shin = b.hinge("shin " + side, thigh, knee, y, {0, s * .10, .28}, 4,
                           capsule(.05, .15, 2), 30 + 20 * swing);
  const int heel =
      b.hinge("heel " + side, shin, ankle, y, {-.02, s * .10, .06}, .4, sphere(.04), -10);
  b.hinge("foot " + side, heel, ankle, x, {.06, s * .10, .04}, 1.1, box({.12, .05, .03}), 3 * s);

  const Vec3 shoulder{0, s * .18, 1.48}, elbow{0, s * .48, 1.48};
  const int shoulder_y =
      b.hinge("shoulder " + side, chest, shoulder, y, shoulder, .5, sphere(.05), 35 * swing);
  const int upper = b.hinge("upper arm " + side, shoulder_y, shoulder, x, {0, s * .33, 1.48}, 2.2,
                            capsule(.045, .11, 1), -50 * s);
  b.hinge("forearm " + side, upper, elbow, z, {0, s * .63, 1.48}, 1.6, capsule(.040, .11, 1),
          60 * s);
}

// v turned about a unit axis (Rodrigues).
Vec3 turned(const Vec3& v, const Vec3& axis, double angle) {
  return v * std::cos(angle) + cross(axis, v) * std::sin(angle) +
         axis * (dot(axis, v) * (1 - std::cos(angle)));
}

}  // namespace

Shape box(const Vec3& half) {
  Shape shape;
  shape.solid = Solid::box;
  shape.half = half;
  return shape;
}

Shape sphere(double radius) {
  Shape shape;
  shape.solid = Solid::sphere;
  shape.radius = radius;
  return shape;
}

Shape capsule(double radius, double half_length, int along) {
  Shape shape;
  shape.solid = Solid::capsule;
  shape.radius = radius;
  shape.half_length = half_length;
  shape.along = along;
  return shape;
}

Vec3 inertia_of(const Shape& shape, double mass) {
  switch (shape.solid) {
    case Solid::sphere:
      return Vec3{1, 1, 1} * (0.4 * mass * shape.radius * shape.radius);
    case Solid::capsule:
      return capsule_inertia(mass, shape.radius, shape.half_length, shape.along);
    case Solid::box: {
      const double x = shape.half.x * shape.half.x, y = shape.half.y * shape.half.y,
                   z = shape.half.z * shape.half.z;
      return Vec3{y + z, x + z, x + y} * (mass / 3);
    }
    case Solid::none:
      break;
  }
  return {};
}

int Work::freedoms() const {
  int count = 0;
  for (const Part& part : parts)
    count += part.joint == Joint::free ? 6 : part.joint == Joint::ball ? 3 : 1;
  return count;
}

bool Work::has_joints() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const Part& part) { return part.joint != Joint::free; });
}

Vec3 Work::parent_to_anchor(int i) const {
  const Part& part = parts[static_cast<std::size_t>(i)];
  if (part.parent < 0) return part.anchor;
  return part.anchor - parts[static_cast<std::size_t>(part.parent)].center;
}

Vec3 Work::anchor_to_center(int i) const {
  const Part& part = parts[static_cast<std::size_t>(i)];
  return part.center - part.anchor;
}

Work chain(int links, double angle) {
  constexpr double length = 0.2, half_width = 0.02, mass = 1;
  Builder b;
  b.work.name = "chain of " + std::to_string(links);
  for (int i = 0; i < links; ++i)
    b.hinge("link " + std::to_string(i), i - 1, {0, 0, -length * i}, {0, 1, 0},
            {0, 0, -length * (i + 0.5)}, mass, box({half_width, half_width, 0.1}), 0);
  b.work.parts[0].angle = angle;
  return b.work;
}

Work ragdoll() {
  Builder b;
  b.work.name = "ragdoll, 42 freedoms";
  b.add("pelvis", -1, {0, 0, 1}, {0, 0, 1}, 12, box({.10, .15, .08}), Joint::free);
  b.add("torso", 0, {0, 0, 1.09}, {0, 0, 1.32}, 26, box({.10, .16, .22}));
  b.add("head", 1, {0, 0, 1.56}, {0, 0, 1.68}, 5, sphere(.11));
  b.work.parts[0].spin = {0.5, 1.0, 0.2};
  add_ragdoll_side(b, "left", 1);
  add_ragdoll_side(b, "right", -1);
  b.raise(0.5);
  return b.work;
}

Work humanoid() {
  Builder b;
  b.work.name = "humanoid, 27 freedoms";
  const Vec3 waist{0, 0, 1.12};
  b.add("pelvis", -1, {0, 0, 1}, {0, 0, 1}, 11, box({.10, .15, .08}), Joint::free);
  const int turn =
      b.hinge("waist yaw", 0, waist, {0, 0, 1}, {0, 0, 1.12}, 2, box({.09, .12, .04}), 8);
  const int bend =
      b.hinge("waist pitch", turn, waist, {0, 1, 0}, {0, 0, 1.14}, 2, box({.09, .12, .04}), 12);
  const int chest =
      b.hinge("chest", bend, waist, {1, 0, 0}, {0, 0, 1.36}, 27, box({.10, .16, .26}), 2);
  b.work.parts[0].spin = {0.5, 1.0, 0.2};
  add_humanoid_side(b, "left", 1, chest, 1);
  add_humanoid_side(b, "right", -1, chest, -1);
  b.raise(0.5);
  return b.work;
}

std::vector<BodyState> initial_state(const Work& work) {
  std::vector<BodyState> bodies;
  for (int i = 0; i < static_cast<int>(work.parts.size()); ++i) {
    const Part& part = work.parts[static_cast<std::size_t>(i)];
    const BodyState parent =
        part.parent < 0 ? BodyState{} : bodies[static_cast<std::size_t>(part.parent)];
    BodyState body = parent;
    if (part.joint == Joint::hinge || part.joint == Joint::free) {
      body.x_axis = parent.direction(turned({1, 0, 0}, part.axis, part.angle));
      body.y_axis = parent.direction(turned({0, 1, 0}, part.axis, part.angle));
      body.z_axis = parent.direction(turned({0, 0, 1}, part.axis, part.angle));
    }
    if (part.joint == Joint::free) {
      body.center = part.center;
      body.velocity = part.velocity;
      body.spin = part.spin;
      bodies.push_back(body);
      continue;
    }
    if (part.joint == Joint::hinge)
      body.spin = parent.spin + parent.direction(part.axis) * part.rate;
    const Vec3 from_parent = parent.direction(work.parent_to_anchor(i));
    const Vec3 to_center = body.direction(work.anchor_to_center(i));
    body.center = parent.center + from_parent + to_center;
    body.velocity = parent.velocity + cross(parent.spin, from_parent) + cross(body.spin, to_center);
    bodies.push_back(body);
  }
  return bodies;
}

double kinetic_energy(const Work& work, const std::vector<BodyState>& bodies) {
  double sum = 0;
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    const Part& part = work.parts[i];
    const BodyState& body = bodies[i];
    const double x = dot(body.x_axis, body.spin), y = dot(body.y_axis, body.spin),
                 z = dot(body.z_axis, body.spin);
    sum += 0.5 * part.mass * dot(body.velocity, body.velocity) +
           0.5 * (part.inertia.x * x * x + part.inertia.y * y * y + part.inertia.z * z * z);
  }
  return sum;
}

double energy(const Work& work, const std::vector<BodyState>& bodies) {
  double sum = kinetic_energy(work, bodies);
  for (std::size_t i = 0; i < work.parts.size(); ++i)
    sum += work.parts[i].mass * work.gravity * bodies[i].center.z;
  return sum;
}

}  // namespace bench

// The works every engine is given: plain numbers that each adapter turns into its own model.
//
// Zero configuration: all body frames are parallel to the world's and every joint coordinate is
// zero, so a part is told by world positions alone. SI units, z up.
// Works A (chain) and B (ragdoll) are those of the project's page of reference values; the
// humanoid has one hinge and one solid per freedom, so that all engines can hold the same bodies.
// Works in which something touches: contact_works.h.
// C++17 only: the headers of Simbody do not pass as C++20.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};
inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(const Vec3& a, double f) { return {a.x * f, a.y * f, a.z * f}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

enum class Joint { free, ball, hinge, slide };

// What touches: one convex solid around the centre of mass, along the axes of the part.
enum class Solid { none, sphere, capsule, box };
struct Shape {
  Solid solid = Solid::none;
  double radius = 0, half_length = 0;  // half_length: of the straight part of a capsule
  int along = 2;                       // axis of a capsule: 1 is y, 2 is z
  Vec3 half;                           // half sides of a box

  Vec3 axis() const { return along == 1 ? Vec3{0, 1, 0} : Vec3{0, 0, 1}; }
};

// A solid elsewhere on a part: from the centre of mass, turned about a unit axis.
struct PlacedShape {
  Shape shape;
  Vec3 position, axis;
  double angle = 0;
};

struct Part {
  std::string name;
  int parent = -1;  // earlier part, or -1 for the world
  Joint joint = Joint::hinge;
  Vec3 anchor;  // joint point
  Vec3 axis;    // of a hinge or a slide; a free part is turned about it at the start
  Vec3 center;  // centre of mass
  double mass = 0;
  Vec3 inertia;         // principal moments about the centre of mass, along the world axes
  double angle = 0;     // of a hinge or a free part at the start
  double rate = 0;      // of a hinge at the start
  Vec3 velocity, spin;  // of a free part at the start, in world axes, at its centre
  double force = 0;     // that pushes a slide all the time, along its axis
  Shape shape;
  // of the humanoid that runs (bench/locomotion.h)
  Vec3 products;                         // of inertia: the entries xy, xz, yz
  std::vector<PlacedShape> more_shapes;  // beside `shape`
  double stiffness = 0, damping = 0;     // of a ball joint, about all axes, relaxed at zero
  Vec3 torque[2];                        // of a ball joint in each pulse, axes of the parent
};

// The torques of the parts act from a time to another.
struct TorquePulse {
  double from = 0, until = 0;
};

struct Work {
  std::string name;
  std::vector<Part> parts;   // parents before children; a free joint only without parent
  double gravity = 9.81;     // along -z
  bool ground = false;       // all shapes touch the plane z = 0
  bool parts_touch = false;  // shapes touch each other
  double friction = 0, restitution = 0;  // of every two that touch
  TorquePulse pulses[2];

  // Which of the two acts at the time t, or -1.
  int pulse(double t) const {
    for (int i = 0; i < 2; ++i)
      if (t >= pulses[i].from && t < pulses[i].until) return i;
    return -1;
  }

  int freedoms() const;
  bool floating() const { return parts[0].joint == Joint::free; }
  bool has_joints() const;  // some part is not free
  bool touches() const { return ground || parts_touch; }
  // from the parent's centre (the world's origin) to the joint, and from the joint to the centre
  Vec3 parent_to_anchor(int i) const;
  Vec3 anchor_to_center(int i) const;
};

Shape box(const Vec3& half);
Shape sphere(double radius);
Shape capsule(double radius, double half_length, int along);
// Principal moments of a uniform solid about its centre.
Vec3 inertia_of(const Shape& shape, double mass);

// N links of 0.2 m hanging from the origin, all axes y, the first turned by `angle`, at rest.
Work chain(int links, double angle);
// 13 bodies, 12 ball joints, 42 freedoms, spinning.
Work ragdoll();
// A free pelvis and 21 hinges, 27 freedoms, in a running pose, spinning.
Work humanoid();

// One body, all in world axes: the directions of its own axes, its centre of mass, the velocity of
// that and the angular velocity.
struct BodyState {
  Vec3 x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};
  Vec3 center, velocity, spin;

  // a vector fixed in the body
  Vec3 direction(const Vec3& v) const { return x_axis * v.x + y_axis * v.y + z_axis * v.z; }
};

// The state at the start, by forward kinematics from the numbers of the work.
std::vector<BodyState> initial_state(const Work& work);
double kinetic_energy(const Work& work, const std::vector<BodyState>& bodies);
// Kinetic energy and potential energy of gravity, zero at the origin.
double energy(const Work& work, const std::vector<BodyState>& bodies);

}  // namespace bench

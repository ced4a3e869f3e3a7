// Models that tests share: the works of the reference page, and random trees of every joint type.
#pragma once

#include <random>

#include "molejo/model/build.h"
#include "molejo/model/scene.h"

namespace molejo::test {

// scenes/<name>.json.
Scene shipped_scene(const std::string& name);

// Work A: N hinge links about y, each 0.04 x 0.04 x 0.2 m and 1 kg, hanging along -z from the
// origin; the first one starts at q0. Gravity 9.81.
Scene chain_scene(int links, double q0 = 0);
inline Built chain(int links, double q0 = 0) { return build(chain_scene(links, q0)); }

// Work B: 13 bodies, 12 ball joints, 42 freedoms.
Scene ragdoll_scene();

// One free body with the given mass properties, no gravity.
Scene free_body_scene(double mass, const Vec3& moments, const Vec3& angular_velocity);

// A tree of `bodies` bodies with random geometry. Joint types cycle through all nine (a fixed seed
// gives the same tree). A free-floating root when `floating`.
struct RandomTree {
  int bodies = 12;
  bool floating = false;
  bool drives = false;  // springs, dampers, limits and motors
  bool rotors = false;  // and armatures beside them
  unsigned seed = 1;
};
Scene random_tree_scene(const RandomTree& options);

// A random state of the model: coordinates, unit quaternions and velocities of order one.
State random_state(const Model& model, std::mt19937& random);

// Uniform in [-1, 1].
double symmetric_unit(std::mt19937& random);
Vec3 random_vector(std::mt19937& random);
Mat3 random_rotation(std::mt19937& random);

}  // namespace molejo::test

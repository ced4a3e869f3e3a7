// A figure in its rest pose, the zero of all that follows (Nunes 2012, s.2.2, 2.3, 4.2).
//
// The rest pose is the zero configuration of the model, every body frame is aligned with the world
// there, and all springs of joints are relaxed. So the rotation of a spherical joint is
//
//   R_joint = R_P^T R_B        phi = log R_joint        torque of the springs = -k phi
//
// its coordinates are along the world axes of the rest pose, and it is turned by the whole figure.
// World: up is against gravity, forward is +x unless the scene says otherwise, left is up x
// forward.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "molejo/model/build.h"

namespace molejo {

struct Scene;

// How the rest pose differs from the initial pose of the scene.
struct RestPose {
  // Rotation vector of a joint by its name, rad: turns the child and all that hangs on it, about
  // axes that are those of the world in the scene's pose and go with the parent. A hinge takes the
  // part along its axis.
  std::map<std::string, Vec3> turns{};
  // What is said of a joint on one side only holds for the other side, mirrored.
  bool mirror = false;
  Vec3 root_turn{};  // of the whole figure, about the origin of the root body
};

struct CharacterOptions {
  RestPose pose{};
  // Of all rotations of joints, N m/rad, instead of those of the scene; damping is then
  // `relaxation` times stiffness (s).
  std::optional<double> stiffness{};
  double relaxation = 0.1;
  std::vector<std::string> without_feet{};  // bodies that do not count as feet: "on one leg"
  bool stand = true;  // raise or lower it until its lowest foot touches the height zero
};

struct Foot {
  BodyId body;
  Vec3 toe, heel;  // in the body frame: world axes from its origin in the rest pose
  double radius = 0;
};

// The image in a mirror at the plane through the origin that contains up and forward. It swaps left
// and right bodies; positions p -> S p, angular velocities and torques w -> -S w.
struct Mirror {
  bool symmetric = false;  // is the figure in its rest pose its own image?
  std::string asymmetry;   // if not: where
  std::vector<int> body;   // the body that each body becomes
  // freedom i of a velocity or force becomes freedom[i], times sign[i]
  std::vector<int> freedom;
  std::vector<double> sign;
};

struct Character {
  std::shared_ptr<const Scene> scene;  // in its rest pose
  Model model;
  State rest;  // zero, but for the place of a free root
  BodyId root, torso;
  std::vector<Foot> feet;
  std::vector<BodyId> foot_bodies;  // those that do not count as feet included
  Vec3 forward, up, left;
  Mirror mirror;
  // the tree of the root: freedoms first_internal ... + internal - 1 are those of its joints;
  // before them the six of a free root
  bool free_root = false;
  int first_internal = 0, internal = 0;
};

// Puts the scene into its rest pose. Limits of joints keep where they are (those of spherical
// joints along the axes of the rest pose), rest lengths of springs between points stay as they are.
// Without `character` in the scene: no feet, no mirror, the torso is the root of its first tree
// that moves. Throws InputError for unknown names, a pose beyond the limits of a joint, unequal
// drives along body axes that are not the world's, closed loops.
Character make_character(const Scene& scene, const CharacterOptions& options = {});
// Its matrices are dense, and the work grows with the third power.
inline constexpr int max_character_freedoms = 500;

// Found by make_character; without pairs of bodies the lists are empty.
Mirror make_mirror(const Character& character);

// The image of a state, of velocities, forces or shapes (model.nv), of joint torques or mode shapes
// (character.internal). Twice is the identity.
State mirrored(const Character& character, const State& state);
VecX mirrored(const Character& character, const VecX& x);

// Joint torques in joint frames (axes of the parent) as forces of the freedoms (axes of the child
// where there are three rotations); `torques` has character.internal entries, the result model.nv.
VecX freedom_forces(const Character& character, const VecX& q, const VecX& torques);

// Joint names and axes, "left_leg.hip x", of the internal freedoms.
std::vector<std::string> freedom_names(const Character& character);

}  // namespace molejo

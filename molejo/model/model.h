// What exists: a tree of bodies with joints, loop closures, drives and forces. Built once by
// `build`, checked once, then const.
//
// Every tree joint is a number of translations along axes of the parent, followed by rotations
// about one point M of the child: none, about one axis, about two axes, or free (a quaternion).
//
//   p_WM = p_WL + R_WP (p_LF + sum_k t_k q_k)     R_WB = R_WP R_PB0 Rot(q)     p_WB = p_WM - R_WB
//   p_BM
//
// with L the joint point of the parent (the origin for the world).
// So all nine joint types are one family, and each freedom is a pure translation or a pure rotation
// through M.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "molejo/math/matrix.h"
#include "molejo/model/force_sample.h"
#include "molejo/model/joint.h"
#include "molejo/model/motion_path.h"
#include "molejo/model/settings.h"
#include "molejo/model/shapes.h"

namespace molejo {

// Index of a body of the model; the world is -1.
struct BodyId {
  int index = -1;
  bool is_world() const { return index < 0; }
  bool operator==(const BodyId&) const = default;
};
inline constexpr BodyId world_body{-1};

// Constants of one body and of the joint to its parent, all that the tree kernels read.
struct Link {
  int parent = -1;
  int q = 0, v = 0;  // first coordinate and first velocity of the joint
  int translations = 0, rotations = 0;
  Mat3 R_PB0 = Mat3::identity();  // orientation in the parent at zero
  Vec3 p_LF;                      // from the parent's own joint point L to F, in P
  Vec3 p_BM;                      // joint point on the child, in B
  Vec3 t_P[3];                    // translation axes, in P
  Vec3 axis[2];                   // rotation axes, in B (the first of two: in B at zero)
  // one rotation: R_PB0 Rot(q) = turn_fixed + turn_cos cos q + turn_sin sin q, about axis_P
  Mat3 turn_fixed, turn_cos, turn_sin;
  Vec3 axis_P;
  double mass = 0;
  Vec3 p_MC;  // centre of mass from M, in B
  Sym3 J_BM;  // inertia about M, in B
  Sym3 I_BC;  // inertia about the centre of mass, in B
  // A lone body is free, carries no other, turns about its centre of mass and has no drives. Its
  // inertia stays the same in its own axes: J_BM = L D L^T, factored once.
  bool lone = false;
  int follows = -1;     // of Model::paths: where it goes whatever pushes it
  Mat3 turn_U;          // L D: column j is left by the elimination of rotation j
  Vec3 turn_d_inverse;  // 1 / D
  Mat3 turn_W;          // D^-1/2 L^-1, lower triangular: J_BM^-1 = W^T W
};

// Links that hang together: a root and all below it. Theirs are neighbours in every list.
struct Tree {
  int first_link = 0, last_link = 0;  // one behind the last, as in all that follow
  int first_q = 0, last_q = 0;
  int first_v = 0, last_v = 0;
};

struct Body {
  std::string name;
  std::string joint;  // name of the joint to its parent
  JointType joint_type = JointType::free;
  std::vector<Shape> shapes;
  bool immobile = false;
};

// A joint that closes a loop: frame F on body 1 and frame M on body 2 obey the equations of its
// type. Drives of loop joints act on the coordinates measured between the two frames.
struct LoopJoint {
  std::string name;
  JointType type = JointType::fixed;
  BodyId body_1, body_2;
  Pose X_1F, X_2M;
  int first_row = 0, rows = 0;
  // freedoms with an armature; each has a row of its own behind those of the closure
  std::vector<int> rotors;
  std::vector<Drive> drives;
  int first_motor = 0;  // of its freedoms, among those of all motors; see Model::motors

  int all_rows() const { return rows + static_cast<int>(rotors.size()); }
};

struct PointSpring {
  std::string name;
  BodyId body_1, body_2;
  Vec3 p_1, p_2;  // attachment points in body frames
  double stiffness = 0, rest_length = 0, damping = 0;
};

struct AppliedForce {
  std::string name;
  BodyId body;
  Vec3 p;  // point in the body frame
  std::vector<ForceSample> samples;
};

// Bodies that fixed joints make one.
struct RigidPart {
  int id = 0;         // body index of the uppermost of them
  bool moves = true;  // false: welded to the world
};

// A shape that can touch others.
struct Collider {
  BodyId body;
  int shape = 0;  // of the body's shapes
  int kind = 0;   // bodies of one kind obey the same rules
};

// What happens between two kinds of bodies; see SceneContactPair.
struct ContactRule {
  Response response = Response::rigid;
  std::optional<double> friction, restitution;
  bool sticks = false;
  double stiffness = 0, damping = 0, reach = 0;
};

struct Model {
  std::vector<Link> links;    // parents before children
  std::vector<Body> bodies;   // same order
  std::vector<Drive> drives;  // one per velocity of the tree; hertz resolved into stiffness
  bool has_drives = false;    // is any of them not all zero
  std::vector<LoopJoint> loops;
  std::vector<PointSpring> springs;
  std::vector<AppliedForce> forces;
  std::vector<Tree> trees;
  std::vector<MotionPath> paths;
  std::vector<RigidPart> parts;            // of each body
  std::vector<Collider> colliders;         // in the order of the bodies
  std::vector<ContactRule> contact_rules;  // the first one is the usual one
  std::vector<int> rule_of_kinds;          // kinds x kinds
  int contact_kinds = 0;
  std::vector<std::pair<int, int>> never_touch;  // parts held together by a joint, sorted
  ContactSettings contact;
  Vec3 gravity;
  int nq = 0, nv = 0;  // coordinates and velocities
  int rows = 0;        // loop-closure equations and rotors of loop joints
  int motors = 0;      // freedoms that a motor may drive: nv of the tree, then those of the loops
  std::uint64_t fingerprint = 0;  // tells models apart (model/snapshot.h)

  int body_count() const { return static_cast<int>(links.size()); }
  // Throws InputError with the nearest name when there is none.
  BodyId body(const std::string& name) const;
  const Shape& shape(const Collider& c) const {
    return bodies[static_cast<std::size_t>(c.body.index)].shapes[static_cast<std::size_t>(c.shape)];
  }
  const ContactRule& rule(const Collider& a, const Collider& b) const {
    const int rule = rule_of_kinds[static_cast<std::size_t>(a.kind * contact_kinds + b.kind)];
    return contact_rules[static_cast<std::size_t>(rule)];
  }
};

// Does the body give way to forces? Not if it is welded to the world or follows a path.
inline bool can_be_pushed(const Model& model, int body) {
  const auto i = static_cast<std::size_t>(body);
  return model.parts[i].moves && model.links[i].follows < 0;
}

// Of different rigid parts that no joint holds together, one of which can be pushed, and whose
// rule is not Response::none.
bool may_touch(const Model& model, const Collider& a, const Collider& b);

// Friction (infinite where the rule says that they stick) and restitution of two colliders.
Surface combined_surface(const Model& model, const Collider& a, const Collider& b);

// Where everything is now. `q` holds per body, in order: translations, then angles or a unit
// quaternion (w x y z). `v` holds the rates: translations along the parent's axes, then angle
// rates or the relative angular velocity in child axes.
struct State {
  double t = 0;
  VecX q, v;
};

// q (+) dq h: moves along the manifold of configurations, dq having model.nv entries.
template <class S>
void move(const Model& model, const S* dq, double h, S* q);
// The dq with q0 (+) dq = q1 and rotations below half a turn.
VecX difference(const Model& model, const VecX& q0, const VecX& q1);
// Puts the bodies that follow paths where they are at state.t, with their velocities.
void put_on_paths(const Model& model, State& state);
// All joints at zero.
State zero_state(const Model& model);
// 64-bit FNV-1a of time, coordinates and velocities, bit for bit.
std::uint64_t hash(const State& state);

}  // namespace molejo

// A scene as a person describes it: names, poses in the zero configuration, forces, settings.
//
// Every reader (native JSON, Bacin's files, URDF, MJCF) fills this one structure; `build` turns it
// into a Model; writers turn it back into text. SI units and radians.
//
// Zero configuration: every joint coordinate is zero, so the joint's frame F on the parent and its
// frame M on the child coincide. Axes of a joint frame:
//   revolute, prismatic, cylindrical: z is the axis        planar, point_in_plane: z is the normal
//   universal: x turns first (fixed in the parent), y second (fixed in the child)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/math/curve.h"
#include "molejo/model/force_sample.h"
#include "molejo/model/joint.h"
#include "molejo/model/mass_properties.h"
#include "molejo/model/motion_path.h"
#include "molejo/model/scene_formula.h"
#include "molejo/model/settings.h"
#include "molejo/model/shapes.h"

namespace molejo {

// Formulas in the place of the numbers of a motor with these names.
struct MotorFormulas {
  SceneFormula target, target_velocity, force;
};

struct SceneBody {
  std::string name;
  Pose X_WB;                            // in the zero configuration
  std::optional<MassProperties> given;  // else computed from the shapes and the density
  double density = 1000;
  std::vector<Shape> shapes;
  std::string group;      // of bodies, for SceneContactPair; empty: none
  bool immobile = false;  // welded to the world: its mass counts nowhere
  bool massless = false;  // an imported intermediate frame: may have no inertia of its own
  // initial velocity of the body's origin and angular velocity, in world axes; read when set
  struct Velocity {
    Vec3 linear, angular;
  };
  std::optional<Velocity> velocity;
  // It goes this way whatever pushes it, as if of infinite mass: pose, velocity and mass properties
  // are not read. It may touch others, but not hang on a joint.
  std::optional<MotionPath> follows;
};

struct SceneJoint {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent;  // empty: the world
  std::string child;
  Pose X_PF;                  // joint frame on the parent
  Pose X_BM;                  // joint frame on the child
  bool loop = false;          // a loop closure; only joints without this mark make the tree
  std::vector<Drive> drives;  // one per freedom, or empty
  std::vector<MotorFormulas> motor_formulas{};  // likewise

  // Initial coordinates and velocities; empty means zero. Translations, then angles; three
  // rotations as a unit quaternion (w x y z), their velocity as a vector in child axes.
  std::vector<double> position, velocity;
};

// A point on a body; an empty body name is the world.
struct Attachment {
  std::string body;
  Vec3 p;  // in the body frame
};

// Between two points: -stiffness (length - rest_length) - damping d/dt length, along the line.
struct SceneSpring {
  std::string name;
  Attachment a, b;
  double stiffness = 0, rest_length = 0, damping = 0;
};

// Force and torque on a body, at a point: samples, or formulas. One sample: constant. Several: a
// Bezier curve with the samples as control points (t, force, torque), zero outside the first and
// last, in world axes. Formulas: one that gives a vector, or three that give numbers.
struct SceneForce {
  std::string name;
  Attachment at;
  std::vector<ForceSample> samples{};
  std::vector<SceneFormula> force_formulas{}, torque_formulas{};
  bool in_body_axes = false;  // formulas only
  bool implicit = false;      // formulas only: taken at the end of the step, for stiff ones
};

// A name in formulas: a number that may be changed while the scene runs, a formula, a function of
// its parameters, or a curve through keys.
struct SceneDefinition {
  std::string name;
  SceneFormula formula;
  bool is_function = false;
  std::vector<std::string> parameters;
  std::vector<CurveKey> keys;  // of a curve
  Extension before = Extension::hold, after = Extension::hold;
  std::optional<double> value;         // a plain number: no formula
  std::optional<double> lower, upper;  // the range of a slider
};

// A formula that is recorded.
struct SceneProbe {
  std::string name;
  SceneFormula formula;
};

// A text file that tells where a body was at every frame: docs/animado.md.
struct SceneTable {
  std::string body;
  std::string file;  // within the folder that is chosen when the scene runs
};

// How the bodies named here (or the bodies of the groups named here) touch each other. Of several
// that fit two bodies the last one counts.
struct SceneContactPair {
  std::string a, b;  // a body or a group; empty: any
  Response response = Response::rigid;
  std::optional<double> friction, restitution;  // instead of those of the surfaces
  bool sticks = false;                          // friction without a limit
  // penalty: force stiffness (reach - gap) - damping d/dt gap while gap < reach, never pulling
  double stiffness = 0, damping = 0, reach = 0;
  bool operator==(const SceneContactPair&) const = default;
};

struct Camera {
  Vec3 position{4, -6, 3}, target{0, 0, 1};
  double fov_deg = 40;
};

// A body that stands on the ground, by two points of its sole: the middles of spheres.
struct SceneFoot {
  std::string body;
  Vec3 toe, heel;        // in the body frame
  double radius = 0.02;  // of the two spheres
  bool operator==(const SceneFoot&) const = default;
};

// Two bodies that are mirror images of each other.
struct MirrorPair {
  std::string left, right;
  bool operator==(const MirrorPair&) const = default;
};

// What makes the bodies of a scene a figure that may learn to move. Up is against gravity.
struct SceneCharacter {
  std::string torso;  // the body that has to stay upright
  std::vector<SceneFoot> feet;
  // across the plane through the origin that contains up and forward; none: not symmetric
  std::vector<MirrorPair> mirror;
  Vec3 forward{1, 0, 0};
  bool operator==(const SceneCharacter&) const = default;
};

struct Scene {
  std::string name;
  std::string description;
  std::vector<SceneBody> bodies;
  std::vector<SceneJoint> joints;
  std::vector<SceneSpring> springs;
  std::vector<SceneForce> forces;
  std::vector<SceneDefinition> definitions;
  std::vector<SceneProbe> probes;
  std::vector<SceneContactPair> contact_pairs;
  std::vector<SceneTable> tables;
  bool legacy_angles = false;  // in tables: sums of angular velocities, as in ANIMADO
  Settings settings;
  Camera camera;
  std::optional<SceneCharacter> character;
  std::vector<std::string> plot;      // coordinates to plot: "joint" or "joint.i" or "body.x"
  std::vector<std::string> warnings;  // what an importer could not carry over, one sentence each
};

}  // namespace molejo

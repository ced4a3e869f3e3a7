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

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/curve.h"
#include "molejo/model/mass_properties.h"
#include "molejo/model/motion_path.h"
#include "molejo/model/shapes.h"

namespace molejo {

enum class JointType {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  universal,
  spherical,
  planar,
  point_in_plane,
  free
};

// A text in the language of docs/expressions.md that is evaluated while the scene runs.
struct SceneFormula {
  std::string text;   // empty: none
  std::string scope;  // names are looked for in here first: "arm", of an instance or an actor
  std::string place;  // where it was written, for errors
  bool empty() const { return text.empty(); }
  bool operator==(const SceneFormula& b) const { return text == b.text && scope == b.scope; }
};

// What acts along one freedom of a joint (N, N/m for a translation; N m, N m/rad for a rotation).
struct Drive {
  double stiffness = 0;      // spring towards `rest`
  double rest = 0;           // coordinate at which the spring is relaxed
  double damping = 0;        // against the joint velocity
  double hertz = 0;          // > 0: stiffness and damping from a natural frequency instead,
  double damping_ratio = 1;  //   with the inertia felt by this freedom in the initial pose
  double armature = 0;       // inertia of a geared rotor, kg m^2 or kg

  // limits act as springs outside [lower, upper]; their stiffness comes from hertz and ratio
  // in the same way when it is not given
  std::optional<double> lower, upper;
  double limit_stiffness = 0;
  double limit_damping = 0;

  // motor: force kp (target - q) + kd (target_velocity - v) + force, held within +-max_force
  double kp = 0, kd = 0, target = 0, target_velocity = 0, force = 0;
  std::optional<double> max_force;
  bool by_formula = false;  // set while building: the last three numbers come from formulas
  bool operator==(const Drive&) const = default;
};

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
  struct Sample {
    double t = 0;
    Vec3 force, torque;
  };
  std::vector<Sample> samples{};
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

// One number from those of two surfaces.
enum class Combination { geometric_mean, mean, smaller, larger, product };

// What happens when two bodies touch.
//   rigid     no penetration, restitution, Coulomb friction; several contacts at once
//   penalty   a spring and a damper along the normal (ANIMADO's springs)
//   analytic  ANIMADO's impulse, one contact at a time: the no-slip impulse, or the sliding one
//             where that leaves the friction cone, all of it scaled by 1 + restitution
//   none      they pass through each other
enum class Response { rigid, penalty, analytic, none };

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

// Contact is event-driven under the Runge-Kutta methods (rk4, rkf45) and time-stepping under
// semi_implicit_euler and midpoint.
struct ContactSettings {
  bool enabled = true;
  Combination friction = Combination::geometric_mean;
  Combination restitution = Combination::larger;
  double rest_speed = 0.02;  // m/s: slower impacts do not bounce
  // time-stepping
  int iterations = 30;      // at most, of the contact solver per step
  double tolerance = 5e-5;  // m/s: change of contact velocities, in the mean, at which it stops
  double recovery = 0.2;    // part of a penetration that is taken back per step
  double slop = 1e-4;       // m: penetration that is left alone
  // event-driven
  double distance = 1e-6;  // m: bodies closer than this touch
  // islands of bodies that have been slower than this for this long are put to sleep
  bool sleep = true;
  double sleep_speed = 0.01, sleep_time = 0.5;
  bool operator==(const ContactSettings&) const = default;
};

enum class Formulation { reduced, maximal };
enum class Integrator { semi_implicit_euler, midpoint, rk4, rkf45 };

// Bytes that a run may take, beside what its model needs.
struct RunBudget {
  std::size_t contacts = std::size_t{256} << 20;
  std::size_t recording = std::size_t{512} << 20;  // frames and contact events, all together
};

struct Settings {
  Vec3 gravity{0, 0, -9.81};
  Formulation formulation = Formulation::reduced;
  Integrator integrator = Integrator::midpoint;
  double time_step = 1e-3;
  double tolerance = 1e-6;  // rkf45: largest error of a step in any coordinate or velocity
  double min_step = 1e-9, max_step = 1.0 / 30;
  bool project = true;                 // remove constraint drift
  double constraint_tolerance = 1e-9;  // project when some constraint exceeds this
  ContactSettings contact;
  // not part of a scene, and of no influence on results
  int threads = 1;  // of one run, 0: all of the machine
  RunBudget budget;
  double start_time = 0;  // `t` of the initial state
  double duration = 10;
  double fps = 30;
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

// Number of translations and rotations a joint type leaves free.
struct Freedoms {
  int translations = 0, rotations = 0;
  int count() const { return translations + rotations; }                  // velocities
  int coordinates() const { return count() + (rotations == 3 ? 1 : 0); }  // quaternion
};
Freedoms freedoms(JointType type);

// The words of the scene file. The `parse_` functions return nothing for an unknown word.
std::string_view to_string(JointType type);
std::string_view to_string(Integrator integrator);
std::string_view to_string(Formulation formulation);
std::string_view to_string(Combination combination);
std::string_view to_string(Response response);
std::optional<JointType> parse_joint_type(std::string_view word);
std::optional<Integrator> parse_integrator(std::string_view word);
std::optional<Formulation> parse_formulation(std::string_view word);
std::optional<Combination> parse_combination(std::string_view word);
std::optional<Response> parse_response(std::string_view word);

}  // namespace molejo

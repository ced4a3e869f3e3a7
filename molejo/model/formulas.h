// The formulas of a scene, compiled against its model: what they ask of the world, and what is done
// with what they give.
//
//   t                                      time, s
//   body.x .y .z                           position of the body frame; also body.position
//   body.com  .velocity  .angular_velocity      vectors; velocity is that of the body frame
//   body.vx .vy .vz  body.wx .wy .wz       their components
//   body.x_axis  .y_axis  .z_axis          world directions of the body's axes
//   body.rx .ry .rz                        angles x -> y -> z about turned axes
//   body.mass  .kinetic  .potential  .energy
//   body.contact.force  body.contact       force of all contacts in the last step; 1 while it
//   touches joint.angle  joint.rate                one rotation; .angle1 .angle2 of two
//   joint.position  joint.speed            one translation; .position1 ... of several
//   joint.rotation  joint.angular_velocity      three rotations: the rotation vector, in the child
//   total.kinetic  .potential  .energy  .com  .momentum
#pragma once

#include <memory>

#include "molejo/math/expression.h"
#include "molejo/model/model.h"
#include "molejo/model/scene_formula.h"

namespace molejo {

struct Scene;

enum class Quantity {
  time,
  position,
  com,
  velocity,
  angular_velocity,
  x_axis,
  y_axis,
  z_axis,
  angles,
  mass,
  kinetic,
  potential,
  energy,
  contact_force,
  contact,
  coordinate,  // number `part` of a joint
  rate,
  rotation,
  rotation_rate,
  total_kinetic,
  total_potential,
  total_energy,
  total_com,
  total_momentum
};

// One number or vector of the world that some formula uses.
struct Signal {
  Quantity quantity = Quantity::time;
  int index = 0;         // of the body; of the link or the loop that the joint is
  bool is_loop = false;  // of a joint
  int part = 0;
  std::uint32_t slot = 0;         // first of its inputs
  std::uint32_t numbers() const;  // 3 of a vector, else 1
};

struct FormulaSet {
  std::uint32_t inputs = 0;  // numbers that a program needs
  std::vector<Signal> signals;

  // Numbers that may be changed while the scene runs.
  struct Variable {
    std::string name;
    std::uint32_t slot = 0;
    double value = 0;
    std::optional<double> lower, upper;
  };
  std::vector<Variable> variables;

  // Outputs of three numbers, or one of a vector; none: first is negative.
  struct Three {
    int first = -1;
    bool is_vector = false;
  };
  struct Force {
    std::string name;
    BodyId body;
    Vec3 p;  // in the body frame
    bool in_body_axes = false;
    bool implicit = false;
    Three force{}, torque{};
  };
  struct Motor {
    int motor = 0;  // see Model::motors
    int target = -1, target_velocity = -1, force = -1;
  };
  struct Probe {
    std::string name;
    int output = 0;
    bool is_vector = false;
    std::optional<Dimension> unit{};
  };
  std::vector<Force> forces;
  std::vector<Motor> motors;
  std::vector<Probe> probes;

  ExpressionProgram program;        // all
  ExpressionProgram force_program;  // outputs of `forces`, in the registers of `program`
  ExpressionProgram motor_program;
  std::vector<SceneFormula> sources;  // of each output
  std::vector<Definition> definitions;
  std::vector<SceneFormula> definition_sources;
  std::vector<Formula> outputs;
  std::uint64_t fingerprint = 0;  // tells sets apart (model/snapshot.h)
};

// "file:line: /pointer: 'text': ", of the text in which a place lies: how its errors begin.
std::string source_of(const FormulaSet& set, const TextPlace& place);

// Throws InputError with the place, the column and the nearest name. Null: the scene has none.
std::shared_ptr<const FormulaSet> compile_formulas(const Scene& scene, const Model& model);

// Names and units of what formulas may use, for people and editors.
struct KnownName {
  std::string name;
  bool is_vector = false;
  std::string unit;
};
std::vector<KnownName> known_names(const Model& model);

// Complaints about units, each with its place and column.
std::vector<std::string> unit_complaints(const FormulaSet& set, const Model& model, bool strict);

}  // namespace molejo

// Commands over time (physics/command.h), as a CSV file. The first line names the columns:
//
//   t                        s; each later than the one before
//   JOINT.force              N or N m along its freedom
//   JOINT.position JOINT.velocity JOINT.stiffness JOINT.damping      of its motor
//   BODY.force.x .y .z       N, in world axes; BODY.torque.x .y .z, N m
//   BODY.point.x .y .z       m, in the frame of the body: where the force acts
//
// Freedoms of a joint with several are numbered: JOINT.force0, JOINT.position2. A row acts from the
// first step that begins at its time or later until the next row does, the last one for ever. An
// empty field tells nothing: no force, the number of the scene, and where all fields of a motor are
// empty it is off.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file_scope.h"
#include "molejo/physics/command.h"

namespace molejo {

inline constexpr std::size_t max_command_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_command_values = 20'000'000;

class CommandTable {
 public:
  // Throws InputError: file, line, column, value, and what was expected.
  CommandTable(std::string_view text, const std::string& file, const Model& model);

  // What acts in a step that begins at t.
  void fill(double t, Command<double>& command) const;

 private:
  enum class Part { force, position, velocity, stiffness, damping, body_force, torque, point };
  struct Column {
    std::string name;
    Part part = Part::force;
    std::size_t target = 0;  // freedom, or place in bodies_
    int axis = 0;
  };
  Column column_of(const std::string& name, const Model& model);
  void read_row(const std::vector<std::string>& fields, const std::string& place);

  Command<double> nothing_;
  std::vector<Column> columns_;  // without t
  std::vector<BodyId> bodies_;   // that have wrenches
  std::vector<double> times_;
  std::vector<double> values_;  // row by row; NaN: the field is empty
};

CommandTable load_command_table(const SourceFile& file, const Model& model);

}  // namespace molejo

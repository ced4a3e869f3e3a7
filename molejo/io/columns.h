// The numbers of a frame by name: one table for the CSV header, the JSON recording and the plots.
//
//   t kinetic gravity elastic total px py pz lx ly lz constraint_error
//   per tree joint   joint | joint.0 joint.1 ... joint.qw joint.qx joint.qy joint.qz
//   per tree joint   joint.v | joint.v0 joint.v1 ...
//   per loop joint   the same, coordinates then velocities, as measured between its bodies
//   per body         body.x body.y body.z body.qw body.qx body.qy body.qz
//   per body that may touch another   body.force.x body.force.y body.force.z, of all its contacts
//   per probe                         probe | probe.x probe.y probe.z
//   per formula force                 force.work, J so far
#pragma once

#include <span>
#include <string>
#include <vector>

#include "molejo/model/recording.h"

namespace molejo {

struct Column {
  std::string name;
  std::string unit;  // "J", "rad/s"; empty for a pure number
};

struct PlotRow {
  double t = 0;  // s
  std::vector<double> values;
};

// Of any frame of this model and its probes (Recording::probes), in order. A joint without a name,
// or a quaternion joint with the name of a body, is called "body.joint".
std::vector<Column> columns(const Model& model, std::span<const RecordedProbe> probes = {});

// The values of a frame in the order of `columns`; replaces the content of `row`. When that was
// the row of the frame before, the quaternions of bodies change without jumps of their sign.
void fill_row(const Model& model, const Frame& frame, std::vector<double>& row);

// The values of some of the columns in each of these frames, which follow each other; NaN where a
// frame has none: it is from before a probe was added.
std::vector<PlotRow> plot_rows(const Model& model, std::span<const Frame* const> frames,
                               std::span<const std::size_t> chosen);

// The indices of the columns that the words name: a column, a joint for all its coordinates, a
// body for its position, "body.force" for the force of its contacts. Throws InputError with the
// nearest name.
std::vector<std::size_t> find_columns(std::span<const Column> columns,
                                      std::span<const std::string> words);

}  // namespace molejo

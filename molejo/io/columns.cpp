#include "molejo/io/columns.h"

#include <array>
#include <cassert>
#include <cmath>
#include <set>

#include "molejo/io/contacts.h"
#include "molejo/model/closure.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::array quaternion_names{".qw", ".qx", ".qy", ".qz"};

// A quaternion joint must not be called like a body: both would have .qw to .qz.
std::vector<std::string> joint_names(const Model& model) {
  std::set<std::string> bodies;
  for (const Body& body : model.bodies) bodies.insert(body.name);
  std::vector<std::string> names;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const std::string& joint = model.bodies[b].joint;
    const bool taken = model.links[b].rotations == 3 && bodies.contains(joint);
    names.push_back(joint.empty() || taken ? model.bodies[b].name + ".joint" : joint);
  }
  return names;
}

void add_joint_coordinates(const Freedoms& f, const std::string& joint, std::vector<Column>& out) {
  const int angles = f.rotations == 3 ? 0 : f.rotations;
  const bool single = f.rotations != 3 && f.translations + f.rotations == 1;
  for (int i = 0; i < f.translations + angles; ++i) {
    out.push_back(
        {single ? joint : joint + "." + std::to_string(i), i < f.translations ? "m" : "rad"});
  }
  if (f.rotations == 3) {
    for (const char* name : quaternion_names) out.push_back({joint + name, ""});
  }
}

void add_joint_velocities(const Freedoms& f, const std::string& joint, std::vector<Column>& out) {
  const int count = f.translations + f.rotations;
  for (int i = 0; i < count; ++i) {
    out.push_back({joint + (count == 1 ? ".v" : ".v" + std::to_string(i)),
                   i < f.translations ? "m/s" : "rad/s"});
  }
}

Freedoms freedoms(const Link& link) { return {link.translations, link.rotations}; }

// The turn of `angle` by whole revolutions that is nearest to `before`.
double unwrapped(double angle, double before) {
  constexpr double turn = 6.283185307179586;
  return angle + turn * std::round((before - angle) / turn);
}

// Coordinates and velocities of a loop joint as measured between its bodies; `before` is its part
// of the row of the frame before, or null.
void add_measured(const Model& model, const Kinematics<double>& k, const LoopJoint& loop,
                  const double* before, std::vector<double>& row) {
  const Freedoms f = freedoms(loop.type);
  JointCoordinates c = measure(model, k, loop);
  if (before && f.rotations == 3) {
    double* q = c.q + f.translations;
    const double* p = before + f.translations;
    if (q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0) {
      for (int i = 0; i < 4; ++i) q[i] = -q[i];
    }
  } else if (before) {
    for (int i = f.translations; i < f.count(); ++i) c.q[i] = unwrapped(c.q[i], before[i]);
  }
  row.insert(row.end(), c.q, c.q + f.coordinates());
  row.insert(row.end(), c.v, c.v + f.count());
}

}  // namespace

std::vector<Column> columns(const Model& model, std::span<const RecordedProbe> probes) {
  std::vector<Column> out{{"t", "s"},       {"kinetic", "J"}, {"gravity", "J"},
                          {"elastic", "J"}, {"total", "J"},   {"px", "N s"},
                          {"py", "N s"},    {"pz", "N s"},    {"lx", "N m s"},
                          {"ly", "N m s"},  {"lz", "N m s"},  {"constraint_error", "m, rad"}};
  const std::vector<std::string> joints = joint_names(model);
  for (std::size_t b = 0; b < joints.size(); ++b) {
    add_joint_coordinates(freedoms(model.links[b]), joints[b], out);
  }
  for (std::size_t b = 0; b < joints.size(); ++b) {
    add_joint_velocities(freedoms(model.links[b]), joints[b], out);
  }
  for (const LoopJoint& loop : model.loops) {
    add_joint_coordinates(freedoms(loop.type), loop.name, out);
    add_joint_velocities(freedoms(loop.type), loop.name, out);
  }
  for (const Body& body : model.bodies) {
    for (const char* axis : {".x", ".y", ".z"}) out.push_back({body.name + axis, "m"});
    for (const char* name : quaternion_names) out.push_back({body.name + name, ""});
  }
  for (const int b : touchable_bodies(model)) {
    const std::string& body = model.bodies[static_cast<std::size_t>(b)].name;
    for (const char* axis : {".force.x", ".force.y", ".force.z"}) out.push_back({body + axis, "N"});
  }
  for (const RecordedProbe& probe : probes) out.push_back({probe.name, probe.unit});
  return out;
}

void fill_row(const Model& model, const Frame& frame, std::vector<double>& row) {
  assert(frame.state.q.size() == model.nq && frame.state.v.size() == model.nv);
  assert(frame.X_WB.size() == model.bodies.size());
  const Energy& e = frame.energy;
  const Vec3 &p = frame.momentum, &l = frame.angular_momentum;
  const std::vector<double> last = std::move(row);
  row = {frame.state.t, e.kinetic, e.gravity, e.elastic, e.total(), p.x,
         p.y,           p.z,       l.x,       l.y,       l.z,       frame.constraint_error};
  row.insert(row.end(), frame.state.q.begin(), frame.state.q.end());
  row.insert(row.end(), frame.state.v.begin(), frame.state.v.end());
  const std::vector<int> touchable = touchable_bodies(model);
  std::size_t size =
      row.size() + 7 * frame.X_WB.size() + 3 * touchable.size() + frame.probes.size();
  for (const LoopJoint& loop : model.loops) {
    size +=
        static_cast<std::size_t>(freedoms(loop.type).coordinates() + freedoms(loop.type).count());
  }
  const bool continues = last.size() == size;
  if (!model.loops.empty()) {
    Kinematics<double> k(model);
    update_poses(model, frame.state.q.data(), k);
    update_velocities(model, frame.state.v.data(), k);
    for (const LoopJoint& loop : model.loops) {
      add_measured(model, k, loop, continues ? &last[row.size()] : nullptr, row);
    }
  }
  for (const Pose& X : frame.X_WB) {
    Quat q = quaternion(X.R);
    // q and -q are one rotation: without jumps from frame to frame
    const std::array own{q.w, q.x, q.y, q.z};
    const double* before = continues ? &last[row.size() + 3] : own.data();
    if (q.w * before[0] + q.x * before[1] + q.y * before[2] + q.z * before[3] < 0) {
      q = {-q.w, -q.x, -q.y, -q.z};
    }
    row.insert(row.end(), {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z});
  }
  if (!touchable.empty()) {
    const std::vector<ContactLoad> loads = contact_loads(model, frame);
    for (const int b : touchable) {
      const Vec3& f = loads[static_cast<std::size_t>(b)].force;
      row.insert(row.end(), {f.x, f.y, f.z});
    }
  }
  row.insert(row.end(), frame.probes.begin(), frame.probes.end());
}

std::vector<PlotRow> plot_rows(const Model& model, std::span<const Frame* const> frames,
                               std::span<const std::size_t> chosen) {
  std::vector<PlotRow> list;
  std::vector<double> row;
  for (const Frame* frame : frames) {
    fill_row(model, *frame, row);
    PlotRow& values = list.emplace_back(PlotRow{frame->state.t, {}});
    for (const std::size_t i : chosen) values.values.push_back(i < row.size() ? row[i] : NAN);
  }
  return list;
}

std::vector<std::size_t> find_columns(std::span<const Column> columns,
                                      std::span<const std::string> words) {
  std::vector<std::string> names;
  for (const Column& c : columns) names.push_back(c.name);
  std::vector<std::size_t> found;
  for (const std::string& word : words) {
    const std::size_t before = found.size();
    for (std::size_t i = 0; i < names.size() && found.size() == before; ++i) {
      if (names[i] == word) {
        found.push_back(i);
      } else if (names[i] == word + ".x") {
        found.insert(found.end(), {i, i + 1, i + 2});
      } else if (names[i] == word + ".0" || names[i] == word + ".qw") {
        // a joint with several coordinates, which stand together
        for (; names[i].starts_with(word + "."); ++i) {
          const std::string part = names[i].substr(word.size() + 1);
          if (part.starts_with("v") || part.find('.') != std::string::npos) break;
          found.push_back(i);
        }
      }
    }
    if (found.size() == before) throw InputError("plot: " + unknown_word("column", word, names));
  }
  return found;
}

}  // namespace molejo

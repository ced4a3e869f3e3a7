// What touched: the events of a recording as tables, and the forces of its frames.
//
//   t phase a b  x y z  nx ny nz  jx jy jz
//
// t in s; phase is begin, persist or end; a and b are bodies, "world" for the world; x y z the
// point in m; nx ny nz the unit normal from b to a; jx jy jz the impulse on a in N s, since the
// last event of the two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "molejo/model/recording.h"

namespace molejo {

std::string_view to_string(ContactPhase phase);

// A header and a row per event.
std::string contacts_csv(const Model& model, const Recording& recording);
// {"columns": [...], "units": [...], "contacts": [[...], ...]}, an event on a line.
std::string contacts_json(const Model& model, const Recording& recording);
// What a file of this name holds, by its ending .csv or .json; unknown endings throw InputError.
std::string contacts_text(const std::string& path, const Model& model, const Recording& recording);

// The events of a recording by phase.
struct ContactCounts {
  std::int64_t begun = 0, persisted = 0, ended = 0;
};
ContactCounts count_contacts(const Recording& recording);

// Bodies that may touch something, in the order of the model.
std::vector<int> touchable_bodies(const Model& model);

// All that touches a body in a frame, taken together.
struct ContactLoad {
  Vec3 force;  // on the body, N
  Vec3 point;  // centre of pressure: the points, weighted with their forces; world, m
};
// Of each body of the model; no force where nothing touches.
std::vector<ContactLoad> contact_loads(const Model& model, const Frame& frame);

// How forces are drawn.
struct ForceArrows {
  bool drawn = false;
  double newtons_per_metre = 0;  // zero: so that the weight of all is half as long as the scene
};
// The length of an arrow for a newton.
double metres_per_newton(const ForceArrows& arrows, const Model& model, const Recording& recording);

}  // namespace molejo

// Parts of snapshots (math/snapshot.h) that models and their states are made of.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/model/formulas.h"

namespace molejo {

// Tells models apart: a hash of all that their motion depends on, but where paths lead. `build`
// leaves it in Model::fingerprint.
std::uint64_t fingerprint(const Model& model);
std::uint64_t fingerprint(const FormulaSet& set);

// Are all numbers finite, below 1e100, and quaternions of unit length?
bool is_sound(const Model& model, const State& state);

// A state of the model.
template <class Archive>
void visit_state(Archive& a, const Model& model, Seen<Archive, State>& s) {
  if constexpr (Archive::reads) s.q.resize(model.nq), s.v.resize(model.nv);
  a(s.t, s.q, s.v);
  if constexpr (Archive::reads) a.require(is_sound(model, s), "coordinates of the model");
}

// A body of the model, or the world.
template <class Archive>
void visit_body(Archive& a, const Model& model, Seen<Archive, BodyId>& body) {
  a.within(body.index, -1, model.body_count() - 1, "body");
}

}  // namespace molejo

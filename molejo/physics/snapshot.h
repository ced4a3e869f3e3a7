// Snapshots (math/snapshot.h) of a world: its state, and all else that its next step depends on.
//
//   save(model, state, scratch, snapshot);       // now, and later, or elsewhere:
//   restore(snapshot, model, state, scratch);    // a Scratch of the same model
//
// A Run is saved with save(run, snapshot): it goes on with the same frames and contact events too.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/model/recording.h"
#include "molejo/physics/events.h"
#include "molejo/physics/integrate.h"

namespace molejo {

void save(const Model& model, const State& state, const Scratch& scratch, Snapshot& snapshot);
// Throws SnapshotError; then state and scratch are as they were. Formulas must be those of the
// scratch that was saved.
void restore(const Snapshot& snapshot, const Model& model, State& state, Scratch& scratch);

// The parts, for larger snapshots. `state` is where the scratch stands.
template <class Archive>
void visit_scratch(Archive& a, const Model& model, const State& state, Seen<Archive, Scratch>& s);
template <class Archive>
void visit_events(Archive& a, const Model& model, Seen<Archive, Events>& e);
template <class Archive>
void visit_contact(Archive& a, const Model& model, Seen<Archive, Contact>& c);
template <class Archive>
void visit_command(Archive& a, const Model& model, Seen<Archive, Command<double>>& c);
template <class Archive>
void visit_summary(Archive& a, Seen<Archive, Summary>& s);

}  // namespace molejo

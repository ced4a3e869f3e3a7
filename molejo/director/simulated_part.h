// The part of a directed scene that is simulated, a frame at a time.
//
// Bodies that the director moves are in it as bodies of infinite mass. Within a frame each goes
// from its last pose to the next one, straight and evenly, so that what it touches is pushed with
// the velocity that it shows.
#pragma once

#include <memory>

#include "molejo/model/recording.h"
#include "molejo/physics/world.h"

namespace molejo {

struct Scene;

class SimulatedPart {
 public:
  // From the state of the whole model; `directed` has a flag for each of its bodies. Scene and
  // model must outlive the part.
  SimulatedPart(const Scene& scene, const Model& whole, const std::vector<char>& directed,
                const State& state, double fps);

  void set_variable(const std::string& name, double value) { run_->set_variable(name, value); }

  // The next frame, at time `t`: directed bodies go from `before` to `now` (poses of the whole
  // model). Replaces coordinates and velocities of all that is simulated, contacts and sleepers of
  // the frame; appends events. False: the simulation failed, see summary().failure.
  bool step(double t, const std::vector<Pose>& before, const std::vector<Pose>& now, State& state,
            Frame& frame, std::vector<ContactEvent>& events);

  const Summary& summary() const { return run_->summary(); }
  // As it was made.
  const std::vector<char>& directed() const { return directed_; }

  // For snapshots (math/snapshot.h), between two frames.
  void save(SnapshotWriter& a) const { run_->save(a); }
  void restore(SnapshotReader& a) { run_->restore(a); }

 private:
  void follow(double from, double to, const std::vector<Pose>& before,
              const std::vector<Pose>& now);

  const Model& whole_;
  Built built_;
  Settings settings_;
  std::vector<char> directed_;
  std::vector<int> full_;  // index in the whole model of each body
  std::unique_ptr<Run> run_;
};

}  // namespace molejo

// A net directs the animation: frame by frame the token game is played, the actions of its places
// move what they move, the rest is simulated, and what happened is told to the net.
//
//   frame k   1. the net plays all instants in ((k-1)/fps, k/fps], its properties are watched
//             2. actions begin, go on and end in the order of its events
//             3. figures are posed, bodies placed, attached, released
//             4. what is simulated is stepped to k/fps
//             5. contacts, arrivals and conditions are told to the net, at k/fps
//
// So the animation never changes when the net fires, except through causes: frames predicted from
// the net alone are the frames of the run.
#pragma once

#include "molejo/director/show.h"
#include "molejo/net/monitor.h"
#include "molejo/net/trace.h"

namespace molejo {

struct DirectSettings {
  std::optional<Fraction> fps{}, duration{};  // instead of the show's
  std::optional<std::uint64_t> seed{};
  // Nothing fires but these, in this order: a counterexample is played. The show ends when the
  // last of them has fired and its actions are over. Without `duration` it lasts long enough.
  std::optional<std::vector<TraceStep>> trace{};
  bool skeletons = false;  // keep what walkers show in every frame
  bool by_hand = false;    // somebody may fire transitions whose event no cause raises
};

class Director {
 public:
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::show;
  // The show must outlive the director. Throws InputError for what cannot be simulated frame by
  // frame, NetError for times without a common tick.
  Director(const Show& show, const DirectSettings& settings = {});
  ~Director();

  // The next frame, the first at the start; contact events are appended. False: it is over, and
  // nothing was written.
  bool next_frame(Frame& frame, std::vector<ContactEvent>& contacts);
  // Fires a transition now, by the will of the user, if it is enabled: the next frame shows it.
  bool fire(TransitionId transition);

  const NetRun& net() const;
  const Ensemble& ensemble() const;
  NetTrace trace() const;  // so far
  // The same without its end: events of the frames that were made.
  const NetTrace& recorded() const;
  // What the frames that were made have shown of the properties of the net. The last marking
  // stays, for ever if nothing can happen any more.
  std::vector<Watched> watched() const;
  // Empty, or why it stopped early: the simulation, the net, a trace that cannot be played, a
  // figure that fell.
  const std::string& failure() const;

  // save(director, snapshot) takes all that it goes on from between two frames: net, actions,
  // bodies, walkers, what was recorded of the net. restore(snapshot, director) goes on from there
  // in a director of the same show and settings (math/snapshot.h).
  std::uint64_t fingerprint() const;
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What the skeleton of a walker shows, frame by frame.
struct ShownWalker {
  std::vector<motion::SkeletonPose> poses;
  std::vector<motion::Affine> placements;  // X_WM
};

struct Directed {
  Recording recording;
  std::vector<ShownWalker> walkers{};  // as in the show; empty unless they are kept
  NetTrace trace;
  std::vector<Watched> watched{};  // the properties of the net, while it ran
  SolveReport report;
};

// Until the duration is over or nothing can happen any more.
Directed direct(const Show& show, const DirectSettings& settings = {});

}  // namespace molejo

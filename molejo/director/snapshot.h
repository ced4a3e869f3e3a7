// Parts of snapshots (math/snapshot.h) of shows.
#pragma once

#include "molejo/director/action.h"
#include "molejo/model/snapshot.h"

namespace molejo {

// Of a figure with so many limbs; one that was never taken has none.
template <class Archive>
void visit_posture(Archive& a, std::size_t limbs, Seen<Archive, Posture>& p) {
  a(p.place, p.heading, p.lift, p.tilt);
  visit_list(a, p.limbs, limbs, [&](auto& limb) {
    visit_enum(a, limb.hold, Hold::world, "hold");
    a(limb.p, limb.swivel);
  });
  a.require(p.limbs.empty() || p.limbs.size() == limbs, "all limbs of the figure");
}

template <class Archive>
void visit(Archive& a, Seen<Archive, GroundWay>& way) {
  a(way.moved, way.turned);
}

// What an action remembers of its beginning.
template <class Archive>
class ActionMemory {
 public:
  ActionMemory(Archive& a, const Ensemble& ensemble) : a_(a), ensemble_(ensemble) {}

  void operator()(Seen<Archive, Reach>& x) {
    visit_enum(a_, x.from.hold, Hold::world, "hold");
    a_(x.from.p, x.from.swivel);
  }
  void operator()(Seen<Archive, Stance>& x) { a_(x.from); }
  void operator()(Seen<Archive, WholeBody>& x) { visit_posture(a_, limbs(x.figure), x.from); }
  void operator()(Seen<Archive, ClipMotion>& x) {
    visit_posture(a_, limbs(x.figure), x.from);
    a_(x.to_start, x.back, x.whole_loop);
    if constexpr (Archive::reads) x.scratch = x.clip->scratch();
  }
  // What it plays is simulated again.
  void operator()(Seen<Archive, GaitMotion>& x) {
    bool has_begun = x.played != nullptr;
    a_(has_begun);
    if (!has_begun) return;
    if constexpr (Archive::reads) x.from.resize(ensemble_.model().nq);
    a_(x.seconds, x.X_WG, x.from);
    a_.require(x.seconds > 0 && x.seconds < most_seconds, "the length of a gait");
    if constexpr (Archive::reads) x.play(ensemble_);
  }
  void operator()(Seen<Archive, Move>& x) { a_(x.from, x.goal, x.gravity, x.start); }
  void operator()(Seen<Archive, Walk>& x) { a_(x.order); }
  // All others remember nothing.
  template <class Other>
  void operator()(Other&) {}

 private:
  static constexpr double most_seconds = 1e6;
  std::size_t limbs(int figure) const {
    return ensemble_.figures()[static_cast<std::size_t>(figure)].limbs.size();
  }

  Archive& a_;
  const Ensemble& ensemble_;
};

}  // namespace molejo

// An actor that walks: its walker poses its bodies frame by frame, until they are left to the
// simulation. Then its skeleton follows the bodies, and its walker may take over again from there.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "molejo/navigation/ragdoll.h"
#include "molejo/navigation/stage.h"

namespace molejo {

// What a show knows of it.
struct ShowWalker {
  std::string name;  // of the actor
  int figure = 0;    // of Show::figures: its bodies
  std::shared_ptr<const motion::Ground> ground;
  std::shared_ptr<const navigation::Ragdoll> ragdoll;
  std::function<std::unique_ptr<navigation::Walker>()> make;  // at its start
  std::shared_ptr<const motion::Character> character;         // its skin, if it has one
  navigation::Plan habits;  // how it turns; where it goes is told by actions
};

// While a walker blends from where it lay to its clips, the way between two poses may lead feet
// through the ground: then it is carried over it. Nothing is changed at both ends of the way.
class Rise {
 public:
  void begin(double seconds) { left_ = whole_ = seconds; }
  void advance(double h) { left_ = left_ > h ? left_ - h : 0; }
  // How much higher the walker is shown: as far as its lowest sole is under the ground.
  double lift(const navigation::Walker& walker, const motion::Ground& ground) const;

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Rise>& r) {
    a(r.left_, r.whole_);
  }

 private:
  double left_ = 0, whole_ = 0;  // s
};

class WalkingActor {
 public:
  // Both must outlive it. Bodies are found by the name of the actor.
  WalkingActor(const ShowWalker& walker, const Model& model);
  WalkingActor(const WalkingActor&) = delete;

  int figure() const { return show_.figure; }
  int root() const { return map_.root(); }
  const navigation::Walker& walker() const { return stage_.walker(0); }
  const navigation::Plan& habits() const { return show_.habits; }

  // From where it is; gives the number of the order.
  int follow(navigation::Plan plan);
  // It comes to rest, unless another order has been given since.
  void stop(int order);
  bool arrived() const { return stage_.progress(0).arrived; }

  // Walks for h seconds, in steps of at most 1/60 s, and writes the coordinates of its bodies.
  void advance(double h, VecX& q);
  // Goes on from where its bodies are, blending over `seconds`.
  void take_over(const VecX& q, double seconds);
  // The skeleton as the bodies are, for as long as they are simulated.
  void look_at(const VecX& q);

  // What is shown.
  const motion::SkeletonPose& pose() const { return pose_; }
  const motion::Affine& placement() const { return X_WM_; }

  // For snapshots (math/snapshot.h).
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, WalkingActor>& w);

  const ShowWalker& show_;
  navigation::Stage stage_;  // it alone
  navigation::RagdollMap map_;
  int orders_ = 0;    // that were given
  int followed_ = 0;  // the one that it follows; 0: none
  Rise rise_;
  motion::SkeletonPose pose_;
  motion::Affine X_WM_;
};

// The change of velocities that an impulse (N s) at a world point of a body brings: M^-1 J^T p.
VecX struck(const Model& model, const VecX& q, BodyId body, const Vec3& p_W, const Vec3& impulse);

}  // namespace molejo

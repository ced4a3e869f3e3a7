// A walker that can be pushed over: it walks, falls by physics, lies, and recovers.
//
//   walks   poses and steps are those of the walker inside
//   fallen  its bodies are simulated on the ground, from the pose and the velocities it had; the
//           skeleton follows them
//
// It is a Walker like any other, so a stage, a record and a report need not know. Each falls in a
// world of its own: walkers do not touch each other.
#pragma once

#include <memory>
#include <optional>

#include "molejo/director/walking.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/navigation/ragdoll.h"
#include "molejo/navigation/walker.h"
#include "molejo/physics/world.h"

namespace molejo {

// What befalls a walker at a moment: it is pushed over, or recovers.
struct FallEvent {
  double at = 0;             // s since the walker began
  std::optional<Vec3> push;  // N s; else it recovers
  std::string part;          // that is pushed
  double recover = 1;        // s of blending
};

class FallibleWalker final : public navigation::Walker {
 public:
  // `surroundings`: bodies that do not move, such as terrain_body makes, and the settings of the
  // simulation. `ground` must outlive the walker. Throws InputError for a scene that cannot be
  // built.
  FallibleWalker(std::unique_ptr<navigation::Walker> inside,
                 std::shared_ptr<const navigation::Ragdoll> ragdoll, const Scene& surroundings,
                 const motion::Ground& ground);
  ~FallibleWalker() override;

  // It falls from now on, or is pushed where it lies: an impulse (N s, world axes) on the middle of
  // a part of the ragdoll, "torso" unless there is none. Throws InputError with the nearest name.
  void push(const Vec3& impulse, const std::string& part = "");
  // Back to its clips, blending over `seconds`. Nothing happens to one that walks.
  void recover(double seconds);
  // Events to come, by time. Throws InputError for a part that there is not.
  void schedule(std::vector<FallEvent> events);
  bool is_down() const { return run_ != nullptr; }
  // Empty, or why the simulation stopped; it then lies where it was.
  const std::string& failure() const { return failure_; }
  const Model& model() const { return built_.model; }
  const State& state() const { return state_; }  // of its bodies, walking or fallen

  void advance(double dt, const navigation::Steering& steering) override;
  const navigation::Rig& rig() const override { return inside_->rig(); }
  double scale() const override { return inside_->scale(); }
  const motion::SkeletonPose& pose() const override;
  motion::Affine placement() const override;
  std::span<const motion::Affine> model_transforms() const override;
  std::span<const navigation::FootState> feet() const override;
  bool plan_of_foot(int leg, std::span<Vec3> points) const override {
    return !is_down() && inside_->plan_of_foot(leg, points);
  }
  Vec3 position() const override;
  double heading() const override { return inside_->heading(); }
  const motion::SkeletonPose& unadapted() const override { return inside_->unadapted(); }
  motion::Affine unadapted_placement() const override { return inside_->unadapted_placement(); }
  bool blocked() const override { return !is_down() && inside_->blocked(); }
  void take_over(const motion::SkeletonPose& pose, const motion::Affine& X_WM,
                 double seconds) override;
  void measure(navigation::WalkCost* cost) override { inside_->measure(cost); }
  void save(SnapshotWriter& a) const override;
  void restore(SnapshotReader& a) override;

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, FallibleWalker>& w);
  int part_index(const std::string& part) const;
  void look();  // at the bodies
  void start();

  std::unique_ptr<navigation::Walker> inside_;
  std::shared_ptr<const navigation::Ragdoll> ragdoll_;
  Scene scene_;
  Built built_;
  std::unique_ptr<navigation::RagdollMap> map_;
  Settings settings_;
  std::unique_ptr<Run> run_;  // while it is down
  State state_;
  const motion::Ground& ground_;
  Rise rise_;
  double lift_ = 0;  // m
  VecX q_before_;    // of the bodies, a step ago
  double dt_ = 0;    // how long ago that was
  motion::SkeletonPose pose_;
  motion::Affine X_WM_;
  std::vector<motion::Affine> X_MJ_;
  std::vector<navigation::FootState> feet_;
  std::string failure_;
  std::vector<FallEvent> events_;
  std::size_t next_event_ = 0;
  double time_ = 0;  // s
};

}  // namespace molejo

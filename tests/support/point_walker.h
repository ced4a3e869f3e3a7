// A walker without a body, for what only steers and records: it goes where it looks, at once.
#pragma once

#include <cmath>

#include "molejo/navigation/walker.h"

namespace molejo::test {

class PointWalker : public navigation::Walker {
 public:
  PointWalker(const motion::Ground& ground, double x, double y, double heading, double speed = 1.3)
      : ground_(ground), speed_(speed), heading_(heading) {
    rig_.skeleton.joints = {{"hips", -1, {}}};
    rig_.roles.bearing = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    rig_.hips = 0;
    pose_ = motion::SkeletonPose(rig_.skeleton);
    position_ = {x, y, height(x, y)};
  }

  void advance(double dt, const navigation::Steering& s) override {
    heading_ += s.turn * dt;
    if (!s.walk) return;
    const double way = speed_ * s.rate * dt;
    position_.x += way * std::cos(heading_), position_.y += way * std::sin(heading_);
    position_.z = height(position_.x, position_.y);
  }

  const navigation::Rig& rig() const override { return rig_; }
  double scale() const override { return 1; }
  const motion::SkeletonPose& pose() const override { return pose_; }
  motion::Affine placement() const override {
    return navigation::placement(rig_.bearing(), position_, heading_, 1);
  }
  std::span<const motion::Affine> model_transforms() const override { return {&unmoved_, 1}; }
  std::span<const navigation::FootState> feet() const override { return {}; }
  Vec3 position() const override { return position_; }
  double heading() const override { return heading_; }
  const motion::SkeletonPose& unadapted() const override { return pose_; }
  motion::Affine unadapted_placement() const override { return placement(); }
  bool blocked() const override { return false; }
  void take_over(const motion::SkeletonPose&, const motion::Affine&, double) override {}
  void measure(navigation::WalkCost*) override {}
  void save(SnapshotWriter& a) const override { a(position_, heading_); }
  void restore(SnapshotReader& a) override { a(position_, heading_); }

 private:
  double height(double x, double y) const {
    const auto g = ground_.at(x, y);
    return g ? g->height : 0;
  }

  const motion::Ground& ground_;
  double speed_, heading_;
  Vec3 position_;
  navigation::Rig rig_;
  motion::SkeletonPose pose_;
  motion::Affine unmoved_;
};

}  // namespace molejo::test

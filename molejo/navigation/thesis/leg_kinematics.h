// Where the joints of the legs are:
//
//   X_MJ = base prod T_i R_i S_i       from the root to J, T and S fixed
//
// in two modes: by rotations that were recorded, at one of their times, and by rotations at hand.
// Source: Matthey (2022), 4.6.1. Only joints on the ways to the feet, each once.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/navigation/thesis/clip_frames.h"

namespace molejo::navigation::thesis {

// Rotations of the joints of a path at moments of the past. Allocates nothing while it holds no
// more than `capacity` of them.
class AngleHistory {
 public:
  AngleHistory(int joints, int capacity);

  void clear() { times_.clear(), turns_.clear(); }
  bool empty() const { return times_.empty(); }
  int size() const { return static_cast<int>(times_.size()); }
  double first_time() const { return times_.front(); }
  double last_time() const { return times_.back(); }
  // What was there at the same time is replaced; what is later is forgotten.
  void record(double t, std::span<const AxisAngle> turns);
  // The one at or before t stays.
  void forget_before(double t);
  // Those recorded at t, or empty.
  std::span<const AxisAngle> at(double t) const;
  // Between two records by slerp. Throws std::out_of_range outside of them.
  Quat rotation(double t, int joint) const;

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, AngleHistory>& h) {
    constexpr std::size_t most = 100'000;
    a.list(h.times_, most);
    if constexpr (Archive::reads) h.turns_.resize(h.times_.size() * h.joints_);
    for (auto& turn : h.turns_) a(turn.axis, turn.angle);
    for (std::size_t i = 1; i < h.times_.size(); ++i) {
      a.require(h.times_[i] > h.times_[i - 1], "times that grow");
    }
  }

 private:
  std::size_t joints_;
  std::vector<double> times_;
  std::vector<AxisAngle> turns_;
};

class LegKinematics {
 public:
  // `fixed` gives translations and scales.
  LegKinematics(const Rig& rig, const ClipFrames& frames);

  // Timeless: one rotation per joint of the path. `out` and `local`, where wanted, have a place for
  // every joint of the skeleton; those not on the path become identity.
  void pose(const Affine& base, std::span<const AxisAngle> turns, std::span<Affine> out,
            std::span<Affine> local = {}) const;
  // The same as it was at time t. Throws std::out_of_range.
  void pose(const Affine& base, const AngleHistory& history, double t, std::span<Affine> out,
            std::span<Affine> local = {}) const;

 private:
  template <class Rotation>
  void evaluate(const Affine& base, const Rotation& rotation, std::span<Affine> out,
                std::span<Affine> local) const;

  struct Joint {
    int joint, parent;
    Vec3 translation, scale;
  };
  std::vector<Joint> joints_;
};

}  // namespace molejo::navigation::thesis

#include "molejo/navigation/thesis/leg_kinematics.h"

#include <algorithm>
#include <stdexcept>

#include "molejo/navigation/thesis/curve.h"

namespace molejo::navigation::thesis {

AngleHistory::AngleHistory(int joints, int capacity) : joints_(static_cast<std::size_t>(joints)) {
  times_.reserve(static_cast<std::size_t>(capacity));
  turns_.reserve(static_cast<std::size_t>(capacity) * joints_);
}

void AngleHistory::record(double t, std::span<const AxisAngle> turns) {
  while (!empty() && last_time() >= t - LinearCurve::epsilon) {
    times_.pop_back();
    turns_.resize(times_.size() * joints_);
  }
  times_.push_back(t);
  turns_.insert(turns_.end(), turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(joints_));
}

void AngleHistory::forget_before(double t) {
  std::size_t gone = 0;
  while (gone + 1 < times_.size() && times_[gone + 1] <= t) ++gone;
  times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(gone));
  turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(gone * joints_));
}

std::span<const AxisAngle> AngleHistory::at(double t) const {
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (std::fabs(times_[k] - t) <= LinearCurve::epsilon)
      return {turns_.data() + k * joints_, joints_};
  }
  return {};
}

Quat AngleHistory::rotation(double t, int joint) const {
  if (empty() || t < first_time() - LinearCurve::epsilon ||
      t > last_time() + LinearCurve::epsilon) {
    throw std::out_of_range("no angles were recorded at this time");
  }
  const auto turn = [&](std::size_t k) {
    return quaternion(turns_[k * joints_ + static_cast<std::size_t>(joint)]);
  };
  std::size_t k = 0;
  while (k + 1 < times_.size() && times_[k + 1] <= t + LinearCurve::epsilon) ++k;
  if (k + 1 == times_.size() || std::fabs(t - times_[k]) <= LinearCurve::epsilon) return turn(k);
  return slerp(turn(k), turn(k + 1), (t - times_[k]) / (times_[k + 1] - times_[k]));
}

LegKinematics::LegKinematics(const Rig& rig, const ClipFrames& frames) {
  for (const int j : frames.path()) {
    joints_.push_back(
        {j, rig.skeleton[j].parent, frames.fixed().translation(j), frames.fixed().scale(j)});
  }
}

template <class Rotation>
void LegKinematics::evaluate(const Affine& base, const Rotation& rotation, std::span<Affine> out,
                             std::span<Affine> local) const {
  std::fill(out.begin(), out.end(), Affine{});
  std::fill(local.begin(), local.end(), Affine{});
  for (std::size_t s = 0; s < joints_.size(); ++s) {
    const Joint& joint = joints_[s];
    const Affine own = affine({joint.translation, rotation(s), joint.scale});
    const auto j = static_cast<std::size_t>(joint.joint);
    out[j] = (joint.parent < 0 ? base : out[static_cast<std::size_t>(joint.parent)]) * own;
    if (!local.empty()) local[j] = own;
  }
}

void LegKinematics::pose(const Affine& base, std::span<const AxisAngle> turns,
                         std::span<Affine> out, std::span<Affine> local) const {
  evaluate(
      base, [&](std::size_t s) { return quaternion(turns[s]); }, out, local);
}

void LegKinematics::pose(const Affine& base, const AngleHistory& history, double t,
                         std::span<Affine> out, std::span<Affine> local) const {
  evaluate(
      base, [&](std::size_t s) { return history.rotation(t, static_cast<int>(s)); }, out, local);
}

}  // namespace molejo::navigation::thesis

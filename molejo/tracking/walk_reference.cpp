#include "molejo/tracking/walk_reference.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/kinematics.h"

namespace molejo::tracking {

WalkReference::WalkReference(const TrackedBody& body, const RagdollMap& map,
                             std::unique_ptr<navigation::Walker> walker, double step,
                             int steps_per_window, long loop, double lift)
    : body_(body),
      map_(map),
      walker_(std::move(walker)),
      step_(step),
      steps_per_window_(steps_per_window),
      loop_(loop),
      lift_(lift) {
  add();
}

void WalkReference::add() {
  Moment m;
  m.q = zero_state(body_.model).q;
  Affine X = walker_->placement();
  X.origin.z += lift_;
  map_.write(walker_->pose(), X, m.q);
  m.phase = walker_->phase();
  m.walks = walker_->walks();
  moments_.push_back(std::move(m));
}

const WalkReference::Moment& WalkReference::moment(long n) const {
  return moments_[at(std::clamp(n - first_, 0L, static_cast<long>(moments_.size()) - 1))];
}

void WalkReference::coordinates(long n, VecX& q) const { q = moment(n).q; }
bool WalkReference::walked(long n) const { return moment(n).walks; }

long WalkReference::tick(long n) const {
  if (!moment(n).walks) return n * ticks_per_window / steps_per_window_;  // of standing
  const double phase = moment(n).phase;
  const auto loop = static_cast<double>(loop_);
  return static_cast<long>(std::floor((phase - std::floor(phase)) * loop + 0.5)) % loop_;
}

void WalkReference::lead(long n, const navigation::Steering& steering) {
  while (first_ + static_cast<long>(moments_.size()) <= n) {
    walker_->advance(step_, steering);
    add();
  }
}

void WalkReference::forget_before(long n) {
  while (first_ < n && moments_.size() > 1) {
    moments_.pop_front();
    ++first_;
  }
}

}  // namespace molejo::tracking

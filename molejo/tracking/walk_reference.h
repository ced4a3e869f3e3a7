// A walker as the reference: it goes ahead of the body that follows it, as far as that looks ahead.
#pragma once

#include <deque>
#include <memory>

#include "molejo/navigation/walker.h"
#include "molejo/tracking/reference.h"

namespace molejo::tracking {

class WalkReference final : public Reference {
 public:
  // `loop`: ticks that a policy has for the loop of the walk. `lift`: m, by which its feet are
  // moved up, so that they stand on the ground as bodies. All but the walker must outlive it.
  WalkReference(const TrackedBody& body, const RagdollMap& map,
                std::unique_ptr<navigation::Walker> walker, double step, int steps_per_window,
                long loop, double lift);

  double step() const override { return step_; }
  int steps_per_window() const override { return steps_per_window_; }
  long windows() const override { return loop_ / ticks_per_window; }
  bool loops() const override { return true; }
  // Known from forget_before's n to where it was led to; beyond them the nearest.
  void coordinates(long n, VecX& q) const override;
  long tick(long n) const override;

  // Leads the walker on, until step n is known.
  void lead(long n, const navigation::Steering& steering);
  void forget_before(long n);
  // Did it walk at that step?
  bool walked(long n) const;
  navigation::Walker& walker() { return *walker_; }
  const navigation::Walker& walker() const { return *walker_; }

 private:
  struct Moment {
    VecX q;
    double phase = 0;
    bool walks = false;
  };
  const Moment& moment(long n) const;
  void add();

  const TrackedBody& body_;
  const RagdollMap& map_;
  std::unique_ptr<navigation::Walker> walker_;
  double step_;
  int steps_per_window_;
  long loop_;
  double lift_;
  long first_ = 0;  // step of the first moment
  std::deque<Moment> moments_;
};

}  // namespace molejo::tracking

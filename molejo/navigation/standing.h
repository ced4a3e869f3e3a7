// One point of the sole: how far from where it came down it has been in this stance, along the
// ground.
#pragma once

#include <utility>

#include "molejo/motion/ground.h"

namespace molejo::navigation {

class Standing {
 public:
  explicit Standing(const motion::Ground& ground) : ground_(&ground) {}
  void see(bool down, const Vec3& p);
  double slip() const { return slip_; }
  // What it was, to begin anew.
  double take() { return std::exchange(slip_, 0); }

 private:
  const motion::Ground* ground_;
  bool was_down_ = false;
  Vec3 began_, normal_;
  double slip_ = 0;
};

}  // namespace molejo::navigation

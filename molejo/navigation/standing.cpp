#include "molejo/navigation/standing.h"

#include <algorithm>

namespace molejo::navigation {

void Standing::see(bool down, const Vec3& p) {
  if (!down) {
    was_down_ = false;
    return;
  }
  if (!was_down_) {
    const auto here = ground_->at(p.x, p.y);
    began_ = p, normal_ = here ? here->normal : Vec3{0, 0, 1};
  }
  was_down_ = true;
  const Vec3 moved = p - began_;
  slip_ = std::max(slip_, norm(moved - normal_ * dot(moved, normal_)));
}

}  // namespace molejo::navigation

#include "molejo/physics/touch_log.h"

#include <algorithm>

namespace molejo {

void TouchLog::collect(double h, const std::vector<Contact>& contacts) {
  current_.clear();
  for (const Contact& c : contacts) {
    const double size = norm(c.impulse);
    if (!(size > 0)) continue;
    // bodies in ascending order
    const bool swap = c.body_a > c.body_b;
    const Vec3 impulse = swap ? -c.impulse : c.impulse, normal = swap ? -c.normal : c.normal;
    const int a = std::min(c.body_a, c.body_b), b = std::max(c.body_a, c.body_b);
    auto at = std::find_if(current_.rbegin(), current_.rend(),
                           [&](const Touch& t) { return t.a == a && t.b == b; });
    if (at == current_.rend()) {
      current_.emplace_back();
      at = current_.rbegin();
      at->a = a, at->b = b;
    }
    at->impulse += impulse;
    at->point += c.point() * size;
    at->normal += normal * size;
    at->weight += size;
    at->points.push_back({{a}, {b}, c.point(), normal, c.gap, h > 0 ? impulse / h : Vec3{}});
  }
  std::sort(current_.begin(), current_.end(),
            [](const Touch& x, const Touch& y) { return x.a < y.a || (x.a == y.a && x.b < y.b); });
}

ContactEvent TouchLog::event(double t, ContactPhase phase, const Touch& touch) {
  const double length = norm(touch.normal);
  return {t,
          phase,
          {touch.a},
          {touch.b},
          touch.point / touch.weight,
          length > 0 ? touch.normal / length : Vec3{},
          touch.impulse};
}

void TouchLog::add_frame(double t, std::vector<ContactEvent>& events,
                         std::vector<TouchPoint>& points) {
  for (Touch& touch : touching_) {
    events.push_back(event(t, ContactPhase::persist, touch));
    touch.impulse = {};
    points.insert(points.end(), touch.points.begin(), touch.points.end());
  }
}

}  // namespace molejo

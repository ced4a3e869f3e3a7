#include "molejo/physics/touch_log.h"

#include <algorithm>
#include <tuple>

namespace molejo {

void TouchLog::collect(double h, const std::vector<Contact>& contacts) {
  // bodies in ascending order
  acting_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    if (!(norm(c.impulse) > 0)) continue;
    acting_.push_back({std::min(c.body_a, c.body_b), std::max(c.body_a, c.body_b), i});
  }
  std::sort(acting_.begin(), acting_.end(), [](const Acting& x, const Acting& y) {
    return std::tie(x.a, x.b, x.contact) < std::tie(y.a, y.b, y.contact);
  });

  current_.list.clear();
  current_.points.clear();
  for (const Acting& acting : acting_) {
    const Contact& c = contacts[acting.contact];
    if (current_.list.empty() || current_.list.back().a != acting.a ||
        current_.list.back().b != acting.b) {
      Touch& begun = current_.list.emplace_back();
      begun.a = acting.a, begun.b = acting.b;
      begun.first_point = current_.points.size();
    }
    Touch& touch = current_.list.back();
    const bool swap = c.body_a != acting.a;
    const Vec3 impulse = swap ? -c.impulse : c.impulse, normal = swap ? -c.normal : c.normal;
    const Vec3 force = h > 0 ? impulse / h : Vec3{};
    const double size = norm(impulse);
    touch.impulse += impulse;
    touch.force += force;
    touch.point += c.point() * size;
    touch.normal += normal * size;
    touch.weight += size;
    ++touch.points;
    current_.points.push_back({{acting.a}, {acting.b}, c.point(), normal, c.gap, force});
  }
}

void TouchLog::append(Touch touch, const Touches& from, Touches& to) {
  const auto first = from.points.begin() + static_cast<std::ptrdiff_t>(touch.first_point);
  touch.first_point = to.points.size();
  to.points.insert(to.points.end(), first, first + static_cast<std::ptrdiff_t>(touch.points));
  to.list.push_back(touch);
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
  for (Touch& touch : touching_.list) {
    events.push_back(event(t, ContactPhase::persist, touch));
    touch.impulse = {};
  }
  points.insert(points.end(), touching_.points.begin(), touching_.points.end());
}

}  // namespace molejo

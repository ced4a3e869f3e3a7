// Who touches whom: begins and ends of contact from the lists of single steps, and what acted
// between two frames.
#pragma once

#include "molejo/model/recording.h"
#include "molejo/physics/contacts.h"

namespace molejo {

class TouchLog {
 public:
  // Takes in the contacts of a step (or of an impact, with h = 0) that ended at t. Pairs of bodies
  // with an impulse touch; pairs of which `is_still` tells that neither is computed any more go on
  // as they were.
  template <class IsStill>
  void add_step(double t, double h, const std::vector<Contact>& contacts, IsStill&& is_still,
                std::vector<ContactEvent>& events) {
    collect(h, contacts);
    merge(t, events, [&](int a, int b) { return is_still(a) && is_still(b); });
  }

  // One event for each pair that touches, and the points and forces of the last step.
  void add_frame(double t, std::vector<ContactEvent>& events, std::vector<TouchPoint>& points);

 private:
  struct Touch {
    int a = 0, b = 0;
    Vec3 impulse;        // since the last event
    Vec3 point, normal;  // weighted sums of the last step in which they touched
    double weight = 0;
    std::vector<TouchPoint> points;
  };
  void collect(double h, const std::vector<Contact>& contacts);
  template <class IsStill>
  void merge(double t, std::vector<ContactEvent>& events, IsStill&& is_still) {
    next_.clear();
    auto old = touching_.begin();
    auto now = current_.begin();
    const auto before = [](const Touch& x, const Touch& y) {
      return x.a < y.a || (x.a == y.a && x.b < y.b);
    };
    while (old != touching_.end() || now != current_.end()) {
      const bool only_old = now == current_.end() || (old != touching_.end() && before(*old, *now));
      const bool only_now = old == touching_.end() || (now != current_.end() && before(*now, *old));
      if (only_old) {
        if (is_still(old->a, old->b)) {
          next_.push_back(std::move(*old));
        } else {
          events.push_back(event(t, ContactPhase::end, *old));
        }
        ++old;
        continue;
      }
      if (only_now) {
        events.push_back(event(t, ContactPhase::begin, *now));
        now->impulse = {};
      } else {
        now->impulse += old->impulse;
        ++old;
      }
      next_.push_back(std::move(*now));
      ++now;
    }
    std::swap(touching_, next_);
  }
  static ContactEvent event(double t, ContactPhase phase, const Touch& touch);

  std::vector<Touch> touching_, current_, next_;  // ascending (a, b)
};

}  // namespace molejo

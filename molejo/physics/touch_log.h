// Who touches whom: begins and ends of contact from the lists of single steps, and what acted
// between two frames.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/model/recording.h"
#include "molejo/physics/contacts.h"

namespace molejo {

class TouchLog {
 public:
  // Takes in the contacts of a step of h seconds that ended at t. Pairs of bodies with an impulse
  // touch. Pairs of which `is_still` tells that neither is computed any more go on as they were,
  // with the force that they had.
  template <class IsStill>
  void add_step(double t, double h, const std::vector<Contact>& contacts, IsStill&& is_still,
                std::vector<ContactEvent>& events) {
    collect(h, contacts);
    merge(t, h, events, [&](int a, int b) { return is_still(a) && is_still(b); });
  }

  // The contacts of an impact at t. All other pairs go on as they were.
  void add_impact(double t, const std::vector<Contact>& contacts,
                  std::vector<ContactEvent>& events) {
    collect(0, contacts);
    merge(t, 0, events, [](int, int) { return true; });
  }

  // One event for each pair that touches, and the points and forces of the last step.
  void add_frame(double t, std::vector<ContactEvent>& events, std::vector<TouchPoint>& points);

  // For snapshots (math/snapshot.h): who touches whom.
  template <class Archive>
  static void visit(Archive& a, const Model& model, Seen<Archive, TouchLog>& log) {
    const std::size_t bodies = model.links.size();
    visit_list(a, log.touching_.points, most_points, [&](auto& p) {
      a.index(p.a.index, bodies, "body");
      a.index(p.b.index, bodies, "body");
      a(p.point, p.normal, p.gap, p.force);
    });
    std::size_t next = 0;
    visit_list(a, log.touching_.list, most_points, [&](auto& t) {
      a.index(t.a, bodies, "body");
      a.index(t.b, bodies, "body");
      a(t.impulse, t.force, t.point, t.normal, t.weight);
      a.within(t.points, std::size_t{0}, log.touching_.points.size() - next, "points");
      if constexpr (Archive::reads) t.first_point = next;
      next += t.points;
    });
  }

 private:
  static constexpr std::size_t most_points = 10'000'000;
  struct Touch {
    int a = 0, b = 0;
    Vec3 impulse;        // since the last event
    Vec3 force;          // of the last step
    Vec3 point, normal;  // weighted sums of the last step in which they touched
    double weight = 0;
    std::size_t first_point = 0, points = 0;
  };
  // Ascending (a, b), and the points of all.
  struct Touches {
    std::vector<Touch> list;
    std::vector<TouchPoint> points;
  };
  void collect(double h, const std::vector<Contact>& contacts);
  static void append(Touch touch, const Touches& from, Touches& to);
  static ContactEvent event(double t, ContactPhase phase, const Touch& touch);

  template <class GoesOn>
  void merge(double t, double h, std::vector<ContactEvent>& events, GoesOn&& goes_on) {
    next_.list.clear();
    next_.points.clear();
    auto old = touching_.list.begin();
    auto now = current_.list.begin();
    const auto old_end = touching_.list.end(), now_end = current_.list.end();
    const auto before = [](const Touch& x, const Touch& y) {
      return x.a < y.a || (x.a == y.a && x.b < y.b);
    };
    while (old != old_end || now != now_end) {
      if (now == now_end || (old != old_end && before(*old, *now))) {
        if (goes_on(old->a, old->b)) {
          old->impulse += old->force * h;
          append(*old, touching_, next_);
        } else {
          events.push_back(event(t, ContactPhase::end, *old));
        }
        ++old;
        continue;
      }
      if (old == old_end || before(*now, *old)) {
        events.push_back(event(t, ContactPhase::begin, *now));
        now->impulse = {};
      } else if (h > 0) {
        now->impulse += old->impulse;
        ++old;
      } else {
        // an impact leaves the lasting force alone
        old->impulse += now->impulse;
        append(*old, touching_, next_);
        ++old, ++now;
        continue;
      }
      append(*now, current_, next_);
      ++now;
    }
    std::swap(touching_, next_);
  }

  struct Acting {
    int a, b;
    std::size_t contact;
  };
  std::vector<Acting> acting_;
  Touches touching_, current_, next_;
};

}  // namespace molejo

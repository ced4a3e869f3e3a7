#include "molejo/navigation/stage.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/parallel.h"
#include "molejo/math/same_bits.h"

namespace molejo::navigation {

namespace {

constexpr double turn_gain = 2.5;      // rad/s per rad of error
constexpr double speed_memory = 0.5;   // s, over which the speed is smoothed
constexpr double slowest_rate = 0.55;  // while it turns about

double distance(const WayPoint& a, const WayPoint& b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

// The next way-point, or -1 at the end.
int after(const Plan& plan, int leg) {
  const int n = static_cast<int>(plan.path.size());
  return leg + 1 < n ? leg + 1 : plan.loop ? 0 : -1;
}

const WayPoint& point(const Plan& plan, int leg) {
  return plan.path[static_cast<std::size_t>(leg)];
}

// How far along the current leg the walker is, in metres, and how long the leg is.
struct Along {
  double done = 0, length = 0;
};
Along along(const Plan& plan, const Progress& p, const WayPoint& at) {
  const WayPoint &a = p.from, &b = point(plan, p.leg);
  const double length = distance(a, b);
  if (length < 1e-9) return {0, 0};
  return {((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / length, length};
}

// Goes on to the next leg where the end of this one is passed or near.
void update_leg(const Plan& plan, const WayPoint& at, Progress& p) {
  for (std::size_t i = 0; i <= plan.path.size() && !p.arrived; ++i) {
    const int next = after(plan, p.leg);
    const double left = distance(at, point(plan, p.leg));
    if (next < 0) {
      p.arrived = left <= plan.within;
      return;
    }
    // corners are cut by half of how far it looks ahead
    const Along a = along(plan, p, at);
    const bool passed = a.done >= a.length - 1e-9 && left < 2 * plan.ahead;
    if (left > std::max(plan.within, 0.5 * plan.ahead) && !passed) return;
    p.rounds += next == 0 ? 1 : 0;
    p.from = point(plan, p.leg);
    p.leg = next;
  }
}

// The point on the way that it looks at: `ahead` of where it is, around corners too.
WayPoint look_ahead(const Plan& plan, const Progress& p, const WayPoint& at) {
  WayPoint a = p.from;
  int leg = p.leg;
  double left = std::max(0.0, along(plan, p, at).done) + plan.ahead;
  for (std::size_t i = 0; i <= plan.path.size(); ++i) {
    const WayPoint& b = point(plan, leg);
    const double length = distance(a, b);
    if (left <= length) {
      const double u = left / length;
      return {a.x + u * (b.x - a.x), a.y + u * (b.y - a.y)};
    }
    const int next = after(plan, leg);
    if (next < 0) return b;
    left -= length, a = b, leg = next;
  }
  return a;
}

// How far the point is from the middle of the circle of the tightest turn to that side.
double from_middle(const WayPoint& at, double heading, double side, double radius,
                   const WayPoint& to) {
  const SinCos<double> sc = sincos(heading);
  return distance({at.x - side * radius * sc.sin, at.y + side * radius * sc.cos}, to);
}

// Towards `wanted` by no more than the bound of its change.
void turn_towards(const Plan& plan, double wanted, double dt, Progress& p) {
  const double step = plan.turn_acceleration * dt;
  p.turn += std::clamp(wanted - p.turn, -step, step);
}

// A turn that can still be slowed down in time for an error of that size.
double wanted_turn(const Plan& plan, double error) {
  const double size = std::fabs(error);
  const double stoppable = std::sqrt(2 * plan.turn_acceleration * size);
  return std::copysign(std::min({turn_gain * size, 0.8 * stoppable, plan.turn_limit}), error);
}

Steering pursue(const Plan& plan, const Walker& walker, double dt, Progress& p) {
  const Vec3 place = walker.position();
  const WayPoint at{place.x, place.y};
  update_leg(plan, at, p);
  Steering s = plan.steering;
  if (p.arrived || plan.path.empty()) {
    turn_towards(plan, 0, dt, p);
    return {false, p.turn, s.rate};
  }
  const WayPoint to = look_ahead(plan, p, at);
  const double error = wrapped(arc_tangent(to.y - at.y, to.x - at.x) - walker.heading());
  // slower where it turns about: the circle becomes smaller
  s.walk = true;
  const double wide = std::min(1.0, std::fabs(error) / (0.5 * pi));
  s.rate *= 1 - (1 - slowest_rate) * wide * wide;
  // what lies inside the circle is left, until it is well outside
  const double radius = p.speed / plan.turn_limit;
  const double away =
      from_middle(at, walker.heading(), error > 0 ? 1 : -1, radius, to) - (p.leaving ? 0.4 : 0.1);
  p.leaving = std::fabs(error) > 0.5 && away < radius * (p.leaving ? 1.3 : 1);
  turn_towards(plan, p.leaving ? 0 : wanted_turn(plan, error), dt, p);
  s.turn = p.turn;
  return s;
}

}  // namespace

Steering steer_by(const Plan& plan, const Walker& walker, double time, double dt, Progress& p) {
  switch (plan.kind) {
    case Plan::Kind::rest:
      turn_towards(plan, 0, dt, p);
      return {false, p.turn, plan.steering.rate};
    case Plan::Kind::path:
      return pursue(plan, walker, dt, p);
    case Plan::Kind::heading: {
      turn_towards(plan, wanted_turn(plan, wrapped(plan.heading - walker.heading())), dt, p);
      return {true, p.turn, plan.steering.rate};
    }
    case Plan::Kind::commands: {
      Steering s{false, 0, 1};
      for (const TimedCommand& c : plan.commands) {
        // a moment counts from the frame that reaches it
        if (c.time <= time + 1e-9) s = c.steering;
      }
      turn_towards(plan, s.turn, dt, p);
      s.turn = p.turn;
      return s;
    }
    case Plan::Kind::steered: {
      turn_towards(plan, plan.steering.turn, dt, p);
      Steering s = plan.steering;
      s.turn = p.turn;
      return s;
    }
  }
  return {};
}

namespace {

constexpr std::size_t most_items = 1'000'000;

template <class Archive>
void visit_plan(Archive& a, Seen<Archive, Plan>& p) {
  visit_enum(a, p.kind, Plan::Kind::steered, "plan");
  visit_list(a, p.path, most_items, [&](auto& point) { a(point.x, point.y); });
  visit_list(a, p.commands, most_items, [&](auto& c) { a(c.time, c.steering); });
  a(p.loop, p.heading, p.steering, p.turn_limit, p.turn_acceleration, p.within, p.ahead);
}

template <class Archive>
void visit_progress(Archive& a, const Plan& plan, Seen<Archive, Progress>& p) {
  a(p.leg, p.arrived, p.leaving, p.turn, p.speed, p.rounds, p.from.x, p.from.y);
  a.require(plan.kind != Plan::Kind::path ||
                (p.leg >= 0 && static_cast<std::size_t>(p.leg) < plan.path.size()),
            "a way-point of the path");
}

}  // namespace

template <class Archive>
void Stage::visit(Archive& a, Seen<Archive, Stage>& stage) {
  a.part("stage");
  a(stage.time_);
  for (auto& actor : stage.actors_) {
    a.part("plan");
    visit_plan(a, actor.plan);
    visit_progress(a, actor.plan, actor.progress);
    a(actor.steering, actor.began, actor.last);
    if constexpr (Archive::reads) {
      actor.walker->restore(a);
    } else {
      actor.walker->save(a);
    }
  }
}

int Stage::add(std::string name, std::unique_ptr<Walker> walker, Plan plan) {
  assert(walker);
  Actor actor{std::move(name), std::move(walker), {}, {}, {}, 0, {}};
  actor.last = actor.walker->position();
  actors_.push_back(std::move(actor));
  follow(size() - 1, std::move(plan));
  return size() - 1;
}

void Stage::advance(double dt, int threads) {
  assert(dt > 0);
  parallel_for(size(), threads, [&](int i) {
    Actor& a = at(i);
    a.steering = steer_by(a.plan, *a.walker, time_ - a.began, dt, a.progress);
    a.walker->advance(dt, a.steering);
    const Vec3 now = a.walker->position(), moved = now - a.last;
    if (a.steering.walk && a.steering.rate > 0) {
      const double speed = std::sqrt(moved.x * moved.x + moved.y * moved.y) / dt;
      const double share = std::min(1.0, dt / speed_memory);
      a.progress.speed += share * (speed / a.steering.rate - a.progress.speed);
    }
    a.last = now;
  });
  time_ += dt;
}

int Stage::find(const std::string& name) const {
  for (int i = 0; i < size(); ++i) {
    if (at(i).name == name) return i;
  }
  return -1;
}

void Stage::follow(int i, Plan plan) {
  Actor& a = at(i);
  a.plan = std::move(plan);
  a.began = time_;
  const Vec3 here = a.walker->position();
  // the turn and the speed go on as they are
  a.progress = {.turn = a.progress.turn, .speed = a.progress.speed, .from = {here.x, here.y}};
}

void Stage::go_to(int i, std::span<const WayPoint> path, bool loop) {
  Plan plan = at(i).plan;
  plan.kind = Plan::Kind::path;
  plan.path.assign(path.begin(), path.end());
  plan.loop = loop;
  follow(i, std::move(plan));
}

std::uint64_t Stage::fingerprint() const {
  std::uint64_t all = 0;
  for (const Actor& actor : actors_) {
    const Rig& rig = actor.walker->rig();
    all = molejo::fingerprint({all, fingerprint_of(actor.name), rig.legs.size(),
                               static_cast<std::uint64_t>(rig.skeleton.size()),
                               bits_of(actor.walker->scale())});
  }
  return all;
}
void Stage::save(SnapshotWriter& a) const { visit(a, *this); }
void Stage::restore(SnapshotReader& a) { visit(a, *this); }

void Stage::stop(int i) {
  Plan plan = at(i).plan;
  plan.kind = Plan::Kind::rest;
  follow(i, std::move(plan));
}

void Stage::steer(int i, const Steering& steering) {
  Plan plan = at(i).plan;
  plan.kind = Plan::Kind::steered;
  plan.steering = steering;
  follow(i, std::move(plan));
}

}  // namespace molejo::navigation

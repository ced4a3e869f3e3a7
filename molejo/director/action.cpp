#include "molejo/director/action.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"

namespace molejo {

namespace {

Vec3 between(const Vec3& a, const Vec3& b, double s) { return a + (b - a) * s; }

}  // namespace

double eased(Ease ease, double s) {
  switch (ease) {
    case Ease::linear:
      return s;
    case Ease::smooth:
      return s * s * (3 - 2 * s);
    case Ease::in:
      return s * s;
    case Ease::out:
      break;
  }
  return s * (2 - s);
}

double faded(const Moment& m, double in, double out) {
  double weight = 1;
  if (in > 0) weight = eased(Ease::smooth, std::clamp((m.now - m.start) / in, 0., 1.));
  if (out > 0 && m.due > m.start) {
    weight = std::min(weight, eased(Ease::smooth, std::clamp((m.due - m.now) / out, 0., 1.)));
  }
  return weight;
}

void Reach::begin(Ensemble& ensemble, const Moment&) {
  Posture& p = ensemble.posture(figure);
  const Figure& f = ensemble.figures()[at(figure)];
  const bool steps = f.limbs[at(limb)].is_leg && p.limbs[at(limb)].hold != Hold::body;
  hold(ensemble.model(), f, point ? Hold::world : steps ? Hold::ground : Hold::body, limb, p);
  from = p.limbs[at(limb)];
}

void Reach::advance(Ensemble& ensemble, const Moment& m) {
  Posture& p = ensemble.posture(figure);
  const FigureLimb& l = ensemble.figures()[at(figure)].limbs[at(limb)];
  const double s = m.progress();
  const Vec3 rest = from.hold == Hold::ground ? l.stand : l.rest;
  const Vec3 goal = point ? ensemble.pose(point->body) * point->p : to + (relative ? from.p : rest);
  LimbGoal& now = p.limbs[at(limb)];
  now.p = between(from.p, goal, eased(ease, s));
  now.p.z += 4 * lift * s * (1 - s);
  if (swivel) now.swivel = from.swivel + (*swivel - from.swivel) * eased(ease, s);
}

void Reach::end(Ensemble& ensemble, const Moment&) {
  const Figure& f = ensemble.figures()[at(figure)];
  Posture& p = ensemble.posture(figure);
  if (f.limbs[at(limb)].is_leg && from.hold == Hold::ground) {
    hold(ensemble.model(), f, Hold::world, limb, p);
  }
}

void Stance::begin(Ensemble& ensemble, const Moment&) {
  Posture& p = ensemble.posture(figure);
  hold(ensemble.model(), ensemble.figures()[at(figure)], Hold::world, limb, p);
  from = p.place;
}

void Stance::advance(Ensemble& ensemble, const Moment& m) {
  Posture& p = ensemble.posture(figure);
  const Vec3 way = turned_by(p.heading, {travel, 0, 0});
  p.place = from + way * eased(ease, m.progress());
}

void WholeBody::begin(Ensemble& ensemble, const Moment&) {
  Posture& p = ensemble.posture(figure);
  const Figure& f = ensemble.figures()[at(figure)];
  for (std::size_t i = 0; i < f.limbs.size() && carried; ++i) {
    if (f.limbs[i].is_leg) hold(ensemble.model(), f, Hold::body, static_cast<int>(i), p);
  }
  from = p;
}

void WholeBody::advance(Ensemble& ensemble, const Moment& m) {
  Posture& p = ensemble.posture(figure);
  const double s = eased(ease, m.progress());
  if (travel) p.place = from.place + turned_by(from.heading, *travel) * s;
  if (turn) p.heading = from.heading + *turn * s;
  if (lift) p.lift = from.lift + (*lift - from.lift) * s;
  if (tilt) p.tilt = from.tilt + (*tilt - from.tilt) * s;
}

// Feet that were carried back to the ground stand again.
void WholeBody::end(Ensemble& ensemble, const Moment&) {
  if (!carried) return;
  Posture& p = ensemble.posture(figure);
  const Figure& f = ensemble.figures()[at(figure)];
  for (std::size_t i = 0; i < f.limbs.size(); ++i) {
    const int limb = static_cast<int>(i);
    if (!f.limbs[i].is_leg || p.limbs[i].hold != Hold::body) continue;
    const double height = goal_in_world(ensemble.model(), f, p, limb).z - p.place.z;
    if (height < f.limbs[i].stand.z + 1e-6) hold(ensemble.model(), f, Hold::world, limb, p);
  }
}

void KeyedMotion::advance(Ensemble& ensemble, const Moment& m) {
  const double x = by_progress ? m.progress() : m.now - m.start;
  const double weight = faded(m, blend_in, blend_out);
  for (const Track& track : tracks) {
    Overlay o{track.link, track.coordinate, {}, track.is_rotation, weight, this};
    for (std::size_t i = 0; i < track.curves.size(); ++i) {
      o.value[static_cast<int>(i)] = track.curves[i].at(x).value;
    }
    ensemble.overlay(o);
  }
}

void KeyedMotion::end(Ensemble& ensemble, const Moment&) {
  if (blend_out > 0) return;
  for (const Track& track : tracks) ensemble.keep_limbs(track.link);
}

void Attach::begin(Ensemble& ensemble, const Moment&) {
  if (X_TB) ensemble.place(body, ensemble.pose(to) * *X_TB);
  ensemble.attach(body, to);
}

void Release::begin(Ensemble& ensemble, const Moment&) { ensemble.release(body, velocity); }

void Move::begin(Ensemble& ensemble, const Moment& m) {
  from = ensemble.pose(body);
  goal = ensemble.pose(to.body) * to.p;
  gravity = ensemble.model().gravity;
  start = m.now;
  const double T = m.due - m.now;
  if (way != Way::simulated) {
    ensemble.place(body, from);
  } else if (T > 0) {
    ensemble.release(body, (goal - from.p) / T - gravity * (T / 2));
  }
}

void Move::advance(Ensemble& ensemble, const Moment& m) {
  if (way == Way::simulated) return;
  const double T = m.due - start, t = std::clamp(m.now - start, 0.0, std::max(T, 0.0));
  const double s = T > 0 ? t / T : 1;
  Pose X = from;
  X.p = between(from.p, goal, way == Way::straight ? eased(ease, s) : s);
  // g t^2 / 2 + v t with the v that lands at T: the part beside the line is g t (t - T) / 2
  if (way == Way::ballistic) X.p += gravity * (t * (t - T) / 2);
  ensemble.place(body, X);
}

void Move::end(Ensemble& ensemble, const Moment&) {
  if (holds) ensemble.attach(body, to.body);
}

void Walk::begin(Ensemble& ensemble, const Moment&) {
  ensemble.recover(walker, blend);
  order = ensemble.walker(walker).follow(plan);
}

void Walk::end(Ensemble& ensemble, const Moment&) { ensemble.walker(walker).stop(order); }

void Fall::begin(Ensemble& ensemble, const Moment&) {
  ensemble.release({ensemble.walker(walker).root()});
  if (push) ensemble.strike(at, *push);
}

void Recover::begin(Ensemble& ensemble, const Moment&) {
  ensemble.recover(walker, blend);
  if (!rests) return;
  navigation::Plan plan = ensemble.walker(walker).habits();
  plan.kind = navigation::Plan::Kind::rest;
  ensemble.walker(walker).follow(std::move(plan));
}

void FormulaDrive::begin(Ensemble& ensemble, const Moment& m) {
  ensemble.set_variable(start, m.start);
  ensemble.set_variable(end_time, m.due > m.start ? m.due : 1e300);
}

void FormulaDrive::end(Ensemble& ensemble, const Moment& m) {
  ensemble.set_variable(end_time, m.now);
}

bool moves_bodies(const Action& action) {
  return std::holds_alternative<Attach>(action) || std::holds_alternative<Release>(action) ||
         std::holds_alternative<Move>(action) || std::holds_alternative<Fall>(action);
}

}  // namespace molejo

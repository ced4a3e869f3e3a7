// A clip behind a place: time from the token, directions from the clip, angles for the figure.
#include <algorithm>
#include <cmath>

#include "molejo/director/action.h"
#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

// a, then b as seen from there.
GroundWay joined(const GroundWay& a, const GroundWay& b) {
  return {a.moved + turned_by(a.turned, b.moved), a.turned + b.turned};
}
GroundWay inverse(const GroundWay& a) { return {-turned_by(-a.turned, a.moved), -a.turned}; }
GroundWay way_to(const ClipPose& pose) { return {pose.ground, pose.heading}; }

// n times the same way, by squaring.
GroundWay repeated(GroundWay way, double n) {
  if (n < 0) way = inverse(way), n = -n;
  GroundWay sum;
  for (; n >= 1; n = std::floor(n / 2)) {
    if (n - 2 * std::floor(n / 2) == 1) sum = joined(sum, way);
    way = joined(way, way);
  }
  return sum;
}

// Seconds into the clip, and how often it has begun anew.
struct ClipTime {
  double t = 0, loops = 0;
};
ClipTime clip_time(const ClipMotion& a, const Moment& m) {
  const double d = a.clip->duration();
  if (a.fit) return {d * m.progress(), 0};
  const double t = a.rate * std::max(0.0, m.now - m.start);
  if (!a.loop || !(d > 0)) return {std::clamp(a.rate < 0 ? d + t : t, 0.0, d), 0};
  const double loops = std::floor(t / d);
  return {std::clamp(t - loops * d, 0.0, d), loops};
}

// Axes of the body that a limb hangs on, in forward, left, up, the torso tilted as in the clip and
// joints between at zero.
Mat3 parent_axes(const Model& model, const Figure& f, const FigureLimb& limb, double tilt) {
  Mat3 R = Mat3::identity();
  for (int i = model.links[at(limb.upper)].parent; i != f.root; i = model.links[at(i)].parent) {
    const Link& link = model.links[at(i)];
    const double angle = i == f.waist ? f.tilt_sign * tilt : 0;
    R = link.R_PB0 * (angle == 0 ? R : axis_rotation(link.axis[0], angle) * R);
  }
  return f.R_rest * R;
}

// Of a limb, in the body it hangs on.
struct LimbAngles {
  Mat3 R_PU;
  double hinge = 0;
};

LimbAngles angles(const FigureLimb& limb, const Mat3& R_HP, const LimbDirections& d) {
  const Vec3 upper = transpose_times(R_HP, d.upper), lower = transpose_times(R_HP, d.lower);
  const Vec3 wrist = upper * limb.length_1 + lower * limb.length_2;
  // what never bends is turned as the limb itself would
  if (!(norm(d.hinge) > 0)) {
    const LimbPose pose = solve(limb, wrist);
    return {pose.R_PU, pose.hinge};
  }
  const Vec3 hinge = transpose_times(R_HP, d.hinge) * limb.side;
  LimbAngles a;
  a.R_PU =
      limb_frame(upper, hinge) * transpose(limb_frame(limb.elbow_U / limb.length_1, limb.hinge_U));
  a.hinge = arc_tangent(dot(hinge, cross(upper, lower)), dot(upper, lower)) - limb.zero_bend;
  return a;
}

// The goal that holds a limb so.
LimbGoal goal_of(const FigureLimb& limb, const LimbAngles& a) {
  const Vec3 elbow = a.R_PU * limb.elbow_U;
  const Vec3 wrist = elbow + a.R_PU * (axis_rotation(limb.hinge_U, a.hinge) * limb.wrist_U);
  const bool bent = norm(cross(elbow, wrist)) > 1e-6 * norm(elbow) * norm(wrist);
  const Vec3 aside = bent ? elbow : cross(wrist, a.R_PU * limb.hinge_U) * limb.side;
  return {Hold::body, wrist, swivel_of(limb, aside, wrist)};
}

Vec3 rotation_vector(const Mat3& R) { return log_quat(normalized(quaternion(R))); }

void overlay_limb(const Model& model, const Figure& f, const FigureLimb& limb, const Mat3& R_HP,
                  const LimbAngles& a, double weight, const void* owner, Ensemble& ensemble) {
  const Link &U = model.links[at(limb.upper)], &L = model.links[at(limb.lower)],
             &E = model.links[at(limb.end)];
  ensemble.overlay(
      {limb.upper, 0, rotation_vector(transpose(U.R_PB0) * a.R_PU), true, weight, owner});
  ensemble.overlay({limb.lower, 0, {a.hinge, 0, 0}, false, weight, owner});
  if (!limb.is_leg) return;
  // feet stay level
  const Mat3 R_HL = R_HP * a.R_PU * L.R_PB0 * axis_rotation(L.axis[0], a.hinge);
  const Mat3 level = f.R_rest * U.R_PB0 * L.R_PB0 * E.R_PB0;
  const Mat3 R_LE = transpose(R_HL) * level;
  ensemble.overlay({limb.end, 0, rotation_vector(transpose(E.R_PB0) * R_LE), true, weight, owner});
}

// How much longer the figure's legs are.
double scale(const ClipMotion& a, const Figure& f) {
  double sum = 0;
  int legs = 0;
  for (const FigureLimb& limb : f.limbs) {
    if (limb.is_leg) sum += limb.reach(), ++legs;
  }
  return legs > 0 && a.clip->leg_length() > 0 ? sum / legs / a.clip->leg_length() : 1;
}

// Over rest, so that the lower foot is as far over the ground as in the clip.
std::optional<double> lift(const Model& model, const ClipMotion& a, const Figure& f) {
  std::optional<double> height;
  for (const ClipMotion::Part& part : a.parts) {
    const FigureLimb& leg = f.limbs[at(part.limb)];
    if (!leg.is_leg) continue;
    const LimbDirections& d = a.now.limbs[static_cast<std::size_t>(part.source)];
    const double foot = (f.R_rest * model.links[at(leg.upper)].p_LF).z + leg.length_1 * d.upper.z +
                        leg.length_2 * d.lower.z;
    height = std::max(height.value_or(-1e300), leg.stand.z - foot);
  }
  if (height) *height += scale(a, f) * a.now.clearance - f.height;
  return height;
}

double beyond(const FigureLimb& limb, double hinge) {
  return std::max({0.0, limb.least ? *limb.least - hinge : 0, limb.most ? hinge - *limb.most : 0});
}

}  // namespace

void ClipMotion::begin(Ensemble& ensemble, const Moment& m) {
  Posture& p = ensemble.posture(figure);
  const Figure& f = ensemble.figures()[at(figure)];
  for (const Part& part : parts) {
    if (!f.limbs[at(part.limb)].is_leg) continue;
    // the body stays as high as this foot let it be
    const double before = sink(ensemble.model(), f, p);
    hold(ensemble.model(), f, Hold::body, part.limb, p);
    p.lift -= before - sink(ensemble.model(), f, p);
  }
  from = p;
  scratch = clip->scratch();
  if (!travel) return;
  to_start = inverse(way_to(clip->at(0, scratch)));
  whole_loop = joined(to_start, way_to(clip->at(clip->duration(), scratch)));
  const double t = clip_time(*this, {m.start, m.due, m.start}).t;
  back = inverse(joined(to_start, way_to(clip->at(t, scratch))));
}

void ClipMotion::advance(Ensemble& ensemble, const Moment& m) {
  const Model& model = ensemble.model();
  const Figure& f = ensemble.figures()[at(figure)];
  const ClipTime time = clip_time(*this, m);
  const double weight = faded(m, blend_in, blend_out);
  now = clip->at(time.t, scratch);
  if (whole) {
    Posture& p = ensemble.posture(figure);
    if (f.waist >= 0) p.tilt = from.tilt + (now.tilt - from.tilt) * weight;
    if (const auto height = lift(model, *this, f)) {
      p.lift = from.lift + (*height - from.lift) * weight;
    }
    if (travel) {
      const GroundWay local = joined(to_start, way_to(now));
      const GroundWay way = joined(back, joined(repeated(whole_loop, time.loops), local));
      p.place = from.place + turned_by(from.heading, way.moved) * scale(*this, f);
      p.heading = from.heading + way.turned;
    }
  }
  SolveReport report;
  for (const Part& part : parts) {
    const FigureLimb& limb = f.limbs[at(part.limb)];
    const Mat3 R_HP = parent_axes(model, f, limb, now.tilt);
    const LimbAngles a = angles(limb, R_HP, now.limbs[static_cast<std::size_t>(part.source)]);
    overlay_limb(model, f, limb, R_HP, a, weight, this, ensemble);
    if (weight >= 1) report.beyond_limits = std::max(report.beyond_limits, beyond(limb, a.hinge));
  }
  ensemble.tell(report);
}

// What it has not faded out of is kept, and feet on the ground stand.
void ClipMotion::end(Ensemble& ensemble, const Moment& m) {
  const Model& model = ensemble.model();
  const Figure& f = ensemble.figures()[at(figure)];
  const double weight = faded(m, blend_in, blend_out);
  Posture& p = ensemble.posture(figure);
  for (const Part& part : parts) {
    const FigureLimb& limb = f.limbs[at(part.limb)];
    LimbGoal& goal = p.limbs[at(part.limb)];
    if (weight > 0) {
      hold(model, f, Hold::body, part.limb, p);
      const LimbPose base = solve(limb, goal.p, goal.swivel);
      LimbAngles a = angles(limb, parent_axes(model, f, limb, now.tilt),
                            now.limbs[static_cast<std::size_t>(part.source)]);
      a.hinge = base.hinge + (a.hinge - base.hinge) * weight;
      const Vec3 way = rotation_vector(transpose(base.R_PU) * a.R_PU);
      a.R_PU = base.R_PU * matrix(exp_quat(way * weight));
      goal = goal_of(limb, a);
    }
    if (!limb.is_leg) continue;
    const double height = goal_in_world(model, f, p, part.limb).z - p.place.z;
    if (height < limb.stand.z + 1e-6) hold(model, f, Hold::world, part.limb, p);
  }
}

}  // namespace molejo

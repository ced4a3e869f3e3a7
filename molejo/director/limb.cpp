#include "molejo/director/limb.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

bool is_ball(const Link& link) { return link.translations == 0 && link.rotations == 3; }
bool is_hinge(const Link& link) { return link.translations == 0 && link.rotations == 1; }

// The only link that hangs on this one, or -1.
int only_child(const Model& model, int parent) {
  int child = -1;
  for (int i = parent + 1; i < model.body_count(); ++i) {
    if (model.links[at(i)].parent != parent) continue;
    if (child >= 0) return -1;
    child = i;
  }
  return child;
}

// u and v of the circle of elbows about the unit vector n.
struct Circle {
  Vec3 u, v;
};
Circle circle(const Limb& limb, const Vec3& n) {
  Vec3 u = limb.towards - n * dot(limb.towards, n);
  // straight along the chosen direction any other serves
  if (norm(u) < 1e-9) u = frame_from_z(n).column(0);
  u = normalized(u);
  return {u, cross(n, u) * limb.outward};
}

void choose_side(const Model& model, Limb& limb) {
  const Drive& drive = model.drives[at(model.links[at(limb.lower)].v)];
  limb.least = drive.lower;
  limb.most = drive.upper;
  const double low = drive.lower.value_or(-4), high = drive.upper.value_or(4);
  limb.side = high + low < 0 ? -1 : 1;
}

}  // namespace

std::optional<Limb> find_limb(const Model& model, int upper) {
  const int lower = only_child(model, upper);
  if (lower < 0 || !is_ball(model.links[at(upper)]) || !is_hinge(model.links[at(lower)])) return {};
  const int end = only_child(model, lower);
  if (end < 0 || !is_ball(model.links[at(end)])) return {};
  const Link &U = model.links[at(upper)], &L = model.links[at(lower)], &E = model.links[at(end)];
  Limb limb;
  limb.upper = upper, limb.lower = lower, limb.end = end;
  limb.elbow_U = L.p_LF;
  limb.wrist_U = L.R_PB0 * E.p_LF;
  limb.hinge_U = L.R_PB0 * L.axis[0];
  limb.length_1 = norm(limb.elbow_U), limb.length_2 = norm(limb.wrist_U);
  const double across = std::fabs(dot(limb.hinge_U, limb.elbow_U)) / limb.length_1 +
                        std::fabs(dot(limb.hinge_U, limb.wrist_U)) / limb.length_2;
  if (!(limb.length_1 > 1e-6 && limb.length_2 > 1e-6 && across < 1e-9)) return {};
  limb.zero_bend = arc_tangent(dot(limb.hinge_U, cross(limb.elbow_U, limb.wrist_U)),
                               dot(limb.elbow_U, limb.wrist_U));
  choose_side(model, limb);
  limb.rest = U.R_PB0 * (limb.elbow_U + limb.wrist_U);
  // the elbow of a bent limb lies off the line from shoulder to wrist, on this side; the part along
  // the limb keeps the direction clear where a limb points forwards or backwards
  const Vec3 hinge_P = U.R_PB0 * limb.hinge_U, along = normalized(limb.rest);
  const Vec3 aside = cross(along, hinge_P) * limb.side;
  limb.towards = normalized(aside + along * (limb.side > 0 ? -0.3 : 0.3));
  // the shoulder's offset from the middle of the body tells what is outward
  limb.outward = dot(cross(along, aside), U.p_LF) < 0 ? -1 : 1;
  return limb;
}

std::vector<Limb> find_limbs(const Model& model) {
  std::vector<Limb> limbs;
  for (int i = 0; i < model.body_count(); ++i) {
    std::optional<Limb> limb = find_limb(model, i);
    if (!limb) continue;
    const std::string& name = model.bodies[at(i)].name;
    const std::size_t dot = name.rfind('.');
    limb->name = dot == std::string::npos ? name : name.substr(0, dot);
    limbs.push_back(std::move(*limb));
  }
  return limbs;
}

LimbPose solve(const Limb& limb, const Vec3& goal, double swivel) {
  const double L1 = limb.length_1, L2 = limb.length_2;
  LimbPose pose;
  const double wanted = norm(goal);
  const Vec3 n = wanted > 1e-9 * limb.reach() ? goal / wanted : normalized(limb.rest);
  const double shortest = std::max(std::fabs(L1 - L2), 1e-9 * limb.reach());
  const double d = std::clamp(wanted, shortest, L1 + L2);
  pose.reached = std::fabs(d - wanted) <= 1e-12 * limb.reach();
  pose.wrist = n * d;
  // the elbow on its circle
  const double along = (d * d + L1 * L1 - L2 * L2) / (2 * d);
  const double r = std::sqrt(std::max(0.0, L1 * L1 - along * along));
  const Circle c = circle(limb, n);
  const SinCos<double> sc = sincos(swivel);
  const Vec3 u = c.u * sc.cos + c.v * sc.sin;
  pose.elbow = n * along + u * r;
  // the hinge stands square to the plane of the three joints; straight limbs have one too
  const Vec3 hinge = cross(n, u) * -limb.side;
  // r d = L1 L2 |sin bend|: exact where the limb is nearly straight, unlike the arc cosine
  const double bend = arc_tangent(r * d, (d * d - L1 * L1 - L2 * L2) / 2);
  pose.hinge = limb.side * bend - limb.zero_bend;
  const Vec3 upper = (n * along + u * r) / L1;
  const Mat3 rest = limb_frame(limb.elbow_U / L1, limb.hinge_U);
  pose.R_PU = limb_frame(upper, hinge) * transpose(rest);
  const double below = limb.least ? *limb.least - pose.hinge : 0;
  const double above = limb.most ? pose.hinge - *limb.most : 0;
  pose.beyond_limits = std::max({0.0, below, above});
  return pose;
}

double swivel_of(const Limb& limb, const Vec3& elbow, const Vec3& wrist) {
  const Vec3 n = normalized(wrist);
  const Circle c = circle(limb, n);
  return arc_tangent(dot(elbow, c.v), dot(elbow, c.u));
}

}  // namespace molejo

#include "molejo/navigation/foothold.h"

#include <algorithm>
#include <cmath>

namespace molejo::navigation {

std::optional<Foothold> foothold_at(const Ground& ground, const Vec3& middle, const Vec3& along,
                                    const SoleSize& sole) {
  // heel and toe on the ground: the slope between them shortens their distance on the map
  Foothold hold;
  double span = sole.length, next = span;
  for (int pass = 0; pass < 4; ++pass) {
    span = next;
    hold.heel = middle - along * (0.5 * span), hold.toe = middle + along * (0.5 * span);
    const auto heel = ground.at(hold.heel.x, hold.heel.y), toe = ground.at(hold.toe.x, hold.toe.y);
    if (!heel || !toe) return std::nullopt;
    hold.heel.z = heel->height, hold.toe.z = toe->height;
    // the map shows a sole at least half as long as it is
    const double grade = (hold.toe.z - hold.heel.z) / span;
    next = sole.length * std::max(0.5, 1 / std::sqrt(1 + grade * grade));
    if (std::abs(next - span) < 1e-6 * sole.length) break;
  }
  const auto centre = ground.at(middle.x, middle.y);
  if (!centre) return std::nullopt;
  const Vec3 line = normalized(hold.toe - hold.heel);
  hold.normal = normalized(centre->normal - line * dot(centre->normal, line));
  const auto off = [&](const Vec3& p, double height) {
    const double part = dot(p - hold.heel, along) / span;
    hold.unevenness = std::max(
        hold.unevenness, std::abs(height - (hold.heel.z + (hold.toe.z - hold.heel.z) * part)));
  };
  off(middle, centre->height);
  // behind the heel too: a foot comes down over what is there
  for (const double beyond :
       {-0.35 * sole.length, 0.25 * sole.length, 0.75 * sole.length, sole.length + sole.tip}) {
    const Vec3 p = hold.heel + along * (beyond * span / sole.length);
    const auto here = ground.at(p.x, p.y);
    if (here) off(p, here->height);
  }
  return hold;
}

std::optional<Foothold> find_foothold(const Ground& ground, const Vec3& middle, const Vec3& along,
                                      const Vec3& search, const SoleSize& sole, double reach,
                                      double tolerance) {
  constexpr int steps = 8;
  std::optional<Foothold> best;
  double least = 0;
  for (int k = 0; k <= 2 * steps; ++k) {
    // 0, +1, -1, +2, -2 ...
    const int step = k % 2 == 0 ? -(k / 2) : k / 2 + 1;
    if (std::abs(step) > steps) continue;
    const double shift = reach * step / steps;
    std::optional<Foothold> hold = foothold_at(ground, middle + search * shift, along, sole);
    if (!hold) continue;
    hold->shift = shift;
    const double rough = std::max(0.0, hold->unevenness - tolerance) / tolerance;
    const double far = shift / reach;
    const double cost = far * far + rough * rough;
    if (best && cost >= least) continue;
    best = hold, least = cost;
    if (k == 0 && rough == 0) break;
  }
  return best;
}

}  // namespace molejo::navigation

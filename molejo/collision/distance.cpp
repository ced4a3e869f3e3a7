#include "molejo/collision/distance.h"

#include "molejo/collision/difference.h"
#include "molejo/collision/features.h"

namespace molejo {

namespace {

constexpr double precise_distance =
    1e-13;  // of the size: nearer than this to the lower bound is done
constexpr double touching_distance = 1e-11;  // of the size: nearer cores count as touching
constexpr int most_rounds = 100;

struct NearestSimplex {
  Vec3 v;  // of the difference
  Simplex simplex;
  bool touch = false;
  double gap = 0;  // how much less than |v| the distance may be
  int rounds = 0;
};

// Gilbert, Johnson and Keerthi: the nearest point of ever better simplices. For any v, no point of
// the difference is nearer than v . w / |v|, w its support along -v; |v| comes down to that.
NearestSimplex nearest_to_origin(const Difference& difference, const Simplex& start) {
  NearestSimplex r;
  r.simplex = start;
  r.v = reduce(r.simplex);
  const double near = touching_distance * difference.size;
  double squared = dot(r.v, r.v);
  for (; r.rounds < most_rounds; ++r.rounds) {
    if (r.simplex.count == 4 || squared <= near * near) {
      r.touch = true;
      return r;
    }
    const DifferencePoint& last = r.simplex.point[r.simplex.count - 1];
    const DifferencePoint w = difference.support(-r.v, last.a.vertex, last.b.vertex);
    const double distance = std::sqrt(squared);
    r.gap = (squared - dot(r.v, w.p)) / distance;
    if (r.gap <= precise_distance * (difference.size + distance)) return r;
    if (!advance(r.simplex, w, r.v, squared)) return r;  // rounding allows no better
  }
  return r;
}

// Solids that all but touch, and curved ones that overlap, show their normal better from afar:
// moved apart along the one found, they are nearest along one that is as good or better. False when
// the normal is so bad that this fails.
bool refine(const Difference& difference, CoreSeparation& core) {
  const auto gap_along = [&](const Vec3& n) { return dot(n, difference.support(-n).p); };
  double widest = gap_along(core.normal);
  const double upper_bound = core.distance;
  constexpr int most_steps = 20;
  for (int step = 0; step < most_steps; ++step) {
    Difference apart = difference;
    apart.p_AB -= core.normal * (0.3 * difference.size - core.distance);
    Simplex start = core.foot;
    for (int i = 0; i < start.count; ++i) {
      start.point[i] = apart.of(start.point[i].a, start.point[i].b);
    }
    const NearestSimplex nearest = nearest_to_origin(apart, start);
    if (nearest.touch) return false;
    const double before = widest;
    const Vec3 turn = normalized(nearest.v) - core.normal, start_normal = core.normal;
    // deep inside the turns are short, though in the right direction: longer ones while they help
    for (double factor = 1; factor < 1e6; factor *= 2) {
      const Vec3 normal = normalized(start_normal + turn * factor);
      const double gap = gap_along(normal);
      if (!(gap > widest)) break;
      core.normal = normal, widest = gap;
    }
    // the nearest points of curved solids are as good as the normal
    if (difference.is_curved()) core.distance = widest, core.foot = nearest.simplex;
    if (widest - before <= precise_distance * difference.size) break;
  }
  return widest > upper_bound - 1e-10 * difference.size;
}

Simplex first_simplex(const Difference& difference, const SeparationCache* cache) {
  Simplex s;
  const bool known = cache != nullptr && cache->count > 0;
  if (!known || difference.is_curved()) {
    s.count = 1;
    // from a point, towards the other's origin is as good
    const bool round = difference.a.core == Core::point || difference.b.core == Core::point;
    s.point[0] = difference.support(known && !round ? -cache->normal : difference.p_AB);
    return s;
  }
  s.count = cache->count;
  for (int i = 0; i < s.count; ++i) {
    s.point[i] =
        difference.of({cache->a[i], cache->vertex_a[i]}, {cache->b[i], cache->vertex_b[i]});
  }
  return s;
}

void remember(SeparationCache* cache, const Simplex& simplex) {
  if (cache == nullptr) return;
  cache->count = simplex.count;
  for (int i = 0; i < simplex.count; ++i) {
    const DifferencePoint& point = simplex.point[i];
    cache->a[i] = point.a.p, cache->vertex_a[i] = point.a.vertex;
    cache->b[i] = point.b.p, cache->vertex_b[i] = point.b.vertex;
  }
}

bool is_round(const Convex& solid) {
  return solid.core == Core::point || solid.core == Core::segment;
}

CoreSeparation core_separation(const Difference& difference, SeparationCache* cache) {
  if (is_round(difference.a) && is_round(difference.b)) return segment_separation(difference);
  NearestSimplex nearest = nearest_to_origin(difference, first_simplex(difference, cache));
  const bool curved = difference.is_curved();
  if (curved && !nearest.touch && nearest.gap > 1e-11 * difference.size) {
    // crowded points have come to a halt: begin again from where they are
    Simplex anew;
    anew.count = 1, anew.point[0] = difference.support(-nearest.v);
    const NearestSimplex second = nearest_to_origin(difference, anew);
    if (second.touch || second.gap < nearest.gap) nearest = second;
  }
  if (cache != nullptr) cache->moves = nearest.rounds;
  if (!nearest.touch) {
    const double distance = norm(nearest.v);
    CoreSeparation core{distance, nearest.v / distance, nearest.simplex};
    const bool close = distance < (curved ? 1e-3 : 1e-5) * difference.size;
    if (!close || refine(difference, core)) {
      remember(cache, nearest.simplex);
      return core;
    }
  }
  const Penetration p = penetration(difference, nearest.simplex);
  remember(cache, p.seed);
  CoreSeparation core{-p.depth, -p.normal, p.foot};
  if (curved) refine(difference, core);
  return core;
}

}  // namespace

Separation separation(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                      SeparationCache* cache) {
  const Difference difference(a, X_WA, b, X_WB);
  const CoreSeparation core = core_separation(difference, cache);
  if (cache != nullptr) cache->normal = core.normal;
  Vec3 on_a;
  for (int i = 0; i < core.foot.count; ++i) {
    on_a += core.foot.point[i].a.p * core.foot.weight[i];
  }
  Separation s;
  s.a = feature_at(a, core.foot, &DifferencePoint::a);
  s.b = feature_at(b, core.foot, &DifferencePoint::b);

  // the solids: swollen by their radii
  s.distance = core.distance - (a.radius + b.radius);
  s.normal = X_WA.R * core.normal;
  s.p_a = X_WA * (on_a - core.normal * a.radius);
  s.p_b = s.p_a - s.normal * s.distance;
  return s;
}

}  // namespace molejo

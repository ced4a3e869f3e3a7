// Two boxes: fifteen axes decide how they part (Gottschalk, Lin, Manocha, OBBTree, 1996), the faces
// that look at each other then hold each other off.
#include "molejo/collision/patch.h"

namespace molejo {

namespace {

// Axes 0-2: of a; 3-5: of b; 6 + 3 i + j: axis i of a cross axis j of b.
struct Axis {
  int index = -1;
  double apart = 0;  // of the boxes along it; negative: overlap
};

struct Pairing {
  double C[3][3], abs_C[3][3];  // R_AB
  double d[3], e[3];            // from b's middle to a's, in axes of a and of b
  double half_a[3], half_b[3];
};

Pairing pair_up(const PlacedSolid& a, const PlacedSolid& b) {
  Pairing p;
  const Vec3 &ha = a.convex.half, &hb = b.convex.half;
  p.half_a[0] = ha.x, p.half_a[1] = ha.y, p.half_a[2] = ha.z;
  p.half_b[0] = hb.x, p.half_b[1] = hb.y, p.half_b[2] = hb.z;
  const Vec3 from_b = a.X.p - b.X.p;
  const Vec3 d = transpose_times(a.X.R, from_b), e = transpose_times(b.X.R, from_b);
  p.d[0] = d.x, p.d[1] = d.y, p.d[2] = d.z;
  p.e[0] = e.x, p.e[1] = e.y, p.e[2] = e.z;
  const Mat3 &A = a.X.R, &B = b.X.R;
  const Vec3 column_a[3] = {A.column(0), A.column(1), A.column(2)};
  const Vec3 column_b[3] = {B.column(0), B.column(1), B.column(2)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      p.C[i][j] = dot(column_a[i], column_b[j]);
      p.abs_C[i][j] = std::fabs(p.C[i][j]);
    }
  }
  return p;
}

double apart_along_a(const Pairing& p, int i) {
  return std::fabs(p.d[i]) - (p.half_a[i] + p.abs_C[i][0] * p.half_b[0] +
                              p.abs_C[i][1] * p.half_b[1] + p.abs_C[i][2] * p.half_b[2]);
}
double apart_along_b(const Pairing& p, int j) {
  return std::fabs(p.e[j]) - (p.half_b[j] + p.abs_C[0][j] * p.half_a[0] +
                              p.abs_C[1][j] * p.half_a[1] + p.abs_C[2][j] * p.half_a[2]);
}
constexpr int axis_after[3] = {1, 2, 0}, axis_before[3] = {2, 0, 1};
// Not yet divided by the length of the cross product.
double apart_along_edges(const Pairing& p, int i, int j) {
  const int i1 = axis_after[i], i2 = axis_before[i], j1 = axis_after[j], j2 = axis_before[j];
  return std::fabs(p.d[i2] * p.C[i1][j] - p.d[i1] * p.C[i2][j]) -
         (p.half_a[i1] * p.abs_C[i2][j] + p.half_a[i2] * p.abs_C[i1][j] +
          p.half_b[j1] * p.abs_C[i][j2] + p.half_b[j2] * p.abs_C[i][j1]);
}
// Squared length of the cross product of two unit axes.
double edge_turn(const Pairing& p, int i, int j) {
  const double x = p.C[axis_after[i]][j], y = p.C[axis_before[i]][j];
  return x * x + y * y;
}
// Edges closer to parallel than this part no better than faces do.
constexpr double parallel_turn = 1e-14;

// The axis along which they are farthest apart; faces first, edges only when they are better by
// `bias`. Stops at an axis that keeps them `enough` apart.
Axis farthest_axis(const Pairing& p, double bias, double enough) {
  Axis best{0, apart_along_a(p, 0)};
  for (int k = 1; k < 6; ++k) {
    const double apart = k < 3 ? apart_along_a(p, k) : apart_along_b(p, k - 3);
    if (apart > best.apart + bias) best = {k, apart};
  }
  if (best.apart >= enough) return best;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // the length of the cross product is at most one: an overlap can only grow by it
      double apart = apart_along_edges(p, i, j);
      if (apart <= best.apart && apart <= 0) continue;
      const double turn = edge_turn(p, i, j);
      if (turn < parallel_turn) continue;
      apart /= std::sqrt(turn);
      if (apart > best.apart + bias) best = {6 + 3 * i + j, apart};
    }
  }
  return best;
}

double apart_along(const Pairing& p, int axis) {
  if (axis < 3) return apart_along_a(p, axis);
  if (axis < 6) return apart_along_b(p, axis - 3);
  const int i = (axis - 6) / 3, j = (axis - 6) % 3;
  const double turn = edge_turn(p, i, j);
  return turn < parallel_turn ? -1e300 : apart_along_edges(p, i, j) / std::sqrt(turn);
}

// Unit normal from b to a, with two directions across it.
Sight sight_along(const PlacedSolid& a, const PlacedSolid& b, int axis) {
  const Vec3 from_b = a.X.p - b.X.p;
  Sight s;
  s.origin = b.X.p + from_b * 0.5;
  if (axis < 6) {
    // the sides of one box are then level or upright
    const Mat3& R = axis < 3 ? a.X.R : b.X.R;
    const int k = axis < 3 ? axis : axis - 3;
    s.n = R.column(k), s.x = R.column(axis_after[k]), s.y = R.column(axis_before[k]);
    if (dot(s.n, from_b) < 0) s.n = -s.n, s.x = -s.x;
    return s;
  }
  const Vec3 u = a.X.R.column((axis - 6) / 3);
  const Vec3 n = normalized(cross(u, b.X.R.column((axis - 6) % 3)));
  s.n = dot(n, from_b) < 0 ? -n : n;
  s.x = u, s.y = cross(s.n, u);
  return s;
}

double shortest_half(const Vec3& h) { return std::min(h.x, std::min(h.y, h.z)); }

}  // namespace

void touch_boxes(const PlacedSolid& a, const PlacedSolid& b, double margin, ManifoldCache& cache,
                 ContactPoints& points) {
  const double radii = a.convex.radius + b.convex.radius;
  const Pairing p = pair_up(a, b);
  // what kept them apart in the last step will do so again
  if (cache.axis >= 0 && apart_along(p, cache.axis) - radii >= margin) return;
  const double size = std::min(a.convex.reach, b.convex.reach);
  const Axis axis = farthest_axis(p, 1e-9 * size, margin + radii);
  cache.axis = axis.index;
  if (axis.apart - radii >= margin) return;

  const Sight sight = sight_along(a, b, axis.index);
  const double snap = 0.02 * std::min(shortest_half(a.convex.half), shortest_half(b.convex.half));
  Meeting meetings[meeting_room];
  const int count = overlap(box_patch(a, -1, sight), box_patch(b, 1, sight), snap, meetings);
  double least = 1e300;
  for (int i = 0; i < count; ++i) least = std::min(least, meetings[i].gap());
  // apart, the closest features need not be those of an axis: then neither face reaches the plane
  if (!(std::fabs(least - (axis.apart - radii)) <= 2e-9 * size)) {
    touch_by_separation(a, b, margin, cache, points);
    return;
  }
  append(meetings, keep_four(meetings, count, margin), sight, points);
}

}  // namespace molejo

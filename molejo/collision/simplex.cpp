#include "molejo/collision/simplex.h"

namespace molejo {

namespace {

// Weights of four vertices and the point they make; vertices without weight are not part of it.
struct WeightedPoint {
  Vec3 v;
  double squared = 0;  // |v|^2
  double weight[4] = {0, 0, 0, 0};
};

WeightedPoint nearest_on_segment(const Unfilled<DifferencePoint, 4>& point, int i, int j) {
  const Vec3 &p = point[i].p, &q = point[j].p;
  const Vec3 e = q - p;
  const double along = -dot(p, e), length2 = dot(e, e);
  WeightedPoint r;
  if (!(along > 0)) {
    r.v = p, r.weight[i] = 1;
  } else if (along >= length2) {
    r.v = q, r.weight[j] = 1;
  } else {
    const double t = along / length2;
    r.v = p + e * t, r.weight[i] = 1 - t, r.weight[j] = t;
  }
  r.squared = dot(r.v, r.v);
  return r;
}

void keep_nearer(WeightedPoint& best, const WeightedPoint& other) {
  if (other.squared < best.squared) best = other;
}

WeightedPoint nearest_on_triangle(const Unfilled<DifferencePoint, 4>& point, int i, int j, int k) {
  const Vec3 &a = point[i].p, &b = point[j].p, &c = point[k].p;
  const Vec3 ab = b - a, ac = c - a;
  const Vec3 n = cross(ab, ac);
  // areas of the three triangles with the origin's foot, times |n|
  const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
  const double area2 = dot(n, n), longest2 = std::fmax(dot(ab, ab), dot(ac, ac));

  constexpr double needle = 1e-28;  // a height of 1e-14 of the side: no triangle any more
  const bool flat = !(area2 > needle * longest2 * longest2);
  WeightedPoint r;
  if (!flat && u > 0 && v > 0 && w > 0) {
    const double f = 1 / (u + v + w);
    r.weight[i] = u * f, r.weight[j] = v * f, r.weight[k] = w * f;
    // near the origin the plane knows the direction better than the three long vectors do
    constexpr double well_shaped = 1e-8;
    r.v = area2 > well_shaped * longest2 * longest2
              ? n * (dot(n, a) / area2)
              : a * r.weight[i] + b * r.weight[j] + c * r.weight[k];
    r.squared = dot(r.v, r.v);
    return r;
  }
  // the nearest point is on a side that the foot lies beyond
  r.squared = INFINITY;
  if (flat || u <= 0) keep_nearer(r, nearest_on_segment(point, j, k));
  if (flat || v <= 0) keep_nearer(r, nearest_on_segment(point, k, i));
  if (flat || w <= 0) keep_nearer(r, nearest_on_segment(point, i, j));
  return r;
}

WeightedPoint nearest_on_faces(const Unfilled<DifferencePoint, 4>& point, bool a, bool b, bool c,
                               bool d) {
  WeightedPoint r;
  r.squared = INFINITY;
  if (a) keep_nearer(r, nearest_on_triangle(point, 1, 2, 3));
  if (b) keep_nearer(r, nearest_on_triangle(point, 0, 2, 3));
  if (c) keep_nearer(r, nearest_on_triangle(point, 0, 1, 3));
  if (d) keep_nearer(r, nearest_on_triangle(point, 0, 1, 2));
  return r;
}

// By the sides of the tetrahedron, not by its corners: small ones may be far away.
WeightedPoint nearest_in_tetrahedron(const Unfilled<DifferencePoint, 4>& point) {
  const Vec3 &a = point[0].p, &b = point[1].p, &c = point[2].p, &d = point[3].p;
  const Vec3 ab = b - a, ac = c - a, ad = d - a, bc = c - b, bd = d - b;
  const Vec3 n_d = cross(ab, ac), n_b = cross(ac, ad), n_c = cross(ad, ab), n_a = cross(bc, bd);
  const double volume = dot(n_d, ad);
  const double size2 = std::fmax(std::fmax(dot(ab, ab), dot(ac, ac)), dot(ad, ad));

  constexpr double sheet = 1e-28;  // a volume of 1e-14 of the cube of the size
  if (!(volume * volume > sheet * size2 * size2 * size2)) {
    return nearest_on_faces(point, true, true, true, true);
  }
  // volumes of the four tetrahedra made of the origin and a face, opposite to a, b, c, d
  const double va = dot(n_a, b), vb = -dot(n_b, a), vc = -dot(n_c, a), vd = -dot(n_d, a);
  const double sign = volume < 0 ? -1 : 1;
  const bool beyond_a = va * sign <= 0, beyond_b = vb * sign <= 0;
  const bool beyond_c = vc * sign <= 0, beyond_d = vd * sign <= 0;
  if (beyond_a || beyond_b || beyond_c || beyond_d) {
    return nearest_on_faces(point, beyond_a, beyond_b, beyond_c, beyond_d);
  }
  const double scale = 1 / (va + vb + vc + vd);
  WeightedPoint r;
  r.weight[0] = va * scale, r.weight[1] = vb * scale;
  r.weight[2] = vc * scale, r.weight[3] = vd * scale;
  return r;
}

WeightedPoint nearest_of(const Simplex& simplex) {
  switch (simplex.count) {
    case 1: {
      WeightedPoint r;
      r.v = simplex.point[0].p, r.squared = dot(r.v, r.v), r.weight[0] = 1;
      return r;
    }
    case 2:
      return nearest_on_segment(simplex.point, 0, 1);
    case 3:
      return nearest_on_triangle(simplex.point, 0, 1, 2);
    default:
      return nearest_in_tetrahedron(simplex.point);
  }
}

void keep(Simplex& simplex, const WeightedPoint& nearest) {
  int kept = 0;
  for (int i = 0; i < simplex.count; ++i) {
    if (!(nearest.weight[i] > 0)) continue;
    if (kept != i) simplex.point[kept] = simplex.point[i];
    simplex.weight[kept++] = nearest.weight[i];
  }
  simplex.count = kept;
}

}  // namespace

Vec3 reduce(Simplex& simplex) {
  const WeightedPoint nearest = nearest_of(simplex);
  keep(simplex, nearest);
  return nearest.v;
}

Vec3 reduce_to_faces(Simplex& tetrahedron) {
  const WeightedPoint nearest = nearest_on_faces(tetrahedron.point, true, true, true, true);
  keep(tetrahedron, nearest);
  return nearest.v;
}

bool advance(Simplex& simplex, const DifferencePoint& point, Vec3& v, double& squared) {
  simplex.point[simplex.count++] = point;
  const WeightedPoint nearest = nearest_of(simplex);
  if (!(nearest.squared < squared)) {
    --simplex.count;
    return false;
  }
  keep(simplex, nearest);
  v = nearest.v, squared = nearest.squared;
  return true;
}

}  // namespace molejo

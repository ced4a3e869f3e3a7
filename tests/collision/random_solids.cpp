#include "tests/collision/random_solids.h"

#include "molejo/collision/distance.h"

using namespace molejo;

Vec3 Random::on_sphere() {
  Vec3 p = in_cube();
  while (norm(p) > 1 || norm(p) < 0.1) p = in_cube();
  return normalized(p);
}

Mat3 Random::axis_rotation() {
  const int x = below(3), y = (x + 1 + below(2)) % 3;
  Vec3 u, v;
  u[x] = below(2) == 0 ? 1 : -1, v[y] = below(2) == 0 ? 1 : -1;
  return from_columns(u, v, cross(u, v));
}

Convex hull_of(const std::vector<Vec3>& points, std::deque<ConvexMesh>& meshes) {
  return make_convex(convex_hull(points), meshes);
}

Solids::Solids(std::uint64_t seed, int of_each) {
  Random random{seed};
  // sizes that meet exactly in the parallel placements
  const auto length = [&] {
    return random.below(2) == 0 ? 0.25 * (1 + random.below(8)) : random.between(0.1, 2);
  };
  for (int i = 0; i < of_each; ++i) {
    spheres.push_back(make_convex(Sphere{length()}, meshes));
    capsules.push_back(make_convex(Capsule{length(), length()}, meshes));
    boxes.push_back(make_convex(Box{{length(), length(), length()}}, meshes));
    cylinders.push_back(make_convex(Cylinder{length(), length()}, meshes));
    std::vector<Vec3> points;
    const Vec3 scale{random.between(0.2, 2), random.between(0.2, 2), random.between(0.2, 2)};
    const int count = 4 + random.below(13);
    for (int k = 0; k < count; ++k) {
      const Vec3 p = random.on_sphere();
      points.push_back({p.x * scale.x, p.y * scale.y, p.z * scale.z});
      // prisms: as many points above each other
      if (i % 2 == 1) points.push_back({points.back().x, points.back().y, -points.back().z});
    }
    hulls.push_back(hull_of(points, meshes));
  }
}

const std::vector<Convex>& Solids::kind(int i) const {
  const std::vector<Convex>* all[kinds] = {&spheres, &capsules, &boxes, &cylinders, &hulls};
  return *all[i];
}

const char* name(Placement placement) {
  const char* names[placements] = {"apart", "touching", "parallel",  "nested",
                                   "deep",  "grazing",  "coincident"};
  return names[static_cast<int>(placement)];
}

PlacedPair place(const Solids& solids, int kind_a, int kind_b, Placement placement,
                 Random& random) {
  const auto pick = [&](int kind) {
    const auto& all = solids.kind(kind);
    return all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
  };
  PlacedPair pair{pick(kind_a), pick(kind_b), {}, {}};
  const double size = pair.a.reach + pair.b.reach;
  Pose X_AB;  // of b as seen from a; a itself stands anywhere
  Pose X_WA{random.rotation(), random.in_cube() * 10};
  X_AB.R = random.rotation();
  switch (placement) {
    case Placement::apart:
    case Placement::touching:
    case Placement::grazing:
      X_AB.p = random.on_sphere() * (size * random.between(0.8, 2));
      break;
    case Placement::parallel:
      X_AB.R = random.axis_rotation();
      X_AB.p = {0.25 * (random.below(33) - 16), 0.25 * (random.below(33) - 16),
                0.25 * (random.below(33) - 16)};
      X_WA = {random.axis_rotation(), X_AB.p * 3.0};
      break;
    case Placement::nested:
      X_AB.p = random.on_sphere() * (0.05 * size * random.unit());
      break;
    case Placement::deep:
      X_AB.p = random.on_sphere() * (0.5 * size * random.unit());
      break;
    case Placement::coincident:
      pair.b = pair.a;
      X_AB = {};
      break;
  }
  pair.X_WA = X_WA, pair.X_WB = X_WA * X_AB;
  if (placement == Placement::touching || placement == Placement::grazing) {
    // whether they touch now is for the oracles to say
    const Separation s = separation(pair.a, pair.X_WA, pair.b, pair.X_WB);
    pair.X_WB.p += s.normal * s.distance;
    if (placement == Placement::grazing) {
      pair.X_WB.p += random.on_sphere() * (size * random.magnitude(-14, -3));
    }
  }
  return pair;
}

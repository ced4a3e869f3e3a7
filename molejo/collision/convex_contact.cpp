#include "molejo/collision/patch.h"

namespace molejo {

void append(const Meeting* meetings, int count, const Sight& s, ContactPoints& points) {
  for (int i = 0; i < count; ++i) {
    const Meeting& m = meetings[i];
    points.push_back({s.origin + s.x * m.x + s.y * m.y + s.n * (0.5 * (m.z_a + m.z_b)), s.n,
                      m.gap(), m.feature});
  }
}

void touch_by_separation(const PlacedSolid& a, const PlacedSolid& b, double margin,
                         ManifoldCache& cache, ContactPoints& points) {
  const Separation found = separation(a.convex, a.X, b.convex, b.X, &cache.separation);
  if (!(found.distance < margin)) return;
  const Mat3 frame = frame_from_z(found.normal);
  const Sight sight{(found.p_a + found.p_b) * 0.5, frame.column(0), frame.column(1), found.normal};
  const double size = std::min(a.convex.reach, b.convex.reach);

  Meeting meetings[meeting_room];
  int count = overlap(patch_of(a, -1, sight), patch_of(b, 1, sight), 1e-3 * size, meetings);
  double least = margin;
  for (int i = 0; i < count; ++i) least = std::min(least, meetings[i].gap());
  // the closest points themselves, unless corners are as close
  if (!(least <= found.distance + 1e-9 * size)) {
    meetings[count++] = {0, 0, 0.5 * found.distance, -0.5 * found.distance, exact_point};
  }
  append(meetings, keep_four(meetings, count, margin), sight, points);
}

}  // namespace molejo

#include "molejo/collision/patch.h"

namespace molejo {

namespace {

constexpr std::uint16_t of_b = 1 << 8;  // marks sides of b among those of a

struct Corner {
  double x, y;
  std::uint16_t side;  // the side that starts here
};

struct ClippedPolygon {
  int count = 0;
  Corner corner[2 * Patch::room + 2];
};

// Keeps what is left of the line from (ax, ay) along (dx, dy). False: all of it, `out` is
// untouched.
bool cut(const ClippedPolygon& in, double ax, double ay, double dx, double dy, std::uint16_t side,
         ClippedPolygon& out) {
  double inside[2 * Patch::room + 2];
  double least = 0;
  for (int i = 0; i < in.count; ++i) {
    inside[i] = dx * (in.corner[i].y - ay) - dy * (in.corner[i].x - ax);
    least = std::min(least, inside[i]);
  }
  if (least >= 0) return false;
  int count = 0;
  for (int i = 0; i < in.count; ++i) {
    const int j = i + 1 == in.count ? 0 : i + 1;
    const Corner &p = in.corner[i], &q = in.corner[j];
    const double here = inside[i], next = inside[j];
    if (here >= 0) out.corner[count++] = p;
    if ((here >= 0) != (next >= 0)) {
      const double t = here / (here - next);
      out.corner[count++] = {p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t,
                             here >= 0 ? side : p.side};
    }
  }
  out.count = count;
  return true;
}

std::uint32_t vertex_name(int index, bool is_b) {
  return (is_b ? 0u : 1u << 29) + static_cast<std::uint32_t>(index);
}
std::uint32_t crossing_name(int edge_a, int edge_b, bool leaving) {
  return (1u << 30) + (leaving ? 1u << 29 : 0u) +
         (static_cast<std::uint32_t>(edge_a & 0x3fff) << 14) +
         static_cast<std::uint32_t>(edge_b & 0x3fff);
}

bool near(const Patch& patch, int k, double x, double y, double squared) {
  const double dx = patch.x[k] - x, dy = patch.y[k] - y;
  return dx * dx + dy * dy <= squared;
}

int next(const Patch& p, int k) { return k + 1 == p.count ? 0 : k + 1; }

// Named after the vertex of b, or else of a, that is near; else by what meets.
std::uint32_t name(const Patch& a, const Patch& b, const Corner& c, std::uint16_t before,
                   double squared) {
  const bool from_b = before & of_b, to_b = c.side & of_b;
  if (from_b && to_b) return vertex_name(b.vertex[c.side & ~of_b], true);
  if (!from_b && !to_b) {
    for (int k = 0; k < b.count; ++k) {
      if (near(b, k, c.x, c.y, squared)) return vertex_name(b.vertex[k], true);
    }
    return vertex_name(a.vertex[c.side], false);
  }
  const int side_a = from_b ? c.side : before, side_b = (from_b ? before : c.side) & ~of_b;
  for (const int k : {side_b, next(b, side_b)}) {
    if (near(b, k, c.x, c.y, squared)) return vertex_name(b.vertex[k], true);
  }
  for (const int k : {side_a, next(a, side_a)}) {
    if (near(a, k, c.x, c.y, squared)) return vertex_name(a.vertex[k], false);
  }
  return crossing_name(a.edge[side_a], b.edge[side_b], to_b);
}

double height(const Patch& p, double x, double y) {
  return p.height + p.slope_x * x + p.slope_y * y;
}

// Of equal names the deepest stays.
int add(const Meeting& m, Meeting* meetings, int count) {
  for (int i = 0; i < count; ++i) {
    if (meetings[i].feature != m.feature) continue;
    if (m.gap() < meetings[i].gap()) meetings[i] = m;
    return count;
  }
  meetings[count] = m;
  return count + 1;
}

int overlap_polygons(const Patch& a, const Patch& b, double snap, Meeting* meetings) {
  ClippedPolygon polygon[2];
  polygon[0].count = a.count;
  for (int i = 0; i < a.count; ++i) {
    polygon[0].corner[i] = {a.x[i], a.y[i], static_cast<std::uint16_t>(i)};
  }
  int now = 0;
  for (int k = 0; k < b.count; ++k) {
    const int end = next(b, k);
    if (!cut(polygon[now], b.x[k], b.y[k], b.x[end] - b.x[k], b.y[end] - b.y[k],
             static_cast<std::uint16_t>(of_b | k), polygon[1 - now])) {
      continue;
    }
    now = 1 - now;
    if (polygon[now].count == 0) return 0;
  }
  const ClippedPolygon& rest = polygon[now];
  int count = 0;
  std::uint16_t before = rest.corner[rest.count - 1].side;
  for (int i = 0; i < rest.count; ++i) {
    const Corner& c = rest.corner[i];
    count = add(
        {c.x, c.y, height(a, c.x, c.y), height(b, c.x, c.y), name(a, b, c, before, snap * snap)},
        meetings, count);
    before = c.side;
  }
  return count;
}

// The stretch of a segment that lies over a polygon.
int overlap_segment(const Patch& segment, const Patch& polygon, bool segment_is_a, double snap,
                    Meeting* meetings) {
  const double dx = segment.x[1] - segment.x[0], dy = segment.y[1] - segment.y[0];
  double from = 0, to = 1;
  int cut_from = -1, cut_to = -1;
  for (int k = 0; k < polygon.count; ++k) {
    const int end = next(polygon, k);
    const double ex = polygon.x[end] - polygon.x[k], ey = polygon.y[end] - polygon.y[k];
    const double start = ex * (segment.y[0] - polygon.y[k]) - ey * (segment.x[0] - polygon.x[k]);
    const double change = ex * dy - ey * dx;
    if (start < 0 && start + change < 0) return 0;
    if (start >= 0 && start + change >= 0) continue;
    const double t = start / -change;
    if (start < 0 && t > from) from = t, cut_from = k;
    if (start >= 0 && t < to) to = t, cut_to = k;
  }
  if (from > to) return 0;
  int count = 0;
  const double length = std::sqrt(dx * dx + dy * dy);
  for (int end = 0; end < 2; ++end) {
    const double t = end == 0 ? from : to;
    const int cut_by = end == 0 ? cut_from : cut_to;
    const bool is_end = cut_by < 0 || (end == 0 ? t : 1 - t) * length <= snap;
    const double x = segment.x[0] + dx * t, y = segment.y[0] + dy * t;
    const double z = segment.z[0] + (segment.z[1] - segment.z[0]) * t;
    const double ground = height(polygon, x, y);
    const int edge = cut_by < 0 ? 0 : polygon.edge[cut_by];
    const std::uint32_t feature =
        is_end ? vertex_name(segment.vertex[end], !segment_is_a)
               : crossing_name(segment_is_a ? segment.edge[0] : edge,
                               segment_is_a ? edge : segment.edge[0], end == 1);
    count =
        add({x, y, segment_is_a ? z : ground, segment_is_a ? ground : z, feature}, meetings, count);
  }
  return count;
}

// Two segments hold each other at two points only where they run side by side.
int overlap_segments(const Patch& a, const Patch& b, double snap, Meeting* meetings) {
  const double ax = a.x[1] - a.x[0], ay = a.y[1] - a.y[0];
  const double bx = b.x[1] - b.x[0], by = b.y[1] - b.y[0];
  const double aa = ax * ax + ay * ay, bb = bx * bx + by * by, turn = ax * by - ay * bx;
  constexpr double side_by_side = 1e-3;  // sine of the angle
  if (!(turn * turn <= side_by_side * side_by_side * aa * bb) || aa == 0 || bb == 0) return 0;
  // ends of b along a
  double t[2];
  for (int k = 0; k < 2; ++k) t[k] = ((b.x[k] - a.x[0]) * ax + (b.y[k] - a.y[0]) * ay) / aa;
  const int low = t[0] <= t[1] ? 0 : 1;
  const double from = std::max(0.0, t[low]), to = std::min(1.0, t[1 - low]);
  if (from > to) return 0;
  int count = 0;
  const double close = snap / std::sqrt(aa);
  for (int end = 0; end < 2; ++end) {
    const double s = end == 0 ? from : to;
    const int end_b = end == 0 ? low : 1 - low;
    const double u = (s - t[0]) / (t[1] - t[0]);  // along b
    const bool at_b = std::fabs(s - t[end_b]) <= close;
    const Meeting m{a.x[0] + ax * s, a.y[0] + ay * s, a.z[0] + (a.z[1] - a.z[0]) * s,
                    b.z[0] + (b.z[1] - b.z[0]) * u,
                    at_b ? vertex_name(b.vertex[end_b], true) : vertex_name(a.vertex[end], false)};
    count = add(m, meetings, count);
  }
  return count;
}

}  // namespace

int overlap(const Patch& a, const Patch& b, double snap, Meeting (&meetings)[meeting_room]) {
  if (a.count < 2 || b.count < 2) return 0;
  if (a.count == 2 && b.count == 2) return overlap_segments(a, b, snap, meetings);
  if (a.count == 2) return overlap_segment(a, b, true, snap, meetings);
  if (b.count == 2) return overlap_segment(b, a, false, snap, meetings);
  return overlap_polygons(a, b, snap, meetings);
}

int keep_four(Meeting* m, int count, double margin) {
  int kept = 0, deepest = 0;
  for (int i = 0; i < count; ++i) {
    if (!(m[i].gap() < margin)) continue;
    m[kept] = m[i];
    if (m[kept].gap() < m[deepest].gap()) deepest = kept;
    ++kept;
  }
  if (kept <= 4) return kept;
  constexpr double better = 1.001;
  std::swap(m[0], m[deepest]);

  // farthest from it
  int chosen = 1;
  double best = 0;
  for (int i = 1; i < kept; ++i) {
    const double dx = m[i].x - m[0].x, dy = m[i].y - m[0].y, value = dx * dx + dy * dy;
    if (value > best * better) best = value, chosen = i;
  }
  std::swap(m[1], m[chosen]);

  // farthest from their line to the left and to the right
  const auto area = [](const Meeting& a, const Meeting& b, const Meeting& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  int left = -1, right = -1;
  double most = 0, least = 0;
  for (int i = 2; i < kept; ++i) {
    const double value = area(m[0], m[1], m[i]);
    if (value > most * better) most = value, left = i;
    if (value < least * better) least = value, right = i;
  }
  if (left < 0 && right < 0) return 2;
  const bool both = left >= 0 && right >= 0;
  std::swap(m[2], m[left >= 0 ? left : right]);
  if (both) {
    std::swap(m[3], m[right == 2 ? left : right]);
    return 4;
  }

  // all on one side: what reaches farthest out of the triangle
  const double turn = left >= 0 ? -1 : 1;
  best = 0, chosen = -1;
  for (int i = 3; i < kept; ++i) {
    const double value = std::max(turn * area(m[1], m[2], m[i]), turn * area(m[2], m[0], m[i]));
    if (value > best * better) best = value, chosen = i;
  }
  if (chosen < 0) return 3;
  std::swap(m[3], m[chosen]);
  return 4;
}

}  // namespace molejo

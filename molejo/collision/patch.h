// What two solids show each other along a common normal, and where these parts overlap.
//
// Seen along the normal n (from b to a) the face, side line or tip of a core is a polygon, segment
// or point in the plane (x, y) across n, with a height along n that is linear in x and y. Corners
// of the overlap are the contact points; their gap is the difference of the two heights, both taken
// where they are: no point is projected onto a face of another direction.
// Clipping: Sutherland and Hodgman, Reentrant polygon clipping (1974).
#pragma once

#include "molejo/collision/contact_parts.h"

namespace molejo {

// Axes across and along the common normal, from an origin near the contact.
struct Sight {
  Vec3 origin, x, y, n;
};

struct Patch {
  static constexpr int room = 24;
  int count = 0;  // 1: point, 2: segment, else polygon, counter-clockwise seen against n
  double x[room], y[room];
  std::uint16_t vertex[room], edge[room];  // names of corner k and of the side from it to the next
  double height = 0, slope_x = 0, slope_y = 0;  // of polygons and points
  double z[2] = {0, 0};                         // of the two ends of a segment
};

// The part of the core that looks along side * n, side = +1 or -1, and holds its farthest feature.
// Faces of more than `room` corners are thinned out evenly.
Patch patch_of(const PlacedSolid& solid, double side, const Sight& sight);
Patch box_patch(const PlacedSolid& box, double side, const Sight& sight);

// A corner of the overlap, across the normal; heights of the surfaces of a and b along it.
struct Meeting {
  double x, y, z_a, z_b;
  std::uint32_t feature;
  double gap() const { return z_a - z_b; }
};
inline constexpr int meeting_room = 2 * Patch::room + 1;
inline constexpr std::uint32_t exact_point = 0x7fffffff;  // the closest one, where no corners meet

// Corners of the overlap of the two patches, each named by the vertex or the two edges that meet.
// Corners closer to a vertex than `snap` are named after it (after b's if they can), and of equal
// names the deepest stays: aligned stacks do not change their names by rounding. Returns how many.
int overlap(const Patch& a, const Patch& b, double snap, Meeting (&meetings)[meeting_room]);

// Leaves those with gap < margin, and of these at most four: the deepest, then those that span the
// largest area. Later ones must be better by a thousandth, so that rounding does not choose.
int keep_four(Meeting* meetings, int count, double margin);

void append(const Meeting* meetings, int count, const Sight& sight, ContactPoints& points);

}  // namespace molejo

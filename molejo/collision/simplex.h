// The point of a simplex nearest to the origin, as a convex combination of its vertices.
//
//   v = sum w_i p_i,  w_i > 0,  sum w_i = 1,  over the fewest vertices that do
//
// Sub-distances after Ericson, Real-Time Collision Detection (2005), 5.1.5 and 9.5, by signed areas
// and volumes. A vertex of the simplex is a difference of two points, one of each solid.
#pragma once

#include "molejo/collision/support.h"

namespace molejo {

struct DifferencePoint {
  Vec3 p;        // a - b, in the frame of a
  Extreme a, b;  // each in the frame of its solid
};

struct Simplex {
  DifferencePoint point[4];
  double weight[4] = {1, 0, 0, 0};
  int count = 0;
};

// Reduces the simplex (1 to 4 points) to the vertices that hold the nearest point and sets their
// weights. Returns that point; a tetrahedron that holds the origin stays whole and gives zero.
Vec3 reduce(Simplex& simplex);
// The same on the faces of a tetrahedron so thin that its inside is in doubt.
Vec3 reduce_to_faces(Simplex& tetrahedron);

}  // namespace molejo

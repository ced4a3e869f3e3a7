// The point of a simplex nearest to the origin, as a convex combination of its vertices.
//
//   v = sum w_i p_i,  w_i > 0,  sum w_i = 1,  over the fewest vertices that do
//
// Sub-distances after Ericson, Real-Time Collision Detection (2005), 5.1.5 and 9.5, by signed areas
// and volumes. A vertex of the simplex is a difference of two points, one of each solid.
#pragma once

#include <type_traits>

#include "molejo/collision/support.h"

namespace molejo {

struct DifferencePoint {
  Vec3 p;        // a - b, in the frame of a
  Extreme a, b;  // each in the frame of its solid
};

// Memory for some things, without anything in it: filling it with zeros would take longer than
// most queries.
template <class T, int size>
struct Unfilled {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  Unfilled() {}  // NOLINT: that is the point
  T& operator[](int i) { return items[i]; }
  const T& operator[](int i) const { return items[i]; }
  union {
    T items[size];
  };
};

struct Simplex {
  Unfilled<DifferencePoint, 4> point;
  double weight[4] = {1, 0, 0, 0};
  int count = 0;

  Simplex() = default;
  Simplex(const Simplex& other) { *this = other; }
  Simplex& operator=(const Simplex& other) {
    count = other.count;
    for (int i = 0; i < count; ++i) point[i] = other.point[i], weight[i] = other.weight[i];
    return *this;
  }
};

// Reduces the simplex (1 to 4 points) to the vertices that hold the nearest point and sets their
// weights. Returns that point; a tetrahedron that holds the origin stays whole and gives zero.
Vec3 reduce(Simplex& simplex);
// Adds a point if that brings the nearest point nearer: then `v`, of square `squared`, is the new
// one.
bool advance(Simplex& simplex, const DifferencePoint& point, Vec3& v, double& squared);
// The same on the faces of a tetrahedron so thin that its inside is in doubt.
Vec3 reduce_to_faces(Simplex& tetrahedron);

}  // namespace molejo

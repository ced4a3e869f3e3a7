// Solids as the search for contact points takes them.
#pragma once

#include <deque>

#include "molejo/collision/manifold.h"

namespace molejo::test {

// Owns the meshes of all that it makes.
struct TouchSolids {
  std::deque<ConvexMesh> meshes;

  TouchShape operator()(const Geometry& geometry) {
    TouchShape shape;
    shape.convex = make_convex(geometry, meshes);
    return shape;
  }
};

}  // namespace molejo::test

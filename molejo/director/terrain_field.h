// Ground that bodies touch: a relief sampled on a grid, as the simulation has it.
//
//   error = max |h(x, y) - two triangles of each cell|, over a lattice of nine points a cell
//
// Cells are halved until the error is small enough or there are too many. A cell with a jump in it
// (the edge of a step) becomes a steep slope as wide as itself; it does not count.
#pragma once

#include <span>

#include "molejo/motion/ground.h"

namespace molejo {

struct SceneBody;

struct TerrainFieldOptions {
  double error = 0.004;  // m
  double cell = 0.5;     // m, at first
  int points = 120'000;  // at most
};

struct TerrainField {
  HeightField field;
  Vec3 middle;       // of the grid, in the world
  double error = 0;  // m
};

// The relief at its place and in its scale, as in motion::Ground.
TerrainField terrain_field(const motion::Relief& relief, const Vec3& offset, const Vec3& scale,
                           const TerrainFieldOptions& options = {});

// A body that does not move.
SceneBody terrain_body(const std::string& name, const TerrainField& terrain, const Color& color,
                       double friction = 0.8);

}  // namespace molejo

// Terrains of walkers, from JSON (docs/walk.md):
//
//   {"elevation": "0.2*sin(x)*cos(y)", "from": [-5, -10], "to": [45, 10]}      a formula
//   {"noise": {"amplitude": 0.08, "feature": 1, "seed": 3}, "from": .., "to": ..}
//   {"bumps": {"count": 250, "height": [-15, 80], "width": [3, 15], "seed": 130}, ...}
//   {"steps": [{"length": 3}, {"count": 6, "length": 0.45, "rise": 0.15}], "from": .., "width": ..}
//   {"grid": [[..], ..], "size": [x, y]}      {"image": "hills.png", "size": .., "height": h}
//
// each with "offset" and "scale". A file holds one, a list, or {"terrains": list}.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/json_cursor.h"
#include "molejo/motion/ground.h"

namespace molejo {

inline constexpr std::size_t max_terrains = 100;
inline constexpr int max_terrain_bumps = 10'000;  // of all terrains together
inline constexpr std::size_t max_terrain_pieces = 10'000;
inline constexpr double farthest_terrain = 1e5;        // of domains and offsets, m
inline constexpr double highest_terrain = 1e4;         // of what may be given as a height, m
inline constexpr std::size_t max_terrain_cells = 500;  // of a mesh, in each direction

struct Terrain {
  std::string name;
  motion::Relief relief;
  Vec3 offset, scale{1, 1, 1};
  Color color{0.62, 0.66, 0.54, 1};
  std::vector<double> breaks;      // x of the relief where heights or slopes jump, increasing
  std::array<int, 2> cells{0, 0};  // of its mesh; 0: by its size
};

// Remembers how much was read so far: all terrains are bounded together.
class TerrainReader {
 public:
  // One object; files that it names lie beside its document.
  Terrain read(const JsonCursor& at);
  // One object, one name of a file, or a list of both.
  std::vector<Terrain> read_all(const JsonCursor& at);

 private:
  std::size_t heights_ = 0;
  int bumps_ = 0;
  int files_ = 0;  // within each other
};

// Throws InputError.
std::vector<Terrain> parse_terrains(std::string_view text, const SourceFile& file);
std::vector<Terrain> load_terrains(const SourceFile& file);
// A formula of x and y around the origin; `name` is what errors call it.
Terrain formula_terrain(const std::string& expression, double half_size, const std::string& name);

motion::Ground ground_of(const std::vector<Terrain>& terrains);

// Triangles in the world, counter-clockwise from above; vertices lie on h, and at jumps there are
// walls.
struct TerrainMesh {
  std::vector<Vec3> points, normals;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};
TerrainMesh terrain_mesh(const Terrain& terrain);

}  // namespace molejo

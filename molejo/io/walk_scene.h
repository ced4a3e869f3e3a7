// Navigation scenes, *.walk.json: terrains, characters with clips and plans (docs/walk.md).
#pragma once

#include "molejo/io/terrain.h"
#include "molejo/io/walk_actor.h"

namespace molejo {

inline constexpr std::size_t max_walk_actors = 2'000;
inline constexpr std::size_t max_way_points = 10'000;

struct WalkScene {
  std::string name, description;
  std::vector<Terrain> terrains;
  std::shared_ptr<const motion::Ground> ground;  // of the terrains
  std::vector<WalkActor> actors;
  double duration = 20;  // s
  double fps = 30;

  int frames() const;
};

// `file` is where files that it names are looked for. Throws InputError.
WalkScene parse_walk_scene(std::string_view text, const SourceFile& file,
                           const CharacterLoader& loader = {});
WalkScene load_walk_scene(const SourceFile& file, const CharacterLoader& loader = {});
bool is_walk_scene(const std::string& name);  // by its ending

// Walkers of all actors with their plans; with another solver for all, where one is given. Throws
// InputError: nobody's ground, a clip that a solver refuses, more frames than are recorded.
navigation::Stage make_stage(const WalkScene& scene,
                             std::optional<navigation::Solver> solver = std::nullopt);

}  // namespace molejo

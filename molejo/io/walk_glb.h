// A recorded walk as one GLB: terrains, characters in their skins (or their bones, where they have
// none), one animation of all, and on request the curves of feet and hips.
//
//   world (z up turned to y up) -> one joint per character, at X_WM -> its skeleton
#pragma once

#include "molejo/io/walk_scene.h"
#include "molejo/navigation/track.h"

namespace molejo {

struct WalkGlbOptions {
  bool terrains = true;
  // Line strips: targets of feet red, where they went yellow; hips yellow, those of the clip blue.
  bool curves = false;
};

// The record must be of a stage made from this scene.
motion::Character walk_character(const WalkScene& scene, const navigation::WalkRecord& record,
                                 const WalkGlbOptions& options = {});
std::string walk_glb(const WalkScene& scene, const navigation::WalkRecord& record,
                     const WalkGlbOptions& options = {});

// One character in its own axes and units, without clips: its meshes, or its bones in this pose
// where it has none. Node i of the file is joint i.
std::string figure_glb(const motion::Character& character, const motion::SkeletonPose& pose,
                       int color = 0);
// One terrain in the axes of the world, z up.
std::string terrain_glb(const Terrain& terrain);

}  // namespace molejo

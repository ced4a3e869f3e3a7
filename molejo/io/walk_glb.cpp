#include "molejo/io/walk_glb.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/character_merge.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/motion/edit.h"

namespace molejo {

namespace {

using navigation::CharacterTrack;
using navigation::TrackFrame;

constexpr std::array<double, 3> red{0.9, 0.15, 0.1}, yellow{0.95, 0.8, 0.1}, blue{0.2, 0.4, 0.95};

// Colours of figures without a skin, one after the other.
constexpr std::array<double, 3> bones[] = {
    {0.85, 0.52, 0.30}, {0.36, 0.55, 0.75}, {0.55, 0.68, 0.40}, {0.70, 0.45, 0.65}};

bool has_mesh(const motion::Character& c) { return !c.attachments.empty() && !c.meshes.empty(); }

void add_curves(const CharacterTrack& track, int world, CharacterMerge& merge) {
  const navigation::Rig& rig = track.rig;
  for (std::size_t leg = 0; leg < rig.legs.size(); ++leg) {
    std::vector<Vec3> target, real;
    for (const TrackFrame& f : track.frames) {
      target.push_back(f.feet[leg].target), real.push_back(f.feet[leg].ankle);
    }
    const std::string name = track.name + " " + rig.legs[leg].name;
    merge.add_line(name + " foot, target", target, red, world);
    merge.add_line(name + " foot", real, yellow, world);
  }
  std::vector<Vec3> hips, original;
  std::vector<motion::Affine> X(rig.skeleton.joints.size());
  for (const TrackFrame& f : track.frames) {
    motion::model_transforms(rig.skeleton, f.pose, f.placement, X);
    hips.push_back(X[at(rig.hips)].origin);
    motion::model_transforms(rig.skeleton, f.unadapted, f.unadapted_placement, X);
    original.push_back(X[at(rig.hips)].origin);
  }
  merge.add_line(track.name + " hips", hips, yellow, world);
  merge.add_line(track.name + " hips of the clip", original, blue, world);
}

// A pose of all joints from those of all characters in one frame.
struct JointPlace {
  int root = 0, first = 0;  // joints of a character
};
motion::SkeletonPose merged_pose(const motion::Skeleton& skeleton,
                                 const navigation::WalkRecord& record,
                                 const std::vector<JointPlace>& places, std::size_t frame) {
  motion::SkeletonPose pose(skeleton);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TrackFrame& f = record.characters[i].frames[frame];
    pose.set(places[i].root, motion::decomposed(f.placement));
    for (int j = 0; j < f.pose.joints(); ++j) pose.set(places[i].first + j, f.pose[j]);
  }
  return pose;
}

}  // namespace

motion::Character walk_character(const WalkScene& scene, const navigation::WalkRecord& record,
                                 const WalkGlbOptions& options) {
  assert(scene.actors.size() == record.characters.size());
  CharacterMerge merge(scene.name.empty() ? "walk" : scene.name);
  // z up in the world, y up in the file
  const double half = std::sqrt(0.5);
  const int world = merge.add_joint("world", -1, {{}, {half, -half, 0, 0}, {1, 1, 1}});
  std::vector<JointPlace> places;
  for (std::size_t i = 0; i < record.characters.size(); ++i) {
    const CharacterTrack& track = record.characters[i];
    const motion::Character& body = *scene.actors[i].character;
    const bool alone = record.characters.size() == 1;
    JointPlace place;
    place.root = merge.add_joint(track.name, world, motion::decomposed(track.frames[0].placement));
    place.first = merge.add_skeleton(body.skeleton, place.root, alone ? "" : track.name + " ");
    if (has_mesh(body)) {
      merge.add_body(body, place.first, place.root);
    } else {
      merge.add_bones(body.skeleton, track.frames[0].pose, place.first,
                      bones[i % std::size(bones)]);
    }
    places.push_back(place);
    if (options.curves) add_curves(track, world, merge);
  }
  if (options.terrains) {
    for (const Terrain& terrain : scene.terrains) merge.add_terrain(terrain, world);
  }
  std::vector<double> times;
  std::vector<motion::SkeletonPose> poses;
  for (int k = 0; k < record.frames(); ++k) {
    check_interrupt();
    times.push_back(record.time(k));
    poses.push_back(merged_pose(merge.skeleton(), record, places, at(k)));
  }
  motion::Clip clip = motion::clip_from_poses(merge.skeleton(), "walk", times, poses);
  motion::Character merged = merge.finish();
  merged.clips.push_back(std::move(clip));
  return merged;
}

std::string walk_glb(const WalkScene& scene, const navigation::WalkRecord& record,
                     const WalkGlbOptions& options) {
  return character_glb(walk_character(scene, record, options));
}

std::string figure_glb(const motion::Character& character, const motion::SkeletonPose& pose,
                       int color) {
  if (has_mesh(character)) {
    motion::Character still = character;
    still.clips.clear();
    return character_glb(still);
  }
  CharacterMerge merge(character.name);
  const int first = merge.add_skeleton(character.skeleton, -1, "");
  merge.add_bones(character.skeleton, pose, first, bones[at(color) % std::size(bones)]);
  return character_glb(merge.finish());
}

std::string terrain_glb(const Terrain& terrain) {
  CharacterMerge merge(terrain.name.empty() ? "terrain" : terrain.name);
  merge.add_terrain(terrain, merge.add_joint("world", -1, {}));
  return character_glb(merge.finish());
}

}  // namespace molejo

// Several characters as one: joints one below the other, meshes and looks side by side (private to
// this module).
#pragma once

#include <array>
#include <map>

#include "molejo/io/terrain.h"
#include "molejo/motion/character.h"

namespace molejo {

class CharacterMerge {
 public:
  explicit CharacterMerge(const std::string& name);

  // Gives the number of the joint.
  int add_joint(const std::string& name, int parent, const motion::Transform& rest);
  // All joints of a skeleton below one; gives the number of the first.
  int add_skeleton(const motion::Skeleton& skeleton, int parent, const std::string& prefix);
  // Meshes, looks, skins and attachments of a character whose joints begin at `first`; what hangs
  // on no joint hangs on `root`. Meshes and looks of the same character are kept once.
  void add_body(const motion::Character& character, int first, int root);
  // Diamonds along the bones, as they are in a pose.
  void add_bones(const motion::Skeleton& skeleton, const motion::SkeletonPose& pose, int first,
                 const std::array<double, 3>& color);
  // A shape of a body, which moves with the joint.
  void add_shape(const std::string& name, const Shape& shape, int joint);
  void add_terrain(const Terrain& terrain, int joint);
  void add_line(const std::string& name, const std::vector<Vec3>& points,
                const std::array<double, 3>& color, int joint);

  // With all looks in their place.
  motion::Character finish();
  const motion::Skeleton& skeleton() const { return merged_.skeleton; }

 private:
  struct Offsets {
    int meshes = 0, materials = 0;
  };
  Offsets add_looks(const motion::Character& character);
  int add_material(const std::string& name, const std::array<double, 3>& color, double roughness,
                   bool glows);

  motion::Character merged_;
  std::map<const motion::Character*, Offsets> known_;
  std::map<std::string, int> materials_;  // of our own, by what they look like
  std::map<int, int> bones_;              // meshes by their material
  std::vector<std::string> material_texts_, texture_texts_, sampler_texts_;
};

}  // namespace molejo

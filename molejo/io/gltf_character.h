// The parts of a reader of characters from glTF (private to io/).
#pragma once

#include "molejo/io/gltf.h"
#include "molejo/motion/character.h"

namespace molejo {

// Sentences about a file: equal ones are counted, many are cut.
class Problems {
 public:
  void add(const std::string& sentence) { ++count_[sentence], remember(sentence); }
  std::vector<std::string> lines() const;

 private:
  void remember(const std::string& sentence) {
    if (count_[sentence] == 1) order_.push_back(sentence);
  }
  std::map<std::string, int> count_;
  std::vector<std::string> order_;
};

// Without control characters and not too long.
std::string clean_name(std::string name);

// Meshes: decoded to floats, mended so that they may be written again.
motion::CharacterMesh read_mesh(Gltf& gltf, const JsonValue& mesh, int index, int materials,
                                Problems& problems);
// Joint numbers below `joints`, weights that sum to one.
void mend_weights(motion::MeshPrimitive& primitive, std::size_t joints, Problems& problems);
motion::CharacterLooks read_looks(Gltf& gltf, Problems& problems);

// Clips of the animations; `joint_of_node` has -1 for nodes that are no joints.
std::vector<motion::Clip> read_animations(Gltf& gltf, const motion::Skeleton& skeleton,
                                          const std::vector<int>& joint_of_node,
                                          Problems& problems);

}  // namespace molejo

// All that a file of an animated character holds: skeleton, skins, meshes, clips.
//
//   vertex in model space = sum_i w_i X_MJi B_i v       B: inverse bind (glTF 2.0, section 3.7.3)
//
// Meshes, materials and pictures are carried along, so that a file can be written again; nothing
// here looks into them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "molejo/motion/clip.h"

namespace molejo::motion {

struct Skin {
  std::string name;
  std::vector<int> joints;            // of the skeleton
  std::vector<Affine> inverse_binds;  // one per joint
};

// `width` floats per vertex.
struct VertexAttribute {
  std::string name;  // POSITION, NORMAL, TANGENT, TEXCOORD_n, COLOR_n, WEIGHTS_n
  int width = 3;
  std::vector<float> values;
};

struct MeshPrimitive {
  int mode = 4;       // as in glTF: 4 is a list of triangles
  int material = -1;  // in CharacterLooks; -1: none
  std::vector<VertexAttribute> attributes;
  // four joints of the skin per vertex, a set for each WEIGHTS_n
  std::vector<std::vector<std::uint16_t>> joints;
  std::vector<std::uint32_t> indices;  // empty: vertices in their order
  const VertexAttribute* find(std::string_view name) const;
};

struct CharacterMesh {
  std::string name;
  std::vector<MeshPrimitive> primitives;
};

// A mesh hung on a joint, or skinned.
struct Attachment {
  std::string name;
  int joint = -1;  // -1: on no joint
  Affine X_JA;     // against that joint, or in the model
  int mesh = -1;
  int skin = -1;  // -1: moves with its joint as a rigid thing
};

// As they stood in the file; texts are JSON arrays of glTF, numbers in them count here.
struct CharacterLooks {
  struct Picture {
    std::string name, type;  // type: image/png or image/jpeg
    std::string bytes;
  };
  std::string materials, textures, samplers;
  int material_count = 0;
  std::vector<Picture> pictures;
  std::vector<std::string> extensions;  // that these use
};

struct Character {
  std::string name;
  Skeleton skeleton;
  std::vector<Skin> skins;
  std::vector<CharacterMesh> meshes;
  std::vector<Attachment> attachments;
  CharacterLooks looks;
  std::vector<Clip> clips;
  std::vector<std::string> problems;  // what was mended, guessed or left out while reading
  // The index of the clip of that name, of the only one that begins so, or -1.
  int find_clip(std::string_view name) const;
};

// The pose in which the meshes were bound to the skeleton, where skins tell it; elsewhere rest. The
// rest pose of a file may be any frame of a clip.
SkeletonPose bind_pose(const Character& character);

// Positions of all vertices of a skinned or rigid attachment, in model space, in a pose.
std::vector<Vec3> skinned_positions(const Character& character, const Attachment& attachment,
                                    const MeshPrimitive& primitive, const SkeletonPose& pose);

}  // namespace molejo::motion

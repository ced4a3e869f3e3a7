// Files of animated characters: glTF and GLB (Khronos 2.0), BVH (Biovision).
//
// Readers take imperfect files where they can be used and say in Character::problems what they
// mended or left out; what cannot be used is an InputError. Sizes are bounded before memory is
// asked for. Writers give files that the Khronos validator finds no error in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "molejo/io/file_scope.h"
#include "molejo/motion/character.h"

namespace molejo {

inline constexpr int max_skeleton_joints = 65'536;
inline constexpr std::size_t max_clip_numbers = std::size_t{32} << 20;  // of one file

// By its ending: .glb .gltf .bvh, or .vrm, which is a .glb.
motion::Character load_character(const SourceFile& file);
bool is_character_file(const std::string& path);

// Buffers and pictures that a .gltf names are found beside it.
motion::Character parse_gltf_character(std::string_view bytes, const SourceFile& file);
motion::Character parse_bvh(std::string_view text, const std::string& file);

// Skeleton, skins, meshes with their materials and pictures, and clips.
std::string character_glb(const motion::Character& character);

// The hierarchy and one clip, sampled at `fps`: positions for roots and for joints that the clip
// moves, rotations in the order Z X Y for all. Scales of joints become part of the offsets.
struct BvhOptions {
  double fps = 60;
};
std::string bvh_text(const motion::Character& character, const motion::Clip& clip,
                     const BvhOptions& options = {});

// What a file of this name holds: .glb all clips, .bvh the only one; others throw InputError.
std::string character_bytes(const std::string& path, const motion::Character& character,
                            const BvhOptions& options = {});

}  // namespace molejo

#include "molejo/io/character_file.h"

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

bool is_character_file(const std::string& path) {
  const std::string e = lower_case_ending(path);
  return e == ".glb" || e == ".gltf" || e == ".vrm" || e == ".bvh";
}

motion::Character load_character(const SourceFile& file) {
  const std::string& name = file.name();
  if (!is_character_file(name)) {
    throw InputError(name + ": unknown ending '" + lower_case_ending(name) +
                     "'; expected .glb, .gltf, .vrm or .bvh");
  }
  const std::string bytes = file.read();
  const bool bvh = lower_case_ending(name) == ".bvh";
  return unquoted(file, bvh ? "BVH" : "glTF",
                  [&] { return bvh ? parse_bvh(bytes, name) : parse_gltf_character(bytes, file); });
}

std::string character_bytes(const std::string& path, const motion::Character& character,
                            const BvhOptions& options) {
  const std::string e = lower_case_ending(path);
  if (e == ".glb") return character_glb(character);
  if (e != ".bvh") {
    throw InputError(path + ": unknown ending '" + e + "'; expected .glb or .bvh");
  }
  if (character.clips.size() != 1) throw InputError(path + ": a BVH file holds one clip: name it");
  return bvh_text(character, character.clips.front(), options);
}

}  // namespace molejo

// Any bytes as a glTF file: a character that can be used and writes back the same, or an
// InputError.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "molejo/io/character_file.h"
#include "molejo/io/character_report.h"
#include "molejo/model/error.h"
#include "molejo/motion/sampler.h"

namespace {

using namespace molejo;

void use(const motion::Character& c) {
  const motion::Roles roles = motion::find_roles(c.skeleton, motion::bind_pose(c));
  if (motion::role_count == 0 || roles.joints.empty()) std::abort();
  for (const motion::Clip& clip : c.clips) {
    const motion::ClipSampler sampler(c.skeleton, clip);
    motion::ClipCursor cursor = sampler.cursor();
    motion::SkeletonPose pose(c.skeleton);
    for (int k = -1; k <= 4; ++k) {
      sampler.sample(clip.start() + clip.duration() * k / 3, cursor, pose);
      for (int j = 0; j < pose.joints(); ++j) {
        if (!std::isfinite(max_abs(pose.translation(j)))) std::abort();
        if (std::fabs(squared_norm(pose.rotation(j)) - 1) > 1e-6) std::abort();
      }
    }
  }
}

void read(std::string_view bytes) {
  motion::Character c;
  try {
    c = parse_gltf_character(bytes, "fuzz.glb");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return;
  }
  for (const std::string& problem : c.problems) {
    if (problem.find('\n') != std::string::npos) std::abort();
  }
  use(c);
  try {
    const motion::Character back = parse_gltf_character(character_glb(c), "written.glb");
    if (back.skeleton.size() != c.skeleton.size()) std::abort();
  } catch (const InputError&) {
    std::abort();
  }
}

}  // namespace

// The first byte chooses: the bytes as they are, or the text after it as .gltf whose one buffer is
// what follows the first zero, so that JSON can be changed without its lengths.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  const std::size_t zero = bytes.find('\0');
  if (zero == std::string_view::npos || bytes.substr(0, 1) != "{") return 0;
  std::string glb = "glTF";
  const auto word = [&glb](std::size_t value) {
    const auto w = static_cast<std::uint32_t>(value);
    char raw[4];
    std::memcpy(raw, &w, 4);
    glb.append(raw, 4);
  };
  const std::string_view json = bytes.substr(0, zero), binary = bytes.substr(zero + 1);
  word(2), word(0), word(json.size()), word(0x4E4F534A);
  glb += json;
  glb.resize((glb.size() + 3) / 4 * 4, ' ');
  word(binary.size()), word(0x004E4942);
  glb += binary;
  read(glb);
  return 0;
}

// Any bytes as BVH: a character whose motion writes back as the same places, or an InputError.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/character_file.h"
#include "molejo/model/error.h"
#include "molejo/motion/roles.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  motion::Character c;
  try {
    c = parse_bvh(text, "fuzz.bvh");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  const motion::Roles roles = motion::find_roles(c.skeleton, motion::SkeletonPose(c.skeleton));
  if (roles.joints.empty()) std::abort();
  if (c.clips.empty() || c.clips[0].duration() > 100) return 0;
  try {
    const motion::Character back = parse_bvh(bvh_text(c, c.clips[0], {.fps = 10}), "written.bvh");
    // joints without children get an end that some lacked
    if (back.skeleton.size() < c.skeleton.size()) std::abort();
  } catch (const InputError&) {
    std::abort();
  }
  return 0;
}

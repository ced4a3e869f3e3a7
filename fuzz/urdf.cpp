// Any bytes as URDF: a scene that can be built or refused, or an InputError; nothing else.
#include <cstdint>

#include "molejo/io/robot.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // the folder does not exist, so that no file beside it is ever opened
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    molejo::build(molejo::parse_urdf(text, "/nowhere/fuzz.urdf"));
  } catch (const molejo::InputError&) {
  }
  return 0;
}

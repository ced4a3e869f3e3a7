// Any bytes as a packed buffer of a glTF file. The first byte chooses mode and filter, the next two
// the size; what is unpacked has it, or an InputError tells why not.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/meshopt.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  if (size < 3) return 0;
  const auto mode = static_cast<MeshoptMode>(data[0] % 3);
  const auto filter = static_cast<MeshoptFilter>(data[0] / 3 % 4);
  const std::size_t count = data[1] * 3u, stride = data[2] + 1u;
  const std::string_view packed(reinterpret_cast<const char*>(data) + 3, size - 3);
  try {
    if (decode_meshopt(packed, count, stride, mode, filter).size() != count * stride) std::abort();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

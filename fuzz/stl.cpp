// Any bytes either are a mesh with indices in range, or end in an InputError of one line.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/mesh_file.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  try {
    const TriangleMesh mesh = parse_stl({reinterpret_cast<const char*>(data), size}, "fuzz.stl");
    for (const Vec3& p : mesh.vertices) {
      if (!std::isfinite(p.x + p.y + p.z)) std::abort();  // floats: no overflow
    }
    for (const auto& triangle : mesh.triangles) {
      for (const int v : triangle) {
        if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) std::abort();
      }
    }
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

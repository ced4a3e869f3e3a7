// Any text either is a mesh with indices in range, or ends in an InputError.
#include "molejo/io/obj.h"

#include <cstdint>
#include <cstdlib>

#include "molejo/model/error.h"
#include "molejo/model/shapes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  try {
    const ObjMesh mesh = parse_obj({reinterpret_cast<const char*>(data), size}, "fuzz.obj");
    for (const auto& triangle : mesh.triangles) {
      for (const int v : triangle) {
        if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) std::abort();
      }
    }
    for (const auto* parts : {&mesh.objects, &mesh.groups}) {
      for (const ObjPart& part : *parts) {
        if (part.name.empty() || part.vertices.size() < 3) std::abort();
        for (const int v : part.vertices) {
          if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) std::abort();
        }
      }
    }
    convex_hull(mesh.vertices);
  } catch (const InputError&) {
  }
  return 0;
}

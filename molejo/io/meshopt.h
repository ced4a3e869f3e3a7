// Decompression of buffers packed by meshoptimizer (glTF extension EXT_meshopt_compression, "Format
// Specification", versions 0 of vertices and 0 and 1 of indices).
#pragma once

#include <string>
#include <string_view>

namespace molejo {

enum class MeshoptMode { attributes, triangles, indices };
enum class MeshoptFilter { none, octahedral, quaternion, exponential };

// `count` elements of `stride` bytes; the caller bounds their product. Throws InputError with a
// text without a place when the data are broken.
std::string decode_meshopt(std::string_view data, std::size_t count, std::size_t stride,
                           MeshoptMode mode, MeshoptFilter filter);

}  // namespace molejo

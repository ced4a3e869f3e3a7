// The binary part of a GLB file, with its views and accessors, and the container around both
// (glTF 2.0, sections 3.6 and 4.4). Private to the writers in io/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "molejo/io/json_library.h"

namespace molejo {

class GlbBuffer {
 public:
  using Json = nlohmann::ordered_json;
  enum Target { no_target = 0, vertex_data = 34962, index_data = 34963 };

  // Each adds an accessor and gives its number.
  // `values` holds elements of `width` numbers (16: matrices); min and max are of the floats as
  // stored.
  int floats(const std::vector<float>& values, int width, Target target, bool with_bounds);
  int indices(const std::vector<std::uint32_t>& values, std::size_t vertices);
  int indices(const std::vector<std::array<int, 3>>& triangles, std::size_t vertices);
  // Four small numbers each.
  int joints(const std::vector<std::uint16_t>& values);
  // A view without an accessor: a picture, say.
  int view(const std::string& data);

  // Header, JSON chunk padded with spaces, binary chunk padded with zeros.
  std::string container(std::string json_chunk) const;

  Json views = Json::array(), accessors = Json::array();
  std::string bytes;

 private:
  Json view(const void* data, std::size_t size, Target target);
  int add(Json accessor);
};

// Colours of scenes are sRGB, as on screens; glTF wants linear light (IEC 61966-2-1).
double linear_light(double s);

}  // namespace molejo

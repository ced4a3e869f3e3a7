#include "molejo/io/glb_buffer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace molejo {

namespace {

enum ComponentType { unsigned_short = 5123, unsigned_int = 5125, float_32 = 5126 };

}  // namespace

int GlbBuffer::floats(const std::vector<float>& values, int width, Target target,
                      bool with_bounds) {
  const auto w = static_cast<std::size_t>(width);
  Json accessor = view(values.data(), values.size() * sizeof(float), target);
  accessor["componentType"] = float_32;
  accessor["count"] = values.size() / w;
  accessor["type"] = width == 1    ? std::string("SCALAR")
                     : width == 16 ? std::string("MAT4")
                                   : "VEC" + std::to_string(width);
  if (with_bounds) {
    std::vector<float> low(values.begin(), values.begin() + width), high = low;
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i % w] = std::min(low[i % w], values[i]);
      high[i % w] = std::max(high[i % w], values[i]);
    }
    accessor["min"] = low, accessor["max"] = high;
  }
  return add(std::move(accessor));
}

int GlbBuffer::indices(const std::vector<std::uint32_t>& values, std::size_t vertices) {
  // the largest index of a type marks a restart and may not be used
  const bool is_short = vertices < 65535;
  std::vector<std::uint16_t> narrow;
  if (is_short) {
    for (const std::uint32_t i : values) narrow.push_back(static_cast<std::uint16_t>(i));
  }
  Json accessor = is_short ? view(narrow.data(), narrow.size() * 2, index_data)
                           : view(values.data(), values.size() * 4, index_data);
  accessor["componentType"] = is_short ? unsigned_short : unsigned_int;
  accessor["count"] = values.size();
  accessor["type"] = "SCALAR";
  return add(std::move(accessor));
}

int GlbBuffer::indices(const std::vector<std::array<int, 3>>& triangles, std::size_t vertices) {
  std::vector<std::uint32_t> values;
  for (const auto& t : triangles) {
    for (const int i : t) values.push_back(static_cast<std::uint32_t>(i));
  }
  return indices(values, vertices);
}

int GlbBuffer::joints(const std::vector<std::uint16_t>& values) {
  Json accessor = view(values.data(), values.size() * 2, vertex_data);
  accessor["componentType"] = unsigned_short;
  accessor["count"] = values.size() / 4;
  accessor["type"] = "VEC4";
  return add(std::move(accessor));
}

int GlbBuffer::view(const std::string& data) {
  view(data.data(), data.size(), no_target);
  return static_cast<int>(views.size()) - 1;
}

GlbBuffer::Json GlbBuffer::view(const void* data, std::size_t size, Target target) {
  static_assert(std::endian::native == std::endian::little);
  Json v{{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", size}};
  if (target != no_target) v["target"] = target;
  bytes.append(static_cast<const char*>(data), size);
  bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  views.push_back(std::move(v));
  return {{"bufferView", views.size() - 1}};
}

int GlbBuffer::add(Json accessor) {
  accessors.push_back(std::move(accessor));
  return static_cast<int>(accessors.size()) - 1;
}

std::string GlbBuffer::container(std::string json_chunk) const {
  json_chunk.resize((json_chunk.size() + 3) / 4 * 4, ' ');
  std::string out;
  const auto word = [&out](std::size_t value) {
    const auto w = static_cast<std::uint32_t>(value);
    char raw[4];
    std::memcpy(raw, &w, 4);
    out.append(raw, 4);
  };
  const std::size_t binary = bytes.empty() ? 0 : 8 + bytes.size();
  word(0x46546C67), word(2), word(12 + 8 + json_chunk.size() + binary);
  word(json_chunk.size()), word(0x4E4F534A);
  out += json_chunk;
  if (binary > 0) {
    word(bytes.size()), word(0x004E4942);
    out += bytes;
  }
  return out;
}

double linear_light(double s) {
  s = s > 0 ? std::min(s, 1.0) : 0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

}  // namespace molejo

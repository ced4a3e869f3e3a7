#include "molejo/io/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "molejo/io/meshopt.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t max_buffer_bytes = std::size_t{256} << 20;

std::string decode_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n' || c == '\r' || c == ' ') continue;
    const int v = c >= 'A' && c <= 'Z'   ? c - 'A'
                  : c >= 'a' && c <= 'z' ? c - 'a' + 26
                  : c >= '0' && c <= '9' ? c - '0' + 52
                  : c == '+' || c == '-' ? 62
                  : c == '/' || c == '_' ? 63
                                         : -1;
    if (v < 0) throw InputError("a data: address that is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(v);
    if (++count == 4) {
      for (const int shift : {16, 8, 0}) out.push_back(static_cast<char>(bits >> shift & 255u));
      count = 0, bits = 0;
    }
  }
  if (count >= 2) out.push_back(static_cast<char>(bits >> (count == 2 ? 4 : 10) & 255u));
  if (count == 3) out.push_back(static_cast<char>(bits >> 2 & 255u));
  return out;
}

int hex(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

std::string percent_decoded(const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && hex(uri[i + 1]) >= 0 && hex(uri[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex(uri[i + 1]) * 16 + hex(uri[i + 2])));
      i += 2;
    } else {
      out.push_back(uri[i]);
    }
  }
  return out;
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t w = 0;
  std::memcpy(&w, bytes.data() + at, 4);  // little-endian, as we are
  return w;
}

std::size_t component_bytes(int type) {
  switch (type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

template <class T>
double component(const char* p) {
  T x{};
  std::memcpy(&x, p, sizeof x);
  return static_cast<double>(x);
}

double component(const char* p, int type) {
  switch (type) {
    case 5120:
      return component<std::int8_t>(p);
    case 5121:
      return component<std::uint8_t>(p);
    case 5122:
      return component<std::int16_t>(p);
    case 5123:
      return component<std::uint16_t>(p);
    case 5125:
      return component<std::uint32_t>(p);
    default:
      return component<float>(p);
  }
}

// glTF 2.0, section 3.11: f = c / most, and no less than -1.
double normalised(double x, int type) {
  switch (type) {
    case 5120:
      return std::max(x / 127, -1.0);
    case 5121:
      return x / 255;
    case 5122:
      return std::max(x / 32767, -1.0);
    case 5123:
      return x / 65535;
    case 5125:
      return x / 4294967295.0;
    default:
      return x;
  }
}

}  // namespace

std::string Gltf::fetch(const std::string& uri) const {
  if (uri.rfind("data:", 0) == 0) {
    const std::size_t comma = uri.find(',');
    if (comma == std::string::npos || comma < 12 || uri.compare(comma - 7, 7, ";base64") != 0) {
      throw InputError("a data: address without ';base64,'");
    }
    return decode_base64(std::string_view(uri).substr(comma + 1));
  }
  return document_.file.beside(percent_decoded(uri)).read(max_buffer_bytes);
}

Gltf::Gltf(std::string_view bytes, const SourceFile& file) : document_{file, {}} {
  read_container(bytes);
  expect_object(root());
  const JsonValue* asset = root().find("asset");
  const std::string version =
      asset && asset->is(JsonValue::Kind::object) ? text(*asset, "version") : std::string();
  if (version.rfind("2.", 0) != 0 && version != "2") {
    fail(asset ? *asset : root(), version.empty()
                                      ? "no asset.version: expected a glTF file of version 2"
                                      : "version '" + version.substr(0, 20) + "': expected 2.0");
  }
}

void Gltf::read_container(std::string_view bytes) {
  const SourceFile source = document_.file;
  const std::string& file = source.name();
  if (bytes.substr(0, 4) != "glTF") {
    if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
    document_ = parse_json(bytes, source);
    return;
  }
  if (bytes.size() < 20) throw InputError(file + ": a GLB file that ends in its header");
  if (word_at(bytes, 4) != 2) {
    throw InputError(fmt::format("{}: GLB version {}: expected 2", file, word_at(bytes, 4)));
  }
  std::size_t at = 12;
  bool have_json = false;
  while (at + 8 <= bytes.size()) {
    const std::size_t length = word_at(bytes, at);
    const std::uint32_t kind = word_at(bytes, at + 4);
    at += 8;
    if (length > bytes.size() - at) {
      throw InputError(fmt::format("{}: a chunk of {} bytes where {} are left", file, length,
                                   bytes.size() - at));
    }
    const std::string_view chunk = bytes.substr(at, length);
    if (kind == 0x4E4F534A && !have_json) {
      // some writers pad with zeros
      const std::size_t end = chunk.find_last_not_of(std::string_view("\0 ", 2));
      document_ = parse_json(chunk.substr(0, end == std::string_view::npos ? 0 : end + 1), source);
      have_json = true;
    } else if (kind == 0x004E4942 && !binary_) {
      binary_ = std::string(chunk);
    }
    at += length;
    at = std::min((at + 3) / 4 * 4, bytes.size());
  }
  if (!have_json) throw InputError(file + ": a GLB file without a JSON chunk");
}

const std::vector<JsonValue>& Gltf::list(const JsonValue& object, std::string_view key) const {
  static const std::vector<JsonValue> none;
  const JsonValue* value = object.find(key);
  if (!value) return none;
  if (!value->is(JsonValue::Kind::array)) fail(*value, "expected an array");
  if (value->items.size() > max_items) {
    fail(*value, fmt::format("{} items: expected at most {}", value->items.size(), max_items));
  }
  return value->items;
}

void Gltf::expect_object(const JsonValue& value) const {
  if (!value.is(JsonValue::Kind::object)) fail(value, "expected an object");
}

int Gltf::as_index(const JsonValue& value, std::size_t count) const {
  if (!value.is(JsonValue::Kind::number)) fail(value, "expected a number");
  const double x = value.number;
  if (!(x >= 0 && x < static_cast<double>(count)) || x != std::floor(x)) {
    fail(value, count == 0 ? "there is nothing that it could name"
                           : fmt::format("expected a whole number from 0 to {}", count - 1));
  }
  return static_cast<int>(x);
}

std::optional<int> Gltf::index(const JsonValue& object, std::string_view key,
                               std::size_t count) const {
  const JsonValue* value = object.find(key);
  if (!value) return {};
  return as_index(*value, count);
}

int Gltf::need_index(const JsonValue& object, std::string_view key, std::size_t count) const {
  const std::optional<int> value = index(object, key, count);
  if (!value) fail(object, fmt::format("'{}' is missing", key));
  return *value;
}

std::size_t Gltf::size(const JsonValue& object, std::string_view key, std::size_t otherwise) const {
  const JsonValue* value = object.find(key);
  if (!value) return otherwise;
  return static_cast<std::size_t>(as_index(*value, std::size_t{1} << 31));
}

std::string Gltf::text(const JsonValue& object, std::string_view key) const {
  const JsonValue* value = object.find(key);
  if (!value) return {};
  if (!value->is(JsonValue::Kind::string)) fail(*value, "expected a string");
  return value->text;
}

std::optional<std::vector<double>> Gltf::numbers(const JsonValue& object, std::string_view key,
                                                 std::size_t count) const {
  const JsonValue* value = object.find(key);
  if (!value) return {};
  if (!value->is(JsonValue::Kind::array) || value->items.size() != count) {
    fail(*value, fmt::format("expected an array of {} numbers", count));
  }
  std::vector<double> result;
  for (const JsonValue& item : value->items) {
    // beyond this not even the square is finite
    if (!item.is(JsonValue::Kind::number) || !(std::fabs(item.number) < 1e30)) {
      fail(item, "expected a number below 1e30");
    }
    result.push_back(item.number);
  }
  return result;
}

bool Gltf::uses(const std::string& extension) const {
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
    for (const JsonValue& item : list(key)) {
      if (item.text == extension) return true;
    }
  }
  return false;
}

std::string_view Gltf::buffer(int index) {
  const auto found = buffers_.find(index);
  if (found != buffers_.end()) return found->second;
  const JsonValue& json = list("buffers")[static_cast<std::size_t>(index)];
  expect_object(json);
  const std::string uri = text(json, "uri");
  std::string bytes;
  if (uri.empty()) {
    if (index != 0 || !binary_) fail(json, "a buffer without 'uri' and without a binary chunk");
    bytes = std::move(*binary_);
    binary_.emplace();
  } else {
    try {
      bytes = fetch(uri);
    } catch (const InputError& error) {
      fail(json, error.what());
    }
  }
  const std::size_t length = size(json, "byteLength", bytes.size());
  if (length > bytes.size()) {
    fail(json, fmt::format("byteLength {}: only {} bytes are there", length, bytes.size()));
  }
  return buffers_.emplace(index, std::move(bytes)).first->second;
}

std::string_view Gltf::meshopt(const JsonValue& extension, int index) {
  const auto found = unpacked_.find(index);
  if (found != unpacked_.end()) return found->second;
  expect_object(extension);
  const std::string_view source = buffer(need_index(extension, "buffer", list("buffers").size()));
  const std::size_t offset = size(extension, "byteOffset", 0);
  const std::size_t length = size(extension, "byteLength", 0);
  const std::size_t stride = size(extension, "byteStride", 0), count = size(extension, "count", 0);
  if (offset > source.size() || length > source.size() - offset) {
    fail(extension, "reaches beyond its buffer");
  }
  if (stride == 0 || stride > 256 || count > max_buffer_bytes / stride ||
      unpacked_bytes_ + count * stride > max_buffer_bytes) {
    fail(extension, fmt::format("{} elements of {} bytes: more than are unpacked", count, stride));
  }
  const std::string mode = text(extension, "mode"), filter = text(extension, "filter");
  const std::string modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
  const std::string filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  const auto m = std::find(std::begin(modes), std::end(modes), mode) - std::begin(modes);
  const auto f = filter.empty() ? 0
                                : std::find(std::begin(filters), std::end(filters), filter) -
                                      std::begin(filters);
  if (m == 3) fail(extension, unknown_word("mode", mode, modes));
  if (f == 4) fail(extension, unknown_word("filter", filter, filters));
  unpacked_bytes_ += count * stride;
  try {
    std::string bytes = decode_meshopt(source.substr(offset, length), count, stride,
                                       static_cast<MeshoptMode>(m), static_cast<MeshoptFilter>(f));
    return unpacked_.emplace(index, std::move(bytes)).first->second;
  } catch (const InputError& error) {
    fail(extension, error.what());
  }
}

std::string_view Gltf::view(int index) {
  const JsonValue& json = list("bufferViews")[static_cast<std::size_t>(index)];
  expect_object(json);
  if (const JsonValue* extensions = json.find("extensions")) {
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
      if (const JsonValue* e = extensions->find(name)) return meshopt(*e, index);
    }
  }
  const std::string_view source = buffer(need_index(json, "buffer", list("buffers").size()));
  const std::size_t offset = size(json, "byteOffset", 0), length = size(json, "byteLength", 0);
  if (offset > source.size() || length > source.size() - offset) {
    fail(json,
         fmt::format("{} bytes from {} on: its buffer has {}", length, offset, source.size()));
  }
  return source.substr(offset, length);
}

Gltf::Layout Gltf::layout(const JsonValue& json) const {
  Layout l;
  l.type = static_cast<int>(size(json, "componentType", 0));
  l.component = component_bytes(l.type);
  if (l.component == 0) fail(json, "unknown componentType");
  const std::string type = text(json, "type");
  const std::string types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};
  const auto t = std::find(std::begin(types), std::end(types), type) - std::begin(types);
  if (t == 5) fail(json, unknown_word("type", type, types));
  l.width = t == 4 ? 16 : static_cast<std::size_t>(t) + 1;
  l.count = size(json, "count", 0);
  l.offset = size(json, "byteOffset", 0);
  l.stride = l.component * l.width;
  const JsonValue* flag = json.find("normalized");
  l.normalised = flag && flag->boolean;
  return l;
}

void Gltf::unpack(const JsonValue& where, std::string_view bytes, const Layout& l,
                  std::vector<double>& out) const {
  const std::size_t element = l.component * l.width;
  const std::size_t needed = l.count == 0 ? 0 : (l.count - 1) * l.stride + element;
  if (l.offset > bytes.size() || needed > bytes.size() - l.offset) {
    fail(where, fmt::format("{} elements of {} bytes reach beyond the {} bytes of their view",
                            l.count, l.stride, bytes.size()));
  }
  for (std::size_t i = 0; i < l.count; ++i) {
    check_interrupt();
    const char* p = bytes.data() + l.offset + i * l.stride;
    for (std::size_t k = 0; k < l.width; ++k) {
      const double x = component(p + k * l.component, l.type);
      out[i * l.width + k] = l.normalised ? normalised(x, l.type) : x;
    }
  }
}

void Gltf::apply_sparse(const JsonValue& sparse, const Layout& l, std::vector<double>& out) {
  expect_object(sparse);
  const JsonValue* indices = sparse.find("indices");
  const JsonValue* values = sparse.find("values");
  if (!indices || !values) fail(sparse, "'indices' or 'values' is missing");
  expect_object(*indices), expect_object(*values);
  Layout places;
  places.count = size(sparse, "count", 0);
  if (places.count > l.count) fail(sparse, "more elements than the accessor has");
  places.type = static_cast<int>(size(*indices, "componentType", 0));
  places.component = component_bytes(places.type);
  // unsigned ones: a place below zero would be written in front of the numbers
  if (places.type != 5121 && places.type != 5123 && places.type != 5125) {
    fail(*indices, fmt::format("componentType {}; expected 5121, 5123 or 5125", places.type));
  }
  places.width = 1, places.stride = places.component;
  places.offset = size(*indices, "byteOffset", 0);
  const std::size_t views = list("bufferViews").size();
  std::vector<double> at(places.count), replaced(places.count * l.width);
  unpack(*indices, view(need_index(*indices, "bufferView", views)), places, at);
  Layout packed = l;
  packed.count = places.count, packed.stride = l.component * l.width;
  packed.offset = size(*values, "byteOffset", 0);
  unpack(*values, view(need_index(*values, "bufferView", views)), packed, replaced);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!(at[i] < static_cast<double>(l.count))) fail(*indices, "an index beyond the accessor");
    const auto to = static_cast<std::size_t>(at[i]);
    std::copy_n(replaced.begin() + static_cast<std::ptrdiff_t>(i * l.width), l.width,
                out.begin() + static_cast<std::ptrdiff_t>(to * l.width));
  }
}

Gltf::Numbers Gltf::accessor(int index, int width) {
  check_interrupt();
  const JsonValue& json = list("accessors")[static_cast<std::size_t>(index)];
  expect_object(json);
  Layout l = layout(json);
  if (width != 0 && l.width != static_cast<std::size_t>(width)) {
    fail(json, fmt::format("expected elements of {} numbers, not {}", width, l.width));
  }
  if (l.count > max_numbers || numbers_ + l.count * l.width > max_numbers) {
    fail(json, fmt::format("count {}: more numbers than are read from one file ({})", l.count,
                           max_numbers));
  }
  numbers_ += l.count * l.width;
  Numbers result;
  result.width = static_cast<int>(l.width);
  result.count = l.count;
  result.whole = l.type != 5126 && !l.normalised;
  const std::optional<int> v = this->index(json, "bufferView", list("bufferViews").size());
  // what is there is checked before memory is asked for
  std::string_view bytes;
  if (v) {
    const JsonValue& view_json = list("bufferViews")[static_cast<std::size_t>(*v)];
    bytes = view(*v);
    const std::size_t stride = size(view_json, "byteStride", 0);
    if (stride != 0) {
      if (stride < l.stride || stride > 256) fail(view_json, "a byteStride that does not fit");
      l.stride = stride;
    }
    if (l.count > bytes.size()) {
      fail(json, fmt::format("count {}: its view has {} bytes", l.count, bytes.size()));
    }
  }
  result.values.assign(l.count * l.width, 0);
  if (v) unpack(json, bytes, l, result.values);
  l.stride = l.component * l.width;
  if (const JsonValue* sparse = json.find("sparse")) apply_sparse(*sparse, l, result.values);
  return result;
}

}  // namespace molejo

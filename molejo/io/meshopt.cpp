#include "molejo/io/meshopt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using Byte = std::uint8_t;

[[noreturn]] void broken(const char* what) {
  throw InputError(std::string("broken meshopt data: ") + what);
}

// Bytes from front to back; reading beyond the end is refused.
class ByteReader {
 public:
  explicit ByteReader(std::string_view data) : data_(data) {}
  Byte next() {
    if (at_ >= data_.size()) broken("it ends too early");
    return static_cast<Byte>(data_[at_++]);
  }
  std::size_t left() const { return data_.size() - at_; }
  std::string_view take(std::size_t n) {
    if (n > left()) broken("it ends too early");
    at_ += n;
    return data_.substr(at_ - n, n);
  }
  // Seven bits a byte, the lowest first.
  std::uint32_t variable() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const Byte b = next();
      value |= static_cast<std::uint32_t>(b & 127u) << std::min(shift, 31u);
      if (b < 128) return value;
    }
    broken("a number is too long");
  }

 private:
  std::string_view data_;
  std::size_t at_ = 0;
};

constexpr std::size_t group_size = 16;

// Sixteen deltas of one byte of the elements, packed in 0, 2, 4 or 8 bits each.
void read_group(ByteReader& in, unsigned kind, Byte* out) {
  if (kind == 0) {
    std::fill_n(out, group_size, Byte{0});
    return;
  }
  const unsigned bits = kind == 1 ? 2 : kind == 2 ? 4 : 8;
  const std::string_view packed = in.take(group_size * bits / 8);
  const unsigned per_byte = 8 / bits, escape = (1u << bits) - 1;
  for (std::size_t i = 0; i < group_size; ++i) {
    const unsigned byte = static_cast<Byte>(packed[i / per_byte]);
    const unsigned shift = 8 - bits * static_cast<unsigned>(i % per_byte + 1);
    const unsigned value = byte >> shift & escape;
    out[i] = static_cast<Byte>(value);
    // values too large for their bits follow, in order
    if (bits < 8 && value == escape) out[i] = in.next();
  }
}

void decode_attributes(std::string_view data, std::size_t count, std::size_t stride,
                       std::string& out) {
  if (stride == 0 || stride > 256 || stride % 4 != 0) broken("a stride that is no multiple of 4");
  const std::size_t tail = std::max<std::size_t>(stride, 32);
  if (data.size() < 1 + tail || static_cast<Byte>(data[0]) != 0xa0) broken("unknown header");
  std::string last(data.substr(data.size() - stride));
  ByteReader in(data.substr(1, data.size() - 1 - tail));
  const std::size_t block = std::min<std::size_t>(8192 / stride / group_size * group_size, 256);
  std::array<Byte, 256> deltas{};
  for (std::size_t first = 0; first < count; first += block) {
    check_interrupt();
    const std::size_t n = std::min(block, count - first),
                      groups = (n + group_size - 1) / group_size;
    for (std::size_t k = 0; k < stride; ++k) {
      const std::string_view kinds = in.take((groups + 3) / 4);
      for (std::size_t g = 0; g < groups; ++g) {
        read_group(in, static_cast<Byte>(kinds[g / 4]) >> (g % 4 * 2) & 3u,
                   deltas.data() + g * group_size);
      }
      auto value = static_cast<Byte>(last[k]);
      for (std::size_t i = 0; i < n; ++i) {
        const unsigned d = deltas[i];
        value = static_cast<Byte>(value + ((d & 1u) != 0 ? ~(d >> 1) : d >> 1));
        out[(first + i) * stride + k] = static_cast<char>(value);
      }
      last[k] = static_cast<char>(value);
    }
  }
}

void put_index(std::string& out, std::size_t i, std::size_t stride, std::uint32_t index) {
  std::memcpy(out.data() + i * stride, &index, stride);  // little-endian
}

// Vertices and edges seen last.
class TriangleReader {
 public:
  TriangleReader(ByteReader codes, ByteReader data, std::string_view table, bool first_version)
      : codes_(codes), data_(data), table_(table), most_(first_version ? 15 : 13) {}

  std::array<std::uint32_t, 3> next() {
    const unsigned code = codes_.next();
    return code < 0xf0 ? beside_edge(code) : alone(code);
  }

 private:
  void push_vertex(std::uint32_t v) { vertices_[vertex_++ & 15u] = v; }
  void push_edge(std::uint32_t a, std::uint32_t b) { edges_[edge_++ & 15u] = {a, b}; }
  std::uint32_t vertex(unsigned back) const { return vertices_[(vertex_ - back) & 15u]; }
  std::uint32_t free_index() {
    const std::uint32_t v = data_.variable();
    return last_ += (v >> 1) ^ (0u - (v & 1u));
  }

  std::array<std::uint32_t, 3> beside_edge(unsigned code) {
    const auto [a, b] = edges_[(edge_ - 1 - (code >> 4)) & 15u];
    const unsigned how = code & 15u;
    std::uint32_t c = 0;
    if (how < most_) {
      c = how == 0 ? next_++ : vertex(1 + how);
      if (how == 0) push_vertex(c);
    } else {
      // 13 and 14: one before and one behind the last free index
      c = how == 15 ? free_index() : last_ += how == 13 ? 0xffffffffu : 1u;
      push_vertex(c);
    }
    push_edge(c, b), push_edge(a, c);
    return {a, b, c};
  }

  std::array<std::uint32_t, 3> alone(unsigned code) {
    const bool from_table = code < 0xfe;
    const unsigned aux = from_table ? static_cast<Byte>(table_[code & 15u]) : data_.next();
    if (!from_table && aux == 0) next_ = 0;
    const unsigned how_b = aux >> 4, how_c = aux & 15u;
    const bool free_b = !from_table && how_b == 15, free_c = !from_table && how_c == 15;
    std::uint32_t a = code == 0xff ? 0 : next_++;
    std::uint32_t b = how_b == 0 ? next_++ : vertex(how_b);
    std::uint32_t c = how_c == 0 ? next_++ : vertex(how_c);
    if (code == 0xff) a = free_index();
    if (free_b) b = free_index();
    if (free_c) c = free_index();
    push_vertex(a);
    if (how_b == 0 || free_b) push_vertex(b);
    if (how_c == 0 || free_c) push_vertex(c);
    push_edge(b, a), push_edge(c, b), push_edge(a, c);
    return {a, b, c};
  }

  ByteReader codes_, data_;
  std::string_view table_;
  unsigned most_;
  std::array<std::uint32_t, 16> vertices_{};
  std::array<std::array<std::uint32_t, 2>, 16> edges_{};
  unsigned vertex_ = 0, edge_ = 0;
  std::uint32_t next_ = 0, last_ = 0;
};

void decode_triangles(std::string_view data, std::size_t count, std::size_t stride,
                      std::string& out) {
  constexpr std::size_t table = 16;
  if (count % 3 != 0 || (stride != 2 && stride != 4)) broken("no triangles of 2 or 4 bytes");
  if (data.size() < 1 + count / 3 + table) broken("it ends too early");
  const unsigned header = static_cast<Byte>(data[0]);
  if (header != 0xe0 && header != 0xe1) broken("unknown header");
  TriangleReader reader(ByteReader(data.substr(1, count / 3)),
                        ByteReader(data.substr(1 + count / 3, data.size() - 1 - count / 3 - table)),
                        data.substr(data.size() - table), header == 0xe0);
  for (std::size_t i = 0; i < count; i += 3) {
    check_interrupt();
    const std::array<std::uint32_t, 3> t = reader.next();
    for (std::size_t k = 0; k < 3; ++k) put_index(out, i + k, stride, t[k]);
  }
}

void decode_indices(std::string_view data, std::size_t count, std::size_t stride,
                    std::string& out) {
  constexpr std::size_t tail = 4;
  if (stride != 2 && stride != 4) broken("no indices of 2 or 4 bytes");
  if (data.size() < 1 + tail) broken("it ends too early");
  const unsigned header = static_cast<Byte>(data[0]);
  if (header != 0xd0 && header != 0xd1) broken("unknown header");
  ByteReader in(data.substr(1));
  std::array<std::uint32_t, 2> last{};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t v = in.variable();
    std::uint32_t& of = last[v & 1u];
    v >>= 1;
    of += (v >> 1) ^ (0u - (v & 1u));
    put_index(out, i, stride, of);
  }
}

template <class Int>
Int rounded(double x) {
  return static_cast<Int>(x >= 0 ? x + 0.5 : x - 0.5);
}

// Unit vectors folded onto an octahedron.
template <class Int>
void filter_octahedral(std::string& out, std::size_t count) {
  const double most = sizeof(Int) == 1 ? 127 : 32767;
  for (std::size_t i = 0; i < count; ++i) {
    Int v[4];
    std::memcpy(v, out.data() + i * sizeof v, sizeof v);
    double x = v[0], y = v[1];
    const double z = v[2] - std::fabs(x) - std::fabs(y), t = std::min(z, 0.0);
    x += x >= 0 ? t : -t, y += y >= 0 ? t : -t;
    const double length = std::sqrt(x * x + y * y + z * z), s = length > 0 ? most / length : 0;
    v[0] = rounded<Int>(x * s), v[1] = rounded<Int>(y * s), v[2] = rounded<Int>(z * s);
    std::memcpy(out.data() + i * sizeof v, v, sizeof v);
  }
}

// The three smaller components of a unit quaternion.
void filter_quaternion(std::string& out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::int16_t v[4];
    std::memcpy(v, out.data() + i * sizeof v, sizeof v);
    const double s = std::sqrt(0.5) / (v[3] | 3);
    const double x = v[0] * s, y = v[1] * s, z = v[2] * s;
    const double w = std::sqrt(std::max(0.0, 1 - x * x - y * y - z * z));
    const unsigned largest = static_cast<unsigned>(v[3]) & 3u;
    const double parts[4] = {w, x, y, z};
    for (unsigned k = 0; k < 4; ++k) {
      v[(largest + k) & 3u] =
          rounded<std::int16_t>(std::clamp(parts[k] * 32767, -32767.0, 32767.0));
    }
    std::memcpy(out.data() + i * sizeof v, v, sizeof v);
  }
}

void filter_exponential(std::string& out) {
  for (std::size_t i = 0; i + 4 <= out.size(); i += 4) {
    std::uint32_t v = 0;
    std::memcpy(&v, out.data() + i, 4);
    const auto mantissa = static_cast<std::int32_t>(v << 8) >> 8;
    const auto exponent = static_cast<std::int32_t>(v) >> 24;
    const float x = std::ldexp(static_cast<float>(mantissa), exponent);
    std::memcpy(out.data() + i, &x, 4);
  }
}

}  // namespace

std::string decode_meshopt(std::string_view data, std::size_t count, std::size_t stride,
                           MeshoptMode mode, MeshoptFilter filter) {
  std::string out(count * stride, '\0');
  switch (mode) {
    case MeshoptMode::attributes:
      decode_attributes(data, count, stride, out);
      break;
    case MeshoptMode::triangles:
      decode_triangles(data, count, stride, out);
      break;
    case MeshoptMode::indices:
      decode_indices(data, count, stride, out);
      break;
  }
  switch (filter) {
    case MeshoptFilter::none:
      break;
    case MeshoptFilter::octahedral:
      if (stride != 4 && stride != 8) broken("an octahedral filter needs 4 or 8 bytes");
      if (stride == 4) filter_octahedral<std::int8_t>(out, count);
      if (stride == 8) filter_octahedral<std::int16_t>(out, count);
      break;
    case MeshoptFilter::quaternion:
      if (stride != 8) broken("a quaternion filter needs 8 bytes");
      filter_quaternion(out, count);
      break;
    case MeshoptFilter::exponential:
      filter_exponential(out);
      break;
  }
  return out;
}

}  // namespace molejo

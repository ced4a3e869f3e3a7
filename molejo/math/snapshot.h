// All that something goes on from, as bytes. Saved, sent to another thread or machine and restored,
// it goes on to the last bit.
//
// A type lists its numbers once, in order:
//
//   template <class Archive>
//   void visit(Archive& a, Seen<Archive, Push>& p) { a(p.body.index, p.force, p.until); }
//
// A SnapshotWriter appends them to a Snapshot, a SnapshotReader fills them in again. What can be
// saved as a whole has `save(SnapshotWriter&) const` and `restore(SnapshotReader&)`.
//
// A reader trusts nothing: it bounds lengths before it asks for memory, and refuses numbers that
// are not finite, indices out of range and bytes that are left over, in one line.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "molejo/math/matrix.h"
#include "molejo/math/rotation.h"

namespace molejo {

// Letters of one message in a snapshot, at most.
inline constexpr std::size_t most_line = 10'000;

// A snapshot that cannot be used: one line, without the name of a file.
struct SnapshotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class SnapshotKind : std::uint32_t { world, run, net, show, gait, stage };
std::string_view to_string(SnapshotKind kind);

// To save into one that was used before allocates nothing unless it has to grow.
struct Snapshot {
  SnapshotKind kind = SnapshotKind::world;
  std::uint64_t of = 0;  // fingerprint of what it was taken of
  std::vector<std::uint8_t> bytes;
  bool operator==(const Snapshot&) const = default;
};

// As a file: a line that names format and version, the head, the bytes, a checksum. Little-endian.
std::string snapshot_text(const Snapshot& snapshot);
// Throws SnapshotError: another format or version, a wrong length or checksum.
Snapshot parse_snapshot(std::string_view text);

// 64-bit FNV-1a.
std::uint64_t fingerprint(std::span<const std::uint8_t> bytes);
// One of several, in their order.
std::uint64_t fingerprint(std::initializer_list<std::uint64_t> several);
std::uint64_t fingerprint_of(std::string_view text);
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

// What an archive sees of a T.
template <class Archive, class T>
using Seen = std::conditional_t<Archive::reads, T, const T>;

// Is it a unit quaternion, a rotation, a unit vector, up to rounding?
bool is_unit(const Quat& q);
bool is_unit(const Vec3& v);
bool is_rotation(const Mat3& R);

class SnapshotWriter {
 public:
  static constexpr bool reads = false;
  SnapshotWriter(SnapshotKind kind, std::uint64_t of, Snapshot& snapshot) : bytes_(snapshot.bytes) {
    snapshot.kind = kind;
    snapshot.of = of;
    bytes_.clear();
  }

  template <class... T>
  void operator()(const T&... x) {
    (put(x), ...);
  }
  // Those of the same name of a SnapshotReader.
  void part(const char*) {}
  void require(bool, const char*) {}
  template <class T>
  void list(const std::vector<T>& list, std::size_t) {
    put(static_cast<std::uint64_t>(list.size()));
    for (const T& x : list) put(x);
  }
  void text(const std::string& text, std::size_t) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  template <std::integral T>
  void within(T x, T, T, const char*) {
    put(x);
  }
  void index(int i, std::size_t, const char*) { put(i); }
  void any(double x) { put(x); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class T>
  void put(const T& x) {
    if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(x));
    } else if constexpr (std::is_same_v<T, double>) {
      put(std::bit_cast<std::uint64_t>(x));
    } else if constexpr (std::is_same_v<T, bool>) {
      put(static_cast<std::uint8_t>(x));
    } else if constexpr (std::is_integral_v<T>) {
      std::uint8_t word[sizeof(T)];
      const auto bits = static_cast<std::make_unsigned_t<T>>(x);
      for (std::size_t i = 0; i < sizeof(T); ++i)
        word[i] = static_cast<std::uint8_t>(bits >> 8 * i);
      append(word, sizeof word);
    } else {
      visit(*this, x);
    }
  }

  std::vector<std::uint8_t>& bytes_;
};

class SnapshotReader {
 public:
  static constexpr bool reads = true;
  // The snapshot must outlive it. Throws SnapshotError when it is of something else.
  SnapshotReader(const Snapshot& snapshot, SnapshotKind kind, std::uint64_t of);

  template <class... T>
  void operator()(T&... x) {
    (take(x), ...);
  }
  // What comes now, for errors.
  void part(const char* name) { part_ = name; }
  // Throws: "snapshot: <part>: expected <what>".
  void require(bool holds, const char* expected) const {
    if (!holds) refuse(std::string("expected ") + expected);
  }
  // A list of any length up to `most`.
  template <class T>
  void list(std::vector<T>& list, std::size_t most) {
    list.clear();
    const std::size_t count = length(most);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        bool x = false;
        take(x);
        list.push_back(x);
      } else {
        take(list.emplace_back());
      }
    }
  }
  void text(std::string& text, std::size_t most);
  // From `least` to `most`.
  template <std::integral T>
  void within(T& x, T least, T most, const char* name) {
    take(x);
    if (x < least || x > most) {
      refuse(std::string(name) + " " + std::to_string(x) + ": expected " + std::to_string(least) +
             " to " + std::to_string(most));
    }
  }
  // From 0 to count - 1.
  void index(int& i, std::size_t count, const char* name) {
    take(i);
    if (i < 0 || static_cast<std::size_t>(i) >= count) {
      refuse(std::string(name) + " " + std::to_string(i) + " of " + std::to_string(count));
    }
  }
  // A number that may be infinite or none at all.
  void any(double& x) { x = std::bit_cast<double>(word<std::uint64_t>()); }
  // All bytes must have been read.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& text) const;
  const std::uint8_t* next(std::size_t size) {
    if (size > left_.size()) refuse("it ends too early");
    const std::uint8_t* at = left_.data();
    left_ = left_.subspan(size);
    return at;
  }
  template <class T>
  T word() {
    const std::uint8_t* at = next(sizeof(T));
    T x = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      x = static_cast<T>(x | static_cast<T>(T{at[i]} << 8 * i));
    return x;
  }
  // No more than there are bytes left: every item has one at least.
  std::size_t length(std::size_t most);

  template <class T>
  void take(T& x) {
    if constexpr (std::is_same_v<T, double>) {
      any(x);
      if (!std::isfinite(x)) refuse("expected finite numbers");
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto bit = word<std::uint8_t>();
      if (bit > 1) refuse("expected 0 or 1");
      x = bit == 1;
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(word<std::make_unsigned_t<T>>());
    } else {
      static_assert(!std::is_enum_v<T>, "enums are bounded: take_enum");
      visit(*this, x);
    }
  }

  std::span<const std::uint8_t> left_;
  const char* part_ = "head";
};

// An enum whose last value is given.
template <class Archive, class E>
void visit_enum(Archive& a, E& x, std::remove_const_t<E> last, const char* name) {
  auto number = static_cast<int>(x);
  a.within(number, 0, static_cast<int>(last), name);
  if constexpr (Archive::reads) x = static_cast<E>(number);
}

// A list whose items are visited by f(item).
template <class Archive, class List, class Visit>
void visit_list(Archive& a, List& list, std::size_t most, Visit&& visit_item) {
  std::uint64_t count = list.size();
  a.within(count, std::uint64_t{0}, static_cast<std::uint64_t>(most), "a list of");
  if constexpr (Archive::reads) {
    list.clear();
    // one after the other: bytes that are missing end it before memory is asked for
    for (std::uint64_t i = 0; i < count; ++i) visit_item(list.emplace_back());
  } else {
    for (auto& item : list) visit_item(item);
  }
}

// The same of a map, by f(key, value).
template <class Archive, class Map, class Visit>
void visit_map(Archive& a, Map& map, std::size_t most, Visit&& visit_item) {
  std::uint64_t count = map.size();
  a.within(count, std::uint64_t{0}, static_cast<std::uint64_t>(most), "a map of");
  if constexpr (Archive::reads) {
    map.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      typename Map::key_type key{};
      typename Map::mapped_type value{};
      visit_item(key, value);
      map.emplace(std::move(key), std::move(value));
    }
  } else {
    for (auto& [key, value] : map) visit_item(key, value);
  }
}

// Vectors, arrays and lists have as many numbers as are there already.
template <class Archive, class V>
requires std::same_as<std::remove_const_t<V>, VecX>
void visit(Archive& a, V& v) {
  for (Eigen::Index i = 0; i < v.size(); ++i) a(v[i]);
}
template <class Archive, class T, std::size_t n>
void visit(Archive& a, const std::array<T, n>& list) requires(!Archive::reads) {
  for (const T& x : list) a(x);
}
template <class Archive, class T, std::size_t n>
void visit(Archive& a, std::array<T, n>& list) requires(Archive::reads) {
  for (T& x : list) a(x);
}
template <class Archive, class T>
void visit(Archive& a, const std::vector<T>& list) requires(!Archive::reads) {
  for (const T& x : list) a(x);
}
template <class Archive, class T>
void visit(Archive& a, std::vector<T>& list) requires(Archive::reads) {
  for (T& x : list) a(x);
}
template <class Archive, class T>
void visit(Archive& a, const std::optional<T>& x) requires(!Archive::reads) {
  a(x.has_value());
  if (x) a(*x);
}
template <class Archive, class T>
void visit(Archive& a, std::optional<T>& x) requires(Archive::reads) {
  bool is_there = false;
  a(is_there);
  x.reset();
  if (is_there) a(x.emplace());
}
template <class Archive>
void visit(Archive& a, Seen<Archive, Vec3>& v) {
  a(v.x, v.y, v.z);
}
template <class Archive>
void visit(Archive& a, Seen<Archive, Quat>& q) {
  a(q.w, q.x, q.y, q.z);
}
template <class Archive>
void visit(Archive& a, Seen<Archive, Mat3>& R) {
  a(R.r0, R.r1, R.r2);
}
// A proper rotation.
template <class Archive>
void visit(Archive& a, Seen<Archive, Pose>& X) {
  a(X.R, X.p);
  if constexpr (Archive::reads) a.require(is_rotation(X.R), "a rotation");
}

// Fills `snapshot` with all that the thing goes on from.
template <class T>
void save(const T& thing, Snapshot& snapshot) {
  SnapshotWriter writer(T::snapshot_kind, thing.fingerprint(), snapshot);
  thing.save(writer);
}
// The thing, made from the same file, goes on from there. Throws SnapshotError, and then is as it
// was.
template <class T>
void restore(const Snapshot& snapshot, T& thing) {
  SnapshotReader reader(snapshot, T::snapshot_kind, thing.fingerprint());
  Snapshot before;
  save(thing, before);
  try {
    thing.restore(reader);
    reader.finish();
  } catch (...) {
    SnapshotReader back(before, T::snapshot_kind, before.of);
    thing.restore(back);
    throw;
  }
}

}  // namespace molejo

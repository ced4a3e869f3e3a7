#include "molejo/math/snapshot.h"

namespace molejo {

namespace {

constexpr std::string_view heading = "molejo snapshot ";
constexpr std::string_view version = "2\n";
constexpr std::size_t head_size = sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t);
constexpr std::size_t checksum_size = sizeof(std::uint64_t);

template <class T>
void put(T word, std::string& text) {
  for (std::size_t i = 0; i < sizeof(T); ++i) text += static_cast<char>(word >> 8 * i & 0xff);
}

template <class T>
T take(std::string_view& text) {
  T word = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    word |= static_cast<T>(T{static_cast<std::uint8_t>(text[i])} << 8 * i);
  }
  text.remove_prefix(sizeof(T));
  return word;
}

}  // namespace

std::string_view to_string(SnapshotKind kind) {
  constexpr std::string_view names[] = {"world", "run", "net", "show", "gait", "stage"};
  return names[static_cast<std::size_t>(kind)];
}

std::uint64_t fingerprint(std::span<const std::uint8_t> bytes) {
  std::uint64_t h = 14695981039346656037u;
  for (const std::uint8_t byte : bytes) h = (h ^ byte) * 1099511628211u;
  return h;
}

std::uint64_t fingerprint(std::initializer_list<std::uint64_t> several) {
  std::uint64_t h = 14695981039346656037u;
  for (const std::uint64_t word : several) {
    for (int i = 0; i < 64; i += 8) h = (h ^ (word >> i & 0xff)) * 1099511628211u;
  }
  return h;
}

std::uint64_t fingerprint_of(std::string_view text) {
  return fingerprint({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string snapshot_text(const Snapshot& snapshot) {
  std::string text;
  text.reserve(heading.size() + version.size() + head_size + snapshot.bytes.size() + checksum_size);
  text += heading;
  text += version;
  put(static_cast<std::uint32_t>(snapshot.kind), text);
  put(snapshot.of, text);
  put(static_cast<std::uint64_t>(snapshot.bytes.size()), text);
  text.append(reinterpret_cast<const char*>(snapshot.bytes.data()), snapshot.bytes.size());
  put(fingerprint_of(text), text);
  return text;
}

Snapshot parse_snapshot(std::string_view text) {
  const std::string_view whole = text;
  if (!text.starts_with(heading)) {
    throw SnapshotError("no snapshot: it does not begin with 'molejo snapshot'");
  }
  text.remove_prefix(heading.size());
  if (!text.starts_with(version)) throw SnapshotError("snapshot: of another version, expected 2");
  text.remove_prefix(version.size());
  if (text.size() < head_size + checksum_size) throw SnapshotError("snapshot: it ends too early");
  const auto kind = take<std::uint32_t>(text);
  const auto of = take<std::uint64_t>(text), size = take<std::uint64_t>(text);
  const std::size_t there = text.size() - checksum_size;
  if (size != there) {
    throw SnapshotError("snapshot: " + std::to_string(there) + " bytes, expected " +
                        std::to_string(size));
  }
  std::string_view end = text.substr(there);
  if (take<std::uint64_t>(end) != fingerprint_of(whole.substr(0, whole.size() - checksum_size))) {
    throw SnapshotError("snapshot: its checksum is wrong");
  }
  if (kind > static_cast<std::uint32_t>(SnapshotKind::stage)) {
    throw SnapshotError("snapshot: of an unknown kind " + std::to_string(kind));
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return {static_cast<SnapshotKind>(kind), of, {bytes, bytes + there}};
}

namespace {

constexpr double rounding = 1e-6;

}  // namespace

bool is_unit(const Quat& q) { return std::fabs(squared_norm(q) - 1) < rounding; }
bool is_unit(const Vec3& v) { return std::fabs(dot(v, v) - 1) < rounding; }
bool is_rotation(const Mat3& R) {
  return is_unit(R.r0) && is_unit(R.r1) && max_abs(cross(R.r0, R.r1) - R.r2) < rounding;
}

SnapshotReader::SnapshotReader(const Snapshot& snapshot, SnapshotKind kind, std::uint64_t of)
    : left_(snapshot.bytes) {
  if (snapshot.kind != kind) {
    throw SnapshotError("snapshot: of a " + std::string(to_string(snapshot.kind)) +
                        ", expected one of a " + std::string(to_string(kind)));
  }
  if (snapshot.of != of) {
    throw SnapshotError("snapshot: of another " + std::string(to_string(kind)) +
                        ": its file or its settings differ");
  }
}

void SnapshotReader::refuse(const std::string& text) const {
  throw SnapshotError(std::string("snapshot: ") + part_ + ": " + text);
}

void SnapshotReader::text(std::string& text, std::size_t most) {
  const std::size_t size = length(most);
  text.assign(reinterpret_cast<const char*>(next(size)), size);
}

std::size_t SnapshotReader::length(std::size_t most) {
  const auto count = word<std::uint64_t>();
  if (count > most || count > left_.size()) {
    refuse("a list of " + std::to_string(count) + ", expected at most " +
           std::to_string(std::min<std::size_t>(most, left_.size())));
  }
  return static_cast<std::size_t>(count);
}

void SnapshotReader::finish() const {
  if (!left_.empty()) {
    throw SnapshotError("snapshot: " + std::to_string(left_.size()) + " bytes are left over");
  }
}

}  // namespace molejo

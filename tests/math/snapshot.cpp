#include "molejo/math/snapshot.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// One of everything.
struct Things {
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::world;
  bool flag = false;
  int small = 0;
  std::int64_t large = 0;
  double x = 0, far = 0;
  Vec3 p;
  Pose X;
  VecX v = VecX::Zero(3);
  std::vector<int> fixed = {0, 0};
  std::vector<double> list;
  std::string name;
  std::optional<double> maybe;
  std::array<Quat, 2> turns;

  template <class Archive>
  static void visit_all(Archive& a, Seen<Archive, Things>& t) {
    a.part("things");
    a(t.flag, t.small, t.large, t.x, t.p, t.X, t.v, t.fixed, t.maybe, t.turns);
    a.any(t.far);
    a.list(t.list, 5);
    a.text(t.name, 10);
  }
  std::uint64_t fingerprint() const { return 7; }
  void save(SnapshotWriter& a) const { visit_all(a, *this); }
  void restore(SnapshotReader& a) { visit_all(a, *this); }
};

Things some_things() {
  Things t;
  t.flag = true;
  t.small = -3;
  t.large = -5'000'000'000;
  t.x = -0.0;
  t.far = std::numeric_limits<double>::infinity();
  t.p = {1e-300, 2, 3};
  t.X.p = {4, 5, 6};
  t.X.R = axis_rotation({0, 0, 1}, 0.3);
  t.v << 7, 8, 9;
  t.fixed = {10, -11};
  t.list = {0.1, 0.2};
  t.name = "name";
  t.maybe = 0.5;
  t.turns = {Quat{0, 1, 0, 0}, Quat{}};
  return t;
}

std::string refusal(const Snapshot& snapshot) {
  Things t;
  return error_text<SnapshotError>([&] { restore(snapshot, t); });
}

}  // namespace

TEST_CASE("snapshot: everything comes back to the last bit") {
  Snapshot first, second;
  save(some_things(), first);
  Things t;
  restore(parse_snapshot(snapshot_text(first)), t);
  save(t, second);
  CHECK(first == second);
  CHECK(std::signbit(t.x));
  CHECK(t.name == "name");
  CHECK(t.turns[0].x == 1);
}

TEST_CASE(
    "snapshot: a text of another format, version, length or checksum is refused in one line") {
  Snapshot snapshot;
  save(some_things(), snapshot);
  const std::string text = snapshot_text(snapshot);
  const auto refused = [](const std::string& bad) {
    return error_text<SnapshotError>([&] { parse_snapshot(bad); });
  };
  CHECK(refused("") == "no snapshot: it does not begin with 'molejo snapshot'");
  CHECK(refused("{}").starts_with("no snapshot"));
  std::string other = text;
  other[16] = '1';
  CHECK(refused(other) == "snapshot: of another version, expected 2");
  for (std::size_t size = 18; size < text.size(); ++size) {
    CHECK(refused(text.substr(0, size)).starts_with("snapshot: "));
  }
  CHECK(refused(text + "x").starts_with("snapshot: "));
  for (std::size_t i = 18; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x10);
    CHECK(refused(wrong).starts_with("snapshot: "));
  }
}

TEST_CASE("snapshot: a thing takes no snapshot of another kind or of another thing") {
  Snapshot snapshot;
  save(some_things(), snapshot);
  snapshot.kind = SnapshotKind::net;
  CHECK(refusal(snapshot) == "snapshot: of a net, expected one of a world");
  snapshot.kind = SnapshotKind::world;
  snapshot.of = 8;
  CHECK(refusal(snapshot) == "snapshot: of another world: its file or its settings differ");
}

TEST_CASE("snapshot: a reader refuses what is too long, too short, not finite or no rotation") {
  Snapshot snapshot;
  const auto saved = [&](auto&& change) {
    Things t = some_things();
    change(t);
    save(t, snapshot);
    return refusal(snapshot);
  };
  CHECK(saved([](Things&) {}) == "no error");
  CHECK(saved([](Things& t) { t.list.assign(6, 0); }) ==
        "snapshot: things: a list of 6, expected at most 5");
  CHECK(saved([](Things& t) { t.name = "a long, long name"; }) ==
        "snapshot: things: a list of 17, expected at most 10");
  CHECK(saved([](Things& t) { t.x = std::nan(""); }) ==
        "snapshot: things: expected finite numbers");
  CHECK(saved([](Things& t) { t.X.R.r0 = {2, 0, 0}; }) == "snapshot: things: expected a rotation");
  save(some_things(), snapshot);
  snapshot.bytes[0] = 2;
  CHECK(refusal(snapshot) == "snapshot: things: expected 0 or 1");
  save(some_things(), snapshot);
  snapshot.bytes.push_back(0);
  CHECK(refusal(snapshot) == "snapshot: 1 bytes are left over");
  snapshot.bytes.resize(10);
  CHECK(refusal(snapshot) == "snapshot: things: it ends too early");
}

TEST_CASE("snapshot: a length that no memory could hold is refused before memory is asked for") {
  Snapshot snapshot;
  Things t = some_things();
  t.name.clear();
  t.list.clear();
  save(t, snapshot);
  // the last eight bytes are the length of the name, those before that of the list
  for (std::size_t i = snapshot.bytes.size() - 16; i < snapshot.bytes.size() - 8; ++i) {
    snapshot.bytes[i] = 0xff;
  }
  CHECK(refusal(snapshot).starts_with("snapshot: things: a list of 18446744073709551615"));
}

TEST_CASE("snapshot: what was refused left nothing behind") {
  Snapshot bad, before, after;
  save(some_things(), bad);
  bad.bytes.pop_back();
  Things t;
  t.small = 99;
  save(t, before);
  CHECK_THROWS_AS(restore(bad, t), SnapshotError);
  save(t, after);
  CHECK(before == after);
}

#include "molejo/collision/broad_phase.h"

#include <doctest/doctest.h>

#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

bool overlap(const Aabb& a, const Aabb& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.lower[i] > b.upper[i] || b.lower[i] > a.upper[i]) return false;
  }
  return true;
}

Pairs brute_force(const std::vector<Aabb>& boxes, const std::vector<bool>& moves,
                  const std::vector<bool>& told) {
  Pairs pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if ((moves[i] || moves[j]) && told[i] && told[j] && overlap(boxes[i], boxes[j])) {
        pairs.emplace_back(static_cast<int>(i), static_cast<int>(j));
      }
    }
  }
  return pairs;
}

Aabb around(const Vec3& p, const Vec3& half) { return {p - half, p + half}; }

Vec3 positive(const Vec3& v) { return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}; }

}  // namespace

TEST_CASE("broad phase: 10,000 random steps give the pairs of brute force") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr std::size_t n = 60;
  std::vector<bool> moves(n);
  for (std::size_t i = 0; i < n; ++i) moves[i] = uniform(random) < 0.7;
  std::vector<Aabb> boxes(n);
  std::vector<bool> told(n, false);
  BroadPhase broad_phase(moves);

  std::size_t most = 0;
  for (int step = 0; step < 10000; ++step) {
    // from nothing moves, through creeping, to everything jumps
    const double fraction = std::pow(uniform(random), 3);
    const double stride = std::pow(10.0, -3 + 3 * uniform(random));
    for (std::size_t i = 0; i < n; ++i) {
      if (uniform(random) > fraction) continue;
      const Vec3 half = positive(random_vector(random)) * (i % 10 == 0 ? 1.0 : 0.2);
      if (!told[i] || stride > 0.5) {
        boxes[i] = around(random_vector(random) * 2.0, half);
      } else {
        const Vec3 d = random_vector(random) * stride;
        boxes[i] = {boxes[i].lower + d, boxes[i].upper + d};
      }
      // some reach to the end of the world for a while
      if (uniform(random) < 0.01) boxes[i].lower.z = -1e30;
      if (uniform(random) < 0.002) boxes[i] = around({}, {1e30, 1e30, 1e30});
      told[i] = true;
      broad_phase.update(static_cast<int>(i), boxes[i]);
    }
    const Pairs expected = brute_force(boxes, moves, told);
    most = std::max(most, expected.size());
    REQUIRE(broad_phase.pairs() == expected);
  }
  CHECK(most > 100);
}

TEST_CASE("broad phase: boxes that only touch are a pair, boxes that stay are none") {
  BroadPhase broad_phase({true, false, false});
  broad_phase.update(0, around({0, 0, 0}, {1, 1, 1}));
  broad_phase.update(1, around({2, 0, 0}, {1, 1, 1}));
  broad_phase.update(2, around({2.5, 0, 0}, {1, 1, 1}));
  CHECK(broad_phase.pairs() == Pairs{{0, 1}});
  broad_phase.update(0, around({-1e-9, 0, 0}, {1, 1, 1}));
  CHECK(broad_phase.pairs().empty());
  broad_phase.update(0, around({0.5, 0, 0}, {1, 1, 1}));
  CHECK(broad_phase.pairs() == Pairs{{0, 1}, {0, 2}});
}

TEST_CASE("broad phase: one endless floor meets all that reach it") {
  constexpr int n = 200;
  std::vector<bool> moves(n + 1, true);
  moves[0] = false;
  BroadPhase broad_phase(moves);
  broad_phase.update(0, {{-1e30, -1e30, -1e30}, {1e30, 1e30, 0}});
  Pairs expected;
  for (int i = 1; i <= n; ++i) {
    broad_phase.update(i, around({3.0 * i, 0, 0.01 * i}, {1, 1, 1}));
    if (0.01 * i <= 1) expected.emplace_back(0, i);
  }
  CHECK(broad_phase.pairs() == expected);
}

// A linear policy finds the law behind what it is shown.
#include "molejo/tracking/policy.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/math/random.h"

using namespace molejo;
using namespace molejo::tracking;

namespace {

constexpr std::size_t actions = 3;

// a = a0 + M s, another one for each window
Action law(long window, const Senses& s) {
  Action a{};
  for (std::size_t i = 0; i < actions; ++i) {
    a[i] = 0.01 * static_cast<double>(window + 1) * static_cast<double>(i + 1);
    for (std::size_t k = 0; k < sense_count; ++k) {
      a[i] +=
          0.02 * std::sin(static_cast<double>(window + 1) + static_cast<double>(7 * i + k)) * s[k];
    }
  }
  return a;
}

Senses some(Random& random) {
  Senses s{};
  for (double& x : s) x = random.normal();
  return s;
}

}  // namespace

TEST_CASE("policy: what was done by a linear law is done again, at every tick of its window") {
  constexpr long windows = 3;
  Policy policy(windows * ticks_per_window, true, actions);
  Random random(1);
  for (int n = 0; n < 400; ++n) {
    for (long w = 0; w < windows; ++w) {
      const Senses s = some(random);
      for (int tick = 0; tick < ticks_per_window; ++tick) {
        // as many loops later it is the same tick
        const long loop = n % 5;
        policy.remember((loop * windows + w) * ticks_per_window + tick, tick == 0, s, law(w, s), 1,
                        0);
      }
    }
  }
  policy.fit(1e-6);
  for (int n = 0; n < 20; ++n) {
    const Senses s = some(random);
    for (long tick = 0; tick < 2 * policy.ticks(); ++tick) {
      Action a{};
      policy.act(tick, s, a);
      const Action right = law(tick / ticks_per_window % windows, s);
      for (std::size_t i = 0; i < actions; ++i) {
        CHECK(a[i] == doctest::Approx(std::clamp(right[i], -0.6, 0.6)).epsilon(1e-6).scale(1));
      }
    }
  }
}

TEST_CASE("policy: examples count by their weights, forgotten ones not at all") {
  Policy policy(ticks_per_window, false, 1);
  for (int n = 0; n < 3; ++n) {
    for (int tick = 0; tick < ticks_per_window; ++tick) {
      policy.remember(tick, tick == 0, {}, {0.5}, 1, 0);  // of an old round
      policy.remember(tick, tick == 0, {}, {0.1}, 3, 1);
      policy.remember(tick, tick == 0, {}, {0.3}, 1, 1);
    }
  }
  policy.forget_before(1);
  policy.fit();
  Action a{};
  policy.act(0, {}, a);
  CHECK(a[0] == doctest::Approx((3 * 0.1 + 0.3) / 4));
  // what does not loop stays at its end
  policy.act(1000, {}, a);
  CHECK(a[0] == doctest::Approx(0.15));
}

TEST_CASE("policy: without examples nothing is done, and offsets have a bound") {
  Policy policy(2 * ticks_per_window, true, 2);
  policy.fit();
  Action a{1, 1};
  policy.act(3, {1, 2, 3}, a);
  CHECK(a[0] == 0);
  CHECK(a[1] == 0);
  for (int n = 0; n < 5; ++n) policy.remember(0, true, {}, {9, -9}, 1, 0);
  policy.fit();
  policy.act(0, {}, a);
  CHECK(a[0] == 0.6);
  CHECK(a[1] == -0.6);
}

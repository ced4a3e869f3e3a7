// A reference that comes along with who was pushed.
#include "molejo/tracking/anchor.h"

#include <doctest/doctest.h>

#include "molejo/math/angles.h"
#include "molejo/math/random.h"
#include "molejo/math/rotation.h"
#include "molejo/tracking/search.h"

using namespace molejo;
using namespace molejo::tracking;

namespace {

Vec3 some(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

Features some_features(Random& random) {
  Features f;
  f.com = some(random), f.com_velocity = some(random), f.spin = some(random);
  f.root = exp_quat(some(random) * 0.3);
  f.heading = random.normal();
  f.joints = {exp_quat(some(random))};
  f.rates = {some(random)};
  f.feet = {some(random), some(random)};
  f.hands = {some(random)};
  return f;
}

}  // namespace

TEST_CASE("anchor: what is sensed and how alike two are does not depend on where they stand") {
  Random random(4);
  for (int n = 0; n < 50; ++n) {
    Features now = some_features(random), wanted = some_features(random);
    const Senses before = senses(now, wanted);
    const double unlike = unlikeness(now, wanted, 0.9, {});
    Anchor anchor;
    anchor.turn = random.normal(), anchor.shift = {random.normal(), random.normal(), 0};
    anchor.carry(now), anchor.carry(wanted);
    const Senses after = senses(now, wanted);
    for (std::size_t k = 0; k < sense_count; ++k) {
      CHECK(after[k] == doctest::Approx(before[k]).epsilon(1e-9).scale(1));
    }
    CHECK(unlikeness(now, wanted, 0.9, {}) == doctest::Approx(unlike).epsilon(1e-9));
  }
}

TEST_CASE("anchor: who has fallen is told wherever the ground is, and at any size") {
  Features wanted, now;
  for (const double ground : {-5.0, 0.0, 40.0}) {
    for (const double leg : {0.1, 0.9, 8.0}) {
      wanted.com.z = ground + 1.1 * leg;
      now.com.z = ground + 0.8 * leg;
      CHECK_FALSE(has_fallen(now, wanted, leg));
      now.com.z = ground + 0.7 * leg;
      CHECK(has_fallen(now, wanted, leg));
    }
  }
}

TEST_CASE("anchor: within the slack nothing moves, beyond it the reference comes so near") {
  Random random(5);
  const Slack slack{0.2, 0.3};
  for (int n = 0; n < 50; ++n) {
    const Features seen = some_features(random);
    Anchor anchor;
    anchor.turn = random.normal(), anchor.shift = {random.normal(), random.normal(), 0};
    Features wanted = seen;
    anchor.carry(wanted);
    Features now = wanted;
    const double turned = 0.8 * random.normal();
    const Vec3 off{0.4 * random.normal(), 0.4 * random.normal(), 0.1};
    now.heading = wrapped(now.heading + turned);
    now.com += off;
    anchor.follow(now, wanted, slack);
    Features again = seen;
    anchor.carry(again);
    Vec3 left = now.com - again.com;
    left.z = 0;
    const double level = std::sqrt(off.x * off.x + off.y * off.y);
    CHECK(norm(left) == doctest::Approx(std::min(level, slack.distance)).epsilon(1e-6));
    CHECK(std::fabs(wrapped(now.heading - again.heading)) ==
          doctest::Approx(std::min(std::fabs(wrapped(turned)), slack.turn)).epsilon(1e-6));
  }
}

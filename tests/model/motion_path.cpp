// Paths through keys: closed forms, finite differences, mistakes.
#include "molejo/model/motion_path.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/assemble.h"
#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

double apart(const Quat& a, const Quat& b) { return norm(log_quat(conjugate(a) * b)); }

}  // namespace

TEST_CASE("motion path: keys are met exactly, before and after it rests") {
  const std::vector<MotionKey> keys{key(0, {1, 2, 3}, {0.1, 0, 0}), key(0.5, {2, 0, 3}, {0, 1, 0}),
                                    key(0.7, {2, 1, 4}, {0, 1, 2})};
  const MotionPath path(keys);
  for (const MotionKey& k : keys) {
    CHECK(path.at(k.t).p == k.p);
    CHECK(apart(path.at(k.t).orientation, k.orientation) < 1e-15);
  }
  CHECK(path.at(-1).p == keys[0].p);
  CHECK(path.at(-1).v == Vec3{});
  CHECK(path.at(9).p == keys[2].p);
  CHECK(path.at(9).w == Vec3{});
}

TEST_CASE("motion path: even motion stays even, a parabola a parabola") {
  const MotionPath even({key(0, {0, 0, 0}, {0, 0, 0}), key(1, {1, -2, 0}, {0, 0, 0.4}),
                         key(3, {3, -6, 0}, {0, 0, 1.2})});
  const MotionPath::Motion m = even.at(2.3);
  CHECK(norm(m.p - Vec3{2.3, -4.6, 0}) < 1e-14);
  CHECK(norm(m.v - Vec3{1, -2, 0}) < 1e-14);
  CHECK(norm(m.w - Vec3{0, 0, 0.4}) < 1e-14);
  CHECK(norm(m.a) + norm(m.w_rate) < 1e-13);
  // inner keys of a parabola have its slope; the ends are given
  MotionKey first = key(0, {}), last = key(3, {9, 0, 0});
  first.velocity = MotionKey::Velocity{};
  last.velocity = MotionKey::Velocity{{6, 0, 0}, {}};
  const MotionPath bent({first, key(0.5, {0.25, 0, 0}), key(2, {4, 0, 0}), last});
  for (const double t : {0.2, 0.5, 1.1, 2.6}) {
    CHECK(std::fabs(bent.at(t).p.x - t * t) < 1e-13);
    CHECK(std::fabs(bent.at(t).v.x - 2 * t) < 1e-13);
    CHECK(std::fabs(bent.at(t).a.x - 2) < 1e-12);
  }
}

TEST_CASE("motion path: velocities and accelerations are those of the pose") {
  const MotionPath path({key(0, {1, 2, 3}, {0.1, 0.4, 0}), key(0.5, {2, 0, 3}, {0, 1, -1}),
                         key(0.9, {2, 1, 4}, {0.5, 1, 1}), key(1.5, {0, 1, 4}, {1, 1, 1})});
  const double h = 1e-5;
  for (const double t : {0.1, 0.31, 0.6, 0.83, 1.2, 1.4}) {
    CAPTURE(t);
    const MotionPath::Motion a = path.at(t - h), m = path.at(t), b = path.at(t + h);
    CHECK(norm((b.p - a.p) / (2 * h) - m.v) < 1e-7);
    CHECK(norm((b.v - a.v) / (2 * h) - m.a) < 1e-6);
    const Vec3 turn = log_quat(conjugate(a.orientation) * b.orientation) / (2 * h);
    CHECK(norm(turn - m.w) < 1e-7);
    CHECK(norm((b.w - a.w) / (2 * h) - m.w_rate) < 1e-6);
  }
  // both are continuous at a key
  CHECK(norm(path.at(0.5 - 1e-12).v - path.at(0.5).v) < 1e-9);
  CHECK(norm(path.at(0.5 - 1e-12).w - path.at(0.5).w) < 1e-9);
}

TEST_CASE("motion path: mistakes name the key") {
  const auto told = [](std::vector<MotionKey> keys) {
    return error_text([&] { MotionPath path(std::move(keys)); });
  };
  CHECK(told({}).find("0 keys") != std::string::npos);
  CHECK(told({key(0, {}), key(0, {})}).find("key 1") != std::string::npos);
  CHECK(told({key(0, {}), key(NAN, {})}).find("key 1") != std::string::npos);
  CHECK(told({key(0, {0, INFINITY, 0})}).find("not finite") != std::string::npos);
  MotionKey long_one = key(0, {});
  long_one.orientation = {2, 0, 0, 0};
  CHECK(told({long_one}).find("length 1") != std::string::npos);
  MotionKey spinning = key(0, {});
  spinning.velocity = MotionKey::Velocity{{}, {0, 0, 40}};
  CHECK(told({spinning, key(1, {})}).find("turns too far") != std::string::npos);
  CHECK(told({key(0, {})}) == "no error");
}

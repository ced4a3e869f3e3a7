// Limbs in closed form, against forward kinematics.
#include "molejo/director/limb.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/load.h"
#include "molejo/math/random.h"
#include "molejo/model/kinematics.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

const Built& stick_figure() {
  static const Built built = build(
      load_scene(SourceFile::given(test::source_dir() + "/scenes/characters/stick_figure.json")));
  return built;
}

// The wrist from the shoulder, in the axes of the body that the limb hangs on, by forward
// kinematics of the whole figure.
struct Reached {
  Vec3 wrist, elbow;
};
Reached forward(const Limb& limb, const LimbPose& pose) {
  const Model& model = stick_figure().model;
  VecX q = stick_figure().initial.q;
  const Link &U = model.links[static_cast<std::size_t>(limb.upper)],
             &L = model.links[static_cast<std::size_t>(limb.lower)];
  const Quat x = normalized(quaternion(transpose(U.R_PB0) * pose.R_PU));
  q[U.q] = x.w, q[U.q + 1] = x.x, q[U.q + 2] = x.y, q[U.q + 3] = x.z;
  q[L.q] = pose.hinge;
  Kinematics<double> k(model);
  update_poses(model, q.data(), k);
  const auto& parent = k.bodies[static_cast<std::size_t>(U.parent)];
  const Vec3 shoulder = k.bodies[static_cast<std::size_t>(limb.upper)].p;
  return {transpose_times(parent.R, k.bodies[static_cast<std::size_t>(limb.end)].p - shoulder),
          transpose_times(parent.R, k.bodies[static_cast<std::size_t>(limb.lower)].p - shoulder)};
}

class Draw {
 public:
  double operator()(double low, double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  Vec3 direction() {
    while (true) {
      const Vec3 v{(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)};
      if (norm(v) > 0.1 && norm(v) < 1) return normalized(v);
    }
  }

 private:
  std::uint64_t state_ = 7;
};

}  // namespace

TEST_CASE("limb: the stick figure has four, with the lengths of its segments") {
  const std::vector<Limb> limbs = find_limbs(stick_figure().model);
  REQUIRE(limbs.size() == 4);
  std::vector<std::string> names;
  for (const Limb& l : limbs) names.push_back(l.name);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"left_arm", "left_leg", "right_arm", "right_leg"});
  for (const Limb& l : limbs) {
    const bool leg = l.name.ends_with("leg");
    CHECK(l.length_1 == doctest::Approx(leg ? 0.43 : 0.3).epsilon(1e-14));
    CHECK(l.length_2 == doctest::Approx(leg ? 0.43 : 0.27).epsilon(1e-14));
    CHECK(l.side == (leg ? 1 : -1));
    CHECK(std::fabs(l.zero_bend) < 1e-15);
  }
}

TEST_CASE(
    "limb: what is in reach is reached to 1e-12 at any swivel, and the elbow lies on its circle") {
  Draw draw;
  for (const Limb& limb : find_limbs(stick_figure().model)) {
    for (int n = 0; n < 2000; ++n) {
      const double shortest = std::fabs(limb.length_1 - limb.length_2);
      const Vec3 goal = draw.direction() * draw(shortest + 1e-3, limb.reach() - 1e-6);
      const double swivel = draw(-3.1, 3.1);
      const LimbPose pose = solve(limb, goal, swivel);
      CHECK(pose.reached);
      const Reached r = forward(limb, pose);
      REQUIRE(norm(r.wrist - goal) < 1e-12);
      REQUIRE(norm(r.elbow - pose.elbow) < 1e-12);
      CHECK(norm(r.elbow) == doctest::Approx(limb.length_1).epsilon(1e-13));
      CHECK(norm(r.elbow - goal) == doctest::Approx(limb.length_2).epsilon(1e-12));
      // limbs bend to one side only, as knees and elbows do
      CHECK(pose.hinge * limb.side >= 0);
      if (norm(goal) < limb.reach() - 1e-3) {
        CHECK(std::fabs(swivel_of(limb, r.elbow, goal) - swivel) < 1e-9);
      }
    }
  }
}

TEST_CASE("limb: what is out of reach is approached on its line, at the length of the limb") {
  Draw draw;
  for (const Limb& limb : find_limbs(stick_figure().model)) {
    for (int n = 0; n < 200; ++n) {
      const Vec3 goal = draw.direction() * draw(limb.reach() * 1.001, 5);
      const LimbPose pose = solve(limb, goal);
      CHECK_FALSE(pose.reached);
      const Reached r = forward(limb, pose);
      CHECK(std::fabs(norm(r.wrist) - limb.reach()) < 1e-12);
      CHECK(norm(normalized(r.wrist) - normalized(goal)) < 1e-12);
      CHECK(std::fabs(pose.hinge) < 1e-7);
    }
    const LimbPose folded = solve(limb, limb.rest * 1e-3);
    const double shortest = std::fabs(limb.length_1 - limb.length_2);
    CHECK(std::fabs(norm(forward(limb, folded).wrist) -
                    std::max(shortest, norm(limb.rest) * 1e-3)) < 1e-9);
    CHECK(std::isfinite(solve(limb, {0, 0, 0}).hinge));
  }
}

TEST_CASE("limb: at swivel zero knees point forward and elbows back, a positive swivel outward") {
  for (const Limb& limb : find_limbs(stick_figure().model)) {
    const Vec3 half = limb.rest * 0.8;
    const bool leg = limb.name.ends_with("leg");
    const Vec3 elbow = solve(limb, half).elbow;
    CHECK((leg ? elbow.x : -elbow.x) > 0.1);
    CHECK(std::fabs(elbow.y) < 1e-12);
    const double outward = limb.name.starts_with("left") ? 1 : -1;
    CHECK(solve(limb, half, 0.5).elbow.y * outward > 0.05);
  }
}

TEST_CASE("limb: a hinge beyond its limits is told") {
  Limb limb = find_limbs(stick_figure().model).front();
  limb.least = 0, limb.most = 1;
  limb.side = 1;
  const Vec3 near = normalized(limb.rest) * (limb.length_1 * 0.9);
  const LimbPose pose = solve(limb, near);
  CHECK(pose.hinge > 1.5);
  CHECK(pose.beyond_limits == doctest::Approx(pose.hinge - 1));
  CHECK(solve(limb, limb.rest * 0.99).beyond_limits == 0);
}

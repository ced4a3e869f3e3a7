// Figures posed by a few numbers.
#include "molejo/director/figure.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/director/shows.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Posed {
  Show show = shipped_show("walk");
  const Model& model = show.built->model;
  const Figure& figure = show.figures[0];
  Kinematics<double> k{model};
  VecX q = show.built->initial.q;
  SolveReport pose(const Posture& p) { return pose_figure(model, figure, p, k, q); }
  Vec3 end(const std::string& limb) const {
    const int i = figure.find_limb(limb);
    return k.bodies[static_cast<std::size_t>(figure.limbs[static_cast<std::size_t>(i)].end)].p;
  }
};

}  // namespace

TEST_CASE("figure: at rest it stands as the scene has it") {
  Posed p;
  CHECK(p.figure.waist >= 0);
  CHECK(p.figure.height == doctest::Approx(0.93));
  const SolveReport r = p.pose(p.figure.rest);
  CHECK(r.out_of_reach < 1e-12);
  CHECK((p.q - p.show.built->initial.q).cwiseAbs().maxCoeff() < 1e-7);
  CHECK(sink(p.model, p.figure, p.figure.rest) < 1e-12);
}

TEST_CASE("figure: feet stay where they stand while the body is lifted, tilted, turned and moved") {
  Posed p;
  p.pose(p.figure.rest);
  const Vec3 left = p.end("left_leg"), right = p.end("right_leg");
  Posture posture = p.figure.rest;
  posture.lift = -0.3, posture.tilt = 0.4, posture.heading = 0.5, posture.place.x += 0.1;
  const SolveReport r = p.pose(posture);
  CHECK(r.out_of_reach < 1e-12);
  CHECK(norm(p.end("left_leg") - left) < 1e-12);
  CHECK(norm(p.end("right_leg") - right) < 1e-12);
  // and the body went where it was told
  const auto root = static_cast<std::size_t>(p.figure.root);
  CHECK(p.k.bodies[root].p.x == doctest::Approx(0.1));
  CHECK(p.k.bodies[root].p.z == doctest::Approx(0.93 - 0.3));
}

TEST_CASE("figure: the body sinks by L - sqrt(L^2 - x^2/4) where the feet are x apart") {
  Posed p;
  Posture posture = p.figure.rest;
  const double x = 0.5, L = 0.86;
  for (const char* leg : {"left_leg", "right_leg"}) {
    const auto i = static_cast<std::size_t>(p.figure.find_limb(leg));
    posture.limbs[i].p.x += std::string(leg) == "left_leg" ? x / 2 : -x / 2;
  }
  CHECK(sink(p.model, p.figure, posture) == doctest::Approx(L - std::sqrt(L * L - x * x / 4)));
  CHECK(p.pose(posture).out_of_reach < 1e-12);
}

TEST_CASE("figure: a posture is read back from the coordinates it gives") {
  Posed p;
  Posture posture = p.figure.rest;
  posture.lift = -0.2, posture.tilt = 0.3, posture.heading = -0.7, posture.place = {0.05, 0.02, 0};
  const int arm = p.figure.find_limb("left_arm");
  posture.limbs[static_cast<std::size_t>(arm)].p += Vec3{0.3, 0.1, 0.3};
  posture.limbs[static_cast<std::size_t>(arm)].swivel = 0.4;
  p.pose(posture);
  const VecX before = p.q;
  const Posture again = read_posture(p.model, p.figure, p.q, p.k);
  CHECK(again.heading == doctest::Approx(posture.heading).epsilon(1e-12));
  CHECK(again.lift == doctest::Approx(posture.lift).epsilon(1e-12));
  CHECK(again.tilt == doctest::Approx(posture.tilt).epsilon(1e-12));
  CHECK(again.limbs[static_cast<std::size_t>(p.figure.find_limb("left_leg"))].hold == Hold::world);
  p.pose(again);
  CHECK((p.q - before).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("figure: to hold an end in another way leaves it where it is") {
  Posed p;
  Posture posture = p.figure.rest;
  posture.lift = -0.1, posture.heading = 1, posture.tilt = 0.2, posture.place = {1, 2, 0};
  for (const char* name : {"left_leg", "right_leg", "left_arm"}) {
    const int limb = p.figure.find_limb(name);
    posture.limbs[static_cast<std::size_t>(limb)] = {Hold::body, {0.1, 0.02, -0.4}, 0};
    const Vec3 where = goal_in_world(p.model, p.figure, posture, limb);
    for (const Hold how : {Hold::ground, Hold::world, Hold::body, Hold::world, Hold::ground}) {
      hold(p.model, p.figure, how, limb, posture);
      CHECK(posture.limbs[static_cast<std::size_t>(limb)].hold == how);
      CHECK(norm(goal_in_world(p.model, p.figure, posture, limb) - where) < 1e-12);
    }
  }
}

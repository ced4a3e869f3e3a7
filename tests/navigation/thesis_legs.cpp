// Kinematics of the legs, derivatives, and the two solvers.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/math/random.h"
#include "molejo/navigation/thesis/leg_kinematics.h"
#include "molejo/navigation/thesis/leg_solver.h"
#include "tests/support/characters.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;
using namespace molejo::navigation::thesis;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double spread(Random& random) { return 2 * random.uniform() - 1; }

// Legs of `per_leg` joints with axes, scales and bases at random, total length about `size`.
struct RandomLegs {
  std::vector<int> first;
  std::vector<LegLink> links;
  std::vector<Affine> base;
  std::vector<Vec3> end, target;
  std::vector<double> original, previous;

  RandomLegs(int legs, int per_leg, double size, Random& random) {
    first.push_back(0);
    for (int leg = 0; leg < legs; ++leg) {
      const auto vector = [&] { return Vec3{spread(random), spread(random), spread(random)}; };
      base.push_back({axis_rotation(normalized(vector()), spread(random)), vector() * size});
      for (int k = 0; k < per_leg; ++k) {
        const double s = 0.9 + 0.2 * random.uniform();
        links.push_back({vector() * (size / per_leg), normalized(vector()), {s, 1.1 * s, s}});
        original.push_back(spread(random));
        previous.push_back(original.back() + 0.1 * spread(random));
      }
      first.push_back(static_cast<int>(links.size()));
      end.push_back(vector() * (size / per_leg));
      target.push_back(vector() * size);
    }
  }
  LegTask task() const { return {first, links, base, end, target, original, previous}; }
};

// A leg as humans have it, of height H: hip to ankle H/2 down -z, knees about y.
struct HumanLegs {
  std::vector<int> first{0, 2, 4};
  std::vector<LegLink> links;
  std::vector<Affine> base;
  std::vector<Vec3> end, target{{}, {}};
  std::vector<double> original{-0.2, 0.4, -0.2, 0.4}, previous = original;

  explicit HumanLegs(double H) {
    for (const double side : {0.05, -0.05}) {
      base.push_back({Mat3::identity(), {0, side * H, 0.5 * H}});
      links.push_back({{0, 0, 0}, {0, 1, 0}, {1, 1, 1}});
      links.push_back({{0, 0, -0.25 * H}, {0, 1, 0}, {1, 1, 1}});
      end.push_back({0, 0, -0.25 * H});
    }
  }
  LegTask task() const { return {first, links, base, end, target, original, previous}; }
};

}  // namespace

TEST_CASE("thesis kinematics: both modes place the legs as the whole skeleton does") {
  for (const double scale : {1.0, 150.0}) {
    const motion::Character c = test::gait_character(scale);
    const auto clips = test::ready_clips(c, "gait");
    const Rig& rig = clips->rig;
    const ClipFrames frames(rig, clips->walk.clip);
    const LegKinematics kinematics(rig, frames);
    AngleHistory history(static_cast<int>(rig.path.size()), 64);
    const Affine base = placement(rig.bearing(), {1, 2, 3}, 0.4, 1);
    std::vector<Affine> whole(at(rig.skeleton.size())), legs(whole), local(whole), past(whole);
    SkeletonPose pose(rig.skeleton);
    double most = 0;
    for (int f = 0; f < frames.frames(); ++f) {
      history.record(frames.time(f), frames.rotations(f));
      evaluate(clips->walk.clip, rig.skeleton, frames.time(f), pose);
      pose.set_translation(rig.hips, frames.fixed().translation(rig.hips));
      model_transforms(rig.skeleton, pose, base, whole);
      kinematics.pose(base, frames.rotations(f), legs, local);
      kinematics.pose(base, history, frames.time(f), past);
      for (const int j : rig.path) {
        most = std::max(most, norm(legs[at(j)].origin - whole[at(j)].origin));
        most = std::max(most, norm(past[at(j)].origin - whole[at(j)].origin));
      }
    }
    CHECK(most < 1e-12 * scale);
    // what is not on the way stays identity; locals multiply to the whole
    const int head = rig.skeleton.find("mixamorig:Head");
    CHECK(legs[at(head)] == Affine{});
    const Leg& leg = rig.legs[0];
    Affine product = legs[at(rig.hips)];
    for (const int j : leg.chain) product = product * local[at(j)];
    CHECK(norm(product.origin - legs[at(leg.foot())].origin) < 1e-12 * scale);
  }
}

TEST_CASE("thesis kinematics: each joint of the path once, and no time without a record") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const ClipFrames frames(clips->rig, clips->walk.clip);
  std::vector<int> path = frames.path();
  std::sort(path.begin(), path.end());
  CHECK(std::adjacent_find(path.begin(), path.end()) == path.end());
  CHECK(path.size() == 9);  // hips, and twice thigh, shin, foot, toes
  AngleHistory history(9, 8);
  CHECK_THROWS_AS(history.rotation(0, 0), std::out_of_range);
  history.record(1, frames.rotations(0));
  history.record(2, frames.rotations(5));
  CHECK_THROWS_AS(history.rotation(0.5, 0), std::out_of_range);
  CHECK_THROWS_AS(history.rotation(2.5, 0), std::out_of_range);
  const int thigh = frames.slot(clips->rig.legs[0].chain[0]);
  const Quat a = quaternion(frames.rotations(0)[at(thigh)]);
  const Quat b = quaternion(frames.rotations(5)[at(thigh)]);
  const Quat middle = history.rotation(1.5, thigh), expected = slerp(a, b, 0.5);
  CHECK(std::fabs(middle.w - expected.w) + std::fabs(middle.x - expected.x) < 1e-12);
}

TEST_CASE("thesis legs: gradients of the three terms are those of central differences") {
  Random random(5);
  double worst = 0, worst_end = 0;
  for (int n = 0; n < 100; ++n) {
    const RandomLegs legs(2, 2 + n % 4, 1, random);
    const LegTask task = legs.task();
    const std::size_t count = legs.links.size();
    std::vector<double> x(count), gradient(count);
    for (double& angle : x) angle = 3 * spread(random);
    // each term alone, then all
    for (const LegWeights& w :
         {LegWeights{1, 0, 0}, LegWeights{0, 1, 0}, LegWeights{0, 0, 1}, LegWeights{70, 2, 4}}) {
      leg_cost(task, w, x, gradient);
      const double size = w.reach + w.original + w.previous;
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<double> up = x, down = x;
        const double h = 1e-5;
        up[k] += h, down[k] -= h;
        const double slope =
            (leg_cost(task, w, up).total() - leg_cost(task, w, down).total()) / (2 * h);
        worst = std::max(worst, std::fabs(slope - gradient[k]) / size);
      }
    }
    std::vector<Vec3> ends(2), rates(count), up_ends(2), down_ends(2);
    leg_derivatives(task, x, ends, rates);
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> up = x, down = x;
      up[k] += 1e-5, down[k] -= 1e-5;
      leg_ends(task, up, up_ends);
      leg_ends(task, down, down_ends);
      const std::size_t leg = k < at(legs.first[1]) ? 0 : 1;
      worst_end = std::max(worst_end, norm((up_ends[leg] - down_ends[leg]) / 2e-5 - rates[k]));
    }
  }
  MESSAGE("gradient against differences: " << worst << ", of ends " << worst_end);
  CHECK(worst < 1e-8);
  CHECK(worst_end < 1e-8);
}

TEST_CASE("thesis legs: with uniform scale the derivative is axis x lever") {
  Random random(8);
  RandomLegs legs(1, 3, 1, random);
  for (LegLink& link : legs.links) link.scale = {1, 1, 1};
  std::vector<Vec3> ends(1), rates(3);
  const std::vector<double> x{0.3, -0.7, 1.1};
  leg_derivatives(legs.task(), x, ends, rates);
  Affine X = legs.base[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const LegLink& link = legs.links[k];
    const Vec3 joint = X * link.translation, axis = X.linear * link.axis;
    CHECK(norm(rates[k] - cross(axis, ends[0] - joint)) < 1e-14);
    X = X * Affine{axis_rotation(link.axis, x[k]), link.translation};
  }
}

TEST_CASE("thesis legs: a reachable target is reached where nothing else is wanted") {
  Random random(2);
  const double H = 189.83;
  HumanLegs legs(H);
  const auto solver = make_descent_solver(4, {.max_steps = 5000, .target_change = 1e-6});
  const auto newton = make_newton_solver(4);
  const LegWeights only_reach{thesis_weights(H).reach, 0, 0};
  double worst = 0, worst_newton = 0;
  for (int n = 0; n < 50; ++n) {
    const std::vector<double> wanted{-0.5 + 0.6 * random.uniform(), 0.2 + 0.8 * random.uniform(),
                                     -0.5 + 0.6 * random.uniform(), 0.2 + 0.8 * random.uniform()};
    leg_ends(legs.task(), wanted, legs.target);
    for (const bool second : {false, true}) {
      std::vector<double> x = legs.previous;
      const LegSolution s = (second ? newton : solver)->solve(legs.task(), only_reach, x);
      const double miss = std::sqrt(s.reach / only_reach.reach) / H;
      (second ? worst_newton : worst) = std::max(second ? worst_newton : worst, miss);
    }
  }
  MESSAGE("reach: descent " << worst * 100 << " % H, Gauss-Newton " << worst_newton * 100
                            << " % H");
  CHECK(worst < 0.005);
  CHECK(worst_newton < 1e-6);
}

TEST_CASE("thesis legs: the thesis's defaults settle far below 300 steps and F falls") {
  Random random(4);
  const double H = 189.83;
  HumanLegs legs(H);
  const auto solver = make_descent_solver(4);
  double steps = 0, error = 0;
  int most = 0;
  for (int n = 0; n < 200; ++n) {
    std::vector<double> wanted = legs.original;
    for (double& a : wanted) a += 0.3 * spread(random);
    leg_ends(legs.task(), wanted, legs.target);
    std::vector<double> x = legs.previous;
    const double before = leg_cost(legs.task(), thesis_weights(H), x).total();
    const LegSolution s = solver->solve(legs.task(), thesis_weights(H), x);
    CHECK(s.settled);
    CHECK(s.total() <= before);
    steps += s.steps / 200.0;
    most = std::max(most, s.steps);
    error += s.reach / thesis_weights(H).reach / 200;
  }
  MESSAGE("default weights: " << steps << " steps, at most " << most << "; RMSE "
                              << std::sqrt(error) / H * 100 << " % H");
  CHECK(steps < 30);
  CHECK(most < 60);
}

TEST_CASE("thesis legs: who may not take enough steps says that not all legs have settled") {
  const double H = 189.83;
  HumanLegs legs(H);
  // the right leg is where it shall be, the left one far from it
  const std::vector<double> there = legs.previous, wanted{0.3, 0.9, there[2], there[3]};
  leg_ends(legs.task(), wanted, legs.target);
  const LegWeights only_reach{thesis_weights(H).reach, 0, 0};
  for (const bool second : {false, true}) {
    CAPTURE(second);
    const auto solved = [&](int most) {
      std::vector<double> x = there;
      const auto solver = second ? make_newton_solver(4, {.max_steps = most})
                                 : make_descent_solver(4, {.max_steps = most});
      return solver->solve(legs.task(), only_reach, x);
    };
    const LegSolution cut = solved(2);
    CHECK_FALSE(cut.settled);
    CHECK(cut.steps == 2);
    CHECK(solved(5000).settled);
  }
}

TEST_CASE("thesis legs: angles do not depend on the size of the model") {
  Random random(6);
  for (int n = 0; n < 20; ++n) {
    std::vector<double> wanted{-0.2 + 0.3 * spread(random), 0.4 + 0.3 * spread(random),
                               -0.2 + 0.3 * spread(random), 0.4 + 0.3 * spread(random)};
    std::vector<std::vector<double>> found;
    std::vector<int> steps;
    for (const double H : {189.83, 28474.5, 1.8983}) {
      HumanLegs legs(H);
      leg_ends(legs.task(), wanted, legs.target);
      std::vector<double> x = legs.previous;
      steps.push_back(make_descent_solver(4)->solve(legs.task(), thesis_weights(H), x).steps);
      found.push_back(x);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(std::fabs(found[0][k] - found[1][k]) < 1e-10);
      CHECK(std::fabs(found[0][k] - found[2][k]) < 1e-10);
    }
    CHECK(steps[0] == steps[1]);
    CHECK(steps[0] == steps[2]);
  }
}

TEST_CASE("thesis legs: both solvers find the same minimum, for longer chains too") {
  Random random(9);
  for (const int per_leg : {2, 3, 5, 8}) {
    double worst = 0;
    int most = 0;
    const auto newton = make_newton_solver(2 * per_leg, {.max_steps = 200, .target_change = 1e-9});
    const auto slow = make_descent_solver(
        2 * per_leg, {.rate = 0.0005, .max_steps = 200000, .target_change = 1e-11});
    for (int n = 0; n < 20; ++n) {
      RandomLegs legs(2, per_leg, 1, random);
      // a target near the original pose, as in walking
      std::vector<double> wanted = legs.original;
      for (double& a : wanted) a += 0.2 * spread(random);
      leg_ends(legs.task(), wanted, legs.target);
      const LegWeights w{60, 2, 4};
      std::vector<double> a = legs.previous, b = legs.previous;
      const LegSolution fast = newton->solve(legs.task(), w, a);
      slow->solve(legs.task(), w, b);
      CHECK(fast.settled);
      most = std::max(most, fast.steps);
      for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::fabs(a[k] - b[k]));
    }
    MESSAGE(per_leg << " joints: solvers differ by " << worst << " rad, Gauss-Newton took at most "
                    << most << " steps");
    CHECK(worst < 1e-6);
    CHECK(most <= 20);
  }
}

TEST_CASE("thesis legs: a straight leg and a far target give finite angles") {
  HumanLegs legs(1);
  legs.original = legs.previous = {0, 0, 0, 0};
  legs.target = {{0, 0.05, -40}, {1e6, -0.05, 1e6}};
  for (const bool newton : {false, true}) {
    const auto solver = newton ? make_newton_solver(4) : make_descent_solver(4);
    for (const LegWeights& w : {thesis_weights(1), LegWeights{200, 0, 0}}) {
      std::vector<double> x(4, 0.0);
      const LegSolution s = solver->solve(legs.task(), w, x);
      CHECK(std::isfinite(s.total()));
      for (const double a : x) CHECK(std::isfinite(a));
    }
  }
}

// Matthey's navigation as a whole: how well, at what cost, and where it must not break.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "molejo/math/random.h"
#include "tests/navigation/thesis_walks.h"

using namespace molejo;
using namespace molejo::navigation;
using test::at;
using test::dt;
using test::finite;
using test::known;
using test::walk_for;
using test::walks;

namespace {

struct Figures {
  double deepest = 0, depth = 0;  // ankles below where they stand: m, worst and mean of all frames
  double under = 0;               // part of the frames with more than 10 mm of it
  double sliding = 0;             // m per stance, mean
  double rms = 0;                 // of ankles against targets
};
// Ankles against the ground, under which a standing ankle has no business.
Figures figures(const std::shared_ptr<const WalkClips>& clips, const motion::Ground& ground,
                const ThesisOptions& options, double seconds) {
  const auto walker = make_thesis_walker(clips, ground, {}, options);
  walk_for(*walker, 2);
  Figures f;
  long frames = 0, stances = 0;
  std::array<std::optional<Vec3>, 2> last;
  double lowest = 1e9;  // of the support heights
  const thesis::BaseMotion& base = walker->walk().base();
  for (long k = 0; k < base.frames().frames(); ++k)
    lowest = std::min(lowest, base.support_height(0, k));
  for (int n = 0; n < std::lround(seconds / dt); ++n) {
    walker->advance(dt, {});
    for (int leg = 0; leg < 2; ++leg) {
      const FootState& foot = walker->feet()[at(leg)];
      const double depth = ground.at(foot.ankle.x, foot.ankle.y)->height + lowest - foot.ankle.z;
      f.deepest = std::max(f.deepest, depth);
      f.depth += std::max(0.0, depth);
      f.under += depth > 0.01;
      const Vec3 e = foot.ankle - foot.target;
      f.rms += dot(e, e);
      ++frames;
      if (walker->walk().targets().part(leg).is_static) {
        if (last[at(leg)]) {
          const Vec3 d = foot.ankle - *last[at(leg)];
          f.sliding += std::sqrt(d.x * d.x + d.y * d.y);
        } else {
          ++stances;
        }
        last[at(leg)] = foot.ankle;
      } else {
        last[at(leg)].reset();
      }
    }
  }
  f.under /= static_cast<double>(frames);
  f.depth /= static_cast<double>(frames);
  f.rms = std::sqrt(f.rms / static_cast<double>(frames));
  f.sliding /= static_cast<double>(std::max(1L, stances));
  return f;
}

}  // namespace

TEST_CASE("thesis walker: on hills ankles sink less with inverse kinematics") {
  for (const auto& [name, clips] : walks()) {
    const motion::Ground ground = test::hills(1, 8);
    const Figures on = figures(clips, ground, {}, 20);
    const Figures off = figures(clips, ground, {.inverse_kinematics = false}, 20);
    const Figures newton = figures(clips, ground, {.newton = true}, 20);
    for (const auto& [what, f] :
         {std::pair{std::string("on"), on}, {"off", off}, {"Gauss-Newton", newton}}) {
      MESSAGE(name << ", IK " << what << ": deepest " << f.deepest * 1000 << " mm, mean "
                   << f.depth * 1000 << " mm, under ground " << f.under * 100
                   << " % of frames, slide " << f.sliding * 1000 << " mm per stance, RMS to target "
                   << f.rms * 1000 << " mm");
    }
    CHECK(on.depth < 0.6 * off.depth);
    CHECK(on.under < off.under);
    CHECK(on.deepest < off.deepest);
    CHECK(on.rms < 0.7 * off.rms);
  }
}

TEST_CASE("thesis walker: the terms of the cost do not depend on the size of the model") {
  // his figures: 0.6984, 0.3749, 0.0910 and 27.0 steps at H = 189.83, up to 15 % more at 150 H
  std::array<thesis::SolverStatistics, 2> s;
  const std::array<double, 2> sizes{1, 150};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto clips = test::ready_clips(test::gait_character(sizes[k]), "gait");
    const motion::Ground ground = test::hills(1, 8);
    const auto walker = make_thesis_walker(clips, ground, {.scale = 1 / sizes[k]});
    walk_for(*walker, 60);
    s[k] = walker->walk().statistics();
    const double n = static_cast<double>(s[k].runs);
    MESSAGE("size " << sizes[k] << ": a f1 " << s[k].reach / n << ", b f2 " << s[k].original / n
                    << ", c f3 " << s[k].previous / n << ", F " << s[k].total / n << ", steps "
                    << s[k].steps / n << ", at most " << s[k].most_steps);
    CHECK(s[k].unsettled == 0);
    CHECK(s[k].most_steps < 300);
    CHECK(s[k].steps / n < 30);
  }
  CHECK(s[1].reach == doctest::Approx(s[0].reach).epsilon(0.2));
  CHECK(s[1].original == doctest::Approx(s[0].original).epsilon(0.2));
  CHECK(s[1].previous == doctest::Approx(s[0].previous).epsilon(0.2));
  CHECK(s[1].steps == doctest::Approx(s[0].steps).epsilon(0.1));
}

TEST_CASE("thesis walker: a minute of real walks on hills costs what the thesis measured") {
  for (const auto& [name, clips] : walks()) {
    const motion::Ground ground = test::hills(1, 8);
    const auto walker = make_thesis_walker(clips, ground, {});
    walk_for(*walker, 60);
    const thesis::SolverStatistics& s = walker->walk().statistics();
    const double n = static_cast<double>(s.runs), H = 2 * clips->rig.legs[0].length;
    MESSAGE(name << ": a f1 " << s.reach / n << ", b f2 " << s.original / n << ", c f3 "
                 << s.previous / n << ", steps " << s.steps / n << ", RMSE of both ankles "
                 << std::sqrt(s.error / n) / H * 100 << " % H");
    CHECK(s.steps / n < 30);
    CHECK(std::sqrt(s.error / n) < 0.1 * H);
  }
}

TEST_CASE("thesis walker: two that share a clip walk as each would alone, bit for bit") {
  const motion::Ground ground = test::hills(0.7, 6);
  const WalkerStart start{.x = 3, .y = -2, .heading = 1};
  const auto alone_a = make_thesis_walker(known(), ground, {});
  const auto alone_b = make_thesis_walker(known(), ground, start);
  const auto a = make_thesis_walker(known(), ground, {});
  const auto b = make_thesis_walker(known(), ground, start);
  const Steering left{.turn = 0.3}, right{.turn = -0.2, .rate = 0.8};
  for (int n = 0; n < 900; ++n) alone_a->advance(dt, left);
  for (int n = 0; n < 900; ++n) alone_b->advance(dt, right);
  for (int n = 0; n < 900; ++n) {
    a->advance(dt, left);
    b->advance(dt, right);
  }
  CHECK(a->pose() == alone_a->pose());
  CHECK(b->pose() == alone_b->pose());
  CHECK(a->placement() == alone_a->placement());
  CHECK(b->placement() == alone_b->placement());
  CHECK_FALSE(a->pose() == b->pose());
}

TEST_CASE("thesis walker: no ground, no time, much time, any size: always a number") {
  motion::Ground island = test::level_ground(0, 2);
  motion::Ground none;
  Random random(17);
  for (const double scale : {0.01, 1.0, 150.0}) {
    for (const motion::Ground* ground : {&island, &none}) {
      for (const bool validation : {false, true}) {
        const auto walker = make_thesis_walker(known(), *ground, {.scale = scale},
                                               {.stride_validation = validation});
        CHECK(finite(*walker));
        for (int n = 0; n < 300; ++n) {
          double step = dt;
          if (n % 7 == 0) step = 0;
          if (n % 31 == 0) step = 3;
          if (n % 97 == 0) step = 1e9;
          if (n % 61 == 0) step = NAN;
          walker->advance(step, {.walk = n % 50 < 40,
                                 .turn = n % 41 == 0 ? 1e300 : random.uniform() - 0.5,
                                 .rate = n % 53 == 0 ? -1 : 2 * random.uniform()});
          REQUIRE(finite(*walker));
        }
      }
    }
  }
}

TEST_CASE("thesis walker: after years of walking curves still have their digits") {
  const motion::Ground ground = test::level_ground(0, 1e9), wall = test::wall_at(2, 2);
  const auto walker = make_thesis_walker(known(), ground, {});
  walk_for(*walker, 1);
  for (int n = 0; n < 300; ++n) {
    walker->advance(86400, {.rate = n % 3 ? 1000.0 : 11.3});
    REQUIRE(finite(*walker));
  }
  const Vec3 before = walker->position();
  walk_for(*walker, 10);
  CHECK(walker->position().x - before.x == doctest::Approx(8).epsilon(0.02));
  const auto stopped = make_thesis_walker(known(), wall, {}, {.stride_validation = true});
  walk_for(*stopped, 10);
  REQUIRE(stopped->blocked());
  for (int n = 0; n < 40; ++n) stopped->advance(86400, {});
  CHECK(stopped->blocked());
  CHECK(finite(*stopped));
}

TEST_CASE("thesis walker: the world may be of any size") {
  // the same walk, seen from nearer or farther
  std::array<Vec3, 3> ends;
  const std::array<double, 3> scales{0.01, 1, 150};
  for (std::size_t k = 0; k < 3; ++k) {
    motion::Ground ground;
    const double s = scales[k];
    const motion::Ground unit = test::hills(0.8, 6);
    ground.add({-200, 200, -200, 200,
                [unit](double x, double y) {
                  return Elevation{unit.at(x, y)->height, 0, 0};
                }},
               {}, {s, s, s});
    const auto walker = make_thesis_walker(known(), ground, {.scale = s});
    walk_for(*walker, 10, {.turn = 0.1});
    ends[k] = walker->position() / s;
    CHECK(walker->scale() == s);
  }
  CHECK(norm(ends[0] - ends[1]) < 1e-6);
  CHECK(norm(ends[2] - ends[1]) < 1e-6);
  CHECK(norm(ends[1]) > 3);
}

TEST_CASE("thesis walker: what each part takes is measured, in every frame") {
  const motion::Ground ground = test::hills(1, 8);
  for (const auto& [name, clips] : walks()) {
    for (const bool newton : {false, true}) {
      const auto walker = make_thesis_walker(clips, ground, {}, {.newton = newton});
      WalkCost cost;
      walker->measure(&cost);
      walk_for(*walker, 10);
      CHECK(cost.frames == 600);
      CHECK(cost.trajectories > 0);
      CHECK(cost.inverse_kinematics > 0);
      const double us = 1e6 / static_cast<double>(cost.frames);
      MESSAGE(name << std::string(newton ? ", Gauss-Newton" : ", descent") << ": sampling "
                   << cost.sampling * us << ", curves " << cost.trajectories * us << ", angles "
                   << cost.inverse_kinematics * us << ", matrices " << cost.matrices * us
                   << " us a frame");
      // how long it takes is for the bench to say; how much is solved is not
      const thesis::SolverStatistics& s = walker->walk().statistics();
      CHECK(s.runs <= 2 * cost.frames);
      CHECK(s.steps / static_cast<double>(s.runs) < 30);
    }
  }
}

TEST_CASE("thesis walker: each of many characters walks and works as it does alone") {
  const motion::Ground ground = test::hills(1, 8);
  const auto crowd_of = [&](int first, int count) {
    std::vector<std::unique_ptr<ThesisWalker>> walkers;
    for (int k = first; k < first + count; ++k) {
      walkers.push_back(make_thesis_walker(known(), ground, {.x = 0.7 * k, .y = -0.3 * k}));
    }
    for (int n = 0; n < 120; ++n) {
      for (const auto& walker : walkers) walker->advance(dt, {});
    }
    return walkers;
  };
  const auto crowd = crowd_of(0, 100);
  for (const int k : {0, 1, 50, 99}) {
    CAPTURE(k);
    const auto alone = crowd_of(k, 1);
    const ThesisWalker &a = *alone[0], &b = *crowd[at(k)];
    for (int leg = 0; leg < 2; ++leg) {
      CHECK(norm(a.feet()[at(leg)].ankle - b.feet()[at(leg)].ankle) == 0);
    }
    const thesis::SolverStatistics &x = a.walk().statistics(), &y = b.walk().statistics();
    CHECK(x.runs > 0);
    CHECK(x.runs == y.runs);
    CHECK(x.steps == y.steps);
  }
}

TEST_CASE("thesis walker: legs to the toes, one joint more, as in his second test") {
  const motion::Character c = test::gait_character();
  const Roles roles = find_roles(c.skeleton, bind_pose(c));
  const auto joint = [&](const char* name) {
    return c.skeleton.find(std::string("mixamorig:") + name);
  };
  const Rig rig = make_rig(c, roles,
                           {{"left", joint("LeftUpLeg"), joint("LeftToeBase")},
                            {"right", joint("RightUpLeg"), joint("RightToeBase")}});
  const auto clips = make_walk_clips(c, rig, c.clips[0], &c.clips[1]);
  const motion::Ground ground = test::hills(1, 8);
  std::array<double, 2> error{};
  for (const bool newton : {false, true}) {
    const auto walker = make_thesis_walker(clips, ground, {}, {.newton = newton});
    WalkCost cost;
    walker->measure(&cost);
    walk_for(*walker, 20);
    const thesis::SolverStatistics& s = walker->walk().statistics();
    const double n = static_cast<double>(s.runs), H = 2 * clips->rig.legs[0].length;
    error[newton] = std::sqrt(s.error / n) / H;
    MESSAGE(std::string(newton ? "Gauss-Newton" : "descent")
            << ": H " << H << ", steps " << s.steps / n << ", RMSE of both toes "
            << 100 * error[newton] << " % H, angles "
            << 1e6 * cost.inverse_kinematics / static_cast<double>(cost.frames) << " us a frame");
    CHECK(s.unsettled == 0);
    CHECK(error[newton] < 0.1);
  }
  CHECK(error[0] == doctest::Approx(error[1]).epsilon(0.1));
}

TEST_CASE("thesis walker: a minute over three terrains, two characters") {
  motion::Ground ground;
  const auto bumps = [](double seed) {
    return [seed](double x, double y) {
      return Elevation{0.4 * std::sin(0.9 * x + seed) * std::cos(0.7 * y), 0, 0};
    };
  };
  ground.add({-10, 10, -10, 10, bumps(0)});
  ground.add({-10, 10, -10, 10, bumps(1)}, {18, 0, 0.1});
  ground.add({-10, 10, -10, 10, bumps(2)}, {0, 36, -0.1}, {2, 2.5, 2});
  const auto a = make_thesis_walker(known(), ground, {.x = -5});
  const auto b = make_thesis_walker(known(), ground, {.x = -3, .y = 4});
  std::set<int> met;
  for (int n = 0; n < 3600; ++n) {
    a->advance(dt, {.turn = n < 1200 ? 0.0 : 0.05});
    b->advance(dt, {.turn = n < 600 ? 0.2 : 0.0});
    for (const ThesisWalker* w : {a.get(), b.get()}) {
      REQUIRE(finite(*w));
      if (const auto g = ground.at(w->position().x, w->position().y)) met.insert(g->terrain);
    }
  }
  CHECK(met.size() == 3);
}

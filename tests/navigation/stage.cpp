// Plans: way-points, headings, timed commands, and changes while a stage runs.
#include "molejo/navigation/stage.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/navigation/track.h"
#include "tests/support/point_walker.h"

using namespace molejo;
using namespace molejo::navigation;
using test::PointWalker;

namespace {

constexpr double pi = 3.141592653589793, dt = 1.0 / 30;

std::shared_ptr<const Ground> flat() {
  auto ground = std::make_shared<Ground>();
  ground->add(formula_relief(-100, 100, -100, 100, [](double, double) { return 0.0; }));
  return ground;
}

Stage stage_with(const Plan& plan, double heading = 0) {
  const auto ground = flat();
  Stage stage(ground);
  stage.add("ana", std::make_unique<PointWalker>(*ground, 0, 0, heading), plan);
  return stage;
}

double distance(const Stage& stage, double x, double y) {
  const Vec3 p = stage.walker(0).position();
  return std::hypot(p.x - x, p.y - y);
}

Plan path(std::vector<WayPoint> points, bool loop = false) {
  Plan plan;
  plan.kind = Plan::Kind::path;
  plan.path = std::move(points);
  plan.loop = loop;
  return plan;
}

}  // namespace

TEST_CASE("stage: way-points are visited in order, and it stays at the last one") {
  const std::vector<WayPoint> points{{5, 0}, {5, 5}, {-2, 6}};
  Stage stage = stage_with(path(points));
  std::vector<double> nearest(points.size(), 1e9);
  std::size_t next = 0;
  for (int k = 0; k < 900; ++k) {
    stage.advance(dt);
    for (std::size_t i = 0; i < points.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(stage, points[i].x, points[i].y));
    }
    if (next < points.size() && distance(stage, points[next].x, points[next].y) < 0.6) ++next;
  }
  CHECK(next == 3);
  // corners are cut by no more than half of how far it looks ahead
  for (const double d : nearest) CHECK(d < 0.5);
  CHECK(stage.progress(0).arrived);
  CHECK(distance(stage, -2, 6) <= 0.3);
  CHECK_FALSE(stage.steering(0).walk);
}

TEST_CASE("stage: a point behind or beside it is reached from any heading, without circling") {
  for (int i = 0; i < 16; ++i) {
    for (const double far : {0.5, 0.9, 1.5, 3.0}) {
      CAPTURE(i);
      CAPTURE(far);
      Stage stage = stage_with(path({{far, 0}}), 2 * pi * i / 16);
      int frames = 0;
      while (!stage.progress(0).arrived && frames < 600) stage.advance(dt), ++frames;
      CHECK(frames < 450);
      CHECK(distance(stage, far, 0) <= 0.3);
    }
  }
}

TEST_CASE("stage: turns are bounded, and so is their change") {
  Plan plan = path({{4, 0}, {4, 0.5}, {0, 0.5}, {-3, -4}}, true);
  Stage stage = stage_with(plan, 2);
  double last = 0, fastest = 0, hardest = 0;
  for (int k = 0; k < 2400; ++k) {
    stage.advance(dt);
    const double turn = stage.steering(0).turn;
    fastest = std::max(fastest, std::fabs(turn));
    hardest = std::max(hardest, std::fabs(turn - last) / dt);
    last = turn;
  }
  CHECK(fastest <= plan.turn_limit + 1e-12);
  CHECK(fastest > 0.9 * plan.turn_limit);
  CHECK(hardest <= plan.turn_acceleration + 1e-9);
  CHECK(stage.progress(0).rounds >= 2);
  CHECK_FALSE(stage.progress(0).arrived);
}

TEST_CASE("stage: a heading is taken up without overshoot") {
  Plan plan;
  plan.kind = Plan::Kind::heading;
  plan.heading = -2;
  Stage stage = stage_with(plan, 0.5);
  double least = 1e9;
  for (int k = 0; k < 240; ++k) {
    stage.advance(dt);
    least = std::min(least, stage.walker(0).heading());
  }
  CHECK(std::fabs(stage.walker(0).heading() + 2) < 1e-3);
  CHECK(least > -2 - 0.02);
}

TEST_CASE("stage: headings wrap the short way") {
  Plan plan;
  plan.kind = Plan::Kind::heading;
  plan.heading = -3;
  Stage stage = stage_with(plan, 3);
  for (int k = 0; k < 120; ++k) stage.advance(dt);
  CHECK(stage.walker(0).heading() == doctest::Approx(2 * pi - 3).epsilon(1e-3));
}

TEST_CASE("stage: timed commands act from their moment on") {
  Plan plan;
  plan.kind = Plan::Kind::commands;
  plan.turn_acceleration = 1e9;  // as a key is pressed
  plan.commands = {{1, {true, 0, 1}}, {2, {true, 0.8, 1}}, {3, {true, 0, 0.5}}, {4, {false, 0, 1}}};
  Stage stage = stage_with(plan);
  const auto run_to = [&](double t) {
    while (stage.time() < t - 1e-9) stage.advance(dt);
  };
  run_to(1);
  CHECK(stage.walker(0).position().x == 0);
  run_to(2);
  CHECK(stage.walker(0).position().x == doctest::Approx(1.3));
  run_to(3);
  CHECK(stage.walker(0).heading() == doctest::Approx(0.8));
  const Vec3 before = stage.walker(0).position();
  run_to(4);
  CHECK(norm(stage.walker(0).position() - before) == doctest::Approx(0.65));
  const Vec3 end = stage.walker(0).position();
  run_to(5);
  CHECK(stage.walker(0).position() == end);
}

TEST_CASE("stage: plans change while it runs") {
  Stage stage = stage_with({});
  for (int k = 0; k < 30; ++k) stage.advance(dt);
  CHECK(distance(stage, 0, 0) == 0);
  const WayPoint there{3, 1};
  stage.go_to(0, {&there, 1});
  for (int k = 0; k < 150; ++k) stage.advance(dt);
  CHECK(distance(stage, 3, 1) <= 0.3);
  CHECK(stage.progress(0).arrived);
  stage.steer(0, {true, 0.5, 1});
  for (int k = 0; k < 60; ++k) stage.advance(dt);
  CHECK(stage.steering(0).turn == doctest::Approx(0.5));
  CHECK(distance(stage, 3, 1) > 1);
  stage.stop(0);
  const Vec3 stopped = stage.walker(0).position();
  for (int k = 0; k < 30; ++k) stage.advance(dt);
  CHECK(stage.walker(0).position() == stopped);
  CHECK(stage.find("ana") == 0);
  CHECK(stage.find("bob") == -1);
}

TEST_CASE("stage: the same bits on any number of threads") {
  const auto walk = [](int threads) {
    const auto ground = flat();
    Stage stage(ground);
    for (int i = 0; i < 40; ++i) {
      stage.add(std::to_string(i), std::make_unique<PointWalker>(*ground, i, -i, 0.1 * i),
                path({{-1.0 * i, 2}, {3, 1.0 * i}}, true));
    }
    return run(stage, {.fps = 30, .frames = 200, .threads = threads});
  };
  const WalkRecord one = walk(1), four = walk(4);
  for (std::size_t i = 0; i < one.characters.size(); ++i) {
    for (std::size_t k = 0; k < one.characters[i].frames.size(); ++k) {
      const TrackFrame &a = one.characters[i].frames[k], &b = four.characters[i].frames[k];
      REQUIRE(a.position == b.position);
      REQUIRE(a.heading == b.heading);
      REQUIRE(a.placement == b.placement);
    }
  }
}

TEST_CASE("track: the record holds the start and every frame, and a clip goes its way") {
  Plan plan;
  plan.kind = Plan::Kind::heading;
  Stage stage = stage_with(plan);
  int told = 0;
  const WalkRecord record =
      run(stage, {.fps = 30, .frames = 60, .tell = [&](int frame) { CHECK(frame == ++told); }});
  CHECK(told == 60);
  CHECK(record.frames() == 61);
  CHECK(record.time(60) == 2);
  const CharacterTrack& track = record.characters[0];
  CHECK(track.frames[0].position == Vec3{});
  CHECK(track.frames[60].position.x == doctest::Approx(2.6));
  CHECK(track.frames[60].walking);
  const Clip clip = adapted_clip(track, record.fps, "walk");
  CHECK(clip.duration() == doctest::Approx(2));
  SkeletonPose pose(track.rig.skeleton);
  evaluate(clip, track.rig.skeleton, 2, pose);
  // along the model's own front
  CHECK(norm(pose.translation(0) - track.rig.bearing().front * 2.6) < 1e-9);
  CHECK(record_numbers(stage, 60) >= 61 * 2 * 10);
}

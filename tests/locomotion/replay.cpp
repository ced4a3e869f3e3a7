// The shipped basic run replayed: the reset, the image, pushes, and how it ends without help.
#include "molejo/locomotion/replay.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct BasicRun {
  GaitFile file = load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run.gait.json"));
  Character character = make_character(file.motion.scene, file.motion.motion.figure);
  GaitProblem problem{character, file.motion.motion};
  Gait gait = problem.gait(file.unknowns.data());
  double half = gait.duration();

  // Without the way forward.
  State in_place(State state) const {
    const Link& root = character.model.links[static_cast<std::size_t>(character.root.index)];
    const Vec3 p{state.q[root.q], state.q[root.q + 1], state.q[root.q + 2]};
    const Vec3 way = character.forward * dot(p, character.forward);
    for (int i = 0; i < 3; ++i) state.q[root.q + i] -= way[i];
    return state;
  }
  double distance(const State& a, const State& b) const {
    const VecX dq = difference(character.model, in_place(a).q, in_place(b).q);
    return std::max(dq.cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff());
  }
  GaitPush push_left(double newtons, double from, double until) const {
    GaitPush push;
    push.body = character.torso.index;
    push.force = character.left * newtons;
    push.from = from, push.until = until;
    return push;
  }
  Replay play(double seconds, bool reset, std::vector<GaitPush> pushes = {},
              double fps = 2000) const {
    ReplayOptions options;
    options.seconds = seconds, options.reset = reset, options.fps = fps;
    options.pushes = std::move(pushes);
    return replay(problem, file.unknowns, options);
  }
  Vec3 torso(const Frame& frame) const {
    return frame.X_WB[static_cast<std::size_t>(character.torso.index)].p;
  }
  double leftwards(const Frame& frame) const { return dot(torso(frame), character.left); }
};

}  // namespace

TEST_CASE("replay: with the reset every cycle begins with the start, except for the way forward") {
  const BasicRun run;
  REQUIRE(run.gait.mirrored);
  const Replay r = run.play(3, true);  // frames of every step of the simulation
  const State image = mirrored(run.character, run.gait.start);
  int begun = 0;
  double last_way = -1;
  for (const Frame& frame : r.recording.frames) {
    const double halves = frame.state.t / run.half;
    if (std::fabs(halves - std::round(halves)) > 1e-9) continue;
    const bool second = std::lround(halves) % 2 == 1;
    CAPTURE(halves);
    CHECK(run.distance(frame.state, second ? image : run.gait.start) < 1e-12);
    const double way = dot(run.torso(frame), run.character.forward);
    CHECK(way > last_way + (begun > 0 ? 0.2 : 0));
    last_way = way;
    ++begun;
  }
  CHECK(begun == 1 + static_cast<int>(3 / run.half));
  CHECK(!r.report.fell);
  // all cycles are the first, but for the whole ones that are played
  const GaitCheck check = check_gait(run.problem, run.file.unknowns);
  CHECK(std::fabs(r.report.speed - check.result.mean_velocity.x) < 0.1);
  CHECK(r.report.cyclic_error == r.report.worst_cyclic_error);
  CHECK(r.report.cyclic_error == check.cyclic_error);
  CHECK(r.report.peak_force == check.result.peak_force);
  CHECK(r.report.energy == doctest::Approx(check.result.energy));
  CHECK(r.report.duty_factor == doctest::Approx(check.result.contact_time / run.half / 2));
}

TEST_CASE("replay: what is shown goes without a jump into the next cycle, far from cyclic too") {
  BasicRun run;
  // other amplitudes, so that the end is not the start at all
  for (int i = run.problem.first_amplitude(); i < run.problem.last_amplitude(); ++i) {
    double& x = run.file.unknowns[static_cast<std::size_t>(i)];
    x = std::min(1.0, x + 0.08);
  }
  const Replay r = run.play(4 * run.half, true);
  REQUIRE(!r.report.fell);
  REQUIRE(r.report.cyclic_error > 5);
  const auto& frames = r.recording.frames;
  double largest = 0, usual = 0;
  int ends = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const VecX dq = difference(run.character.model, frames[i - 1].state.q, frames[i].state.q);
    const double h = frames[i].state.t - frames[i - 1].state.t;
    REQUIRE(h > 0);
    const double halves = frames[i].state.t / run.half;
    const bool at_end = std::fabs(halves - std::round(halves)) < 1e-9;
    double& most = at_end ? largest : usual;
    most = std::max(most, dq.cwiseAbs().maxCoeff() / h);
    ends += at_end;
  }
  CHECK(ends >= 3);
  CHECK(largest < usual);
}

TEST_CASE("replay: the second half is the image of the first, with its ground forces") {
  const BasicRun run;
  const auto frames = run.play(2 * run.half, true).recording.frames;
  const std::size_t n = frames.size() / 2;
  REQUIRE(frames.size() >= 2 * n);
  int touching = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Frame &a = frames[i], &b = frames[i + n];
    CAPTURE(i);
    REQUIRE(std::fabs(b.state.t - a.state.t - run.half) < 1e-9);
    CHECK(run.distance(mirrored(run.character, a.state), b.state) < 1e-12);
    REQUIRE(a.contacts.size() == b.contacts.size());
    for (std::size_t k = 0; k < a.contacts.size(); ++k) {
      const TouchPoint &p = a.contacts[k], &q = b.contacts[k];
      CHECK(q.a.index == run.character.mirror.body[static_cast<std::size_t>(p.a.index)]);
      CHECK(dot(p.force, run.character.left) == -dot(q.force, run.character.left));
      CHECK(dot(p.force, run.character.up) == dot(q.force, run.character.up));
      CHECK(std::fabs(dot(p.point, run.character.left) + dot(q.point, run.character.left)) < 1e-12);
      // on the ground, under a foot
      CHECK(std::fabs(dot(p.point, run.character.up)) < 0.02);
      ++touching;
    }
  }
  CHECK(touching > 0);
}

TEST_CASE(
    "replay: a push to the left goes to the left, in either half, and leaves what was before") {
  const BasicRun run;
  const auto plain = run.play(2 * run.half, false).recording.frames;
  for (const double from : {0.3 * run.half, 1.3 * run.half}) {
    const double until = from + 0.05;
    CAPTURE(from);
    const auto pushed =
        run.play(2 * run.half, false, {run.push_left(100, from, until)}).recording.frames;
    REQUIRE(pushed.size() == plain.size());
    double gained = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (plain[i].state.t <= from) {
        CHECK(pushed[i].state.q == plain[i].state.q);
        CHECK(pushed[i].state.v == plain[i].state.v);
      } else if (plain[i].state.t <= until) {
        gained = dot(pushed[i].momentum - plain[i].momentum, run.character.left);
      }
    }
    // 100 N for 0.05 s; the foot on the ground takes some of it
    CHECK(gained > 1);
    CHECK(gained < 5.2);
    CHECK(run.leftwards(pushed.back()) > run.leftwards(plain.back()));
  }
}

TEST_CASE("replay: left to itself it falls after some steps, and says when") {
  const BasicRun run;
  const Replay r = run.play(60, false, {}, 200);
  REQUIRE(r.report.fell);
  CHECK(r.report.steps >= 2);
  CHECK(r.report.seconds > (r.report.steps - 1) * run.half);
  CHECK(r.report.seconds <= r.report.steps * run.half + 1e-9);
  // upright until then, and lying from then to the end of the step
  const auto& frames = r.recording.frames;
  CHECK(has_fallen(run.character, frames.back().state));
  for (const Frame& frame : frames) {
    if (frame.state.t > r.report.seconds) CHECK(has_fallen(run.character, frame.state));
  }
  CHECK(!has_fallen(run.character, run.gait.start));
  // without frames the same report
  ReplayOptions options;
  options.seconds = 60, options.record = false;
  const Replay quiet = replay(run.problem, run.file.unknowns, options);
  CHECK(quiet.recording.frames.empty());
  CHECK(quiet.report.seconds == r.report.seconds);
  CHECK(quiet.report.steps == r.report.steps);
}

TEST_CASE("replay: frames end where the seconds end") {
  const BasicRun run;
  const auto frames = run.play(1, false, {}, 50).recording.frames;
  CHECK(frames.size() == 51);
  CHECK(std::fabs(frames.back().state.t - 1) <= 0.6e-3);  // at a step of the simulation
}

TEST_CASE("replay: a gait with a weaker priority mode or a broken limit is not valid") {
  BasicRun run;
  REQUIRE(check_gait(run.problem, run.file.unknowns).valid());
  Motion strict = run.file.motion.motion;
  strict.rollout.limits.peak_force = 0.5;
  const GaitProblem other(run.character, strict);
  const GaitCheck broken = check_gait(other, run.file.unknowns);
  CHECK(broken.result.terms[static_cast<std::size_t>(EasyTerm::peak_force)] > 0);
  CHECK(!broken.easy_holds());
  CHECK(!broken.valid());
  // below its bound: what no file may hold
  std::vector<double> weak = run.file.unknowns;
  weak[static_cast<std::size_t>(run.problem.first_amplitude())] = -0.05;
  CHECK(!check_gait(run.problem, weak).priority);
  CHECK(!check_gait(run.problem, weak).valid());
  // the sketch is not a gait
  const VecX start = run.problem.start();
  CHECK(!check_gait(run.problem, {start.begin(), start.end()}).valid());
}

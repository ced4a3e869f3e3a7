// Walkers among the actors: they walk as their walkers do, fall by physics, and recover.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/director/terrain_field.h"
#include "molejo/model/error.h"
#include "tests/director/shows.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const Show& stumble() {
  static const Show show = shipped_show("stumble");
  return show;
}
const Directed& played() {
  static const Directed directed = direct(stumble());
  return directed;
}
std::int64_t frame_of(const std::string& transition) {
  const auto frames = frames_of(firings(stumble(), played().trace), transition);
  REQUIRE(frames.size() == 1);
  return frames[0];
}
// What a frame causes fires at its time, and acts in the next one.
std::int64_t let_go_frame() { return frame_of("hit") + 1; }
const Frame& frame(std::int64_t k) { return played().recording.frames.at(std::size_t(k)); }

// Mass, centre, momenta of one actor at a state of the whole show.
Totals totals_of_actor(const Show& show, int figure, const State& state) {
  const Model& model = show.built->model;
  const Kinematics<double> k = kinematics(model, state);
  Totals sum;
  for (const int i : show.figures[at(figure)].links) {
    const Link& link = model.links[at(i)];
    const BodyMotion<double>& b = k.bodies[at(i)];
    const Vec3 c = b.p + b.com, v = b.v + cross(b.w, b.com);
    sum.mass += link.mass;
    sum.momentum += v * link.mass;
    sum.angular_momentum += cross(c, v * link.mass) + b.R * (link.I_BC * transpose_times(b.R, b.w));
    sum.com += c * link.mass;
  }
  sum.com = sum.com / sum.mass;
  sum.com_velocity = sum.momentum / sum.mass;
  return sum;
}

double ground_below(const Show& show, const Vec3& p) {
  const auto here = show.walkers[0].ground->at(p.x, p.y);
  REQUIRE(here);
  return here->height;
}

// A walker on level ground; `rest` is the net, the actions and what else there is.
std::string level_show(const std::string& rest) {
  return R"({"actors": [{"name": "ana", "walker": {"terrains": [{"elevation": "0", "from": [-9, -9], "to": [9, 9]}],
    "characters": [{"name": "stick", "file": "../walks/stick_walk.bvh",
      "clips": {"walk": "../walks/stick_walk.bvh", "idle": "../walks/stick_idle.bvh"}}]}}], "fps": 30, )" +
         rest + "}";
}

std::string error_of(const std::string& text) {
  try {
    show_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("stumble: the net is played to its end") {
  std::vector<std::string> order;
  for (const Fired& f : firings(stumble(), played().trace)) order.push_back(f.transition);
  CHECK(order == std::vector<std::string>{"throw", "hit", "up", "on", "there"});
  CHECK(played().recording.summary.failure.empty());
  // the awaited walk was over when she had come within 0.3 m of its end
  const Vec3 p = position(stumble(), frame(frame_of("there")), "ana.pelvis");
  CHECK(std::hypot(p.x - 9, p.y) < 0.35);
  const Vec3 before = position(stumble(), frame(frame_of("there") - 8), "ana.pelvis");
  CHECK(std::hypot(before.x - 9, before.y) > 0.3);
}

TEST_CASE("stumble: until she is hit her bodies are where her walker has them, bit for bit") {
  const ShowWalker& walker = stumble().walkers[0];
  navigation::Stage stage(walker.ground);
  navigation::Plan plan = walker.habits;
  plan.kind = navigation::Plan::Kind::path;
  plan.path = {{9, 0}};
  plan.loop = false;
  stage.add("ana", walker.make(), plan);
  const Model& model = stumble().built->model;
  const navigation::RagdollMap map(*walker.ragdoll, stage.walker(0).rig(), model, "ana.");
  const std::int64_t hit = frame_of("hit");
  REQUIRE(hit > 60);
  VecX q = frame(0).state.q;
  for (std::int64_t k = 0; k <= hit; ++k) {
    for (int half = 0; half < 2 && k > 0; ++half) stage.advance(1.0 / 60);
    map.write(stage.walker(0).pose(), stage.walker(0).placement(), q);
    for (const int i : stumble().figures[0].links) {
      const Link& link = model.links[at(i)];
      const int n = link.translations + 4;
      REQUIRE(q.segment(link.q, n) == frame(k).state.q.segment(link.q, n));
    }
  }
}

TEST_CASE("stumble: she keeps her velocities when she is let go, but for the push") {
  const std::int64_t hit = let_go_frame();
  const Model& model = stumble().built->model;
  State let_go = frame(hit).state;
  let_go.v = difference(model, frame(hit - 1).state.q, frame(hit).state.q) * 30;
  const Totals walking = totals_of_actor(stumble(), 0, let_go);
  const Totals pushed = totals_of_actor(stumble(), 0, frame(hit).state);
  const Vec3 push{10, -60, 0};
  CHECK(norm(pushed.momentum - walking.momentum - push) < 1e-9);
  CHECK(norm(pushed.com_velocity - walking.com_velocity - push / pushed.mass) < 1e-9);
  // it passed through the middle of her torso
  const Kinematics<double> k = kinematics(model, let_go);
  const BodyMotion<double>& torso = k.bodies[at(model.body("ana.torso").index)];
  const Vec3 moment = cross(torso.p + torso.com, push);
  CHECK(norm(pushed.angular_momentum - walking.angular_momentum - moment) < 1e-9);
  // the simulation goes on from there: gravity and a sixtieth of a second of contact at most
  const Totals next = totals_of_actor(stumble(), 0, frame(hit + 1).state);
  CHECK(norm(next.com - pushed.com - pushed.com_velocity / 30) < 0.01);

  // without a push nothing at all changes
  const Show quiet = show_of(replaced(
      show_text("stumble"), R"("push": [10, -60, 0], "at": "torso")", R"("actor": "ana")"));
  const Directed fallen = direct(quiet, {.duration = Fraction(hit + 1, 30)});
  const auto& frames = fallen.recording.frames;
  REQUIRE(frames.size() == std::size_t(hit) + 2);
  const VecX v = difference(model, frames.at(std::size_t(hit) - 1).state.q,
                            frames.at(std::size_t(hit)).state.q) *
                 30;
  for (const int i : quiet.figures[0].links) {
    const Link& link = model.links[at(i)];
    const int n = link.translations + 3;
    CHECK((v - frames[std::size_t(hit)].state.v).segment(link.v, n).lpNorm<Eigen::Infinity>() <
          1e-9);
  }
}

TEST_CASE("stumble: she falls, lies on the ground and does not sink into it") {
  const double leg = stumble().walkers[0].ragdoll->leg_length;
  const auto height = [&](std::int64_t k) {
    const Vec3 p = position(stumble(), frame(k), "ana.pelvis");
    return p.z - ground_below(stumble(), p);
  };
  CHECK(height(frame_of("hit")) > 0.9 * leg);
  const std::int64_t up = frame_of("up");
  CHECK(height(up) < 0.4 * leg);
  CHECK(norm(totals_of_actor(stumble(), 0, frame(up).state).com_velocity) < 0.1);
  for (const int i : stumble().figures[0].links) {
    const Vec3 p = frame(up).X_WB[at(i)].p;
    CHECK(p.z - ground_below(stumble(), p) > 0);
    CHECK(p.z - ground_below(stumble(), p) < 0.6 * leg);
  }
  CHECK(played().recording.summary.largest_penetration < 0.03);
  // elastic limits are not strained while she lies: no limb is twisted
  CHECK(frame(up).energy.elastic < 5);
}

TEST_CASE("stumble: she gets up without a jump and walks on with her feet on the ground") {
  const Model& model = stumble().built->model;
  const std::int64_t up = frame_of("up"), on = frame_of("on"), there = frame_of("there");
  double turn = 0, step = 0;
  for (std::int64_t k = up; k < there; ++k) {
    const VecX way = difference(model, frame(k).state.q, frame(k + 1).state.q);
    for (const int i : stumble().figures[0].links) {
      const Link& link = model.links[at(i)];
      const int v = link.v + link.translations;
      turn = std::max(turn, norm(Vec3{way[v], way[v + 1], way[v + 2]}));
    }
    step = std::max(step, norm(position(stumble(), frame(k + 1), "ana.pelvis") -
                               position(stumble(), frame(k), "ana.pelvis")));
  }
  // no foot goes through the ground on the way up
  for (std::int64_t k = up; k < on; ++k) {
    for (const char* foot : {"ana.left_foot", "ana.right_foot"}) {
      const Vec3 p = position(stumble(), frame(k), foot);
      CHECK(p.z - ground_below(stumble(), p) > 0);
    }
  }
  CHECK(turn < 0.35);  // rad a frame: 10 rad/s
  CHECK(step < 0.1);   // m a frame: 3 m/s

  // the skeleton itself, from the director
  Director director(stumble());
  Frame f;
  std::vector<ContactEvent> events;
  double off = 0;
  int stood = 0;
  for (std::int64_t k = 0; k <= there; ++k) {
    REQUIRE(director.next_frame(f, events));
    if (k < on + 5) continue;
    CHECK(!director.ensemble().is_simulated({stumble().figures[0].root}));
    for (const navigation::FootState& foot : director.ensemble().walkers()[0]->walker().feet()) {
      if (foot.heel_down)
        off = std::max(off, std::fabs(foot.heel.z - ground_below(stumble(), foot.heel)));
      if (foot.toe_down)
        off = std::max(off, std::fabs(foot.toe.z - ground_below(stumble(), foot.toe)));
      stood += foot.heel_down || foot.toe_down ? 1 : 0;
    }
  }
  CHECK(stood > there - on);
  CHECK(off < 0.015);
}

TEST_CASE("stumble: the same bits in every run") {
  CHECK(direct(stumble()).recording.summary.hash == played().recording.summary.hash);
}

TEST_CASE("walkers: idle, a heading, a push at once, and a walk that lifts her again") {
  const Show show = show_of(level_show(R"("duration": 9, "net": {
    "places": [{"name": "A", "tokens": 1, "delay": 1, "action": "wait"}, {"name": "B", "delay": 2, "action": "go"},
               {"name": "C", "delay": 2}, {"name": "D", "delay": 3, "action": "go"}, {"name": "E"}],
    "transitions": [{"name": "ab", "in": "A", "out": "B"}, {"name": "bc", "in": "B", "out": "C"},
                    {"name": "cd", "in": "C", "out": "D"}, {"name": "de", "in": "D", "out": "E"}]},
    "actions": {"wait": {"do": "idle"}, "go": {"do": "walk", "heading_deg": 0, "blend": 1}},
    "transitions": {"bc": {"do": "fall", "push": [0, 50, 0]}})"));
  const Directed d = direct(show);
  const auto x = [&](int k) { return position(show, d.recording.frames.at(at(k)), "ana.pelvis"); };
  const double leg = show.walkers[0].ragdoll->leg_length;
  CHECK(norm(x(30) - x(0)) < 0.1);  // she idles
  CHECK(x(88).x - x(30).x > 0.8);   // walks
  CHECK(x(150).z < 0.4 * leg);      // lies
  CHECK(x(150).y > x(88).y + 0.1);  // to where she was pushed
  CHECK(x(200).z > 0.9 * leg);      // and stands again
  CHECK(x(238).x - x(200).x > 0.5);
}

TEST_CASE("walkers: those who fall among props touch them") {
  const std::string box =
      R"("scene": {"bodies": [{"name": "box", "position": [0.2, 0.9, 0.26], "mass": 2,
    "shape": {"box": [0.5, 0.5, 0.5]}}]}, )";
  const Show show = show_of(level_show(box + R"("duration": 3, "net": {
    "places": [{"name": "A", "tokens": 1, "delay": 3, "action": "fall"}, {"name": "T"}],
    "transitions": [{"name": "t", "in": "A", "out": "T"}]},
    "actions": {"fall": {"do": "fall", "push": [0, 120, 0], "at": "torso"}},
    "causes": [{"contact": ["box", "ana.torso"], "put": "T"}, {"contact": ["box", "ana.left_upper_arm"], "put": "T"}])"));
  const Directed d = direct(show);
  CHECK(position(show, d.recording.frames.back(), "box").y > 0.92);
  bool touched = false;
  for (const NetEvent& e : d.trace.events) {
    touched = touched || (e.kind == NetEventKind::arrive && e.node == 1 && e.tick > 0);
  }
  CHECK(touched);
}

TEST_CASE("walkers: what cannot be read is told where it stands") {
  const std::string net =
      R"("net": {"places": [{"name": "A", "tokens": 1, "delay": 1, "action": "a"}], "transitions": []}, )";
  const auto with = [&](const std::string& action) {
    return error_of(level_show(net + R"("actions": {"a": )" + action + "}"));
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(with(R"({"do": "walk", "to": [1, 1]})") == "no error");
  CHECK(has(with(R"({"do": "reach", "limb": "left_arm", "to": [0, 0, 0]})"),
            "actor 'ana' walks: expected walk, idle, fall or recover"));
  CHECK(has(with(R"({"do": "walk", "to": [1, 1], "heading_deg": 3})"), "heading_deg"));
  CHECK(has(with(R"({"do": "walk", "heading_deg": 3, "within": 1})"), "belongs to 'path'"));
  CHECK(has(with(R"({"do": "walk", "path": []})"), "expected one way-point or more"));
  CHECK(has(with(R"({"do": "walk", "to": [1, 2, 3]})"), "/actions/a/to"));
  CHECK(has(with(R"({"do": "fall", "at": "torso"})"), "belongs to 'push'"));
  CHECK(has(with(R"({"do": "fall", "push": [1, 0, 0], "at": "chest"})"), "unknown body 'chest'"));
  CHECK(has(with(R"({"do": "recover", "blend": -1})"), "/actions/a/blend"));
  CHECK(has(with(R"({"do": "wlak"})"), "walk"));
  CHECK(has(error_of(replaced(level_show(net + R"("actions": {"a": null})"), R"("walker": {)",
                              R"("character": "stik", "walker": {)")),
            "unknown character 'stik'"));
  CHECK(has(error_of(replaced(level_show(net + R"("actions": {"a": null})"), R"("walker": {)",
                              R"("position": [99, 0], "walker": {)")),
            "there is no ground"));
  // an actor with limbs does not walk
  CHECK(has(
      error_of(R"({"actors": [{"name": "f", "character": "../characters/stick_figure.json"}], )" +
               net + R"("actions": {"a": {"do": "walk", "to": [1, 1]}}})"),
      "actor 'f' is no walker"));
}

TEST_CASE("terrain field: as near to the relief as it says") {
  const motion::Relief hills = motion::formula_relief(
      -3, 5, -2, 2, [](double x, double y) { return 0.3 * std::sin(2 * x) * std::cos(y); });
  const TerrainField field = terrain_field(hills, {1, 2, 0.5}, {2, 1, 1.5});
  CHECK(field.error < 0.004);
  motion::Ground exact, sampled;
  exact.add(hills, {1, 2, 0.5}, {2, 1, 1.5});
  sampled.add(motion::grid_relief(field.field), field.middle);
  double worst = 0;
  for (int i = 1; i < 200; ++i) {
    for (int j = 1; j < 60; ++j) {
      const double x = -5 + 16 * i / 200.0, y = 4 * j / 60.0;
      worst = std::max(worst, std::fabs(exact.at(x, y)->height - sampled.at(x, y)->height));
    }
  }
  CHECK(worst < 1.3 * field.error);
  CHECK(worst > 0.5 * field.error);

  // hills of any height: some need all of what the documents allow, 4 mm, none takes more
  double most = 0;
  for (int i = 0; i < 400; ++i) {
    const double h = 0.1 * std::pow(1.004, i);
    const motion::Relief hill = motion::formula_relief(
        0, 2, 0, 1, [h](double x, double y) { return h * std::sin(2 * x) * std::cos(y); });
    most = std::max(most, terrain_field(hill, {}, {1, 1, 1}).error);
  }
  CHECK(most <= 0.004);
  CHECK(most > 0.0039);

  // a step is a slope as wide as one cell, and exact elsewhere
  const motion::Relief step =
      motion::piecewise_relief(0, -1, 1, {{.length = 2.1}, {.length = 2, .rise = 0.2}});
  const TerrainField stairs = terrain_field(step, {}, {1, 1, 1});
  CHECK(stairs.error < 1e-9);
  motion::Ground ground;
  ground.add(motion::grid_relief(stairs.field), stairs.middle);
  CHECK(ground.at(2.1 - stairs.field.dx, 0.3)->height == doctest::Approx(0));
  CHECK(ground.at(2.1 + stairs.field.dx, 0.3)->height == doctest::Approx(0.2));

  // vast ground is sampled as finely as may be
  const TerrainField vast = terrain_field(hills, {}, {1000, 1000, 1}, {.points = 5000});
  CHECK(vast.field.columns * vast.field.rows <= 5000);
  CHECK(vast.field.columns * vast.field.rows > 4000);
}

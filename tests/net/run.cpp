// The token game: firing frames of the thesis, exact time, stages, ties, words from outside.
#include "molejo/net/run.h"

#include <doctest/doctest.h>

#include "molejo/io/file.h"
#include "tests/net/thesis_nets.h"

using namespace molejo;
using namespace molejo::test;

namespace doctest {
template <>
struct StringMaker<std::vector<Firing>> {
  static String convert(const std::vector<Firing>& firings) {
    std::string text;
    for (const Firing& f : firings) text += f.transition + " " + std::to_string(f.frame) + ", ";
    return text.c_str();
  }
};
}  // namespace doctest

namespace {

Net with_steps(const char* file, int steps) {
  Net net = shipped_net(file);
  const NetNames names(net);
  const TransitionId counter = names.transition("T5");
  for (Arc& a : net.arcs) {
    if (a.transition == counter && a.kind == ArcKind::input) a.weight = steps;
  }
  return net;
}

// A -> t -> B with a delay at A.
Net two_places(Fraction delay, std::int64_t tokens) {
  Net net;
  NetBuilder builder(net);
  const PlaceId a = builder.add(Place{.name = "A", .delay = delay, .tokens = tokens});
  const PlaceId b = builder.add(Place{.name = "B"});
  const TransitionId t = builder.add(Transition{.name = "t"});
  builder.connect(ArcKind::input, a, t);
  builder.connect(ArcKind::output, b, t);
  return net;
}

}  // namespace

TEST_CASE("net run: the walk of three steps fires at the frames of the thesis") {
  const std::vector<Firing> expected{{"T1", 0},  {"T2", 12},  {"T3", 36}, {"T5", 36},
                                     {"T8", 60}, {"T10", 72}, {"T11", 72}};
  for (const char* file : {"walk.net.json", "walk_coarse.net.json"}) {
    const Played walk = play(shipped_net(file), 240);
    CHECK(walk.firings == expected);
    CHECK(walk.frames == 72);  // it ends by itself, long before the limit
  }
}

TEST_CASE("net run: of the example of the appendix only t2 fires, and gives [1 0 0 1]") {
  Net net = parse_net_text(
      "4 2\nP P1 0 1\nP P2 0 1\nP P3 0 1\nP P4 0 0\nT t1 1\nT t2 1\n"
      "I P1 t1 2\nI P2 t2 1\nI P3 t2 1\nO P4 t1 1\nO P4 t2 1\n",
      "example.pn");
  for (Transition& t : net.transitions) t.event = "step";
  NetRun run(net, {});
  CHECK_FALSE(run.is_enabled({0}));
  CHECK(run.is_enabled({1}));
  CHECK(run.raise("step") == 1);
  std::vector<std::int64_t> marking;
  for (int p = 0; p < 4; ++p) marking.push_back(run.marking({p}));
  CHECK(marking == std::vector<std::int64_t>{1, 0, 0, 1});
}

TEST_CASE("net run: a net that is built by calls plays as the same one from a file") {
  const Net file = shipped_net("walk.pn");
  Net built;
  NetBuilder builder(built);
  for (const Place& p : file.places) builder.add(Place{p});
  for (const Transition& t : file.transitions) builder.add(Transition{t});
  for (auto a = file.arcs.rbegin(); a != file.arcs.rend(); ++a) {
    builder.connect(a->kind, a->place, a->transition, a->weight);
  }
  CHECK(play(built, 240).firings == play(file, 240).firings);
}

TEST_CASE("net run: changing the number of steps changes one record, and the frames before stay") {
  const Net three = shipped_net("walk.net.json"), four = with_steps("walk.net.json", 4);
  const std::string a = net_text(three), b = net_text(four);
  REQUIRE(a.size() == b.size());
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i] ? 1 : 0;
  CHECK(different == 1);  // I P3 T5 4
  const std::vector<Firing> first = play(three, 240).firings, second = play(four, 240).firings;
  for (std::size_t i = 0; i < 3; ++i) CHECK(first[i] == second[i]);  // up to the third step
  CHECK(play(four, 240).frames == 96);
}

TEST_CASE("net run: one ball in every frame, thrown only to one who is ready, for 10 000 frames") {
  const Net net = shipped_net("ball_top.net.json");
  NetRun run(net, {});
  const auto tokens = [&](int k) { return run.tokens({k - 1}); };
  for (int frame = 0; frame < 10'000; ++frame) {
    std::int64_t balls = 0;
    for (const int k : {1, 2, 3, 10, 15, 16, 17, 18, 19, 12, 7, 8}) balls += tokens(k);
    REQUIRE(balls == 1);
    // rule iii: while one throws, the other stands ready
    if (tokens(3) > 0) REQUIRE(run.marking({14 - 1}) == 1);
    if (tokens(19) > 0) REQUIRE(run.marking({6 - 1}) == 1);
    // rules i and ii: nobody walks on with the ball thrown at him, or before he has thrown
    REQUIRE(tokens(5) * (tokens(1) + tokens(2) + tokens(3)) == 0);
    REQUIRE(tokens(10) * (tokens(13) + tokens(17)) == 0);
    REQUIRE(run.advance());
  }
}

TEST_CASE("net run: a walk of N steps ends at frame 24 N") {
  for (int n = 1; n <= 8; ++n) {
    CHECK(play(with_steps("walk.net.json", n), 1000).frames == 24 * n);
  }
  std::vector<std::string> order;
  for (const Firing& f : play(with_steps("walk.net.json", 2), 1000).firings) {
    order.push_back(f.transition);
  }
  CHECK(order == std::vector<std::string>{"T1", "T2", "T5", "T7", "T9", "T11"});
  CHECK(frames_of(play(with_steps("walk.net.json", 1), 1000).firings, "T6").size() == 1);
}

TEST_CASE("net run: the jump, with the delays of the listing and those of the text") {
  Net jump = shipped_net("jump.net.json");
  const std::vector<Firing> listing{{"T1", 36},  {"P2c_T1", 48}, {"T2", 60}, {"T3", 84},
                                    {"T4", 108}, {"T5", 144},    {"T6", 180}};
  CHECK(play(jump, 1000).firings == listing);
  for (Place& p : jump.places) {
    if (p.name.starts_with("P5")) p.delay = Fraction(3, 4);
    if (p.name.starts_with("P6")) p.delay = Fraction(9, 4);
  }
  const Played text = play(jump, 1000);
  CHECK(frames_of(text.firings, "T5") == std::vector<std::int64_t>{126});
  CHECK(text.frames == 180);
}

TEST_CASE("net run: the ball game has the event frames of the thesis, flat and folded") {
  const std::vector<Firing> expected{{"T1", 48},   {"T9", 72},   {"T2", 108},  {"T3", 120},
                                     {"T10", 144}, {"T4", 156},  {"T11", 168}, {"T12", 192},
                                     {"T5", 228},  {"T13", 240}, {"T14", 264}, {"T15", 276},
                                     {"T6", 300},  {"T16", 312}, {"T7", 324},  {"T8", 348}};
  const Played flat = play(shipped_net("ball_game.net.json"), 348);
  CHECK(top_level(flat.firings) == expected);
  CHECK(flat.frames == 348);  // it would go on for ever: the limit ends it
  CHECK(play(shipped_net("ball_top.net.json"), 348).firings == expected);
  CHECK(flat.most_running == 7);
}

TEST_CASE("net run: a ring of two actors is the ball game, of many it keeps its beat") {
  std::string text = read_file(source_dir() + "/scenes/nets/ball_ring.net.json");
  const auto ring = [&](int actors) {
    std::string with = text;
    const std::string word = "\"actors\": 4";
    with.replace(with.find(word), word.size(), "\"actors\": " + std::to_string(actors));
    return parse_net_json(with, "ring.json");
  };
  const Played two = play(ring(2), 1000), flat = play(shipped_net("ball_game.net.json"), 1000);
  for (const auto& [ours, theirs] : {std::pair{"actor0_T2", "T2"},
                                     {"actor1_T6", "T10"},
                                     {"actor1_T2", "T14"},
                                     {"actor0_T6", "T6"}}) {
    CHECK(frames_of(two.firings, ours) == frames_of(flat.firings, theirs));
  }
  const Net many = ring(100);
  CHECK(many.places.size() == 6800);
  const Played all = play(many, 1000);
  for (int i = 0; i < 100; ++i) {
    CHECK(frames_of(all.firings, "actor" + std::to_string(i) + "_T2") ==
          frames_of(flat.firings, i % 2 == 0 ? "T2" : "T14"));
  }
}

TEST_CASE("net run: throws come every 156 frames for 10 000 frames, whatever the seed") {
  const Net net = shipped_net("ball_game.net.json");
  const std::vector<Firing> first = top_level(play(net, 10'000).firings);
  std::vector<std::int64_t> throws;
  for (const Firing& f : first) {
    if (f.transition == "T2" || f.transition == "T14") throws.push_back(f.frame);
  }
  REQUIRE(throws.size() == 64);
  for (std::size_t i = 0; i < throws.size(); ++i) {
    CHECK(throws[i] == 108 + 156 * static_cast<std::int64_t>(i));
  }
  for (std::uint64_t seed = 2; seed <= 20; ++seed) {
    CHECK(top_level(play(net, 2'000, {.seed = seed}).firings) ==
          top_level(play(net, 2'000).firings));
  }
}

TEST_CASE("net run: no drift at frame rates that do not divide the delays") {
  // 0.5 s are 12.5 frames of 1/25 s; rounding each would end at 74 or 76
  const Net walk = shipped_net("walk.net.json");
  CHECK(play(walk, 1000, {.frame_rate = 25}).frames == 75);
  const Net ball = shipped_net("ball_top.net.json");
  for (const Fraction rate : {Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(7),
                              Fraction(1, 3), Fraction(144)}) {
    NetRun run(ball, {.frame_rate = rate});
    std::int64_t throws = 0;
    while (run.seconds(run.tick()) < 13.0 * 100) {
      run.advance();
      for (const NetEvent& e : run.events()) {
        if (e.kind != NetEventKind::fire || e.node != 1) continue;  // T2, at 4.5 s + 13 s n
        CHECK(run.exact_seconds(e.tick) == Fraction(9 + 26 * throws, 2));
        ++throws;
      }
    }
    CHECK(throws >= 100);
  }
}

TEST_CASE("net run: n tokens of one place ripen one after the other, the last after n delays") {
  const Net net = two_places(Fraction(1, 2), 5);
  NetRun run(net, {});
  CHECK(run.waiting({0}) == 5);
  CHECK(run.marking({0}) == 0);
  std::vector<std::int64_t> frames;
  while (!run.is_quiet() && run.advance()) {
    for (const NetEvent& e : run.events()) {
      if (e.kind == NetEventKind::fire) frames.push_back(run.frame());
    }
    // never usable before its time
    CHECK(run.marking({1}) == run.frame() / 12);
  }
  CHECK(frames == std::vector<std::int64_t>{12, 24, 36, 48, 60});
}

TEST_CASE("net run: an action of half a second is called once with arrival, 11 times with wait") {
  const Net net = two_places(Fraction(1, 2), 1);
  NetRun run(net, {});
  int arrivals = 0, waits = 0;
  CHECK(run.stage({0}) == Stage::arrival);
  for (int frame = 1; frame <= 12; ++frame) {
    CHECK(run.advance());
    REQUIRE(run.calls().size() == 1);
    const ActionCall& call = run.calls().front();
    CHECK(call.place == PlaceId{0});
    CHECK(call.start == 0);
    CHECK(run.seconds(call.due) == 0.5);
    CHECK((call.end >= 0) == (frame == 12));
    ++(call.stage == Stage::arrival ? arrivals : waits);
    CHECK(run.stage({0}) == (frame < 12 ? Stage::wait : Stage::nothing));
  }
  CHECK(arrivals == 1);
  CHECK(waits == 11);
  run.advance();
  CHECK(run.calls().empty());
}

TEST_CASE("net run: an action shorter than a frame is called once") {
  const Net net = two_places(Fraction(1, 100), 3);
  NetRun run(net, {});
  run.advance();
  REQUIRE(run.calls().size() == 3);
  for (const ActionCall& call : run.calls()) {
    CHECK(call.stage == Stage::arrival);
    CHECK(call.end == call.due);
  }
  CHECK(run.marking({1}) == 3);
}

TEST_CASE("net run: the higher priority always goes first, equals are drawn evenly") {
  Net net;
  NetBuilder builder(net);
  const PlaceId p = builder.add(Place{.name = "p", .tokens = 1});
  for (const char* name : {"a", "b", "c"}) {
    const PlaceId out = builder.add(Place{.name = std::string(name) + "_out"});
    const TransitionId t =
        builder.add(Transition{.name = name, .priority = name[0] == 'c' ? 1 : 2});
    builder.connect(ArcKind::input, p, t);
    builder.connect(ArcKind::output, out, t);
  }
  int a = 0, c = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    NetRun run(net, {.seed = seed});
    a += static_cast<int>(run.marking({1}));
    c += static_cast<int>(run.marking({3}));
    if (seed < 10) {  // the same seed draws the same
      CHECK(NetRun(net, {.seed = seed}).marking({1}) == run.marking({1}));
    }
  }
  CHECK(c == 0);
  CHECK(a > 4800);  // four standard deviations of 50
  CHECK(a < 5200);
}

TEST_CASE("net run: an inhibitor looks at tokens whose wait is over") {
  Net net;
  NetBuilder builder(net);
  const PlaceId p = builder.add(Place{.name = "p", .delay = 1, .tokens = 1});
  const PlaceId q = builder.add(Place{.name = "q", .delay = Fraction(1, 2), .tokens = 2});
  const TransitionId t = builder.add(Transition{.name = "t"});
  builder.connect(ArcKind::inhibitor, p, t);
  builder.connect(ArcKind::input, q, t);
  NetRun run(net, {.frame_rate = 2});
  CHECK_FALSE(run.is_enabled(t));
  run.advance();  // 0.5 s: the first token of q, while p still waits
  CHECK(run.tokens(q) == 1);
  run.advance();  // 1 s: both become ripe together
  CHECK(run.marking(p) == 1);
  CHECK(run.marking(q) == 1);
  CHECK_FALSE(run.is_enabled(t));
}

TEST_CASE("net run: events fire only what is enabled, at rest, by priority") {
  Net net;
  NetBuilder builder(net);
  const PlaceId idle = builder.add(Place{.name = "idle", .tokens = 1});
  const PlaceId run_place = builder.add(Place{.name = "run", .delay = 1, .action = "run"});
  const PlaceId jump = builder.add(Place{.name = "jump", .delay = 2, .action = "jump"});
  const TransitionId go = builder.add(Transition{.name = "go", .event = "go"});
  const TransitionId leap = builder.add(Transition{.name = "leap", .event = "jump"});
  const TransitionId land = builder.add(Transition{.name = "land"});
  builder.connect(ArcKind::input, idle, go);
  builder.connect(ArcKind::output, run_place, go);
  builder.connect(ArcKind::interrupter, run_place, leap);
  builder.connect(ArcKind::output, jump, leap);
  builder.connect(ArcKind::input, jump, land);
  builder.connect(ArcKind::output, idle, land);
  NetRun run(net, {});

  CHECK(run.raise("jump") == 0);  // not enabled: lost
  CHECK(run.raise("nothing of that name") == 0);
  run.advance();
  CHECK(run.tokens(idle) == 1);  // events do not fire by themselves
  CHECK(run.raise("go") == 1);
  CHECK(run.raise("go") == 0);
  for (int i = 0; i < 5; ++i) run.advance();
  CHECK(run.stage(run_place) == Stage::wait);
  CHECK(run.raise("jump") == 1);  // cuts the run short
  CHECK(run.tokens(run_place) == 0);
  REQUIRE(run.calls().size() == 2);
  CHECK(run.calls()[0].interrupted);
  CHECK(run.calls()[0].end == 6 * run.ticks_per_frame());
  CHECK(run.calls()[1].place == jump);
  CHECK(run.calls()[1].stage == Stage::arrival);
  while (run.tokens(jump) > 0) run.advance();
  CHECK(run.frame() == 6 + 48);
  CHECK(run.tokens(idle) == 1);
  // held: fires whenever it can
  run.hold("go", true);
  CHECK(run.tokens(run_place) == 1);
  run.hold("go", false);
  CHECK(run.fire(leap));
  CHECK_FALSE(run.fire(go));
}

TEST_CASE("net run: a word from outside comes at its own time between two frames") {
  Net net = two_places(1, 0);
  NetRun run(net, {.frame_rate = 24});
  run.advance();
  run.advance_to(run.ticks_per_frame() + run.ticks_per_frame() / 2);
  const std::int64_t then = run.tick();
  run.put({0});
  run.advance();
  CHECK(run.frame() == 2);
  CHECK(run.calls().size() == 1);
  while (run.marking({1}) == 0) run.advance();
  CHECK(run.events().back().tick == then + run.ticks_per_second());
  CHECK(run.frame() == 26);
}

TEST_CASE("net run: an awaited place needs its delay and the word that the action is over") {
  Net net = two_places(1, 1);
  net.places[0].awaited = true;
  NetRun late(net, {});
  for (int i = 0; i < 30; ++i) late.advance();
  CHECK(late.waiting({0}) == 1);  // the delay is over, the action is not
  late.finish({0});
  CHECK(late.marking({1}) == 1);
  NetRun early(net, {});
  early.advance();
  early.finish({0});
  CHECK(early.marking({1}) == 0);  // the action is over, the delay is not
  while (early.frame() < 24) early.advance();
  CHECK(early.marking({1}) == 1);
  NetRun alone(net, {.await = false});
  while (!alone.is_quiet()) alone.advance();
  CHECK(alone.frame() == 24);
}

TEST_CASE("net run: a cascade without end stops the run instead of hanging") {
  Net net;
  NetBuilder builder(net);
  const PlaceId p = builder.add(Place{.name = "p"});
  const TransitionId source = builder.add(Transition{.name = "source"});
  builder.connect(ArcKind::output, p, source);
  NetRun run(net, {.most_firings_at_once = 1000});
  CHECK(run.stopped() == RunStop::endless);
  CHECK_FALSE(run.advance());
  CHECK(run.marking(p) == 1001);
}

TEST_CASE("net run: times that have no countable tick are refused") {
  Net net = two_places(Fraction(1, 999'999'937), 1);
  net.places[1].delay = Fraction(1, 999'999'929);
  CHECK_THROWS_AS(NetRun(net, {}), NetError);
  CHECK_THROWS_AS(NetRun(two_places(1, 1), {.frame_rate = 0}), NetError);
}

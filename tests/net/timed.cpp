// Exact time: the run, the exploration and a slow simulation by the definitions tell the same.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/net/analysis.h"
#include "molejo/net/trace.h"
#include "tests/net/random_nets.h"
#include "tests/net/thesis_nets.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Fired {
  std::int64_t sixths;  // of a second
  int transition;
  bool operator==(const Fired&) const = default;
};

// Time in steps of 1/6 s, everything looked at in each: delays are k/1, k/2 or k/3 s.
std::vector<Fired> slow_simulation(const Net& net, std::int64_t sixths, std::size_t most) {
  const std::size_t places = net.places.size();
  Marking ripe(places, 0), waiting(places, 0), left(places, 0), delay(places, 0);
  const auto put = [&](std::size_t p, std::int64_t n) {
    if (delay[p] == 0) {
      ripe[p] += n;
      return;
    }
    if (waiting[p] == 0) left[p] = delay[p];
    waiting[p] += n;
  };
  for (std::size_t p = 0; p < places; ++p) {
    delay[p] = net.places[p].delay.numerator * 6 / net.places[p].delay.denominator;
    put(p, net.places[p].tokens);
  }
  std::vector<Fired> fired;
  for (std::int64_t now = 0; now <= sixths; ++now) {
    for (std::size_t p = 0; p < places && now > 0; ++p) {
      if (waiting[p] == 0 || --left[p] > 0) continue;
      --waiting[p];
      ++ripe[p];
      left[p] = delay[p];
    }
    for (std::vector<int> may; !(may = may_fire(net, ripe, false)).empty();) {
      fired.push_back({now, may.front()});
      if (fired.size() >= most) return fired;
      for (const Arc& a : net.arcs) {
        if (a.transition.index != may.front()) continue;
        if (a.kind == ArcKind::input) ripe[at(a.place.index)] -= a.weight;
      }
      for (const Arc& a : net.arcs) {
        if (a.transition.index == may.front() && a.kind == ArcKind::output) {
          put(at(a.place.index), a.weight);
        }
      }
    }
  }
  return fired;
}

std::vector<Fired> engine(const Net& net, std::int64_t sixths, std::size_t most, Fraction rate) {
  NetRun run(net, {.frame_rate = rate, .most_firings_at_once = static_cast<std::int64_t>(most)});
  std::vector<Fired> fired;
  const auto note = [&] {
    for (const NetEvent& e : run.events()) {
      if (e.kind != NetEventKind::fire || fired.size() >= most) continue;
      const Fraction seconds = run.exact_seconds(e.tick);
      CHECK(6 % seconds.denominator == 0);
      const std::int64_t when = seconds.numerator * 6 / seconds.denominator;
      if (when <= sixths) fired.push_back({when, e.node});
    }
  };
  note();
  while (run.seconds(run.tick()) * 6 < static_cast<double>(sixths) && fired.size() < most &&
         run.stopped() == RunStop::none) {
    run.advance();
    note();
  }
  return fired;
}

// Equal transitions never compete: each has a priority of its own.
Net without_ties(std::uint32_t seed) {
  Net net = random_net(seed, {.places = 6,
                              .transitions = 6,
                              .inhibitors = static_cast<int>(seed % 3),
                              .conservative = seed % 2 == 0 ? 100 : 0,
                              .timed = 80});
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    net.transitions[t].priority = static_cast<int>((t * 5 + seed) % 6);
  }
  return net;
}

PropertyResult verdict(const Net& net, const std::string& text) {
  const Analysis found = analyse(net, {.properties = {text}});
  return found.properties.back();
}

std::vector<std::string> names_of(const Net& net, const std::vector<TimedFiring>& trace) {
  std::vector<std::string> names;
  for (const TimedFiring& f : trace) names.push_back(net.transitions[at(f.transition.index)].name);
  return names;
}

}  // namespace

TEST_CASE("timed nets: run and slow simulation fire the same at the same times") {
  std::size_t firings = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    const Net net = without_ties(seed);
    const std::vector<Fired> slow = slow_simulation(net, 120, 300);
    const Fraction rates[] = {24, Fraction(30000, 1001), Fraction(1, 2), 7};
    CHECK(engine(net, 120, 300, rates[seed % 4]) == slow);
    firings += slow.size();
  }
  CHECK(firings > 20'000);
}

TEST_CASE("timed nets: the exploration in exact time has the same firings on its way") {
  int explored = 0, ends = 0, cycles = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const Net net = without_ties(seed);
    const TimedSpace space(net, {.max_states = 300});
    if (space.end() != TimedEnd::complete) continue;
    ++explored;
    CHECK(space.deterministic());
    // along the only way, twice around its loop if it has one
    std::vector<std::uint32_t> path{0};
    std::int64_t ticks = 0;
    while (!space.is_final(path.back()) && path.size() < 2 * space.size() + 2) {
      ticks += space.ticks_to_next(path.back());
      path.push_back(space.successors(path.back()).front());
    }
    std::vector<Fired> fired;
    for (const TimedFiring& f : space.trace(path)) {
      fired.push_back({f.time.numerator * 6 / f.time.denominator, f.transition.index});
    }
    const std::int64_t sixths = ticks * 6 / space.ticks_per_second();
    CHECK(fired == slow_simulation(net, sixths, fired.size() + 1));
    const auto cycle = space.cycle();
    CHECK(cycle.has_value() == !space.is_final(path.back()));
    ++(cycle ? cycles : ends);
  }
  CHECK(explored > 500);
  CHECK(ends > 100);
  CHECK(cycles > 10);
}

TEST_CASE("timed nets: with ties every run stays within the exploration") {
  int branching = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const Net net = random_net(seed, {.places = 5,
                                      .transitions = 6,
                                      .most_tokens = 2,
                                      .inhibitors = static_cast<int>(seed % 2),
                                      .conservative = 100,
                                      .timed = 80});
    const TimedSpace space(net, {.max_states = 3000});
    if (space.end() != TimedEnd::complete) continue;
    branching += space.deterministic() ? 0 : 1;
    std::set<Marking> known;
    Marking tokens(net.places.size());
    for (std::uint32_t s = 0; s < space.size(); ++s) {
      space.tokens(s, tokens);
      known.insert(tokens);
    }
    std::set<Marking> seen;
    for (std::uint64_t run_seed = 0; run_seed < 5; ++run_seed) {
      NetRun run(net, {.frame_rate = 6, .seed = run_seed, .most_firings_at_once = 2000});
      for (int frame = 0; frame < 100 && run.stopped() == RunStop::none; ++frame) {
        for (std::size_t p = 0; p < tokens.size(); ++p)
          tokens[p] = run.tokens({static_cast<int>(p)});
        CHECK(known.contains(tokens));
        if (!run.advance()) break;
      }
    }
  }
  CHECK(branching > 40);
}

TEST_CASE("timed nets: the ball game repeats every 13 s from frame 108 on, as its circuits say") {
  const Net net = shipped_net("ball_top.net.json");
  const Analysis found = analyse(net, {});
  REQUIRE(found.cycle);
  CHECK(found.cycle->period == Fraction(13));
  CHECK(found.cycle->from == Fraction(108, 24));
  REQUIRE(found.circuit);
  CHECK(found.circuit->period == Fraction(13));
  // six circuits with one token each: 11.5 s twice, 13 s four times
  std::vector<double> turns;
  for (const auto& y : found.place_flows.flows) {
    double turn = 0;
    for (std::size_t p = 0; p < y.size(); ++p) {
      turn += static_cast<double>(y[p]) * net.places[p].delay.value();
    }
    turns.push_back(turn);
  }
  std::sort(turns.begin(), turns.end());
  CHECK(turns == std::vector<double>{11.5, 11.5, 13, 13, 13, 13});
  for (const PropertyResult& r : found.properties) {
    CAPTURE(r.property.text);
    CHECK(r.verdict == Verdict::holds);
  }
  // the flat net has the same period
  const Net flat = shipped_net("ball_game.net.json");
  const TimedSpace space(flat, {});
  REQUIRE(space.cycle());
  CHECK(space.cycle()->period == Fraction(13));
  CHECK(space.cycle()->from == Fraction(108, 24));
}

TEST_CASE("timed nets: cycle times of random marked graphs are the periods of their runs") {
  int live = 0, slowest_alone = 0;
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    // a ring with chords: every place has one producer and one consumer
    std::mt19937 random(seed);
    const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Net net;
    NetBuilder builder(net);
    const int n = 2 + draw(4);
    for (int t = 0; t < n; ++t) builder.add(Transition{.name = "t" + std::to_string(t)});
    for (int e = 0; e < n + draw(4); ++e) {
      const int from = e < n ? e : draw(n), to = e < n ? (e + 1) % n : draw(n);
      const PlaceId p = builder.add(Place{.name = "p" + std::to_string(e),
                                          .delay = Fraction(draw(4), 1 + draw(2)),
                                          .tokens = draw(3)});
      builder.connect(ArcKind::output, p, {from});
      builder.connect(ArcKind::input, p, {to});
    }
    const auto predicted = cycle_time(net);
    const TimedSpace space(net, {.max_states = 20'000});
    if (!predicted) {  // a circuit without tokens: it ends
      if (space.end() == TimedEnd::complete) CHECK_FALSE(space.cycle());
      continue;
    }
    if (space.end() != TimedEnd::complete) continue;
    if (predicted->period == Fraction(0)) continue;
    ++live;
    slowest_alone += predicted->circuit.size() == 1 ? 1 : 0;
    REQUIRE(space.cycle());
    // firings of t0 in the cycle times the period of one
    std::vector<std::uint32_t> path{0};
    std::vector<std::int64_t> reached(space.size(), -1);
    std::int64_t tick = 0;
    while (reached[path.back()] < 0) {
      reached[path.back()] = tick;
      tick += space.ticks_to_next(path.back());
      path.push_back(space.successors(path.back()).front());
    }
    const double from = space.cycle()->from.value();
    std::int64_t turns = 0;
    for (const TimedFiring& f : space.trace(path)) {
      turns += f.transition.index == 0 && f.time.value() > from + 1e-9 ? 1 : 0;
    }
    REQUIRE(turns > 0);
    CHECK(space.cycle()->period.value() / static_cast<double>(turns) ==
          doctest::Approx(predicted->period.value()).epsilon(1e-12));
  }
  CHECK(live > 150);
  CHECK(slowest_alone > 5);
}

TEST_CASE("properties: each kind, with its proof or its trace") {
  const Net walk = shipped_net("walk.net.json");
  CHECK(verdict(walk, "always: P3 <= 2").verdict == Verdict::holds);  // T5 takes three at once
  CHECK(verdict(walk, "never: P2a & P4a").verdict == Verdict::holds);
  CHECK(verdict(walk, "possible: P8a & P8d").verdict == Verdict::holds);
  CHECK(verdict(walk, "possible: P7a").verdict == Verdict::fails);
  CHECK(verdict(walk, "eventually: P5 & deadlock").verdict == Verdict::holds);
  CHECK(verdict(walk, "eventually within 3: deadlock").verdict == Verdict::holds);

  const PropertyResult broken = verdict(walk, "never: P6a");
  CHECK(broken.verdict == Verdict::fails);
  CHECK(broken.timed);
  CHECK(names_of(walk, broken.trace) == std::vector<std::string>{"T1", "T2", "T3", "T5"});
  CHECK(broken.trace.back().time == Fraction(3, 2));
  const PropertyResult late = verdict(walk, "eventually within 5/2: deadlock");
  CHECK(late.verdict == Verdict::fails);
  CHECK(late.has_trace);
  CHECK(verdict(walk, "eventually: P7a").for_ever);

  const Net table = [] {
    Net net;
    NetBuilder builder(net);
    const PlaceId a = builder.add(Place{.name = "left fork", .tokens = 1});
    const PlaceId b = builder.add(Place{.name = "b", .tokens = 1});
    const PlaceId c = builder.add(Place{.name = "c"});
    const TransitionId t = builder.add(Transition{.name = "t"});
    builder.connect(ArcKind::input, a, t);
    builder.connect(ArcKind::input, b, t);
    builder.connect(ArcKind::output, c, t);
    return net;
  }();
  CHECK(verdict(table, "always: 'left fork' + c == 1").verdict == Verdict::holds);
  CHECK(verdict(table, "always: 2 * b - 1 == 1 -> enabled(t)").verdict == Verdict::holds);
  CHECK(verdict(table, "never: deadlock").verdict == Verdict::fails);
  CHECK(verdict(table, "eventually: c > 0").verdict == Verdict::holds);
}

TEST_CASE("properties: what cannot be read names column and nearest word") {
  const Net net = shipped_net("ball_top.net.json");
  const auto error = [&](const char* text) {
    try {
      parse_property(text, net);
    } catch (const NetError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(error("nevr: P1") ==
        "property 'nevr: P1': column 5: unknown property 'nevr'; did you mean 'never'?");
  CHECK(error("never: P1 & P21") ==
        "property 'never: P1 & P21': column 13: unknown place 'P21'; did you mean 'P1'?");
  CHECK(error("never: (P1").find("expected ')'") != std::string::npos);
  CHECK(error("never P1").find("expected ':'") != std::string::npos);
  CHECK(error("never: P1 P2").find("column 11: expected the end") != std::string::npos);
  CHECK(error("eventually within x: P1").find("expected a time") != std::string::npos);
  CHECK(error("always: enabled(P1)").find("unknown transition 'P1'") != std::string::npos);
  CHECK(error(("always: " + std::string(5000, '(') + "1").c_str()).find("too deeply") !=
        std::string::npos);
  CHECK(error("always: 99999999999999999999").find("a number above") != std::string::npos);
}

TEST_CASE("properties: verdicts on random nets agree with looking at every marking") {
  int holds = 0, fails = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const Net net = random_net(seed, {.places = 4, .transitions = 5, .conservative = 100});
    const BruteForce all = brute_force(net, 300);
    if (!all.complete) continue;
    const auto formula = [](const Marking& m) {
      return m[0] + m[1] < 2 || (m[2] > 0 && m[3] == 0);
    };
    const bool everywhere = std::all_of(all.markings.begin(), all.markings.end(), formula);
    const PropertyResult always = verdict(net, "always: p0 + p1 < 2 | p2 & p3 == 0");
    CHECK((always.verdict == Verdict::holds) == everywhere);
    ++(everywhere ? holds : fails);
    if (!everywhere) {  // the shortest way to a marking that breaks it
      std::size_t nearest = SIZE_MAX;
      for (std::size_t i = 0; i < all.markings.size(); ++i) {
        if (!formula(all.markings[i])) nearest = std::min(nearest, all.distance[i]);
      }
      CHECK(always.trace.size() == nearest);
      Marking m;
      for (const Place& p : net.places) m.push_back(p.tokens);
      for (const TimedFiring& f : always.trace) m = after(net, m, f.transition.index);
      CHECK_FALSE(formula(m));
    }
    // eventually: no path outside of it ends or comes back to itself
    const auto goal = [](const Marking& m) { return m[3] >= 2; };
    bool changed = true;
    std::vector<std::uint8_t> good(all.markings.size(), 0);
    for (std::size_t i = 0; i < good.size(); ++i) good[i] = goal(all.markings[i]) ? 1 : 0;
    while (changed) {  // least fixed point: has successors, and all of them are good
      changed = false;
      std::vector<int> out(good.size(), 0), into(good.size(), 0);
      for (const BruteForce::Edge& e : all.edges) {
        ++out[e.from];
        into[e.from] += good[e.to];
      }
      for (std::size_t i = 0; i < good.size(); ++i) {
        if (good[i] != 0 || out[i] == 0 || into[i] != out[i]) continue;
        good[i] = 1;
        changed = true;
      }
    }
    CHECK((verdict(net, "eventually: p3 >= 2").verdict == Verdict::holds) == (good[0] != 0));
  }
  CHECK(holds > 100);
  CHECK(fails > 100);
}

TEST_CASE("broken nets: the ball game without the wish to wait throws too early, and is caught") {
  Net net = shipped_net("ball_top.net.json");
  const NetNames names(net);
  const PlaceId ready = names.place("P9");
  std::erase_if(net.arcs, [&](const Arc& a) {
    return a.kind == ArcKind::input && a.place == ready && a.transition == names.transition("T2");
  });
  net.properties.clear();
  const Analysis found = analyse(net, {.timed = {.max_states = 2000}});
  CHECK(found.space->end() == SpaceEnd::unbounded);
  REQUIRE(found.cover);
  CHECK(found.cover->unbounded == std::vector<PlaceId>{ready});
  CHECK(frames_of(play(net, 400).firings, "T2").front() == 72);
  // thrown while the other still gets ready; in the whole game never
  CHECK(verdict(shipped_net("ball_top.net.json"), "never: P3 & waiting(P14)").verdict ==
        Verdict::holds);
  const PropertyResult rule = verdict(net, "never: P3 & waiting(P14)");
  REQUIRE(rule.verdict == Verdict::fails);
  CHECK(rule.trace.back().time == Fraction(3));
  const std::vector<std::string> fired = names_of(net, rule.trace);
  CHECK(std::count(fired.begin(), fired.end(), "T2") == 1);
}

TEST_CASE("broken nets: the ball game that never tells it is ready stops, and is caught") {
  Net net = shipped_net("ball_top.net.json");
  const NetNames names(net);
  std::erase_if(net.arcs, [&](const Arc& a) {
    return a.kind == ArcKind::output && a.place == names.place("P11") &&
           a.transition == names.transition("T5");
  });
  net.properties = {"never: deadlock"};
  const Analysis found = analyse(net, {});
  CHECK(found.space->end() == SpaceEnd::complete);
  REQUIRE(found.space->deadlock_count() == 1);
  const Marking stuck = found.space->marking(found.space->deadlocks().front());
  for (std::size_t p = 0; p < stuck.size(); ++p) {
    CHECK(stuck[p] == (net.places[p].name == "P6" || net.places[p].name == "P18"));
  }
  REQUIRE(found.properties.size() == 1);
  CHECK(found.properties[0].verdict == Verdict::fails);
  const Played run = play(net, 1000);
  CHECK(names_of(net, found.properties[0].trace).size() == run.firings.size());
}

TEST_CASE("prediction: the frames told before the run are those of the run") {
  for (const char* file : {"walk.net.json", "jump.net.json", "ball_game.net.json"}) {
    const Net net = shipped_net(file);
    const TimedSpace space(net, {});
    REQUIRE(space.deterministic());
    std::vector<std::uint32_t> path{0};
    while (path.size() < 60 && !space.is_final(path.back())) {
      path.push_back(space.successors(path.back()).front());
    }
    const std::vector<TimedFiring> told = space.trace(path);
    const Played run = play(net, 10'000);
    REQUIRE(run.firings.size() >= told.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      // equals at one instant may come in another order
      const std::int64_t frame = told[i].time.numerator * 24 / told[i].time.denominator;
      CHECK(run.firings[i].frame == frame);
    }
  }
}

TEST_CASE("trace: services and stays of the walk") {
  const Net net = shipped_net("walk_coarse.net.json");
  const NetTrace trace = molejo::play(net, {}, 240);
  CHECK(trace.frames == 72);
  CHECK(trace.quiet);
  std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> bars;
  for (const Service& s : trace.services) {
    bars.push_back(
        {net.places[at(s.place.index)].name, {trace.frame_of(s.start), trace.frame_of(s.end)}});
  }
  const decltype(bars) expected{
      {"P2", {0, 12}}, {"P4", {12, 36}}, {"P6", {36, 60}}, {"P8", {60, 72}}};
  CHECK(bars == expected);
  std::vector<std::string> stays;
  for (const Stay& s : trace.stays) stays.push_back(net.places[at(s.place.index)].name);
  CHECK(stays == std::vector<std::string>{"P3", "P5"});  // the counter, and "steps done" to the end
}

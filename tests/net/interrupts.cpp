// Every search over nets can be ended at any time: each loop asks once for each piece of its work.
//
// An Interrupt with a deadline looks at the clock now and then, when it is asked; the linker puts
// the count of how often it is asked in front of that (tests/CMakeLists.txt).
#include <doctest/doctest.h>

#include <atomic>

#include "molejo/math/interrupt.h"
#include "molejo/net/analysis.h"
#include "molejo/net/check_open.h"
#include "molejo/net/pumping.h"
#include "molejo/net/schedule.h"
#include "molejo/net/trace.h"

using namespace molejo;

static std::atomic<std::uint64_t> asked{0};

extern "C" {
// Interrupt::look_at_clock()
void __real__ZN6molejo9Interrupt13look_at_clockEv(Interrupt* interrupt);
void __wrap__ZN6molejo9Interrupt13look_at_clockEv(Interrupt* interrupt) {
  ++asked;
  __real__ZN6molejo9Interrupt13look_at_clockEv(interrupt);
}
}

namespace {

constexpr int n = 20;
constexpr std::uint64_t N = n;

// How often the work asked whether it shall end.
template <class F>
std::uint64_t checks(F&& work) {
  Interrupt interrupt(1e9);
  const InterruptScope scope(interrupt);
  asked = 0;
  work();
  return asked;
}

enum class Ends { closed, open };

// One token goes from place to place, by itself or by events, round and round or to an end.
Net ring(Ends ends, Fraction delay = 0, bool events = false) {
  Net net;
  NetBuilder builder(net);
  for (int p = 0; p < n; ++p) {
    builder.add(Place{.name = "p" + std::to_string(p), .delay = delay, .tokens = p == 0 ? 1 : 0});
  }
  for (int p = 0; p < (ends == Ends::closed ? n : n - 1); ++p) {
    const std::string number = std::to_string(p);
    const TransitionId t =
        builder.add(Transition{.name = "t" + number, .event = events ? "e" + number : ""});
    builder.connect(ArcKind::input, {p}, t);
    builder.connect(ArcKind::output, {(p + 1) % n}, t);
  }
  return net;
}

// So many tokens that wait at once, and nothing that takes them.
Net waits(int count, bool awaited) {
  Net net;
  NetBuilder builder(net);
  for (int p = 0; p < count; ++p) {
    builder.add(
        Place{.name = "p" + std::to_string(p), .delay = 1, .tokens = 1, .awaited = awaited});
  }
  return net;
}

SpaceSettings one_token_a_place(const Net& net) {
  SpaceSettings settings;
  settings.bounds.assign(net.places.size(), 1);
  return settings;
}

OpenSettings only_the_start() {
  OpenSettings settings;
  settings.max_states = 0;
  return settings;
}

}  // namespace

TEST_CASE("interrupts: a search ends with the first question after it was cancelled") {
  const Net closed = ring(Ends::closed, 1), open = ring(Ends::closed, 1, true);
  Interrupt interrupt;
  interrupt.cancel();
  const InterruptScope scope(interrupt);
  CHECK_THROWS_AS(analyse(closed, {}), Interrupted);
  CHECK_THROWS_AS(analyse(open, {}), Interrupted);
  CHECK_THROWS_AS(play(closed, {}, 10), Interrupted);
}

TEST_CASE("interrupts: the class of a net") {
  const Net net = ring(Ends::closed);
  // each transition, its input, and every node along the arcs and against them
  CHECK(checks([&] { classify(net); }) >= N + N + 4 * N);
}

TEST_CASE("interrupts: semiflows") {
  const Net net = ring(Ends::closed);
  // each column, the rows before it, and the one that is positive in it; the last row stays alone
  const std::uint64_t rows = N * (N + 1) / 2;
  CHECK(checks([&] { place_semiflows(net); }) >= N + rows + N - 1);
  CHECK(checks([&] { transition_semiflows(net); }) >= N + rows + N - 1);
}

TEST_CASE("interrupts: siphons and traps") {
  const Net net = ring(Ends::closed);
  // all places are the only siphon: each is left out once to make it smaller, once to see that it
  // is smallest, once to find others
  CHECK(checks([&] { minimal_siphons(net); }) >= 3 * N + 1);
  CHECK(checks([&] { minimal_traps(net); }) >= 3 * N + 1);
}

TEST_CASE("interrupts: the slowest circuit") {
  const Net net = ring(Ends::closed, 1);
  const std::uint64_t of_class = checks([&] { classify(net); });
  // one search for a circuit without tokens, others for longer ones, each of several rounds
  CHECK(checks([&] { cycle_time(net); }) >= of_class + N);
}

TEST_CASE("interrupts: the space of all markings") {
  const Net net = ring(Ends::closed);
  const std::vector<int> widths(net.places.size(), 1);
  const std::uint64_t packed = checks([&] { PackedNet(net, widths, Choice::any); });
  CHECK(packed >= N);
  // each level asks itself, before it is fired, and before each of 64 parts takes in what was found
  const std::uint64_t bounded = checks([&] { StateSpace(net, one_token_a_place(net)); });
  CHECK(bounded >= packed + N * (1 + 1 + 64));
  // without a bound each marking is compared with those before it
  CHECK(checks([&] { StateSpace(net, {}); }) >= bounded + N * (N - 1) / 2);

  const StateSpace space(net, {});
  CHECK(checks([&] { space.bounds(); }) >= N);
  CHECK(checks([&] { space.most_tokens(); }) >= N);
}

TEST_CASE("interrupts: liveness") {
  const Net net = ring(Ends::closed);
  const StateSpace space(net, {});
  // each firing and the end of each marking, then each of the only component
  CHECK(checks([&] { behaviour(space); }) >= 2 * N + N);
}

TEST_CASE("interrupts: coverability and loops that can be repeated") {
  Net net = ring(Ends::closed);
  NetBuilder builder(net);
  builder.connect(ArcKind::output, builder.add(Place{.name = "grows"}), {0});
  // each node is compared with those before it
  CHECK(checks([&] { coverability(net, Choice::any); }) >= N * (N - 1) / 2);

  const std::vector<std::int64_t> marking(net.places.size(), 1);
  const std::vector<std::uint8_t> gains(net.places.size(), 0);
  const std::vector<LoopStep> loop(N, LoopStep{marking, 0});
  const Topology topology(net);
  CHECK(checks([&] { can_repeat(net, topology, Choice::any, loop, gains); }) >= N);
}

TEST_CASE("interrupts: one instant") {
  const Net net = ring(Ends::open);
  const TokenRules rules(net, 1, 1000);
  InstantTally tally(net);
  CHECK(checks([&] { rules.settle(rules.start(), {}, tally); }) >= N);
}

TEST_CASE("interrupts: the space in exact time") {
  const Net net = ring(Ends::closed, 1);
  // each state, and the two of the instant behind it
  CHECK(checks([&] { TimedSpace(net, {}); }) >= 3 * N);

  const TimedSpace space(net, {});
  REQUIRE(space.size() == N);
  CHECK(checks([&] { space.deterministic(); }) >= N);
  CHECK(checks([&] { space.cycle(); }) >= 2 * N);
  CHECK(checks([&] { space.finals(space.size()); }) >= N);
}

TEST_CASE("interrupts: the space of a net that waits for the world") {
  const Net net = ring(Ends::closed, 0, true);
  // each class, the ends of its waits (there are none), and the two states of the event's instant
  CHECK(checks([&] { OpenSpace(net, {}); }) >= 4 * N);

  // each wait begins, goes on or not
  CHECK(checks([&] { OpenSpace(waits(n, false), only_the_start()); }) >= N + 2 * N);
  // those that are awaited were called over or not, each with an instant
  CHECK(checks([&] { OpenSpace(waits(10, true), only_the_start()); }) >= 2 * 1024);
}

TEST_CASE("interrupts: the times of a trace") {
  Schedule schedule;
  for (int i = 0; i < n; ++i) {
    schedule.add_instant();
    schedule.exactly_after(static_cast<std::size_t>(i), 1);
  }
  CHECK(checks([&] { schedule.earliest(1); }) >= 2);
}

TEST_CASE("interrupts: properties over all runs in exact time") {
  const Net net = ring(Ends::open, 1);
  const TimedSpace space(net, {});
  const auto of = [&](const char* text) {
    const Property property = parse_property(text, net);
    return checks([&] { check(property, space); });
  };
  CHECK(of("never: p0 & p1") >= N);
  // going on and going back
  CHECK(of("eventually: p19") >= 2 * (N - 1));
  CHECK(of("eventually within 100: p19") >= 3 * (N - 1));
}

TEST_CASE("interrupts: what is certain whatever the world does") {
  // a bell may ring round and round while the egg boils
  Net net = ring(Ends::closed, 0, true);
  NetBuilder builder(net);
  const PlaceId boils = builder.add(Place{.name = "boils", .delay = 3, .tokens = 1});
  const PlaceId done = builder.add(Place{.name = "done"});
  const TransitionId ready = builder.add(Transition{.name = "ready"});
  builder.connect(ArcKind::input, boils, ready);
  builder.connect(ArcKind::output, done, ready);
  OpenSettings settings;
  settings.holds = false;
  const Property property = parse_property("eventually: done", net);

  OpenSettings explored = settings;
  explored.until = property.formula;
  const std::uint64_t of_space = checks([&] { OpenSpace(net, explored); });
  const OpenSpace space(net, explored);
  const std::uint64_t classes = space.size();
  // what goes on in the one round is asked of each step of it
  std::uint64_t of_steps = 0;
  for (std::uint32_t s = 0; s < space.size(); ++s) {
    for (const OpenSpace::Edge& e : space.edges(s)) {
      if (!e.ends_waits) of_steps += checks([&] { space.waits_through(s, e.to); });
    }
  }
  PropertyResult result;
  const std::uint64_t all = checks([&] { result = check_eventually(property, net, settings); });
  CHECK(result.verdict == Verdict::holds);
  // each class is met or not, and late or not; twice each class of the round with its two steps is
  // visited, and once looked for an end of waits; once for a wait that goes on
  CHECK(all >= of_space + of_steps + 2 * classes + 2 * 3 * N + 2 * N + N);
}

TEST_CASE("interrupts: a run") {
  CHECK(checks([&] { NetRun(ring(Ends::open), {}); }) >= N);

  // each instant, its firing, and that there is none left
  const Net net = ring(Ends::closed, 1);
  NetRun run(net, {.frame_rate = Fraction(1, 100)});
  CHECK(checks([&] { run.advance(); }) >= 3 * 100);

  // frames in which nothing happens
  const Net quiet = waits(1, true);
  NetRun rests(quiet, {});
  const auto hundred_frames = [&] {
    for (int i = 0; i < 100; ++i) rests.advance();
  };
  hundred_frames();
  CHECK(checks(hundred_frames) >= 100);
}

TEST_CASE("interrupts: a monitor, and a trace that is played") {
  const Net net = ring(Ends::open);
  const NetRun run(net, {});
  Monitor monitor(net);
  CHECK(checks([&] { monitor.note(run); }) >= run.events().size());

  NetRun other(net, {});
  TracePlayer player(std::vector<TraceStep>(N, TraceStep{.time = Fraction(0)}));
  CHECK(checks([&] { player.play(other, net); }) >= N);
}

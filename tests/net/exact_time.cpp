// Times of files are exact, whatever the frame rate.
#include "molejo/net/exact_time.h"

#include <doctest/doctest.h>

#include <limits>

#include "molejo/io/net_trace.h"
#include "molejo/net/trace.h"
#include "tests/net/random_nets.h"

using namespace molejo;
using molejo::test::Dice;

namespace {

const Fraction rates[] = {24, 25, 30, 60, Fraction(30000, 1001), Fraction(24000, 1001), 1, 90};

// Decimal numbers below 4 with up to nine digits, and some that are no decimals.
Fraction some_time(Dice& dice) {
  if (dice.chance(10)) return Fraction(dice.draw(40), 1 + dice.draw(11));
  std::int64_t scale = 1;
  for (int digits = dice.draw(10); digits > 0; --digits) scale *= 10;
  return Fraction(dice.draw(static_cast<int>(std::min<std::int64_t>(4 * scale, 2'000'000'000))),
                  scale);
}

// a -> b by an event, then after a delay c.
Net waiting_net(const Fraction& delay) {
  Net net;
  NetBuilder builder(net);
  const PlaceId a = builder.add(Place{.name = "a", .tokens = 1});
  const PlaceId b = builder.add(Place{.name = "b", .delay = delay});
  const PlaceId c = builder.add(Place{.name = "c"});
  const TransitionId t = builder.add(Transition{.name = "t", .event = "e"});
  const TransitionId u = builder.add(Transition{.name = "u"});
  builder.connect(ArcKind::input, a, t);
  builder.connect(ArcKind::output, b, t);
  builder.connect(ArcKind::input, b, u);
  builder.connect(ArcKind::output, c, u);
  return net;
}

Fraction sum(const Fraction& a, const Fraction& b) {
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}

}  // namespace

TEST_CASE("exact times: what is written is read again") {
  Dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    const Fraction t = some_time(dice);
    CHECK(parse_fraction(to_string(t)) == t);
    CHECK(parse_instant(to_string(t)) == t);
  }
  // sums of delays have longer parts than delays may have
  const Fraction long_time(1'000'000'003, 3'000'000'000);
  CHECK(to_string(long_time) == "1000000003/3000000000");
  CHECK(parse_instant("1000000003/3000000000") == long_time);
  CHECK_FALSE(parse_fraction("1000000003/3000000000"));
  CHECK(parse_instant("12345678901.5") == Fraction(24691357803, 2));
  CHECK(parse_instant("9223372036854775807") == Fraction(INT64_MAX));
  for (const char* wrong : {"9223372036854775808", "1/0", "1/", "/2", "-1", "1/2/3", "1.5/2", "",
                            ".", "1e", "0.1234567891", "9223372036854775807.5"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_instant(wrong));
  }
  CHECK(ceil_product(Fraction(1, 3), 24) == 8);
  CHECK(ceil_product(Fraction(1, 3), 25) == 9);
  CHECK(ceil_product(0, 24) == 0);
  CHECK_FALSE(ceil_product(INT64_MAX, 2));
}

TEST_CASE("exact times: words, waits and deadlines are at their very instant at any frame rate") {
  Dice dice(2);
  for (int i = 0; i < 4000; ++i) {
    const Fraction rate = rates[i % static_cast<int>(std::size(rates))];
    const Fraction word = some_time(dice), delay = some_time(dice), end = sum(word, delay);
    CAPTURE(to_string(rate));
    CAPTURE(to_string(word));
    CAPTURE(to_string(delay));
    Net net = waiting_net(delay);
    // at the instant itself, and a nanosecond before
    net.properties = {"eventually within " + to_string(end) + ": c"};
    if (!parse_fraction(to_string(end))) net.properties.clear();
    constexpr std::int64_t billion = 1'000'000'000, most = INT64_MAX / billion;
    if (end.numerator <= most && end.denominator <= most) {
      const Fraction early(end.numerator * billion - end.denominator, end.denominator * billion);
      if (early.numerator >= 0 && parse_fraction(to_string(early))) {
        net.properties.push_back("eventually within " + to_string(early) + ": c");
      }
    }
    std::vector<Fraction> times{word};
    const std::vector<Fraction> deadlines = times_of(net);
    times.insert(times.end(), deadlines.begin(), deadlines.end());
    NetRun run(net, {.frame_rate = rate, .times = times});
    REQUIRE(run.is_tick(word));
    Monitor monitor(net);
    monitor.note(run);
    std::optional<Fraction> fired, came;
    bool said = false;
    while (!came && run.stopped() == RunStop::none) {
      if (!said && run.tick_of(word) <= (run.frame() + 1) * run.ticks_per_frame()) {
        run.advance_to(run.tick_of(word));
        run.raise("e");
        said = true;
      }
      run.advance();
      monitor.note(run);
      for (const NetEvent& e : run.events()) {
        if (e.kind != NetEventKind::fire) continue;
        (e.node == 0 ? fired : came) = run.exact_seconds(e.tick);
      }
    }
    run.advance();
    monitor.note(run);
    monitor.close(run, false);
    CHECK(fired == word);
    CHECK(came == end);
    for (std::size_t k = 0; k < monitor.watched().size(); ++k) {
      const Watched& w = monitor.watched()[k];
      CHECK(w.is_violated() == (*w.property.within < end));
      if (w.is_violated()) CHECK(run.exact_seconds(w.violated_from) == *w.property.within);
    }
  }
}

TEST_CASE("exact times: the number of seconds does not depend on the ticks") {
  const Net net = waiting_net(Fraction(7, 10));
  const NetRun coarse(net, {.frame_rate = 24});
  const NetRun fine(net, {.frame_rate = 24, .times = {Fraction(1, 999'999'937)}});
  REQUIRE(fine.ticks_per_second() > coarse.ticks_per_second());
  for (const Fraction& t : {Fraction(1, 24), Fraction(7, 10), Fraction(123456, 10)}) {
    CHECK(fine.seconds(fine.tick_of(t)) == coarse.seconds(coarse.tick_of(t)));
    CHECK(fine.seconds(fine.tick_of(t)) == t.value());
  }
}

TEST_CASE("exact times: ticks that given times ask for leave long delays to be counted") {
  const Net net = waiting_net(900'000'000);
  const NetRun run(net, {.frame_rate = 24, .times = {Fraction(1, 1'000'000'000)}});
  CHECK(run.tick_of(900'000'000) == 900'000'000 * run.ticks_per_second());
  CHECK_FALSE(run.is_tick(Fraction(1, 1'000'000'000)));
}

TEST_CASE("exact times: the least common multiple is found unless it is beyond the largest") {
  for (std::int64_t a = 1; a <= 30; ++a) {
    for (std::int64_t b = 1; b <= 30; ++b) {
      std::int64_t least = a;
      while (least % b != 0) least += a;
      CHECK(common_multiple(a, b, least) == least);
      CHECK_FALSE(common_multiple(a, b, least - 1));
    }
  }
  // no overflow on the way
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(common_multiple(largest, largest, largest) == largest);
  CHECK_FALSE(common_multiple(largest, largest - 1, largest));
}

TEST_CASE("exact times: every step that is written is read again") {
  Net net = waiting_net(1);
  net.places[1].awaited = true;
  Dice dice(3);
  std::vector<TraceStep> steps;
  for (int i = 0; i < 1000; ++i) {
    TraceStep step{.time = some_time(dice)};
    if (dice.chance(20)) {
      step.time = Fraction(std::int64_t{1'000'000'000} * dice.draw(1'000'000) + dice.draw(1000),
                           3'000'000'000 + dice.draw(10));
    }
    const int word = dice.draw(4);
    if (word == 0) step.transition = {dice.draw(2)};
    if (word == 1) step.finished = {dice.draw(3)};
    if (word == 2) step.put = {dice.draw(3)};
    if (word == 0 && dice.chance(50)) step.time.reset();
    steps.push_back(step);
  }
  const std::vector<TraceStep> read =
      parse_trace(pretty_text(steps_json(net, steps)), "trace.json", net);
  REQUIRE(read.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    CHECK(read[i].time == steps[i].time);
    CHECK(read[i].transition == steps[i].transition);
    CHECK(read[i].finished == steps[i].finished);
    CHECK(read[i].put == steps[i].put);
  }
}

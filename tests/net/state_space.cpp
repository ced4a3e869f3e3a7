// Reachable markings against published counts and against trying everything.
#include "molejo/net/state_space.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/net/behaviour.h"
#include "molejo/net/coverability.h"
#include "molejo/net/structure.h"
#include "tests/net/known_nets.h"
#include "tests/net/random_nets.h"
#include "tests/net/thesis_nets.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Fires a trace by the definition; the marking it ends with.
Marking replay(const Net& net, const std::vector<TransitionId>& trace, bool ignore_priorities) {
  Marking m;
  for (const Place& p : net.places) m.push_back(p.tokens);
  for (const TransitionId t : trace) {
    const std::vector<int> may = may_fire(net, m, ignore_priorities);
    REQUIRE(std::find(may.begin(), may.end(), t.index) != may.end());
    m = after(net, m, t.index);
  }
  return m;
}

const RandomNet kinds[] = {
    {.places = 5, .transitions = 5},
    {.places = 6, .transitions = 6, .conservative = 100},
    {.places = 5, .transitions = 6, .inhibitors = 2, .conservative = 100},
    {.places = 5, .transitions = 6, .inhibitors = 1, .priorities = 3},
    {.places = 6, .transitions = 7, .priorities = 2, .events = 30, .conservative = 100},
    {.places = 4, .transitions = 4, .most_tokens = 9, .most_weight = 3},
    {.places = 3, .transitions = 6, .most_tokens = 3, .conservative = 100},
};

}  // namespace

TEST_CASE("state space: published counts") {
  CHECK(StateSpace(kanban(3), {}).size() == 58'400);
  CHECK(StateSpace(flexible_manufacturing(2), {}).size() == 3'444);
  CHECK(StateSpace(mapk(4), {}).size() == 24'065);
  const Net table = philosophers(10);
  const StateSpace ten(table, {});
  CHECK(ten.size() == 59'049);
  CHECK(ten.deadlock_count() == 2);  // all hold the left fork, or all the right one
  CHECK(ten.trace(ten.deadlocks().front()).size() == 10);
}

TEST_CASE("state space: Kanban 5, FMS 5 and MAPK 8 in full, with what they may cost") {
  struct Known {
    Net net;
    std::uint64_t markings, firings;
  };
  for (const Known& known : {Known{kanban(5), 2'546'432, 24'460'016},
                             Known{flexible_manufacturing(5), 2'895'018, 23'527'185},
                             Known{mapk(8), 6'110'643, 78'948'888}}) {
    CAPTURE(known.net.name);
    // the shipped file is this net
    std::string file;
    for (const char c : known.net.name) {
      file += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    CHECK(pnml_text(shipped_net(file + ".pnml")) == pnml_text(known.net));
    const Semiflows flows = place_semiflows(known.net);
    const StateSpace space(known.net, {.threads = 0, .bounds = semiflow_bounds(known.net, flows)});
    CHECK(space.end() == SpaceEnd::complete);
    CHECK(space.size() == known.markings);
    CHECK(space.firings() == known.firings);
    CHECK(space.deadlock_count() == 0);
    CHECK(space.bytes() < 64 * space.size());
  }
}

TEST_CASE("state space: markings, firings, deadlocks, bounds and shortest traces of random nets") {
  int complete = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const Net net = random_net(seed, kinds[seed % std::size(kinds)]);
    const bool ignore = seed % 5 == 0;
    const BruteForce all = brute_force(net, 400, ignore);
    if (!all.complete) continue;
    ++complete;
    CAPTURE(seed);
    const StateSpace space(net, {.threads = static_cast<int>(seed % 3),
                                 .choice = ignore ? Choice::any : Choice::by_priority});
    REQUIRE(space.end() == SpaceEnd::complete);
    REQUIRE(space.size() == all.markings.size());
    CHECK(space.firings() == all.edges.size());
    std::vector<int> out(all.markings.size(), 0);
    std::vector<std::uint64_t> fired(net.transitions.size(), 0);
    for (const BruteForce::Edge& e : all.edges) {
      ++out[e.from];
      ++fired[static_cast<std::size_t>(e.transition)];
    }
    CHECK(static_cast<long>(space.deadlock_count()) == std::count(out.begin(), out.end(), 0));
    for (std::size_t t = 0; t < fired.size(); ++t) {
      CHECK(space.fired({static_cast<int>(t)}) == fired[t]);
    }
    Marking highest(net.places.size(), 0);
    for (std::size_t i = 0; i < all.markings.size(); ++i) {
      const auto found = space.find(all.markings[i]);
      REQUIRE(found);
      CHECK(space.marking(*found) == all.markings[i]);
      const std::vector<TransitionId> trace = space.trace(*found);
      CHECK(trace.size() == all.distance[i]);
      CHECK(replay(net, trace, ignore) == all.markings[i]);
      for (std::size_t p = 0; p < highest.size(); ++p) {
        highest[p] = std::max(highest[p], all.markings[i][p]);
      }
    }
    CHECK(space.bounds() == highest);
    if (space.deadlock_count() > 0) {
      std::size_t nearest = SIZE_MAX;
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] == 0) nearest = std::min(nearest, all.distance[i]);
      }
      CHECK(space.trace(space.deadlocks().front()).size() == nearest);
    }
  }
  CHECK(complete > 1500);
}

TEST_CASE("state space: liveness, reversibility and home markings of random nets") {
  int complete = 0, live = 0, reversible = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const Net net = random_net(seed, kinds[seed % std::size(kinds)]);
    const BruteForce all = brute_force(net, 80);
    if (!all.complete) continue;
    ++complete;
    CAPTURE(seed);
    const StateSpace space(net, {});
    const Behaviour found = behaviour(space);
    const auto reachable = all.reachable();
    const std::size_t n = all.markings.size();
    // by the definitions: live iff from every marking one is reached where t may fire
    for (std::size_t t = 0; t < net.transitions.size(); ++t) {
      bool is_live = true;
      for (std::size_t from = 0; from < n; ++from) {
        is_live &= std::any_of(all.edges.begin(), all.edges.end(), [&](const BruteForce::Edge& e) {
          return e.transition == static_cast<int>(t) && reachable[from][e.from] != 0;
        });
      }
      CHECK((found.live[t] != 0) == is_live);
    }
    std::uint64_t homes = 0;
    bool back = true;
    for (std::size_t to = 0; to < n; ++to) {
      bool from_all = true;
      for (std::size_t from = 0; from < n; ++from) from_all &= reachable[from][to] != 0;
      homes += from_all ? 1 : 0;
      back &= reachable[to][0] != 0;
    }
    CHECK(found.home_markings == homes);
    CHECK(found.reversible == back);
    live += found.is_live() ? 1 : 0;
    reversible += back ? 1 : 0;
  }
  CHECK(complete > 800);
  CHECK(live > 20);
  CHECK(reversible > 20);
}

TEST_CASE("state space: unbounded random nets are told so, and bounded ones are not") {
  int unbounded = 0, bounded = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const Net net = random_net(seed, {.places = 4, .transitions = 4});
    CAPTURE(seed);
    const Coverability cover = coverability(net, Choice::any, 20'000);
    if (!cover.complete) continue;
    CHECK(cover.decides);
    const BruteForce all = brute_force(net, 3000, true);
    const StateSpace space(net, {.max_states = 200'000, .choice = Choice::any});
    if (!cover.unbounded.empty()) {
      ++unbounded;
      CHECK_FALSE(all.complete);
      REQUIRE(space.end() == SpaceEnd::unbounded);
      // the loop really gains: fire the way and three loops
      const Growth& growth = space.growth();
      Marking m = replay(net, growth.way, true);
      for (int i = 0; i < 3; ++i) {
        const Marking before = m;
        for (const TransitionId t : growth.loop) {
          const std::vector<int> may = may_fire(net, m, true);
          REQUIRE(std::find(may.begin(), may.end(), t.index) != may.end());
          m = after(net, m, t.index);
        }
        for (std::size_t p = 0; p < m.size(); ++p) CHECK(m[p] >= before[p]);
        for (const PlaceId p : growth.places) {
          CHECK(m[static_cast<std::size_t>(p.index)] > before[static_cast<std::size_t>(p.index)]);
          CHECK(std::find(cover.unbounded.begin(), cover.unbounded.end(), p) !=
                cover.unbounded.end());
        }
      }
    } else {
      ++bounded;
      CHECK(all.complete);
      CHECK(space.end() == SpaceEnd::complete);
    }
    // dead in the graph iff never fired
    std::vector<std::uint8_t> fires(net.transitions.size(), 0);
    for (const BruteForce::Edge& e : all.edges) fires[static_cast<std::size_t>(e.transition)] = 1;
    for (const TransitionId t : cover.dead) CHECK(fires[static_cast<std::size_t>(t.index)] == 0);
    if (all.complete) {
      CHECK(static_cast<long>(cover.dead.size()) == std::count(fires.begin(), fires.end(), 0));
    }
  }
  CHECK(unbounded > 300);
  CHECK(bounded > 300);
}

TEST_CASE("state space: places called unbounded are, with inhibitors and priorities too") {
  int named = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const Net net =
        random_net(seed, {.places = 4, .transitions = 5, .inhibitors = 2, .priorities = 2});
    CAPTURE(seed);
    const Coverability cover = coverability(net, Choice::by_priority, 5'000);
    const BruteForce all = brute_force(net, 2000);
    if (all.complete) CHECK(cover.unbounded.empty());
    if (!cover.complete) continue;
    for (const PlaceId p : cover.unbounded) {
      ++named;
      std::int64_t most = 0;
      for (const Marking& m : all.markings) {
        most = std::max(most, m[static_cast<std::size_t>(p.index)]);
      }
      CHECK(most >= 4);  // grows with what is explored
    }
  }
  CHECK(named > 200);
}

TEST_CASE("state space: the same numbers and traces on any number of threads") {
  const Net net = kanban(3);
  const StateSpace one(net, {.threads = 1});
  for (const int threads : {2, 5}) {
    const StateSpace many(net, {.threads = threads});
    REQUIRE(many.size() == one.size());
    CHECK(many.depth() == one.depth());
    CHECK(many.initial() == one.initial());
    for (std::uint32_t s = 0; s < one.size(); s += 997) {
      CHECK(many.marking(s) == one.marking(s));
      CHECK(many.trace(s) == one.trace(s));
    }
  }
}

TEST_CASE("state space: bounds on states and memory end with what was found so far") {
  const Net net = kanban(5);
  const StateSpace few(net, {.max_states = 10'000});
  CHECK(few.end() == SpaceEnd::max_states);
  CHECK(few.size() > 10'000);
  CHECK(few.size() < 200'000);
  const StateSpace small(net, {.max_memory = 8 << 20});
  CHECK(small.end() == SpaceEnd::max_memory);
  CHECK(small.size() < 400'000);
}

TEST_CASE("state space: the nets of the thesis") {
  const Net walk = shipped_net("walk.net.json");
  const StateSpace space(walk, {});
  CHECK(space.size() == 8);
  CHECK(space.deadlock_count() == 1);
  const Marking end = space.marking(space.deadlocks().front());
  for (std::size_t p = 0; p < end.size(); ++p) CHECK(end[p] == (walk.places[p].name == "P5"));
  const std::vector<std::int64_t> bounds = space.bounds();
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    CHECK(bounds[p] == (walk.places[p].name == "P3" ? 3 : walk.places[p].name[1] == '7' ? 0 : 1));
  }
  for (std::size_t t = 0; t < walk.transitions.size(); ++t) {
    const std::string& name = walk.transitions[t].name;
    const bool dead = name == "T4" || name == "T6" || name == "T7" || name == "T9";
    CHECK((space.fired({static_cast<int>(t)}) == 0) == dead);
  }
  // without priorities P3 and P5 grow without bound
  const StateSpace free(walk, {.choice = Choice::any});
  CHECK(free.end() == SpaceEnd::unbounded);
  const Coverability cover = coverability(walk, Choice::any);
  const NetNames names(walk);
  CHECK(cover.unbounded == std::vector<PlaceId>{names.place("P3"), names.place("P5")});

  const Net jump = shipped_net("jump.net.json");
  const StateSpace jumps(jump, {});
  CHECK(jumps.size() == 8);
  CHECK(jumps.deadlock_count() == 1);
  CHECK(jumps.marking(jumps.deadlocks().front()) == Marking(jump.places.size(), 0));

  const Net top = shipped_net("ball_top.net.json");
  const StateSpace ball(top, {});
  CHECK(ball.size() == 32);
  CHECK(ball.firings() == 48);
  CHECK(ball.deadlock_count() == 0);
  const Behaviour game = behaviour(ball);
  CHECK(game.is_live());
  CHECK(game.reversible);
  CHECK(game.home_markings == 32);

  const Net flat = shipped_net("ball_game.net.json");
  const StateSpace flat_space(flat, {});
  CHECK(flat_space.size() == 384);
  CHECK(flat_space.firings() == 608);
  CHECK(flat_space.deadlock_count() == 0);
  int never = 0;
  for (std::size_t t = 0; t < flat.transitions.size(); ++t) {
    never += flat_space.fired({static_cast<int>(t)}) == 0 ? 1 : 0;
  }
  CHECK(never == 18);
  std::vector<std::int64_t> counters;
  const std::vector<std::int64_t> flat_bounds = flat_space.bounds();
  for (std::size_t p = 0; p < flat.places.size(); ++p) {
    if (flat.places[p].name.ends_with("_P3")) counters.push_back(flat_bounds[p]);
  }
  CHECK(counters == std::vector<std::int64_t>{2, 3, 3, 2});
}

// Semiflows, siphons, traps and classes, against trying all vectors and all subsets.
#include "molejo/net/structure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "tests/net/known_nets.h"
#include "tests/net/random_nets.h"
#include "tests/net/thesis_nets.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Matrix transposed(const Matrix& C, std::size_t columns) {
  Matrix result(columns, std::vector<std::int64_t>(C.size()));
  for (std::size_t i = 0; i < C.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j][i] = C[i][j];
  }
  return result;
}

bool is_flow(const Matrix& C, const std::vector<std::int64_t>& y) {
  for (std::size_t j = 0; !C.empty() && j < C[0].size(); ++j) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < C.size(); ++i) sum += y[i] * C[i][j];
    if (sum != 0) return false;
  }
  return true;
}

unsigned support(const std::vector<std::int64_t>& y) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < y.size(); ++i) bits |= y[i] != 0 ? 1u << i : 0u;
  return bits;
}

// Flows of minimal support: each is one, none holds another, and every solution with weights up
// to 4 is made of them.
void check_flows(const Matrix& C, const Semiflows& found) {
  REQUIRE(found.complete);
  for (const auto& y : found.flows) {
    CHECK(is_flow(C, y));
    CHECK(*std::min_element(y.begin(), y.end()) >= 0);
    CHECK(std::accumulate(y.begin(), y.end(), std::int64_t{0},
                          [](auto a, auto b) { return std::gcd(a, b); }) == 1);
    for (const auto& z : found.flows) {
      if (&y != &z) CHECK((support(z) & ~support(y)) != 0);
    }
  }
  std::vector<std::int64_t> y(C.size(), 0);
  for (;;) {
    std::size_t i = 0;
    while (i < y.size() && y[i] == 4) y[i++] = 0;
    if (i == y.size()) break;
    ++y[i];
    if (!is_flow(C, y)) continue;
    unsigned covered = 0;
    for (const auto& flow : found.flows) {
      if ((support(flow) & ~support(y)) == 0) covered |= support(flow);
    }
    CHECK(covered == support(y));
  }
}

bool is_siphon(const Net& net, unsigned set, bool trap) {
  if (set == 0) return false;
  for (int t = 0; t < static_cast<int>(net.transitions.size()); ++t) {
    bool takes = false, puts = false;
    for (const Arc& a : net.arcs) {
      if (a.transition.index != t || (set >> a.place.index & 1u) == 0) continue;
      takes |= a.kind == ArcKind::input;
      puts |= a.kind == ArcKind::output;
    }
    if (trap ? takes && !puts : puts && !takes) return false;
  }
  return true;
}

std::set<unsigned> smallest_by_trying(const Net& net, bool trap) {
  std::vector<unsigned> all;
  for (unsigned set = 1; set < 1u << net.places.size(); ++set) {
    if (is_siphon(net, set, trap)) all.push_back(set);
  }
  std::set<unsigned> minimal;
  for (const unsigned s : all) {
    const auto within = [&](unsigned other) { return other != s && (other & ~s) == 0; };
    if (std::none_of(all.begin(), all.end(), within)) minimal.insert(s);
  }
  return minimal;
}

std::set<unsigned> bits(const PlaceSets& found) {
  std::set<unsigned> result;
  for (const auto& set : found.sets) {
    unsigned s = 0;
    for (const PlaceId p : set) s |= 1u << p.index;
    result.insert(s);
  }
  return result;
}

}  // namespace

TEST_CASE("structure: semiflows of random nets are minimal and generate all others") {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const Net net =
        random_net(seed, {.places = 5, .transitions = 4, .conservative = seed % 2 == 0 ? 100 : 0});
    const Matrix C = incidence_matrix(net);
    check_flows(C, place_semiflows(net));
    check_flows(transposed(C, net.transitions.size()), transition_semiflows(net));
  }
}

TEST_CASE("structure: siphons and traps of random nets are those found among all subsets") {
  std::size_t siphons = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    const Net net =
        random_net(seed, {.places = 7, .transitions = 6, .conservative = seed % 3 != 0 ? 100 : 0});
    const PlaceSets found = minimal_siphons(net), traps = minimal_traps(net);
    REQUIRE(found.complete);
    CHECK(bits(found) == smallest_by_trying(net, false));
    CHECK(bits(found).size() == found.sets.size());  // each once
    CHECK(bits(traps) == smallest_by_trying(net, true));
    siphons += found.sets.size();
  }
  CHECK(siphons > 4000);
}

TEST_CASE("structure: bounds from semiflows hold in every marking") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const Net net = random_net(seed, {.places = 5, .transitions = 5, .conservative = 100});
    const std::vector<std::int64_t> bounds = semiflow_bounds(net, place_semiflows(net));
    for (const Marking& m : brute_force(net, 500).markings) {
      for (std::size_t p = 0; p < m.size(); ++p) {
        if (bounds[p] >= 0) CHECK(m[p] <= bounds[p]);
      }
    }
  }
}

TEST_CASE("structure: the engine's marking is M + C e_t on random nets") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Net net =
        random_net(seed, {.places = 5, .transitions = 5, .inhibitors = 1, .events = 100});
    const Matrix C = incidence_matrix(net);
    NetRun run(net, {.seed = seed});  // every transition waits for its event
    for (int step = 0; step < 20; ++step) {
      const TransitionId t{static_cast<int>((seed + static_cast<std::uint32_t>(step) * 7) % 5)};
      Marking before;
      for (int p = 0; p < 5; ++p) before.push_back(run.marking({p}));
      const std::vector<int> may = may_fire(net, before, true);
      const bool enabled = std::find(may.begin(), may.end(), t.index) != may.end();
      CHECK(run.is_enabled(t) == enabled);
      CHECK(run.fire(t) == enabled);
      for (std::size_t p = 0; p < 5; ++p) {
        const std::int64_t change = enabled ? C[p][static_cast<std::size_t>(t.index)] : 0;
        CHECK(run.marking({static_cast<int>(p)}) == before[p] + change);
      }
    }
  }
}

TEST_CASE("structure: the ball game is a marked graph with six circuits and one ball") {
  const Net net = shipped_net("ball_top.net.json");
  const NetClass kind = classify(net);
  CHECK(kind.marked_graph);
  CHECK(kind.free_choice);
  CHECK(kind.ordinary);
  CHECK(kind.pure);
  CHECK(kind.strongly_connected);
  CHECK_FALSE(kind.state_machine);
  const Semiflows x = transition_semiflows(net);
  REQUIRE(x.flows.size() == 1);
  CHECK(x.flows.front() == std::vector<std::int64_t>(16, 1));
  const Semiflows y = place_semiflows(net);
  CHECK(y.flows.size() == 6);
  CHECK(covers_all(y, net.places.size()));
  std::vector<std::int64_t> ball(20, 0);
  for (const int p : {1, 2, 3, 10, 15, 16, 17, 18, 19, 12, 7, 8})
    ball[static_cast<std::size_t>(p - 1)] = 1;
  CHECK(std::find(y.flows.begin(), y.flows.end(), ball) != y.flows.end());
  CHECK(minimal_siphons(net).sets.size() == 6);  // of a marked graph: its circuits
}

TEST_CASE("structure: classes of the known nets") {
  const NetClass table = classify(philosophers(5));
  CHECK_FALSE(table.free_choice);
  CHECK_FALSE(table.asymmetric_choice);
  CHECK(table.ordinary);
  const NetClass cells = classify(kanban(5));
  CHECK(cells.free_choice);
  CHECK(cells.strongly_connected);
  // cells 1 and 4, and cells 2 and 3 each with the kanbans of either
  CHECK(place_semiflows(kanban(5)).flows.size() == 6);
  CHECK_FALSE(classify(shipped_net("walk.net.json")).ordinary);
}

TEST_CASE("structure: a list that would grow too long is told incomplete") {
  // 2^14 minimal semiflows
  Net net;
  NetBuilder builder(net);
  for (int i = 0; i < 14; ++i) {
    const TransitionId a = builder.add(Transition{.name = "a" + std::to_string(i)});
    for (const char* side : {"l", "r"}) {
      const PlaceId p = builder.add(Place{.name = side + std::to_string(i)});
      builder.connect(ArcKind::output, p, a);
      if (i > 0) builder.connect(ArcKind::input, PlaceId{p.index - 2}, a);
    }
  }
  const TransitionId last = builder.add(Transition{.name = "last"});
  const PlaceId back = builder.add(Place{.name = "back", .tokens = 1});
  builder.connect(ArcKind::input, {26}, last);
  builder.connect(ArcKind::input, {27}, last);
  builder.connect(ArcKind::output, back, last);
  builder.connect(ArcKind::input, back, {0});
  CHECK_FALSE(place_semiflows(net).complete);
  CHECK(place_semiflows(net, {.rows = 20'000, .cells = 100'000'000}).flows.size() == 1 << 14);
  CHECK_FALSE(minimal_siphons(net).complete);
}

TEST_CASE("structure: the class of random nets is that of comparing every pair of places") {
  int extended = 0, asymmetric = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    const Net net =
        random_net(seed, {.places = 4, .transitions = 3 + static_cast<int>(seed % 3), .heavy = 0});
    const Topology topology(net);
    const auto consumers = [&](int p) {
      std::set<int> all;
      for (const Neighbour& t : topology.consumers[p]) all.insert(t.node);
      return all;
    };
    bool same = true, nested = true;
    for (int p = 0; p < 4; ++p) {
      for (int q = 0; q < 4; ++q) {
        const std::set<int> a = consumers(p), b = consumers(q);
        std::vector<int> shared;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
        if (shared.empty()) continue;
        same &= a == b;
        nested &= shared.size() == std::min(a.size(), b.size());
      }
    }
    bool pure = true, ordinary = true;
    for (const Arc& a : net.arcs) {
      ordinary &= a.weight == 1;
      for (const Arc& b : net.arcs) {
        pure &= a.kind == b.kind || a.place != b.place || a.transition != b.transition;
      }
    }
    const NetClass found = classify(net);
    CHECK(found.pure == pure);
    CHECK(found.extended_free_choice == (same && ordinary));
    CHECK(found.asymmetric_choice == (nested && ordinary));
    extended += found.extended_free_choice ? 1 : 0;
    asymmetric += found.asymmetric_choice && !found.extended_free_choice ? 1 : 0;
  }
  CHECK(extended > 20);
  CHECK(asymmetric > 20);
}

TEST_CASE("structure: many transitions and few places keep to the work that is allowed") {
  Net net;
  NetBuilder builder(net);
  const PlaceId p = builder.add(Place{.name = "p"});
  for (int t = 0; t < 100; ++t) {
    builder.connect(ArcKind::output, p, builder.add(Transition{.name = "t" + std::to_string(t)}));
  }
  CHECK(place_semiflows(net).complete);
  net.arcs.clear();
  CHECK(place_semiflows(net).complete);
  CHECK_FALSE(place_semiflows(net, {.work = 1000}).complete);
}

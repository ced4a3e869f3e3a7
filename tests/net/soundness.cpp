// What was called impossible never happens, what was called certain always does: random nets with
// events, times, priorities and inhibitors are played by random worlds against their analysis.
//
// MOLEJO_RANDOM_NETS=10000 plays so many instead.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/net/random_nets.h"
#include "tests/net/random_worlds.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("soundness: no play of a random net contradicts its analysis") {
  const char* given = std::getenv("MOLEJO_RANDOM_NETS");
  const int nets = given ? std::atoi(given) : 1000;
  const char* first = std::getenv("MOLEJO_FIRST_NET");
  const int from = first ? std::atoi(first) : 0;
  constexpr int plays = 12;
  WorldPlays count;
  int wrong = 0;
  for (int i = from; i < from + nets && wrong < 3; ++i) {
    const auto seed = static_cast<std::uint32_t>(i);
    const Net net = random_net(seed, random_kind(seed));
    const auto found = contradiction(net, seed, plays, count);
    if (!found) continue;
    ++wrong;
    CAPTURE(seed);
    FAIL_CHECK(smallest_contradiction(net, seed, plays));
  }
  const auto percent = [](std::uint64_t part, std::uint64_t all) {
    return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
  };
  MESSAGE(nets << " nets, " << count.plays << " plays, " << count.firings << " firings, "
               << count.markings << " markings judged, " << count.traces << " traces played");
  MESSAGE(percent(count.decided, count.properties)
          << " % of the properties decided, " << percent(count.open_decided, count.open)
          << " % where the net waits for the world");
  CHECK(count.firings > 10 * static_cast<std::uint64_t>(nets));
  CHECK(percent(count.decided, count.properties) > 80);
  CHECK(count.late > static_cast<std::uint64_t>(nets) / 10);
}

#include "tests/net/random_open_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace molejo::test {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string random_term(Dice& dice, const Net& net) {
  const std::string p = net.places[at(dice.draw(static_cast<int>(net.places.size())))].name;
  const std::string t =
      net.transitions[at(dice.draw(static_cast<int>(net.transitions.size())))].name;
  switch (dice.draw(10)) {
    case 0:
      return fmt::format("waiting({})", p);
    case 1:
      return fmt::format("ready({})", p);
    case 2:
      return fmt::format("enabled({})", t);
    case 3:
      return fmt::format("{} >= 2", p);
    case 4:
      return "deadlock";
    default:
      return p;
  }
}

std::string random_property(Dice& dice, const Net& net) {
  std::string formula = random_term(dice, net);
  if (dice.chance(60)) formula += (dice.chance(70) ? " & " : " | ") + random_term(dice, net);
  constexpr const char* within[] = {"1", "2", "5/2", "4"};
  switch (dice.draw(6)) {
    case 0:
      return "always: !(" + formula + ")";
    case 1:
      return "possible: " + formula;
    case 2:
      return "eventually: " + formula;
    case 3:
      return fmt::format("eventually within {}: {}", within[dice.draw(4)], formula);
    default:
      return "never: " + formula;
  }
}

}  // namespace

Net random_open_net(std::uint32_t seed) {
  Dice dice(seed);
  Net net;
  NetBuilder builder(net);
  const bool timed = dice.chance(80), open = dice.chance(75), awaits = open && dice.chance(30);
  const int places = 2 + dice.draw(4), transitions = 2 + dice.draw(5);
  const int priorities = dice.chance(50) ? 1 : 3, names = 1 + dice.draw(3);
  const Fraction delays[] = {1, 1, 2, Fraction(1, 2), Fraction(3, 2), 3, Fraction(1, 3)};
  for (int p = 0; p < places; ++p) {
    Place place{.name = "p" + std::to_string(p), .tokens = dice.chance(60) ? 1 + dice.draw(2) : 0};
    if (timed && dice.chance(55)) place.delay = delays[dice.draw(7)];
    place.awaited = awaits && dice.chance(40);
    builder.add(std::move(place));
  }
  for (int t = 0; t < transitions; ++t) {
    Transition transition{.name = "t" + std::to_string(t), .priority = 1 + dice.draw(priorities)};
    if (open && dice.chance(50)) transition.event = "e" + std::to_string(dice.draw(names));
    builder.add(std::move(transition));
    const int inputs = dice.chance(3) ? 0 : 1 + dice.draw(2);
    const int outputs = dice.chance(75) ? inputs : dice.draw(3);
    for (int i = 0; i < inputs + outputs; ++i) {
      const PlaceId p{dice.draw(places)};
      const std::int64_t weight = dice.chance(90) ? 1 : 2;
      const bool cuts = dice.chance(20);
      try {
        builder.join(i >= inputs ? ArcKind::output
                     : cuts      ? ArcKind::interrupter
                                 : ArcKind::input,
                     p, {t}, weight);
      } catch (const NetError&) {  // an input and an interrupting arc between the same
      }
    }
  }
  for (int i = dice.chance(50) ? 0 : 1 + dice.draw(3); i > 0; --i) {
    const PlaceId p{dice.draw(places)};
    const TransitionId t{dice.draw(transitions)};
    builder.join(ArcKind::inhibitor, p, t, 1 + dice.draw(2));
  }
  for (int i = 0; i < 6; ++i) net.properties.push_back(random_property(dice, net));
  return net;
}

}  // namespace molejo::test

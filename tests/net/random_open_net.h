// Random nets with everything that a net may have.
#pragma once

#include <cstdint>
#include <random>

#include "molejo/net/net.h"

namespace molejo::test {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  int draw(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return draw(100) < percent; }

 private:
  std::mt19937 random_;
};

// Places with delays and awaited actions, weights, inhibitors, interrupting arcs, priorities,
// events with one transition or several; properties of every kind.
Net random_open_net(std::uint32_t seed);

}  // namespace molejo::test

// Random numbers with the same bits on every machine: those of <random> are not.
//
//   uniform   xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
//             2021), its state filled by splitmix64 (Steele, Lea, Flood 2014)
//   normal    polar method (Marsaglia and Bray 1964): u, v uniform in the unit disc, s = u^2 + v^2,
//             u sqrt(-2 ln s / s) and v sqrt(-2 ln s / s); ln from same_bits.h
#pragma once

#include <array>
#include <cstdint>

namespace molejo {

// A plain value: a copy continues with the same numbers.
struct Random {
  std::array<std::uint64_t, 4> words{};  // not all zero
  double spare = 0;                      // second number of the last pair, if it is still to come
  bool has_spare = false;

  explicit Random(std::uint64_t seed = 1);

  std::uint64_t next();
  double uniform();  // in [0, 1), a multiple of 2^-53
  double normal();   // mean 0, variance 1

  bool operator==(const Random&) const = default;
};

// A seed for the i-th of several streams that start from one seed.
std::uint64_t seed_of_stream(std::uint64_t seed, std::uint64_t i);

}  // namespace molejo

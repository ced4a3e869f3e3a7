#include "molejo/math/random.h"

#include <cmath>
#include <utility>

#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

std::uint64_t splitmix64(std::uint64_t& counter) {
  std::uint64_t h = counter += 0x9e3779b97f4a7c15;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

std::uint64_t rotated_left(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : words) word = splitmix64(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = rotated_left(words[1] * 5, 7) * 9;
  const std::uint64_t shifted = words[1] << 17;
  words[2] ^= words[0];
  words[3] ^= words[1];
  words[1] ^= words[2];
  words[0] ^= words[3];
  words[2] ^= shifted;
  words[3] = rotated_left(words[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::normal() {
  if (has_spare) {
    has_spare = false;
    return std::exchange(spare, 0);
  }
  double u = 0, v = 0, s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double factor = std::sqrt(-2 * logarithm(s) / s);
  spare = v * factor;
  has_spare = true;
  return u * factor;
}

std::uint64_t seed_of_stream(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t counter = seed;
  counter = splitmix64(counter) + i;
  return splitmix64(counter);
}

}  // namespace molejo

#include "molejo/net/wait_zone.h"

#include <algorithm>

namespace molejo {

void WaitZone::keep(const std::vector<std::size_t>& waits) {
  std::vector<std::size_t> numbers{0};
  for (const std::size_t w : waits) numbers.push_back(w + 1);
  std::vector<std::int64_t> kept;
  for (const std::size_t i : numbers) {
    for (const std::size_t j : numbers) kept.push_back(bound(i, j));
  }
  size_ = waits.size();
  bounds_ = std::move(kept);
}

void WaitZone::insert(std::size_t at, std::int64_t ticks) {
  WaitZone wider;
  wider.size_ = size_ + 1;
  wider.bounds_.assign((size_ + 2) * (size_ + 2), at_most(0));
  const std::size_t fresh = at + 1;
  const auto old = [&](std::size_t i) { return i < fresh ? i : i - 1; };
  for (std::size_t i = 0; i <= wider.size_; ++i) {
    for (std::size_t j = 0; j <= wider.size_; ++j) {
      if (i == j) continue;
      wider.bound(i, j) = i == fresh   ? sum(at_most(ticks), bound(0, old(j)))
                          : j == fresh ? sum(bound(old(i), 0), at_most(-ticks))
                                       : bound(old(i), old(j));
    }
  }
  *this = std::move(wider);
}

// Upper bounds and differences stay; lower bounds fall to zero, or to what the differences leave.
void WaitZone::let_time_pass() {
  for (std::size_t i = 1; i <= size_; ++i) {
    std::int64_t lowest = at_most(0);
    for (std::size_t j = 1; j <= size_; ++j) lowest = std::min(lowest, bound(j, i));
    bound(0, i) = lowest;
  }
}

// One bound is made tighter, and with it all that follow. False: nothing is left.
bool WaitZone::tighten(std::size_t i, std::size_t j, std::int64_t b) {
  if (b >= bound(i, j)) return true;
  if (sum(b, bound(j, i)) < at_most(0)) return false;
  bound(i, j) = b;
  for (std::size_t k = 0; k <= size_; ++k) {
    for (std::size_t l = 0; l <= size_; ++l) {
      bound(k, l) = std::min(bound(k, l), sum(sum(bound(k, i), b), bound(j, l)));
    }
  }
  return true;
}

bool WaitZone::only_over(std::size_t wait) { return tighten(wait + 1, 0, at_most(0)); }
bool WaitZone::only_going_on(std::size_t wait) { return tighten(0, wait + 1, below(0)); }

void WaitZone::append_to(std::string& code) const {
  for (std::size_t i = 0; i <= size_; ++i) {
    for (std::size_t j = 0; j <= size_; ++j) {
      if (i == j) continue;
      const std::int64_t b = bound(i, j);
      auto x = static_cast<std::uint64_t>(b < 0 ? -2 * b - 1 : 2 * b);
      for (; x >= 128; x >>= 7) code += static_cast<char>(x | 128);
      code += static_cast<char>(x);
    }
  }
}

WaitZone WaitZone::read(const char* code, std::size_t waits) {
  WaitZone zone;
  zone.size_ = waits;
  zone.bounds_.assign((waits + 1) * (waits + 1), at_most(0));
  for (std::size_t i = 0; i <= waits; ++i) {
    for (std::size_t j = 0; j <= waits; ++j) {
      if (i == j) continue;
      std::uint64_t x = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*code++);
        x |= static_cast<std::uint64_t>(byte & 127) << shift;
        if (byte < 128) break;
      }
      const auto half = static_cast<std::int64_t>(x >> 1);
      zone.bound(i, j) = (x & 1) != 0 ? -half - 1 : half;
    }
  }
  return zone;
}

}  // namespace molejo

// Sets of times that are left of several waits, when nobody knows when each began.
//
//   x_i - x_j < or <= b_ij,   x_0 = 0,   x_i the ticks left of wait i
//
// Difference bound matrices in their tightest form: Dill, Timing assumptions and verification of
// finite-state concurrent systems (1989). All x_i are bounded by delays, so there are finitely many
// zones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace molejo {

class WaitZone {
 public:
  WaitZone() : bounds_(1, at_most(0)) {}  // of no waits

  std::size_t size() const { return size_; }  // waits
  // Keeps these waits, ascending, and forgets the others.
  void keep(const std::vector<std::size_t>& waits);
  // A wait that begins now becomes number `at`.
  void insert(std::size_t at, std::int64_t ticks);
  // Any time passes, as long as no wait is beyond its end.
  void let_time_pass();
  // Only where the wait is over, or is not. False: nowhere.
  bool only_over(std::size_t wait);
  bool only_going_on(std::size_t wait);

  void append_to(std::string& code) const;
  static WaitZone read(const char* code, std::size_t waits);

 private:
  // 2 b + 1: <= b; 2 b: < b
  static std::int64_t at_most(std::int64_t b) { return 2 * b + 1; }
  static std::int64_t below(std::int64_t b) { return 2 * b; }
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return 2 * ((a >> 1) + (b >> 1)) + (a & b & 1);
  }
  std::int64_t& bound(std::size_t i, std::size_t j) { return bounds_[i * (size_ + 1) + j]; }
  std::int64_t bound(std::size_t i, std::size_t j) const { return bounds_[i * (size_ + 1) + j]; }
  bool tighten(std::size_t i, std::size_t j, std::int64_t b);

  std::size_t size_ = 0;
  std::vector<std::int64_t> bounds_;  // of x_i - x_j, row by row, number 0 first
};

}  // namespace molejo

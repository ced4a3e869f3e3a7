// Time without rounding: durations are fractions of a second, instants are whole ticks.
//
//   tick = 1 s / L,   L = lcm(denominators of all delays and given times, numerator of the rate)
//
// so that every delay and every frame lasts a whole number of ticks, at any frame rate, and every
// given time is a whole tick.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace molejo {

// numerator / denominator in lowest terms; denominator > 0.
struct Fraction {
  std::int64_t numerator = 0, denominator = 1;

  Fraction() = default;
  Fraction(std::int64_t whole) : numerator(whole) {}  // NOLINT: a whole number is a fraction
  // Reduced; `d` must not be 0.
  Fraction(std::int64_t n, std::int64_t d);

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Fraction&) const = default;
};

bool operator<(const Fraction& a, const Fraction& b);

// Digits and values that a file may give: below 10^9 in front, at most 9 digits after the point.
inline constexpr std::int64_t largest_part = 1'000'000'000;

// "3", "3.", ".5", "0.125", "1/3", "30000/1001", "5e-7". Nothing when the text has another form,
// is negative or is beyond largest_part.
std::optional<Fraction> parse_fraction(std::string_view text);

// The same for instants, which are sums of delays: whole parts may be up to 2^63 - 1. Reads all
// that to_string() writes.
std::optional<Fraction> parse_instant(std::string_view text);

// The fraction with the fewest decimal digits that is this double: 0.1 is 1/10. Nothing for what
// parse_fraction would refuse.
std::optional<Fraction> exact_fraction(double x);

// "0.5" where the decimal form ends, else "1/3".
std::string to_string(const Fraction& fraction);

// The least whole number that is not below a b. Both are not negative; nothing beyond 2^63.
std::optional<std::int64_t> ceil_product(const Fraction& a, const Fraction& b);

// Least common multiple; nothing when it is beyond `largest`.
std::optional<std::int64_t> common_multiple(std::int64_t a, std::int64_t b, std::int64_t largest);

}  // namespace molejo

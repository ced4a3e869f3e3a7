#include "molejo/net/exact_time.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "molejo/math/characters.h"

namespace molejo {

namespace {

constexpr int most_decimals = 9;

// Whole number up to `largest` from the front of `text`, which is shortened.
std::optional<std::int64_t> take_whole(std::string_view& text, int& digits, std::int64_t largest) {
  std::int64_t value = 0;
  digits = 0;
  while (!text.empty() && is_digit(text.front())) {
    const int digit = text.front() - '0';
    if (value > (largest - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
    ++digits;
    text.remove_prefix(1);
  }
  return value;
}

std::int64_t power_of_ten(int n) {
  std::int64_t p = 1;
  for (int i = 0; i < n; ++i) p *= 10;
  return p;
}

// the part after e or E, which must be all that is left
std::optional<int> take_exponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  int digits = 0;
  const auto value = take_whole(text, digits, largest_part);
  if (!value || digits == 0 || !text.empty() || *value > most_decimals) return std::nullopt;
  return static_cast<int>(negative ? -*value : *value);
}

// A number whose whole parts are up to `largest`.
std::optional<Fraction> parse_within(std::string_view text, std::int64_t largest) {
  int before = 0, after = 0;
  const auto whole = take_whole(text, before, largest);
  if (!whole) return std::nullopt;
  if (!text.empty() && text.front() == '/') {
    text.remove_prefix(1);
    const auto below = take_whole(text, after, largest);
    if (!below || *below == 0 || before == 0 || !text.empty()) return std::nullopt;
    return Fraction(*whole, *below);
  }
  std::int64_t decimals = 0;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    // zeros at the end say nothing
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::size_t last = end;
    while (last > 0 && text[last - 1] == '0') --last;
    std::string_view digits = text.substr(0, last);
    if (digits.size() > most_decimals) return std::nullopt;
    decimals = *take_whole(digits, after, largest_part);
    if (before == 0 && end == 0) return std::nullopt;
    text.remove_prefix(end);
  } else if (before == 0) {
    return std::nullopt;
  }
  const auto exponent = take_exponent(text);
  if (!exponent) return std::nullopt;

  // (whole + decimals / 10^after) 10^exponent, below 10^37 before the bound is checked
  const auto n = static_cast<__int128>(*whole) * power_of_ten(after) + decimals;
  const int down = after - *exponent;
  const __int128 above = down < 0 ? n * power_of_ten(-down) : n;
  if (down > 2 * most_decimals || above > INT64_MAX) return std::nullopt;
  return Fraction(static_cast<std::int64_t>(above), power_of_ten(std::max(0, down)));
}

}  // namespace

Fraction::Fraction(std::int64_t n, std::int64_t d) {
  const std::int64_t g = std::gcd(n, d);
  numerator = (d < 0 ? -n : n) / g;
  denominator = (d < 0 ? -d : d) / g;
}

bool operator<(const Fraction& a, const Fraction& b) {
  return static_cast<__int128>(a.numerator) * b.denominator <
         static_cast<__int128>(b.numerator) * a.denominator;
}

std::optional<Fraction> parse_fraction(std::string_view text) {
  const auto result = parse_within(text, largest_part);
  if (!result || result->denominator > largest_part || Fraction(largest_part) < *result) {
    return std::nullopt;
  }
  return result;
}

std::optional<Fraction> parse_instant(std::string_view text) {
  return parse_within(text, INT64_MAX);
}

std::optional<std::int64_t> ceil_product(const Fraction& a, const Fraction& b) {
  const auto above =
      static_cast<unsigned __int128>(a.numerator) * static_cast<unsigned __int128>(b.numerator);
  const auto below =
      static_cast<unsigned __int128>(a.denominator) * static_cast<unsigned __int128>(b.denominator);
  const unsigned __int128 result = above / below + (above % below != 0 ? 1 : 0);
  if (result > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(result);
}

std::optional<Fraction> exact_fraction(double x) {
  if (!std::isfinite(x) || x < 0) return std::nullopt;
  return parse_fraction(fmt::format("{}", x == 0 ? 0.0 : x));
}

std::string to_string(const Fraction& f) {
  // the decimal form ends when only twos and fives divide the denominator
  std::int64_t rest = f.denominator;
  int twos = 0, fives = 0;
  for (; rest % 2 == 0; rest /= 2) ++twos;
  for (; rest % 5 == 0; rest /= 5) ++fives;
  const int digits = std::max(twos, fives);
  if (rest != 1 || digits > most_decimals) {
    return fmt::format("{}/{}", f.numerator, f.denominator);
  }
  const std::int64_t scale = power_of_ten(digits);
  const auto scaled = static_cast<__int128>(f.numerator) * (scale / f.denominator);
  const auto whole = static_cast<std::int64_t>(scaled / scale);
  const auto part = static_cast<std::int64_t>(scaled % scale);
  return digits == 0 ? fmt::format("{}", whole) : fmt::format("{}.{:0{}}", whole, part, digits);
}

std::optional<std::int64_t> common_multiple(std::int64_t a, std::int64_t b, std::int64_t largest) {
  const auto result = static_cast<__int128>(a / std::gcd(a, b)) * b;
  if (result > largest) return std::nullopt;
  return static_cast<std::int64_t>(result);
}

}  // namespace molejo

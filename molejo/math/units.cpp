#include "molejo/math/units.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/characters.h"

namespace molejo {

namespace {

constexpr std::int32_t one_in_sixths = 6;

constexpr Dimension base(int m, int kg, int s, int A = 0, int K = 0) {
  return {{m * one_in_sixths, kg * one_in_sixths, s * one_in_sixths, A * one_in_sixths,
           K * one_in_sixths}};
}

struct NamedUnit {
  std::string_view word;
  Unit unit;
};

namespace quantity {  // short words, which other files use for other things

constexpr Dimension pure = base(0, 0, 0), length = base(1, 0, 0), mass = base(0, 1, 0),
                    duration = base(0, 0, 1), frequency = base(0, 0, -1), force = base(1, 1, -2),
                    energy = base(2, 1, -2), watt = base(2, 1, -3), pressure = base(-1, 1, -2),
                    current = base(0, 0, 0, 1), charge = base(0, 0, 1, 1),
                    voltage = base(2, 1, -3, -1), magnetic = base(0, 1, -2, -1),
                    temperature = base(0, 0, 0, 0, 1);

// the unit that a dimension is shown with stands before its multiples
constexpr NamedUnit named[] = {
    {"m", {length, 1, 1}},       {"km", {length, 1000, 1}},     {"cm", {length, 1, 100}},
    {"mm", {length, 1, 1000}},   {"um", {length, 1, 1e6}},      {"s", {duration, 1, 1}},
    {"ms", {duration, 1, 1000}}, {"us", {duration, 1, 1e6}},    {"min", {duration, 60, 1}},
    {"h", {duration, 3600, 1}},  {"kg", {mass, 1, 1}},          {"g", {mass, 1, 1000}},
    {"mg", {mass, 1, 1e6}},      {"N", {force, 1, 1}},          {"mN", {force, 1, 1000}},
    {"kN", {force, 1000, 1}},    {"MN", {force, 1e6, 1}},       {"J", {energy, 1, 1}},
    {"mJ", {energy, 1, 1000}},   {"kJ", {energy, 1000, 1}},     {"Nm", {energy, 1, 1}},
    {"W", {watt, 1, 1}},         {"mW", {watt, 1, 1000}},       {"kW", {watt, 1000, 1}},
    {"Hz", {frequency, 1, 1}},   {"kHz", {frequency, 1000, 1}}, {"rpm", {frequency, 2 * pi, 60}},
    {"rad", {pure, 1, 1}},       {"mrad", {pure, 1, 1000}},     {"deg", {pure, pi / 180, 1}},
    {"turn", {pure, 2 * pi, 1}}, {"Pa", {pressure, 1, 1}},      {"kPa", {pressure, 1000, 1}},
    {"MPa", {pressure, 1e6, 1}}, {"GPa", {pressure, 1e9, 1}},   {"A", {current, 1, 1}},
    {"mA", {current, 1, 1000}},  {"C", {charge, 1, 1}},         {"V", {voltage, 1, 1}},
    {"T", {magnetic, 1, 1}},     {"K", {temperature, 1, 1}}};

}  // namespace quantity

std::size_t word_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && (is_letter_or_underscore(text[n]) || (n > 0 && is_digit(text[n])))) ++n;
  return n;
}

std::int32_t held(std::int64_t sixths) {
  constexpr std::int64_t limit = 600'000;
  return static_cast<std::int32_t>(std::clamp(sixths, -limit, limit));
}

// "^2", "^-1" at the beginning of a text: the exponent and its length; length 0 when there is none
struct Exponent {
  int value = 1;
  std::size_t length = 0;
};
Exponent read_exponent(std::string_view text) {
  if (text.empty() || text[0] != '^') return {};
  std::size_t n = 1;
  const bool negative = n < text.size() && text[n] == '-';
  if (negative) ++n;
  const std::size_t from = n;
  int value = 0;
  while (n < text.size() && is_digit(text[n]) && n == from) value = text[n++] - '0';
  // one digit; longer, broken or named exponents are for the operator ^
  const bool goes_on =
      n < text.size() && (is_digit(text[n]) || text[n] == '.' || is_letter_or_underscore(text[n]));
  if (n == from || goes_on) return {};
  return {negative ? -value : value, n};
}

Unit raised(const Unit& unit, int exponent) {
  Unit result;
  for (int i = 0; i < std::abs(exponent); ++i) {
    result.dimension = result.dimension * unit.dimension;
    result.factor *= unit.factor;
    result.divisor *= unit.divisor;
  }
  if (exponent < 0) {
    result.dimension = Dimension{} / result.dimension;
    std::swap(result.factor, result.divisor);
  }
  return result;
}

// "m^2" or "s" at the beginning of a text
UnitText read_factor(std::string_view text) {
  const std::size_t letters = word_length(text);
  const Unit* unit = find_unit(text.substr(0, letters));
  if (!unit) return {};
  const Exponent exponent = read_exponent(text.substr(letters));
  return {raised(*unit, exponent.value), letters + exponent.length};
}

void append_power(std::string& to, std::string_view symbol, std::int32_t sixths) {
  if (!to.empty()) to += '*';
  to += symbol;
  if (sixths == one_in_sixths) return;
  to += '^';
  if (sixths % one_in_sixths == 0) {
    to += std::to_string(sixths / one_in_sixths);
  } else if (sixths % 3 == 0) {
    to += std::to_string(sixths / one_in_sixths) + ".5";
  } else {
    to += "(" + std::to_string(sixths) + "/6)";
  }
}

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < a.sixths.size(); ++i) {
    result.sixths[i] = held(std::int64_t{a.sixths[i]} + b.sixths[i]);
  }
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < a.sixths.size(); ++i) {
    result.sixths[i] = held(std::int64_t{a.sixths[i]} - b.sixths[i]);
  }
  return result;
}

std::optional<Dimension> power(const Dimension& a, double exponent) {
  Dimension result;
  for (std::size_t i = 0; i < a.sixths.size(); ++i) {
    if (a.sixths[i] == 0) continue;
    const double sixths = a.sixths[i] * exponent, nearest = std::round(sixths);
    // 1/3 is not exact in binary
    if (!(std::fabs(sixths - nearest) < 1e-9 && std::fabs(nearest) <= 6e5)) return std::nullopt;
    result.sixths[i] = static_cast<std::int32_t>(nearest);
  }
  return result;
}

std::string text(const Dimension& dimension) {
  if (dimension.is_pure()) return "1";
  for (const NamedUnit& n : quantity::named) {
    if (n.unit.dimension == dimension && n.unit.factor == 1 && n.unit.divisor == 1) {
      return dimension == quantity::frequency ? "1/s" : std::string(n.word);
    }
  }
  // N/m and N*s are more familiar than kg/s^2 and kg*m/s
  if (dimension == quantity::force / quantity::length) return "N/m";
  if (dimension == quantity::force * quantity::duration / quantity::length) return "N*s/m";
  if (dimension == quantity::force * quantity::duration) return "N*s";
  constexpr std::string_view symbols[] = {"m", "kg", "s", "A", "K"};
  constexpr std::size_t order[] = {1, 0, 2, 3, 4};
  std::string above, below;
  int divisors = 0;
  for (const std::size_t i : order) {
    const std::int32_t sixths = dimension.sixths[i];
    if (sixths > 0) append_power(above, symbols[i], sixths);
    if (sixths < 0) append_power(below, symbols[i], -sixths), ++divisors;
  }
  if (below.empty()) return above;
  if (above.empty()) above = "1";
  return above + "/" + (divisors > 1 ? "(" + below + ")" : below);
}

const Unit* find_unit(std::string_view word) {
  const auto* const found = std::find_if(std::begin(quantity::named), std::end(quantity::named),
                                         [&](const NamedUnit& n) { return n.word == word; });
  return found == std::end(quantity::named) ? nullptr : &found->unit;
}

double radians(double degrees) { return degrees * (pi / 180); }

UnitText read_unit(std::string_view text, const std::function<bool(std::string_view)>& is_taken) {
  UnitText result = read_factor(text);
  while (result.length > 0 && result.length < text.size()) {
    const char sign = text[result.length];
    if (sign != '*' && sign != '/') break;
    const std::string_view rest = text.substr(result.length + 1);
    const UnitText next = read_factor(rest);
    if (next.length == 0) break;
    // a dot or a parenthesis makes a name or a call of the word
    const std::size_t letters = word_length(rest);
    if (letters < rest.size() && (rest[letters] == '.' || rest[letters] == '(')) break;
    if (is_taken && is_taken(rest.substr(0, letters))) break;
    const Unit factor = sign == '*' ? next.unit : raised(next.unit, -1);
    constexpr double most = 1e100;
    if (result.unit.factor * factor.factor > most || result.unit.divisor * factor.divisor > most) {
      break;
    }
    result.unit.dimension = result.unit.dimension * factor.dimension;
    result.unit.factor *= factor.factor;
    result.unit.divisor *= factor.divisor;
    result.length += 1 + next.length;
  }
  return result;
}

std::optional<Dimension> dimension_of(std::string_view unit) {
  if (unit == "1") return Dimension{};
  const UnitText read = read_unit(unit);
  if (read.length == 0 || read.length != unit.size()) return std::nullopt;
  return read.unit.dimension;
}

}  // namespace molejo

// Units of measurement: a factor to SI and a dimension m^a kg^b s^c A^d K^e.
//
//   30 cm = 30 / 100 m        9.81 m/s^2        3 N*m        100 rpm = 100 2 pi / 60 s^-1
//
// A radian is 1, as in SI: a torque N*m/rad times an angle is N*m, and rad/s is 1/s.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace molejo {

// Exponents of m, kg, s, A, K in sixths, so that square and cubic roots stay exact. They are held
// within +-6e5.
struct Dimension {
  std::array<std::int32_t, 5> sixths{};
  bool operator==(const Dimension&) const = default;
  bool is_pure() const { return *this == Dimension{}; }  // a pure number
};
Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);
// Nothing when an exponent would not be a multiple of a sixth.
std::optional<Dimension> power(const Dimension& a, double exponent);

// "N", "m/s^2", "kg^0.5*m"; "1" for a pure number. Of two names for one dimension (J and N*m) the
// shorter is taken.
std::string text(const Dimension& dimension);

// x of this unit is x * factor / divisor in SI: both are exact for decimal multiples.
struct Unit {
  Dimension dimension;
  double factor = 1, divisor = 1;
};

// The unit with exactly this word, without operators; nullptr when there is none.
const Unit* find_unit(std::string_view word);
// Degrees to radians, with the rounding that "deg" has.
double radians(double degrees);

// Reads the longest unit at the beginning of a text: a word with an optional ^integer, then "*" or
// "/" and the next word, without blanks. A word after an operator for which `is_taken` holds ends
// the unit before that operator.
struct UnitText {
  Unit unit;
  std::size_t length = 0;  // 0: no unit here
};
UnitText read_unit(std::string_view text,
                   const std::function<bool(std::string_view)>& is_taken = nullptr);

// The dimension of a whole text like "N*m"; nothing when it is no unit.
std::optional<Dimension> dimension_of(std::string_view unit);

}  // namespace molejo

// The operations of expression programs on numbers, each with its value and its slopes.
//
// Slopes where there is no derivative: floor, ceil, round, sign and comparisons have slope 0; abs
// has 0 at 0; min and max follow the number taken, the first of equals; a conditional follows the
// branch taken. Where a slope is infinite (roots and powers at 0, asin and acos at +-1) it counts
// as 0, so that a formula that only touches such a point keeps a usable derivative.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "molejo/math/curve.h"
#include "molejo/math/noise.h"
#include "molejo/math/pack.h"

namespace molejo {

// All operations, so that the enumeration and the labels of the evaluator have one order.
// modulo: a - b floor(a/b), exact. Comparisons: 1 or 0. choose: a != 0 ? b : c. length: of the
// vector (a, b, c). curve: number c of the program, at a.
// clang-format off
#define MOLEJO_OPERATIONS(X) \
  X(add) X(subtract) X(multiply) X(divide) X(negate) X(power) X(modulo) X(less) X(less_equal) \
  X(equal) X(not_equal) X(logical_not) X(choose) X(minimum) X(maximum) X(sin) X(cos) X(tan) \
  X(asin) X(acos) X(atan) X(atan2) X(sinh) X(cosh) X(tanh) X(sqrt) X(cbrt) X(abs) X(sign) \
  X(floor) X(ceil) X(round) X(exp) X(log) X(log10) X(hypot) X(length) X(noise1) X(noise2) \
  X(noise3) X(curve)
// clang-format on

enum class Operation : std::uint8_t {
  constant,  // the first two stand for registers that no instruction writes
  input,
#define MOLEJO_ENUMERATOR(name) name,
  MOLEJO_OPERATIONS(MOLEJO_ENUMERATOR)
#undef MOLEJO_ENUMERATOR
      count
};

struct OperationFacts {
  std::string_view name;  // a symbol or the word of a function
  int operands;           // registers read
};
const OperationFacts& facts(Operation operation);

inline double modulo(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// sqrt(a^2 + b^2 + c^2), scaled only when the squares leave the range of doubles.
inline double vector_length(double a, double b, double c) {
  const double squares = a * a + b * b + c * c;
  if (squares > 1e-280 && squares < 1e300) return std::sqrt(squares);
  const double largest = std::fmax(std::fabs(a), std::fmax(std::fabs(b), std::fabs(c)));
  if (std::isnan(squares) || !(largest > 0) || std::isinf(largest)) return std::sqrt(squares);
  const double x = a / largest, y = b / largest, z = c / largest;
  return largest * std::sqrt(x * x + y * y + z * z);
}

// The value; b and c are not looked at by operations that have fewer operands. A curve's is
// Curve::at.
[[gnu::always_inline]] inline double apply(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::power:
      return std::pow(a, b);
    case Operation::modulo:
      return modulo(a, b);
    case Operation::less:
      return a < b ? 1 : 0;
    case Operation::less_equal:
      return a <= b ? 1 : 0;
    case Operation::equal:
      return a == b ? 1 : 0;
    case Operation::not_equal:
      return a != b ? 1 : 0;
    case Operation::logical_not:
      return a == 0 ? 1 : 0;
    case Operation::choose:
      return a != 0 ? b : c;
    case Operation::minimum:
      return b < a || std::isnan(b) ? b : a;
    case Operation::maximum:
      return b > a || std::isnan(b) ? b : a;
    case Operation::sin:
      return sincos(a).sin;
    case Operation::cos:
      return sincos(a).cos;
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::cbrt:
      return std::cbrt(a);
    case Operation::abs:
      return std::fabs(a);
    case Operation::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case Operation::floor:
      return std::floor(a);
    case Operation::ceil:
      return std::ceil(a);
    case Operation::round:
      return std::round(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::log10:
      return std::log10(a);
    case Operation::hypot:
      return std::hypot(a, b);
    case Operation::length:
      return vector_length(a, b, c);
    case Operation::noise1:
      return molejo::noise1(a).value;
    case Operation::noise2:
      return molejo::noise2(a, b).value;
    case Operation::noise3:
      return molejo::noise3(a, b, c).value;
    case Operation::curve:
    case Operation::constant:
    case Operation::input:
    case Operation::count:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

struct Slopes {
  double a = 0, b = 0, c = 0;
};
// Derivatives of a value by its operands; `value` is what apply() gave for them.
Slopes slopes(Operation operation, double a, double b, double c, double value, const Curve* shape);

}  // namespace molejo

#include "molejo/math/operations.h"

#include <array>
#include <numbers>

namespace molejo {

namespace {

constexpr std::array<OperationFacts, static_cast<std::size_t>(Operation::count)> all_facts{{
    {"constant", 0}, {"input", 0}, {"+", 2},    {"-", 2},     {"*", 2},     {"/", 2},
    {"-", 1},        {"^", 2},     {"mod", 2},  {"<", 2},     {"<=", 2},    {"==", 2},
    {"!=", 2},       {"not", 1},   {"if", 3},   {"min", 2},   {"max", 2},   {"sin", 1},
    {"cos", 1},      {"tan", 1},   {"asin", 1}, {"acos", 1},  {"atan", 1},  {"atan2", 2},
    {"sinh", 1},     {"cosh", 1},  {"tanh", 1}, {"sqrt", 1},  {"cbrt", 1},  {"abs", 1},
    {"sign", 1},     {"floor", 1}, {"ceil", 1}, {"round", 1}, {"exp", 1},   {"log", 1},
    {"log10", 1},    {"hypot", 2}, {"norm", 3}, {"noise", 1}, {"noise", 2}, {"noise", 3},
    {"curve", 1},
}};

// an infinite slope counts as 0
double finite(double slope) { return std::isinf(slope) ? 0 : slope; }
double or_zero(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

Slopes power_slopes(double a, double b, double value) {
  Slopes s;
  if (b != 0) s.a = finite(b * std::pow(a, b - 1));
  // a power of a negative number has no neighbours: the exponent is whole
  if (a > 0) s.b = value * std::log(a);
  return s;
}

Slopes atan2_slopes(double a, double b) {
  const double r = std::hypot(a, b);
  return {or_zero(b / r, r), or_zero(-a / r, r), 0};
}

}  // namespace

const OperationFacts& facts(Operation operation) {
  return all_facts[static_cast<std::size_t>(operation)];
}

Slopes slopes(Operation operation, double a, double b, double c, double value, const Curve* shape) {
  switch (operation) {
    case Operation::add:
      return {1, 1, 0};
    case Operation::subtract:
      return {1, -1, 0};
    case Operation::multiply:
      return {b, a, 0};
    case Operation::divide:
      return {1 / b, -value / b, 0};
    case Operation::negate:
      return {-1, 0, 0};
    case Operation::power:
      return power_slopes(a, b, value);
    case Operation::modulo:
      return {1, -std::round((a - value) / b), 0};  // a whole number, whatever the rounding
    case Operation::choose:
      return {0, a != 0 ? 1.0 : 0.0, a != 0 ? 0.0 : 1.0};
    case Operation::minimum:
      return b < a || std::isnan(b) ? Slopes{0, 1, 0} : Slopes{1, 0, 0};
    case Operation::maximum:
      return b > a || std::isnan(b) ? Slopes{0, 1, 0} : Slopes{1, 0, 0};
    case Operation::sin:
      return {sincos(a).cos, 0, 0};
    case Operation::cos:
      return {-sincos(a).sin, 0, 0};
    case Operation::tan:
      return {1 + value * value, 0, 0};
    case Operation::asin:
      return {finite(1 / std::sqrt((1 - a) * (1 + a))), 0, 0};
    case Operation::acos:
      return {finite(-1 / std::sqrt((1 - a) * (1 + a))), 0, 0};
    case Operation::atan:
      return {1 / (1 + a * a), 0, 0};
    case Operation::atan2:
      return atan2_slopes(a, b);
    case Operation::sinh:
      return {std::cosh(a), 0, 0};
    case Operation::cosh:
      return {std::sinh(a), 0, 0};
    case Operation::tanh: {
      // 1 - tanh^2 would cancel far from 0
      const double cosh = std::cosh(a);
      return {1 / cosh / cosh, 0, 0};
    }
    case Operation::sqrt:
      return {or_zero(0.5, value), 0, 0};
    case Operation::cbrt:
      return {finite(or_zero(1, 3 * value * value)), 0, 0};
    case Operation::abs:
      return {a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0, 0, 0};
    case Operation::exp:
      return {value, 0, 0};
    case Operation::log:
      return {1 / a, 0, 0};
    case Operation::log10:
      return {1 / (a * std::numbers::ln10), 0, 0};
    case Operation::hypot:
    case Operation::length:
      return {or_zero(a, value), or_zero(b, value), or_zero(c, value)};
    case Operation::noise1:
      return {molejo::noise1(a).slope[0], 0, 0};
    case Operation::noise2: {
      const Noise n = molejo::noise2(a, b);
      return {n.slope[0], n.slope[1], 0};
    }
    case Operation::noise3: {
      const Noise n = molejo::noise3(a, b, c);
      return {n.slope[0], n.slope[1], n.slope[2]};
    }
    case Operation::curve:
      return {shape->at(a).slope, 0, 0};
    default:
      return {};  // flat: comparisons, floor, ceil, round, sign, not
  }
}

}  // namespace molejo

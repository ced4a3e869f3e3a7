// Arithmetic over named numbers: "2 * length * sin(30 deg) - gap / 2".
//
//   sum      = product { ("+" | "-") product }
//   product  = signed { ("*" | "/") signed }
//   signed   = ["-" | "+"] power             so that -2^2 = -4
//   power    = postfix ["^" signed]          to the right: 2^3^2 = 2^9
//   postfix  = primary { "deg" }             30 deg = 30 pi/180
//   primary  = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//
// Three steps, each usable alone: text -> ExpressionCode (a Pratt parser: Pratt, "Top down operator
// precedence", 1973) -> value (a stack machine that allocates nothing).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace molejo {

inline constexpr std::size_t max_expression_length = 4096;  // characters
inline constexpr int max_expression_nesting = 64;           // parentheses, signs and powers
inline constexpr int max_expression_stack = 256;            // values waiting for an operator

// What is wrong with a text, and where: the column counts from 1. what() begins "column N: ".
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t at_column, const std::string& text);
  std::size_t column;
};

enum class Operation : std::uint8_t {
  constant,  // push constants[operand]
  variable,  // push the value of name number `operand`
  negate,
  degrees,  // times pi/180
  add,
  subtract,
  multiply,
  divide,
  power,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sqrt,
  abs,
  min,  // of `operand` values
  max,  // of `operand` values
  floor,
  exp,
  log
};

// Postfix code: operands before their operation.
struct ExpressionCode {
  struct Instruction {
    Operation operation;
    std::uint16_t operand;
  };
  std::vector<Instruction> instructions;
  std::vector<double> constants;
};

// Compiles a text in which `names` may occur; name i becomes variable i. Throws ExpressionError
// with the nearest known name for an unknown one.
ExpressionCode parse_expression(std::string_view text, std::span<const std::string> names);

// The value, with values[i] for name i. IEEE arithmetic: 1/0 is infinite, sqrt(-1) is NaN; a
// caller that must have a number checks the result.
double evaluate(const ExpressionCode& code, std::span<const double> values);

// Is this text a name that a person may define: letters, digits and underscores, not beginning
// with a digit, and neither a function nor "pi" nor "deg"?
bool is_free_name(std::string_view text);

// Degrees to radians, with the rounding that "deg" has.
double radians(double degrees);

}  // namespace molejo

// text -> postfix nodes: what the compiler of expressions reads (internal to math).
//
//   conditional = or ["?" conditional ":" conditional]
//   or          = and { ("or" | "||") and }
//   and         = not { ("and" | "&&") not }
//   not         = "not" not | comparison
//   comparison  = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
//   sum         = product { ("+" | "-") product }
//   product     = signed { ("*" | "/" | "%") signed }
//   signed      = ("-" | "+" | "!") signed | power        so that -2^2 = -4
//   power       = postfix ["^" signed]                    to the right: 2^3^2 = 2^9
//   postfix     = primary { "." ("x" | "y" | "z") } [unit]
//   primary     = number | name | name "(" conditional { "," conditional } ")"
//               | "(" conditional ")" | "[" conditional "," conditional "," conditional "]"
//   name        = part { "." part }, a part being a word or anything in single quotes
//
// By a Pratt parser (Pratt, "Top down operator precedence", 1973).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/expression.h"

namespace molejo {

enum class NodeKind : std::uint8_t { number, name, call, vector, component, unit, operation };

// Operands stand before their node.
struct SyntaxNode {
  NodeKind kind = NodeKind::number;
  Operation operation = Operation::add;  // of `operation`
  bool swapped = false;                  // a > b is b < a
  std::uint32_t column = 1;
  int count = 0;       // arguments of a call, component 0, 1 or 2
  double number = 0;   // of `number`
  std::string name{};  // of `name` and `call`: parts joined by dots, quotes removed
  Unit unit{};         // of `unit`
};

// Throws ExpressionError at `place` with the column set. `is_known` tells which words are names
// here: after an operator such a word is not read as a unit.
std::vector<SyntaxNode> parse_expression(std::string_view text, std::size_t first_column,
                                         TextPlace place,
                                         const std::function<bool(std::string_view)>& is_known);

// "and", "or" and "if" are calls of these names; no user function can have them.
inline constexpr std::string_view and_call = "&&", or_call = "||", if_call = "if";

}  // namespace molejo

// Random expressions: a tree, its text, and its value and derivatives in high precision with bounds
// for what correctly working double arithmetic may make of them. Shares no code with the library.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/math/exact.h"

namespace exact {

inline constexpr int variables = 3;

enum class Op {
  number,
  variable,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  modulo,
  less,
  less_equal,
  equal,
  not_equal,
  logical_not,
  both,
  either,
  choose,
  minimum,
  maximum,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  sqrt,
  cbrt,
  abs,
  sign,
  floor,
  ceil,
  round,
  exp,
  log,
  log10,
  hypot,
  norm,
  noise1,
  noise2,
  noise3,
  count
};

struct Tree {
  Op op = Op::number;
  std::vector<std::shared_ptr<Tree>> kids{};
  double value = 0;
  int variable = 0;
  // a function that stands for this tree in the text, with its arguments
  std::string written_as{};
  std::vector<std::shared_ptr<Tree>> arguments{};
};
using TreePtr = std::shared_ptr<Tree>;

TreePtr random_tree(std::mt19937& random, int depth);
// With as few parentheses as the precedences allow.
std::string text(const Tree& tree, int binding = 0);
int size(const Tree& tree);

// The exact value and derivatives; how far a double evaluation may be off.
struct Bounded {
  Real value;
  double error = 0;
  std::array<Real, variables> derivative{};
  std::array<double, variables> derivative_error{};
  // sum over all paths of |product of slopes|
  std::array<double, variables> derivative_magnitude{};
};
// Nothing where a value is not finite, leaves the ordinary range of doubles, or may do so within
// its error.
std::optional<Bounded> evaluate(const Tree& tree, const std::array<double, variables>& at);

}  // namespace exact

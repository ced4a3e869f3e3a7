// The code of expressions while it is made: nodes that depend on earlier ones only, each different
// one once (internal to math).
//
// Simplified are only what leaves every result as it is: operations on constants with a finite
// result, x*1, x/1, x-0, --x, and conditionals that are decided. Whole powers up to 4 become
// products.
#pragma once

#include <unordered_map>
#include <vector>

#include "molejo/math/expression.h"

namespace molejo {

class ExpressionGraph {
 public:
  using Id = std::uint32_t;

  Id constant(double value, const TextPlace& place);
  Id input(std::uint32_t slot, const std::string& name, const TextPlace& place);
  // Throws ExpressionError when there are too many nodes.
  Id make(Operation operation, const TextPlace& place, Id a, Id b = 0, Id c = 0);
  Id curve(const std::shared_ptr<const Curve>& shape, Id x, const TextPlace& place);

  // The value of a constant, or nothing.
  std::optional<double> constant_of(Id id) const;

  struct Root {
    bool is_vector = false;
    Id ids[3] = {0, 0, 0};
    std::optional<Dimension> unit{};
  };
  // What the roots need, in order, and nothing else.
  ExpressionProgram program(std::span<const Root> roots) const;

 private:
  struct Node {
    Operation operation;
    Id a, b, c;          // of an input a is the slot, of a curve c is its number
    std::uint64_t bits;  // of a constant
    bool operator==(const Node&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };

  Id add(const Node& node, const TextPlace& place);
  std::optional<Id> simplified(Operation operation, const TextPlace& place, Id a, Id b, Id c);
  std::optional<Id> simplified_power(const TextPlace& place, Id a, double exponent);

  std::vector<Node> nodes_;
  std::vector<TextPlace> places_;
  std::unordered_map<Node, Id, Hash> known_;
  std::unordered_map<std::uint32_t, std::string> input_names_;  // by slot
  std::vector<std::shared_ptr<const Curve>> curves_;
  std::unordered_map<const Curve*, Id> curve_numbers_;
};

}  // namespace molejo

#include "molejo/math/expression_graph.h"

#include <algorithm>
#include <cstring>

namespace molejo {

namespace {

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

bool is_symmetric(Operation operation) {
  return operation == Operation::add || operation == Operation::multiply ||
         operation == Operation::equal || operation == Operation::not_equal;
}

}  // namespace

std::size_t ExpressionGraph::Hash::operator()(const Node& node) const {
  std::uint64_t h = node.bits + static_cast<std::uint64_t>(node.operation);
  for (const std::uint64_t part : {node.a, node.b, node.c}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
  }
  return static_cast<std::size_t>(h);
}

ExpressionGraph::Id ExpressionGraph::add(const Node& node, const TextPlace& place) {
  const auto [found, is_new] = known_.try_emplace(node, static_cast<Id>(nodes_.size()));
  if (is_new) {
    if (nodes_.size() >= max_expression_instructions) {
      throw ExpressionError(place, "the expressions become longer than " +
                                       std::to_string(max_expression_instructions) + " operations");
    }
    nodes_.push_back(node);
    places_.push_back(place);
  }
  return found->second;
}

ExpressionGraph::Id ExpressionGraph::constant(double value, const TextPlace& place) {
  return add({Operation::constant, 0, 0, 0, bits_of(value)}, place);
}

ExpressionGraph::Id ExpressionGraph::input(std::uint32_t slot, const std::string& name,
                                           const TextPlace& place) {
  input_names_.try_emplace(slot, name);
  return add({Operation::input, slot, 0, 0, 0}, place);
}

std::optional<double> ExpressionGraph::constant_of(Id id) const {
  if (nodes_[id].operation != Operation::constant) return std::nullopt;
  double value;
  std::memcpy(&value, &nodes_[id].bits, sizeof value);
  return value;
}

ExpressionGraph::Id ExpressionGraph::curve(const std::shared_ptr<const Curve>& shape, Id x,
                                           const TextPlace& place) {
  const auto [found, is_new] =
      curve_numbers_.try_emplace(shape.get(), static_cast<Id>(curves_.size()));
  if (is_new) curves_.push_back(shape);
  return make(Operation::curve, place, x, 0, found->second);
}

std::optional<ExpressionGraph::Id> ExpressionGraph::simplified_power(const TextPlace& place, Id a,
                                                                     double exponent) {
  if (exponent == 1) return a;
  if (exponent == 0.5) return make(Operation::sqrt, place, a);
  if (exponent != 2 && exponent != 3 && exponent != 4) return std::nullopt;
  const Id square = make(Operation::multiply, place, a, a);
  if (exponent == 2) return square;
  return make(Operation::multiply, place, square, exponent == 3 ? a : square);
}

std::optional<ExpressionGraph::Id> ExpressionGraph::simplified(Operation operation,
                                                               const TextPlace& place, Id a, Id b,
                                                               Id c) {
  const int operands = facts(operation).operands;
  const auto ca = constant_of(a), cb = operands > 1 ? constant_of(b) : std::nullopt,
             cc = operands > 2 ? constant_of(c) : std::nullopt;
  if (ca && (operands < 2 || cb) && (operands < 3 || cc)) {
    const double value = operation == Operation::curve
                             ? curves_[c]->at(*ca).value
                             : apply(operation, *ca, cb.value_or(0), cc.value_or(0));
    // what is not finite stays an operation, so that its place can be told
    if (std::isfinite(value)) return constant(value, place);
    return std::nullopt;
  }
  switch (operation) {
    case Operation::multiply:
      if (cb == 1.0) return a;
      if (ca == 1.0) return b;
      break;
    case Operation::divide:
      if (cb == 1.0) return a;
      break;
    case Operation::subtract:
      if (cb == 0.0 && !std::signbit(*cb)) return a;
      break;
    case Operation::negate:
      if (nodes_[a].operation == Operation::negate) return nodes_[a].a;
      break;
    case Operation::choose:
      if (ca) return *ca != 0 ? b : c;
      if (b == c) return b;
      break;
    case Operation::power:
      if (cb) return simplified_power(place, a, *cb);
      break;
    default:
      break;
  }
  return std::nullopt;
}

ExpressionGraph::Id ExpressionGraph::make(Operation operation, const TextPlace& place, Id a, Id b,
                                          Id c) {
  if (const auto simpler = simplified(operation, place, a, b, c)) return *simpler;
  if (is_symmetric(operation) && b < a) std::swap(a, b);
  return add({operation, a, b, c, 0}, place);
}

ExpressionProgram ExpressionGraph::program(std::span<const Root> roots) const {
  // what the roots need: operands stand before their operation
  std::vector<char> needed(nodes_.size(), 0);
  for (const Root& root : roots) {
    for (int i = 0; i < (root.is_vector ? 3 : 1); ++i) needed[root.ids[i]] = 1;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const int operands = needed[i] ? facts(nodes_[i].operation).operands : 0;
    if (operands > 0) needed[nodes_[i].a] = 1;
    if (operands > 1) needed[nodes_[i].b] = 1;
    if (operands > 2) needed[nodes_[i].c] = 1;
  }

  // registers: constants, inputs, results
  ExpressionProgram result;
  std::vector<Id> registers(nodes_.size(), 0);
  const auto place_all = [&](auto is_wanted, auto take) {
    for (Id i = 0; i < nodes_.size(); ++i) {
      if (!needed[i] || !is_wanted(nodes_[i].operation)) continue;
      registers[i] = static_cast<Id>(result.registers++);
      result.places.push_back(places_[i]);
      take(i);
    }
  };
  place_all([](Operation o) { return o == Operation::constant; },
            [&](Id i) { result.constants.push_back(*constant_of(i)); });
  place_all([](Operation o) { return o == Operation::input; },
            [&](Id i) {
              result.inputs.push_back({nodes_[i].a, registers[i]});
              result.input_names.push_back(input_names_.at(nodes_[i].a));
            });
  place_all([](Operation o) { return o != Operation::constant && o != Operation::input; },
            [&](Id i) {
              const Node& n = nodes_[i];
              const bool is_curve = n.operation == Operation::curve;
              const int operands = facts(n.operation).operands;
              // operands that are not read repeat the first, which is in reach
              const Id a = registers[n.a], b = operands > 1 ? registers[n.b] : a;
              const Id c = is_curve ? n.c : operands > 2 ? registers[n.c] : a;
              result.code.push_back({n.operation, registers[i], a, b, c});
            });
  for (const Root& root : roots) {
    ExpressionProgram::Output& out = result.outputs.emplace_back();
    out.is_vector = root.is_vector;
    out.unit = root.unit;
    for (int i = 0; i < (root.is_vector ? 3 : 1); ++i) out.registers[i] = registers[root.ids[i]];
  }
  result.curves = curves_;
  return result;
}

}  // namespace molejo

// Arithmetic on the typed values of expressions, numbers and vectors with units, which writes the
// code for it (internal to math).
#pragma once

#include "molejo/math/expression_graph.h"

namespace molejo {

struct ExpressionValue {
  bool is_vector = false;
  ExpressionGraph::Id ids[3] = {0, 0, 0};
  std::optional<Dimension> unit{};  // nothing: plain
  TextPlace place{};                // of the operation that made it
};

class ExpressionBuilder {
 public:
  using Value = ExpressionValue;

  ExpressionGraph graph;
  TextPlace place;                                   // of what is being built
  std::vector<UnitComplaint>* complaints = nullptr;  // nullptr: units are not checked
  bool strict = false;

  Value constant(double value, std::optional<Dimension> unit = std::nullopt);
  Value in_unit(const Value& a, const Unit& unit);
  Value vector(const Value& x, const Value& y, const Value& z);
  Value component(const Value& a, int i);

  // + - * / % ^, comparisons, not, negate, with the types and units that they take.
  Value operation(Operation operation, const Value& a, const Value& b);
  Value operation(Operation operation, const Value& a);
  Value choose(const Value& condition, const Value& a, const Value& b);
  Value truth(const Value& a);  // 1 or 0

  // One number from numbers, without a look at units; the result has `unit`.
  Value number(Operation operation, std::optional<Dimension> unit, const Value& a,
               const Value& b = {}, const Value& c = {});
  Value dot(const Value& a, const Value& b);

  void need_number(const Value& a) const;
  void need_vector(const Value& a) const;
  void need_pure(std::string_view what, const Value& a);  // a complaint otherwise
  // The unit that both have or adapt to; a complaint "m + s" otherwise.
  std::optional<Dimension> common_unit(std::string_view sign, const Value& a, const Value& b);
  std::optional<Dimension> product_unit(const Value& a, const Value& b) const;
  std::optional<Dimension> quotient_unit(const Value& a, const Value& b) const;
  void complain(const std::string& text);
  [[noreturn]] void fail(const std::string& text) const;

  bool is_zero(const Value& a) const;
  // Nothing for a plain number that adapts.
  std::optional<Dimension> unit_of(const Value& a) const;

 private:
  Value each(Operation operation, std::optional<Dimension> unit, const Value& a, const Value& b);
  Value power(const Value& a, const Value& b);
};

struct BuiltIn {
  std::string_view name;
  int fewest, most;  // arguments; most = -1: any count
  ExpressionValue (*build)(ExpressionBuilder& builder, std::span<const ExpressionValue> arguments);
};
const BuiltIn* find_built_in(std::string_view name);
std::vector<std::string> built_in_names();

}  // namespace molejo

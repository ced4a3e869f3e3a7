#include "molejo/math/expression_values.h"

namespace molejo {

using Value = ExpressionValue;

namespace {

const char* kind_of(const Value& a) { return a.is_vector ? "a vector" : "a number"; }

std::string shown(const std::optional<Dimension>& unit) { return unit ? text(*unit) : "1"; }

}  // namespace

void ExpressionBuilder::fail(const std::string& text) const { throw ExpressionError(place, text); }

void ExpressionBuilder::need_number(const Value& a) const {
  if (a.is_vector) throw ExpressionError(a.place, "a vector, where a number is expected");
}
void ExpressionBuilder::need_vector(const Value& a) const {
  if (!a.is_vector) throw ExpressionError(a.place, "a number, where a vector is expected");
}

bool ExpressionBuilder::is_zero(const Value& a) const {
  for (int i = 0; i < (a.is_vector ? 3 : 1); ++i) {
    if (graph.constant_of(a.ids[i]) != 0.0) return false;
  }
  return true;
}

// units

void ExpressionBuilder::complain(const std::string& text) {
  if (complaints) complaints->push_back({place, text});
}

std::optional<Dimension> ExpressionBuilder::unit_of(const Value& a) const {
  if (a.unit || !strict || is_zero(a)) return a.unit;
  return Dimension{};
}

std::optional<Dimension> ExpressionBuilder::common_unit(std::string_view sign, const Value& a,
                                                        const Value& b) {
  const auto unit_a = unit_of(a), unit_b = unit_of(b);
  if (!unit_a || !unit_b) return unit_a ? unit_a : unit_b;
  if (*unit_a != *unit_b) {
    complain(text(*unit_a) + " " + std::string(sign) + " " + text(*unit_b));
  }
  return unit_a;
}

void ExpressionBuilder::need_pure(std::string_view what, const Value& a) {
  if (a.unit && !a.unit->is_pure()) complain(std::string(what) + " of " + text(*a.unit));
}

std::optional<Dimension> ExpressionBuilder::product_unit(const Value& a, const Value& b) const {
  if (!a.unit && !b.unit) return std::nullopt;
  return a.unit.value_or(Dimension{}) * b.unit.value_or(Dimension{});
}
std::optional<Dimension> ExpressionBuilder::quotient_unit(const Value& a, const Value& b) const {
  if (!a.unit && !b.unit) return std::nullopt;
  return a.unit.value_or(Dimension{}) / b.unit.value_or(Dimension{});
}

// values

Value ExpressionBuilder::constant(double value, std::optional<Dimension> unit) {
  return {false, {graph.constant(value, place), 0, 0}, unit, place};
}

Value ExpressionBuilder::number(Operation operation, std::optional<Dimension> unit, const Value& a,
                                const Value& b, const Value& c) {
  const int operands = facts(operation).operands;
  need_number(a);
  if (operands > 1) need_number(b);
  if (operands > 2) need_number(c);
  return {false, {graph.make(operation, place, a.ids[0], b.ids[0], c.ids[0]), 0, 0}, unit, place};
}

Value ExpressionBuilder::each(Operation operation, std::optional<Dimension> unit, const Value& a,
                              const Value& b) {
  Value result{a.is_vector || b.is_vector, {0, 0, 0}, unit, place};
  for (int i = 0; i < (result.is_vector ? 3 : 1); ++i) {
    result.ids[i] =
        graph.make(operation, place, a.ids[a.is_vector ? i : 0], b.ids[b.is_vector ? i : 0]);
  }
  return result;
}

Value ExpressionBuilder::in_unit(const Value& a, const Unit& unit) {
  if (unit_of(a) && !unit_of(a)->is_pure()) complain(shown(a.unit) + " with a second unit");
  Value result = a;
  if (unit.factor != 1) result = each(Operation::multiply, {}, result, constant(unit.factor));
  if (unit.divisor != 1) result = each(Operation::divide, {}, result, constant(unit.divisor));
  result.unit = unit.dimension;
  return result;
}

Value ExpressionBuilder::vector(const Value& x, const Value& y, const Value& z) {
  for (const Value* a : {&x, &y, &z}) need_number(*a);
  Value first = x;
  first.unit = common_unit("beside", x, y);
  const auto unit = common_unit("beside", first, z);
  return {true, {x.ids[0], y.ids[0], z.ids[0]}, unit, place};
}

Value ExpressionBuilder::component(const Value& a, int i) {
  need_vector(a);
  return {false, {a.ids[i], 0, 0}, a.unit, place};
}

Value ExpressionBuilder::power(const Value& a, const Value& b) {
  need_pure("a power", b);
  std::optional<Dimension> unit;
  if (a.unit && a.unit->is_pure()) {
    unit = a.unit;
  } else if (a.unit) {
    const auto exponent = graph.constant_of(b.ids[0]);
    if (exponent) unit = molejo::power(*a.unit, *exponent);
    if (!exponent) complain(text(*a.unit) + " ^ an exponent that changes");
    if (exponent && !unit) complain(text(*a.unit) + " ^ an exponent that is no sixth");
  }
  return number(Operation::power, unit, a, b);
}

Value ExpressionBuilder::operation(Operation operation, const Value& a, const Value& b) {
  const std::string_view sign = facts(operation).name;
  const bool both = a.is_vector && b.is_vector, any = a.is_vector || b.is_vector;
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
      if (both != any) {
        fail(std::string(kind_of(a)) + " " + std::string(sign) + " " + kind_of(b));
      }
      return each(operation, common_unit(sign, a, b), a, b);
    case Operation::multiply:
      if (both) fail("a vector * a vector: use dot(a, b) or cross(a, b)");
      return each(operation, product_unit(a, b), a, b);
    case Operation::divide:
      need_number(b);
      return each(operation, quotient_unit(a, b), a, b);
    case Operation::power:
      need_number(a);
      need_number(b);
      return power(a, b);
    case Operation::modulo:
      return number(operation, common_unit(sign, a, b), a, b);
    default:  // comparisons
      need_number(a);
      need_number(b);
      common_unit(sign, a, b);
      return number(operation, std::nullopt, a, b);
  }
}

Value ExpressionBuilder::operation(Operation operation, const Value& a) {
  if (operation == Operation::logical_not) return number(operation, std::nullopt, a);
  Value result{a.is_vector, {0, 0, 0}, a.unit, place};
  for (int i = 0; i < (a.is_vector ? 3 : 1); ++i) {
    result.ids[i] = graph.make(operation, place, a.ids[i]);
  }
  return result;
}

Value ExpressionBuilder::choose(const Value& condition, const Value& a, const Value& b) {
  need_number(condition);
  if (a.is_vector != b.is_vector) {
    fail(std::string("one branch is ") + kind_of(a) + ", the other " + kind_of(b));
  }
  Value result{a.is_vector, {0, 0, 0}, common_unit(":", a, b), place};
  for (int i = 0; i < (a.is_vector ? 3 : 1); ++i) {
    result.ids[i] = graph.make(Operation::choose, place, condition.ids[0], a.ids[i], b.ids[i]);
  }
  return result;
}

Value ExpressionBuilder::truth(const Value& a) {
  return number(Operation::not_equal, std::nullopt, a, constant(0));
}

Value ExpressionBuilder::dot(const Value& a, const Value& b) {
  need_vector(a);
  need_vector(b);
  Value sum;
  for (int i = 0; i < 3; ++i) {
    const auto product = graph.make(Operation::multiply, place, a.ids[i], b.ids[i]);
    sum.ids[0] = i == 0 ? product : graph.make(Operation::add, place, sum.ids[0], product);
  }
  sum.unit = product_unit(a, b);
  sum.place = place;
  return sum;
}

}  // namespace molejo

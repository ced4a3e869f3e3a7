// The functions of the language: what they take, what they give, and the code for it.
#include <algorithm>

#include "molejo/math/expression_syntax.h"
#include "molejo/math/expression_values.h"

namespace molejo {

namespace {

using Value = ExpressionValue;
using Arguments = std::span<const Value>;
using Builder = ExpressionBuilder;

// pure number -> pure number
template <Operation operation>
Value pure(Builder& builder, Arguments a) {
  builder.need_pure(facts(operation).name, a[0]);
  return builder.number(operation, a[0].unit, a[0]);
}

// the same unit as the argument
template <Operation operation>
Value kept(Builder& builder, Arguments a) {
  return builder.number(operation, a[0].unit, a[0]);
}

template <Operation operation>
Value root(Builder& builder, Arguments a) {
  std::optional<Dimension> unit;
  if (a[0].unit) {
    unit = power(*a[0].unit, operation == Operation::sqrt ? 1.0 / 2 : 1.0 / 3);
    if (!unit) builder.complain(std::string(facts(operation).name) + " of " + text(*a[0].unit));
  }
  return builder.number(operation, unit, a[0]);
}

Value sign(Builder& builder, Arguments a) {
  return builder.number(Operation::sign, std::nullopt, a[0]);
}

Value atan2(Builder& builder, Arguments a) {
  builder.common_unit("beside", a[0], a[1]);
  return builder.number(Operation::atan2, std::nullopt, a[0], a[1]);
}

template <Operation operation>
Value of_alike(Builder& builder, Arguments a) {
  const std::string_view sign = operation == Operation::modulo ? "mod" : "beside";
  return builder.number(operation, builder.common_unit(sign, a[0], a[1]), a[0], a[1]);
}

// min and max of any count
template <Operation operation>
Value extreme(Builder& builder, Arguments a) {
  builder.need_number(a[0]);
  Value best = a[0];
  for (const Value& next : a.subspan(1)) {
    best = builder.number(operation, builder.common_unit("beside", best, next), best, next);
  }
  return best;
}

Value clamp(Builder& builder, Arguments a) {
  const Value raised[] = {a[0], a[1]};
  const Value above = extreme<Operation::maximum>(builder, raised);
  const Value lowered[] = {above, a[2]};
  return extreme<Operation::minimum>(builder, lowered);
}

Value pow(Builder& builder, Arguments a) { return builder.operation(Operation::power, a[0], a[1]); }

Value step(Builder& builder, Arguments a) {
  return builder.operation(Operation::less_equal, a[0], a[1]);
}

Value smoothstep(Builder& builder, Arguments a) {
  const Value way = builder.operation(Operation::subtract, a[2], a[0]);
  const Value whole = builder.operation(Operation::subtract, a[1], a[0]);
  const Value limited[] = {builder.operation(Operation::divide, way, whole), builder.constant(0),
                           builder.constant(1)};
  const Value t = clamp(builder, limited);
  const Value twice = builder.number(Operation::multiply, {}, builder.constant(2), t);
  const Value rest = builder.number(Operation::subtract, {}, builder.constant(3), twice);
  const Value square = builder.number(Operation::multiply, {}, t, t);
  return builder.number(Operation::multiply, std::nullopt, square, rest);
}

Value mix(Builder& builder, Arguments a) {
  builder.need_number(a[2]);
  builder.need_pure("mix", a[2]);
  const Value way = builder.operation(Operation::subtract, a[1], a[0]);
  Value part = builder.operation(Operation::multiply, way, a[2]);
  part.unit = way.unit;
  return builder.operation(Operation::add, a[0], part);
}

Value choose(Builder& builder, Arguments a) { return builder.choose(a[0], a[1], a[2]); }

// the right side counts only where the left does not decide
Value both(Builder& builder, Arguments a) {
  return builder.choose(a[0], builder.truth(a[1]), builder.constant(0));
}
Value either(Builder& builder, Arguments a) {
  return builder.choose(a[0], builder.constant(1), builder.truth(a[1]));
}

Value dot(Builder& builder, Arguments a) { return builder.dot(a[0], a[1]); }

Value cross(Builder& builder, Arguments a) {
  builder.need_vector(a[0]);
  builder.need_vector(a[1]);
  Value result{true, {0, 0, 0}, builder.product_unit(a[0], a[1]), builder.place};
  const auto product = [&](int i, int j) {
    return builder.graph.make(Operation::multiply, builder.place, a[0].ids[i], a[1].ids[j]);
  };
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    result.ids[i] =
        builder.graph.make(Operation::subtract, builder.place, product(j, k), product(k, j));
  }
  return result;
}

Value norm(Builder& builder, Arguments a) {
  builder.need_vector(a[0]);
  const auto& ids = a[0].ids;
  return {false,
          {builder.graph.make(Operation::length, builder.place, ids[0], ids[1], ids[2]), 0, 0},
          a[0].unit,
          builder.place};
}

// zero stays zero
Value normalize(Builder& builder, Arguments a) {
  const Value length = norm(builder, a);
  Value zero{true, {0, 0, 0}, std::nullopt, builder.place};
  std::fill(std::begin(zero.ids), std::end(zero.ids), builder.constant(0).ids[0]);
  Value unit = builder.operation(Operation::divide, a[0], length);
  unit.unit.reset();
  return builder.choose(length, unit, zero);
}

Value noise(Builder& builder, Arguments a) {
  const Operation operation = a.size() == 1   ? Operation::noise1
                              : a.size() == 2 ? Operation::noise2
                                              : Operation::noise3;
  return builder.number(operation, std::nullopt, a[0], a[a.size() > 1 ? 1 : 0],
                        a[a.size() > 2 ? 2 : 0]);
}

// x - floor(x)
Value phase(Builder& builder, const Value& x) {
  return builder.number(Operation::modulo, std::nullopt, x, builder.constant(1));
}
Value pulse(Builder& builder, Arguments a) {
  builder.need_pure("pulse", a[0]);
  return builder.number(Operation::less, std::nullopt, phase(builder, a[0]), a[1]);
}
// 0 at whole x, 1 between them
Value triangle(Builder& builder, Arguments a) {
  builder.need_pure("triangle", a[0]);
  const Value twice =
      builder.number(Operation::multiply, {}, builder.constant(2), phase(builder, a[0]));
  const Value from_middle = builder.number(Operation::subtract, {}, twice, builder.constant(1));
  return builder.number(Operation::subtract, std::nullopt, builder.constant(1),
                        builder.number(Operation::abs, {}, from_middle));
}

constexpr int any_count = -1;
constexpr BuiltIn built_ins[] = {
    {"sin", 1, 1, pure<Operation::sin>},
    {"cos", 1, 1, pure<Operation::cos>},
    {"tan", 1, 1, pure<Operation::tan>},
    {"asin", 1, 1, pure<Operation::asin>},
    {"acos", 1, 1, pure<Operation::acos>},
    {"atan", 1, 1, pure<Operation::atan>},
    {"atan2", 2, 2, atan2},
    {"sinh", 1, 1, pure<Operation::sinh>},
    {"cosh", 1, 1, pure<Operation::cosh>},
    {"tanh", 1, 1, pure<Operation::tanh>},
    {"exp", 1, 1, pure<Operation::exp>},
    {"log", 1, 1, pure<Operation::log>},
    {"log10", 1, 1, pure<Operation::log10>},
    {"sqrt", 1, 1, root<Operation::sqrt>},
    {"cbrt", 1, 1, root<Operation::cbrt>},
    {"abs", 1, 1, kept<Operation::abs>},
    {"floor", 1, 1, kept<Operation::floor>},
    {"ceil", 1, 1, kept<Operation::ceil>},
    {"round", 1, 1, kept<Operation::round>},
    {"sign", 1, 1, sign},
    {"mod", 2, 2, of_alike<Operation::modulo>},
    {"hypot", 2, 2, of_alike<Operation::hypot>},
    {"pow", 2, 2, pow},
    {"min", 1, any_count, extreme<Operation::minimum>},
    {"max", 1, any_count, extreme<Operation::maximum>},
    {"clamp", 3, 3, clamp},
    {"step", 2, 2, step},
    {"smoothstep", 3, 3, smoothstep},
    {"mix", 3, 3, mix},
    {if_call, 3, 3, choose},
    {and_call, 2, 2, both},
    {or_call, 2, 2, either},
    {"dot", 2, 2, dot},
    {"cross", 2, 2, cross},
    {"norm", 1, 1, norm},
    {"normalize", 1, 1, normalize},
    {"noise", 1, 3, noise},
    {"pulse", 2, 2, pulse},
    {"triangle", 1, 1, triangle},
};

}  // namespace

const BuiltIn* find_built_in(std::string_view name) {
  const auto* const found = std::find_if(std::begin(built_ins), std::end(built_ins),
                                         [&](const BuiltIn& f) { return f.name == name; });
  return found == std::end(built_ins) ? nullptr : found;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const BuiltIn& f : built_ins) {
    if (f.name != and_call && f.name != or_call) names.emplace_back(f.name);
  }
  return names;
}

}  // namespace molejo

#include <algorithm>
#include <cassert>
#include <iterator>
#include <locale>
#include <sstream>

#include "molejo/math/expression.h"

namespace molejo {

using Instruction = ExpressionProgram::Instruction;

namespace {

const Curve* shape_of(const ExpressionProgram& program, const Instruction& i) {
  return i.operation == Operation::curve ? program.curves[i.c].get() : nullptr;
}

// which registers some outputs need; `only_taken`: without branches that are not taken
std::vector<char> needed_registers(const ExpressionProgram& program,
                                   std::span<const std::size_t> outputs, const double* taken) {
  std::vector<char> needed(program.registers, 0);
  for (const std::size_t index : outputs) {
    const ExpressionProgram::Output& out = program.outputs[index];
    for (int i = 0; i < (out.is_vector ? 3 : 1); ++i) needed[out.registers[i]] = 1;
  }
  for (auto i = program.code.rbegin(); i != program.code.rend(); ++i) {
    if (!needed[i->target]) continue;
    const int operands = facts(i->operation).operands;
    needed[i->a] = 1;
    if (taken && i->operation == Operation::choose) {
      needed[taken[i->a] != 0 ? i->b : i->c] = 1;
      continue;
    }
    if (operands > 1) needed[i->b] = 1;
    if (operands > 2) needed[i->c] = 1;
  }
  return needed;
}

std::vector<std::size_t> all_outputs(const ExpressionProgram& program) {
  std::vector<std::size_t> all(program.outputs.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::string shown(double x) {
  if (std::isnan(x)) return "nan";
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << x;
  return out.str();
}

// "1 / 0", "sqrt(-1)"
std::string shown(const Instruction& i, const double* values) {
  const OperationFacts& fact = facts(i.operation);
  const bool is_word = fact.name[0] >= 'a' && fact.name[0] <= 'z';
  const std::string name(fact.name), a = shown(values[i.a]);
  if (!is_word && fact.operands == 2) return a + " " + name + " " + shown(values[i.b]);
  if (!is_word) return name + a;
  std::string result = name + "(" + a;
  if (fact.operands > 1) result += ", " + shown(values[i.b]);
  if (fact.operands > 2) result += ", " + shown(values[i.c]);
  return result + ")";
}

std::string verdict(double value) {
  return std::isnan(value) ? " is not a number" : " is infinite";
}

}  // namespace

ExpressionWorkspace::ExpressionWorkspace(const ExpressionProgram& program)
    : values(program.registers, std::numeric_limits<double>::quiet_NaN()),
      adjoints(program.registers, 0.0),
      gradient(program.inputs.size(), 0.0) {
  std::copy(program.constants.begin(), program.constants.end(), values.begin());
}

// floor and ceil are long where the processor may be any: out of the way of short operations.
[[gnu::noinline]] static double to_whole(Operation operation, double a) {
  return operation == Operation::floor ? std::floor(a) : std::ceil(a);
}

void evaluate(const ExpressionProgram& program, const double* inputs, ExpressionWorkspace& work) {
  assert(work.values.size() == program.registers);
  double* const r = work.values.data();
  for (const auto [slot, target] : program.inputs) r[target] = inputs[slot];
  const Instruction* i = program.code.data();
  const Instruction* const end = i + program.code.size();
  if (i == end) return;

  // Threaded code: every operation jumps to the next one itself, so that the processor learns what
  // follows what (Bell 1973). Labels as values are an extension of g++ and clang.
  static const void* const labels[] = {nullptr, nullptr,
#define MOLEJO_LABEL(name) &&do_##name,
                                       MOLEJO_OPERATIONS(MOLEJO_LABEL)
#undef MOLEJO_LABEL
  };
  static_assert(std::size(labels) == static_cast<std::size_t>(Operation::count));
  goto* labels[static_cast<std::size_t>(i->operation)];

#define MOLEJO_STEP(name)                                                                         \
  do_##name : if constexpr (Operation::name == Operation::curve) {                                \
    r[i->target] = program.curves[i->c]->at(r[i->a]).value;                                       \
  }                                                                                               \
  else if constexpr (Operation::name == Operation::floor || Operation::name == Operation::ceil) { \
    r[i->target] = to_whole(Operation::name, r[i->a]);                                            \
  }                                                                                               \
  else {                                                                                          \
    r[i->target] = apply(Operation::name, r[i->a], r[i->b], r[i->c]);                             \
  }                                                                                               \
  if (++i == end) return;                                                                         \
  goto* labels[static_cast<std::size_t>(i->operation)];

  MOLEJO_OPERATIONS(MOLEJO_STEP)
#undef MOLEJO_STEP
}

std::span<const double> gradient(const ExpressionProgram& program, std::size_t index,
                                 std::size_t component, ExpressionWorkspace& work) {
  assert(work.values.size() == program.registers);
  const double* const r = work.values.data();
  double* const adjoints = work.adjoints.data();
  for (const auto& input : program.inputs) adjoints[input.target] = 0;
  for (const Instruction& i : program.code) adjoints[i.target] = 0;
  adjoints[program.outputs[index].registers[component]] = 1;

  // d out / d operand += d out / d result * d result / d operand, from the end
  for (auto i = program.code.rbegin(); i != program.code.rend(); ++i) {
    const double adjoint = adjoints[i->target];
    if (adjoint == 0) continue;
    // what does not count must not spoil the sum with 0 * infinity
    const auto pass_on = [&](std::uint32_t to, double slope) {
      if (slope != 0) adjoints[to] += adjoint * slope;
    };
    switch (i->operation) {
      case Operation::add:
        adjoints[i->a] += adjoint;
        adjoints[i->b] += adjoint;
        break;
      case Operation::subtract:
        adjoints[i->a] += adjoint;
        adjoints[i->b] -= adjoint;
        break;
      case Operation::multiply: {
        const double a = r[i->a], b = r[i->b];
        pass_on(i->a, b);
        pass_on(i->b, a);
        break;
      }
      default: {
        const bool is_curve = i->operation == Operation::curve;
        const Slopes s = slopes(i->operation, r[i->a], r[i->b], is_curve ? 0 : r[i->c],
                                r[i->target], shape_of(program, *i));
        const int operands = facts(i->operation).operands;
        pass_on(i->a, s.a);
        if (operands > 1) pass_on(i->b, s.b);
        if (operands > 2) pass_on(i->c, s.c);
      }
    }
  }
  assert(program.inputs.size() <= work.gradient.size());
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    work.gradient[i] = adjoints[program.inputs[i].target];
  }
  return {work.gradient.data(), program.inputs.size()};
}

ExpressionProgram part_of(const ExpressionProgram& program, std::span<const std::size_t> outputs) {
  const std::vector<char> needed = needed_registers(program, outputs, nullptr);
  ExpressionProgram part;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (!needed[program.inputs[i].target]) continue;
    part.inputs.push_back(program.inputs[i]);
    part.input_names.push_back(program.input_names[i]);
  }
  for (const Instruction& i : program.code) {
    if (needed[i.target]) part.code.push_back(i);
  }
  for (const std::size_t i : outputs) part.outputs.push_back(program.outputs[i]);
  part.constants = program.constants;
  part.places = program.places;
  part.curves = program.curves;
  part.registers = program.registers;
  return part;
}

bool depends_on(const ExpressionProgram& program, std::size_t output, std::uint32_t slot) {
  const std::vector<char> needed = needed_registers(program, {&output, 1}, nullptr);
  return std::any_of(program.inputs.begin(), program.inputs.end(),
                     [&](const auto& input) { return input.slot == slot && needed[input.target]; });
}

std::optional<NonFinite> first_non_finite(const ExpressionProgram& program, const double* inputs,
                                          ExpressionWorkspace& work) {
  evaluate(program, inputs, work);
  const double* const r = work.values.data();
  const std::vector<char> needed = needed_registers(program, all_outputs(program), r);
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    if (!needed[i] || std::isfinite(r[i])) continue;
    return NonFinite{program.places[i], "a constant" + verdict(r[i])};
  }
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const std::uint32_t target = program.inputs[i].target;
    if (!needed[target] || std::isfinite(r[target])) continue;
    return NonFinite{program.places[target], program.input_names[i] + verdict(r[target])};
  }
  for (const Instruction& i : program.code) {
    if (!needed[i.target] || std::isfinite(r[i.target])) continue;
    return NonFinite{program.places[i.target], shown(i, r) + verdict(r[i.target])};
  }
  return std::nullopt;
}

}  // namespace molejo

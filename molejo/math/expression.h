// Formulas over named numbers and vectors: "-k*(elbow.angle - 30 deg) + 2 N*m * noise(3*t)".
// docs/expressions.md tells the language.
//
// Many texts and definitions are compiled together into one program: straight code in single
// assignment form over registers of numbers. Vectors are three numbers, functions are written out
// where they are called, equal subexpressions are computed once, constant ones not at all. Both
// branches of a conditional are computed, one is taken. Evaluation allocates nothing. Derivatives
// are exact, by reverse accumulation over the code (Griewank and Walther, Evaluating Derivatives,
// 2008, chapter 3).
//
// Arithmetic is IEEE: 1/0 is infinite, sqrt(-1) is no number; first_non_finite() tells where.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/operations.h"
#include "molejo/math/units.h"

namespace molejo {

inline constexpr std::size_t max_expression_length = 4096;  // characters
inline constexpr int max_expression_nesting = 64;           // parentheses, signs and powers
inline constexpr std::size_t max_expression_definitions = 65536;
inline constexpr std::size_t max_expression_outputs = 65536;
inline constexpr int max_definition_nesting = 400;                // of definitions in definitions
inline constexpr std::size_t max_expression_parameters = 32;      // of a user function
inline constexpr std::size_t max_expression_expansion = 1 << 20;  // steps of one compilation
inline constexpr std::size_t max_expression_instructions = 1 << 17;

// A place in one of the texts given to compile(). Columns count from 1.
struct TextPlace {
  bool in_definition = false;  // else in an output
  std::uint32_t index = 0, column = 1;
};

// What is wrong with a text, and where. what() begins "column N: ".
struct ExpressionError : std::runtime_error {
  ExpressionError(const TextPlace& at, const std::string& text);
  TextPlace place;
  std::size_t column;
};

// What a name stands for: one input of the program, or three from `slot` on.
struct Symbol {
  std::uint32_t slot = 0;
  bool is_vector = false;
  std::optional<Dimension> unit{};                  // nothing: a plain number, which fits any
  std::optional<std::array<double, 3>> constant{};  // a value that never changes: no input at all
};

// Where names that no definition has come from.
class Names {
 public:
  virtual ~Names() = default;
  virtual std::optional<Symbol> find(std::string_view name) const = 0;
  virtual std::vector<std::string> all() const = 0;  // for suggestions
};
class NoNames : public Names {
 public:
  std::optional<Symbol> find(std::string_view) const override { return std::nullopt; }
  std::vector<std::string> all() const override { return {}; }
};

// `name = text`, `name(parameters) = text`, or a keyed curve name(x). Inside the scope "a.b" the
// name n means a.b.n, else a.n, else n, whichever is defined.
struct Definition {
  std::string name;
  std::string scope{};  // the definition's full name is scope.name
  std::string text{};
  bool is_function = false;
  std::vector<std::string> parameters{};
  std::shared_ptr<const Curve> curve{};  // then text and parameters are empty
  std::size_t first_column = 1;          // of `text` in what the user sees
};
// From "name = text" or "name(a, b) = text".
Definition read_definition(std::string_view line, std::string_view scope = {});

enum class Wanted { any, number, vector };
struct Formula {
  std::string text;
  std::string scope{};
  Wanted wanted = Wanted::any;
  std::optional<Dimension> unit{};  // looked at by check_units only; values are always in SI
  std::size_t first_column = 1;
};

struct ExpressionProgram {
  struct Instruction {
    Operation operation;
    std::uint32_t target, a, b, c;  // registers; of a curve c is its number
  };
  struct Input {
    std::uint32_t slot, target;
  };
  struct Output {
    bool is_vector = false;
    std::uint32_t registers[3] = {0, 0, 0};
    std::optional<Dimension> unit{};  // nothing: a plain number
  };
  std::vector<Input> inputs;  // those that the outputs depend on
  std::vector<Instruction> code;
  std::vector<Output> outputs;
  std::vector<double> constants;  // of registers 0, 1, ...
  std::vector<std::string> input_names;
  std::vector<TextPlace> places;  // of each register
  std::vector<std::shared_ptr<const Curve>> curves;
  std::size_t registers = 0;
};

// Throws ExpressionError. Every definition is checked, used or not; none may depend on itself.
ExpressionProgram compile(std::span<const Definition> definitions, std::span<const Formula> outputs,
                          const Names& names);

// The registers of one thread. Sized from a program; serves that program and its parts.
struct ExpressionWorkspace {
  ExpressionWorkspace() = default;
  explicit ExpressionWorkspace(const ExpressionProgram& program);
  std::vector<double> values, adjoints, gradient;
};

// Computes all outputs; inputs[slot] is the number of a Symbol.
void evaluate(const ExpressionProgram& program, const double* inputs, ExpressionWorkspace& work);

// An output after evaluate(); `component` 1 and 2 only of vectors.
inline double output(const ExpressionProgram& program, std::size_t index,
                     const ExpressionWorkspace& work, std::size_t component = 0) {
  return work.values[program.outputs[index].registers[component]];
}

// d output / d inputs[program.inputs[i].slot] in element i, after evaluate(). All other derivatives
// are 0. The costs are those of a few evaluations of the program; use part_of() for single outputs.
std::span<const double> gradient(const ExpressionProgram& program, std::size_t index,
                                 std::size_t component, ExpressionWorkspace& work);

// The code of some outputs alone, which it has in this order. Registers stay where they are, so
// that one workspace serves the whole and its parts.
ExpressionProgram part_of(const ExpressionProgram& program, std::span<const std::size_t> outputs);
bool depends_on(const ExpressionProgram& program, std::size_t output, std::uint32_t slot);

// Evaluates, and tells the first operation that an output needs (not in a branch that is not
// taken) whose result is no finite number: "column 3: 1 / 0 is infinite".
struct NonFinite {
  TextPlace place;
  std::string text;
};
std::optional<NonFinite> first_non_finite(const ExpressionProgram& program, const double* inputs,
                                          ExpressionWorkspace& work);

// Sums of unlike units, arguments and outputs of a wrong one: "m + s", with their places. Plain
// numbers, without a unit, fit everywhere in sums, as factors they are pure; with `strict` they
// are pure everywhere, except 0. Throws ExpressionError as compile() does.
struct UnitComplaint {
  TextPlace place;
  std::string text;
};
std::vector<UnitComplaint> check_units(std::span<const Definition> definitions,
                                       std::span<const Formula> outputs, const Names& names,
                                       bool strict = false);

// The number that a text has whose names are all constant. Throws ExpressionError, also for others.
double evaluate_number(std::string_view text, const Names& names);

// Is this text a name that a person may define: letters, digits and underscores, not beginning
// with a digit, and not one of the words "pi", "and", "or", "not", "deg"?
bool is_free_name(std::string_view text);

}  // namespace molejo

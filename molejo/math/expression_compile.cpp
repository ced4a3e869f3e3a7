// Definitions and texts -> one graph of operations -> a program.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "molejo/math/expression_syntax.h"
#include "molejo/math/expression_values.h"
#include "molejo/math/words.h"

namespace molejo {

namespace {

using Value = ExpressionValue;

std::string joined(std::string_view scope, std::string_view name) {
  std::string result(scope);
  if (!result.empty()) result += '.';
  return result += name;
}

// "a.b" -> "a" -> "" -> nothing
bool widen(std::string_view& scope) {
  if (scope.empty()) return false;
  const std::size_t dot = scope.rfind('.');
  scope = scope.substr(0, dot == std::string_view::npos ? 0 : dot);
  return true;
}

// "v.y" -> component 1 of "v"; -1 when there is none
int component_of(std::string_view name) {
  const std::size_t n = name.size();
  if (n < 3 || name[n - 2] != '.' || name[n - 1] < 'x' || name[n - 1] > 'z') return -1;
  return name[n - 1] - 'x';
}

// Where a text stands: what its names mean, and where its errors are.
struct Context {
  std::string_view scope;
  TextPlace place;
  std::span<const std::string> parameters{};
  std::span<const Value> arguments{};
};

class Compiler {
 public:
  Compiler(std::span<const Definition> definitions, const Names& names)
      : definitions_(definitions), names_(names), made_(definitions.size()) {
    if (definitions.size() > max_expression_definitions) {
      throw ExpressionError(
          {}, "more than " + std::to_string(max_expression_definitions) + " definitions");
    }
    for (std::size_t i = 0; i < definitions.size(); ++i) enter(i);
  }

  ExpressionBuilder builder;

  void check_definitions() {
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      const Definition& definition = definitions_[i];
      if (definition.curve) continue;
      builder.place = place_of(i);
      if (definition.is_function) {
        check_function(i);
      } else {
        variable(i);
      }
    }
  }

  Value output(const Formula& formula, std::size_t index) {
    const TextPlace place{false, static_cast<std::uint32_t>(index),
                          static_cast<std::uint32_t>(formula.first_column)};
    const Context context{formula.scope, place};
    const Value value = lower(parsed(formula.text, context), context);
    builder.place = value.place;
    if (formula.wanted == Wanted::number) builder.need_number(value);
    if (formula.wanted == Wanted::vector) builder.need_vector(value);
    const auto unit = builder.unit_of(value);
    if (formula.unit && unit && *unit != *formula.unit) {
      builder.complain(text(*unit) + ", where " + text(*formula.unit) + " is expected");
    }
    return value;
  }

 private:
  enum class Stage : std::uint8_t { untouched, being_made, made };
  struct Made {
    Stage stage = Stage::untouched;
    bool is_parsed = false;
    std::vector<SyntaxNode> nodes{};
    Value value{};
  };

  // definitions

  TextPlace place_of(std::size_t i) const {
    return {true, static_cast<std::uint32_t>(i),
            static_cast<std::uint32_t>(definitions_[i].first_column)};
  }

  void enter(std::size_t i) {
    const Definition& definition = definitions_[i];
    builder.place = place_of(i);
    if (definition.name.empty()) builder.fail("a definition without a name");
    const bool is_called = definition.is_function || definition.curve;
    if (is_called && definition.scope.empty() && find_built_in(definition.name)) {
      builder.fail("'" + definition.name + "' is a function already");
    }
    if (definition.parameters.size() > max_expression_parameters) {
      builder.fail("more than " + std::to_string(max_expression_parameters) + " parameters");
    }
    for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
      const auto begin = definition.parameters.begin(), at = begin + static_cast<std::ptrdiff_t>(p);
      if (std::find(begin, at, *at) != at) builder.fail("parameter '" + *at + "' occurs twice");
    }
    std::string name = joined(definition.scope, definition.name);
    if (!by_name_.try_emplace(std::move(name), i).second) {
      builder.fail("'" + joined(definition.scope, definition.name) + "' is defined twice");
    }
  }

  const std::vector<SyntaxNode>& nodes_of(std::size_t i) {
    Made& made = made_[i];
    if (!made.is_parsed) {
      made.nodes = parsed(definitions_[i].text, context_of(i));
      made.is_parsed = true;
      count_steps(made.nodes.size());
    }
    return made.nodes;
  }

  Context context_of(std::size_t i) const {
    return {definitions_[i].scope, place_of(i), definitions_[i].parameters, {}};
  }

  // a definition begins inside of those that use it: none twice, and not too deep
  void open(std::size_t i) {
    if (made_[i].stage == Stage::being_made) {
      std::string cycle;
      for (auto at = std::find(open_.begin(), open_.end(), i); at != open_.end(); ++at) {
        cycle += full_name(*at) + " -> ";
      }
      builder.fail("'" + full_name(i) + "' depends on itself: " + cycle + full_name(i));
    }
    if (open_.size() >= static_cast<std::size_t>(max_definition_nesting)) {
      builder.fail("definitions use each other over more than " +
                   std::to_string(max_definition_nesting) + " levels");
    }
    made_[i].stage = Stage::being_made;
    open_.push_back(i);
  }
  std::string full_name(std::size_t i) const {
    return joined(definitions_[i].scope, definitions_[i].name);
  }

  const Value& variable(std::size_t i) {
    Made& made = made_[i];
    if (made.stage == Stage::made) return made.value;
    open(i);
    const TextPlace before = builder.place;
    made.value = lower(nodes_of(i), context_of(i));
    builder.place = before;
    made.stage = Stage::made;
    made.nodes = {};
    open_.pop_back();
    return made.value;
  }

  Value call_user(std::size_t i, std::span<const Value> arguments) {
    const Definition& definition = definitions_[i];
    const std::size_t takes = definition.curve ? 1 : definition.parameters.size();
    check_count(full_name(i), takes, takes, arguments.size());
    if (definition.curve) {
      builder.need_number(arguments[0]);
      const auto id = builder.graph.curve(definition.curve, arguments[0].ids[0], builder.place);
      return {false, {id, 0, 0}, std::nullopt, builder.place};
    }
    open(i);
    const TextPlace before = builder.place;
    Context context = context_of(i);
    context.arguments = arguments;
    Value result = lower(nodes_of(i), context);
    result.place = builder.place = before;
    made_[i].stage = Stage::untouched;
    open_.pop_back();
    return result;
  }

  void check_count(const std::string& name, std::size_t fewest, std::size_t most,
                   std::size_t given) const {
    if (given >= fewest && given <= most) return;
    const std::string takes = fewest == most
                                  ? std::to_string(fewest)
                                  : std::to_string(fewest) + " to " + std::to_string(most);
    builder.fail("function '" + name + "' takes " + takes + ", given " + std::to_string(given));
  }

  // what can be told of a function before it is called
  void check_function(std::size_t i) {
    Context context = context_of(i);
    for (const SyntaxNode& node : nodes_of(i)) {
      at(context, node.column);
      const bool called = node.kind == NodeKind::call;
      if (called && !find_built_in(node.name) && !find_called(node.name, context.scope)) {
        unknown_function(node.name, context);
      }
      if (node.kind == NodeKind::name && !means(node.name, context)) {
        unknown_name(node.name, context);
      }
    }
  }

  // names

  void at(const Context& context, std::uint32_t column) {
    builder.place = context.place;
    builder.place.column = column;
  }

  static std::optional<std::size_t> parameter(std::string_view name, const Context& context) {
    const auto found = std::find(context.parameters.begin(), context.parameters.end(), name);
    if (found == context.parameters.end()) return std::nullopt;
    return static_cast<std::size_t>(found - context.parameters.begin());
  }

  // is there such a name? Without a look at its type.
  bool means(std::string_view name, const Context& context) const {
    if (component_of(name) >= 0 && means(name.substr(0, name.size() - 2), context)) return true;
    if (parameter(name, context)) return true;
    std::string_view scope = context.scope;
    do {
      const std::string full = joined(scope, name);
      if (by_name_.contains(full) || names_.find(full)) return true;
    } while (widen(scope));
    return false;
  }

  std::optional<Value> value_of_full(const std::string& name) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
      const Definition& definition = definitions_[found->second];
      if (definition.is_function || definition.curve) {
        builder.fail("function '" + name + "' needs '(' after it");
      }
      Value value = variable(found->second);
      value.place = builder.place;
      return value;
    }
    const std::optional<Symbol> symbol = names_.find(name);
    if (!symbol) return std::nullopt;
    Value value{symbol->is_vector, {0, 0, 0}, symbol->unit, builder.place};
    for (std::uint32_t i = 0; i < (symbol->is_vector ? 3u : 1u); ++i) {
      value.ids[i] = symbol->constant
                         ? builder.graph.constant((*symbol->constant)[i], builder.place)
                         : builder.graph.input(symbol->slot + i, name, builder.place);
    }
    return value;
  }

  Value named(const std::string& name, const Context& context) {
    const int component = component_of(name);
    const std::string base = component < 0 ? "" : name.substr(0, name.size() - 2);
    if (const auto p = parameter(name, context)) return context.arguments[*p];
    if (component >= 0) {
      if (const auto p = parameter(base, context)) {
        return builder.component(context.arguments[*p], component);
      }
    }
    std::string_view scope = context.scope;
    do {
      if (const auto value = value_of_full(joined(scope, name))) return *value;
      if (component < 0) continue;
      if (const auto vector = value_of_full(joined(scope, base))) {
        return builder.component(*vector, component);
      }
    } while (widen(scope));
    unknown_name(name, context);
  }

  // every name as it would be written in this scope
  std::vector<std::string> visible(const Context& context, bool functions) const {
    std::vector<std::string> all = functions ? built_in_names() : names_.all();
    for (const Definition& definition : definitions_) {
      if ((definition.is_function || definition.curve) != functions) continue;
      all.push_back(joined(definition.scope, definition.name));
    }
    std::string_view scope = context.scope;
    for (; !scope.empty(); widen(scope)) {
      const std::string prefix = joined(scope, "");
      for (std::size_t i = 0, n = all.size(); i < n; ++i) {
        if (all[i].starts_with(prefix)) all.push_back(all[i].substr(prefix.size()));
      }
    }
    all.insert(all.end(), context.parameters.begin(), context.parameters.end());
    if (!functions) all.emplace_back("pi");
    return all;
  }

  [[noreturn]] void unknown_name(const std::string& name, const Context& context) const {
    if (find_built_in(name)) builder.fail("function '" + name + "' needs '(' after it");
    std::string message = unknown_word("name", name, visible(context, false));
    if (find_unit(name)) message += " (a unit follows a number: 1 " + name + ")";
    builder.fail(message);
  }
  [[noreturn]] void unknown_function(const std::string& name, const Context& context) const {
    if (means(name, context)) builder.fail("'" + name + "' is a name, not a function");
    builder.fail(unknown_word("function", name, visible(context, true)));
  }

  // nodes

  std::vector<SyntaxNode> parsed(std::string_view text, const Context& context) const {
    return parse_expression(text, context.place.column, context.place,
                            [&](std::string_view word) { return means(word, context); });
  }

  std::optional<std::size_t> find_called(const std::string& name, std::string_view scope) const {
    do {
      const auto found = by_name_.find(joined(scope, name));
      if (found != by_name_.end()) {
        const Definition& definition = definitions_[found->second];
        if (definition.is_function || definition.curve) return found->second;
      }
    } while (widen(scope));
    return std::nullopt;
  }

  Value called(const SyntaxNode& node, const Context& context, std::span<const Value> arguments) {
    if (const auto user = find_called(node.name, context.scope)) {
      return call_user(*user, arguments);
    }
    const BuiltIn* const function = find_built_in(node.name);
    if (!function) unknown_function(node.name, context);
    const std::size_t most =
        function->most < 0 ? max_expression_length : static_cast<std::size_t>(function->most);
    check_count(node.name, static_cast<std::size_t>(function->fewest), most, arguments.size());
    return function->build(builder, arguments);
  }

  void count_steps(std::size_t steps) {
    steps_ += steps;
    if (steps_ > max_expression_expansion) {
      builder.fail("the functions write out to more than " +
                   std::to_string(max_expression_expansion) + " operations");
    }
  }

  Value lower(const std::vector<SyntaxNode>& nodes, const Context& context) {
    std::vector<Value> stack;
    const auto pop = [&] {
      const Value top = stack.back();
      stack.pop_back();
      return top;
    };
    for (const SyntaxNode& node : nodes) {
      at(context, node.column);
      count_steps(1);
      switch (node.kind) {
        case NodeKind::number:
          stack.push_back(builder.constant(node.number));
          break;
        case NodeKind::name:
          stack.push_back(named(node.name, context));
          break;
        case NodeKind::unit:
          stack.push_back(builder.in_unit(pop(), node.unit));
          break;
        case NodeKind::component:
          stack.push_back(builder.component(pop(), node.count));
          break;
        case NodeKind::vector: {
          const Value z = pop(), y = pop(), x = pop();
          stack.push_back(builder.vector(x, y, z));
          break;
        }
        case NodeKind::call: {
          const auto from = stack.size() - static_cast<std::size_t>(node.count);
          const Value result = called(node, context, std::span<const Value>(stack).subspan(from));
          stack.resize(from);
          stack.push_back(result);
          break;
        }
        case NodeKind::operation:
          if (facts(node.operation).operands == 1) {
            stack.push_back(builder.operation(node.operation, pop()));
          } else {
            const Value b = pop(), a = pop();
            stack.push_back(node.swapped ? builder.operation(node.operation, b, a)
                                         : builder.operation(node.operation, a, b));
          }
          break;
      }
      stack.back().place = builder.place;
    }
    return stack.back();
  }

  std::span<const Definition> definitions_;
  const Names& names_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<Made> made_;
  std::vector<std::size_t> open_;  // being made, each inside of the one before
  std::size_t steps_ = 0;
};

std::vector<ExpressionGraph::Root> lower_all(Compiler& compiler, std::span<const Formula> outputs) {
  if (outputs.size() > max_expression_outputs) {
    throw ExpressionError({},
                          "more than " + std::to_string(max_expression_outputs) + " expressions");
  }
  compiler.check_definitions();
  std::vector<ExpressionGraph::Root> roots;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Value value = compiler.output(outputs[i], i);
    ExpressionGraph::Root& root = roots.emplace_back();
    root.is_vector = value.is_vector;
    root.unit = value.unit;
    std::copy(std::begin(value.ids), std::end(value.ids), root.ids);
  }
  return roots;
}

}  // namespace

ExpressionProgram compile(std::span<const Definition> definitions, std::span<const Formula> outputs,
                          const Names& names) {
  Compiler compiler(definitions, names);
  const auto roots = lower_all(compiler, outputs);
  return compiler.builder.graph.program(roots);
}

std::vector<UnitComplaint> check_units(std::span<const Definition> definitions,
                                       std::span<const Formula> outputs, const Names& names,
                                       bool strict) {
  std::vector<UnitComplaint> complaints;
  Compiler compiler(definitions, names);
  compiler.builder.complaints = &complaints;
  compiler.builder.strict = strict;
  lower_all(compiler, outputs);
  return complaints;
}

double evaluate_number(std::string_view text, const Names& names) {
  const Formula formula{.text = std::string(text), .wanted = Wanted::number};
  const ExpressionProgram program = compile({}, {&formula, 1}, names);
  if (program.code.empty() && program.inputs.empty()) return program.constants[0];
  if (!program.inputs.empty()) {
    throw ExpressionError(program.places[program.inputs[0].target],
                          "'" + program.input_names[0] + "' changes, where a constant is expected");
  }
  ExpressionWorkspace work(program);
  evaluate(program, nullptr, work);
  return output(program, 0, work);
}

}  // namespace molejo

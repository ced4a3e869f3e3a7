// Short ways to compile and evaluate texts in the tests of expressions.
#pragma once

#include <map>

#include "molejo/math/expression.h"

namespace molejo {

// Names with values, in slots in alphabetical order; a vector has three values.
class TestNames : public Names {
 public:
  struct Entry {
    std::vector<double> value;
    const char* unit = nullptr;  // nullptr: plain
  };
  TestNames(std::initializer_list<std::pair<const std::string, Entry>> entries)
      : entries_(entries) {
    for (const auto& [name, entry] : entries_) {
      slots_[name] = static_cast<std::uint32_t>(values.size());
      values.insert(values.end(), entry.value.begin(), entry.value.end());
    }
  }
  std::optional<Symbol> find(std::string_view name) const override {
    const auto found = entries_.find(std::string(name));
    if (found == entries_.end()) return std::nullopt;
    Symbol symbol{.slot = slots_.at(found->first), .is_vector = found->second.value.size() == 3};
    if (found->second.unit) symbol.unit = dimension_of(found->second.unit);
    return symbol;
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }
  std::uint32_t slot(const std::string& name) const { return slots_.at(name); }

  std::vector<double> values;

 private:
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::uint32_t> slots_;
};

// "x = 2", "f(a) = a^2", ... in one scope.
inline std::vector<Definition> definitions(std::initializer_list<const char*> lines,
                                           const char* scope = "") {
  std::vector<Definition> result;
  for (const char* line : lines) result.push_back(read_definition(line, scope));
  return result;
}

inline std::vector<double> values_of(const std::string& text, const TestNames& names,
                                     const std::vector<Definition>& with = {},
                                     const std::string& scope = "") {
  const Formula formula{.text = text, .scope = scope};
  const ExpressionProgram program = compile(with, {&formula, 1}, names);
  ExpressionWorkspace work(program);
  evaluate(program, names.values.data(), work);
  std::vector<double> values{output(program, 0, work)};
  if (program.outputs[0].is_vector) {
    values.push_back(output(program, 0, work, 1));
    values.push_back(output(program, 0, work, 2));
  }
  return values;
}

// what() of the error that these texts end in, with "in definition N: " for those
inline std::string error_of(const std::string& text, const TestNames& names,
                            const std::vector<Definition>& with = {}, const std::string& scope = "",
                            Wanted wanted = Wanted::any) {
  const Formula formula{.text = text, .scope = scope, .wanted = wanted};
  try {
    compile(with, {&formula, 1}, names);
  } catch (const ExpressionError& e) {
    if (!e.place.in_definition) return e.what();
    return "in definition " + std::to_string(e.place.index) + ": " + e.what();
  }
  return "no error";
}

}  // namespace molejo

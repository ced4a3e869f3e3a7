// Formulas and definitions as native text.
#include <fmt/format.h>

#include <cstdlib>

#include "molejo/io/scene_formulas.h"

namespace molejo {

namespace {

JsonValue pair(double a, double b) {
  JsonValue value = JsonValue::array();
  value.items.emplace_back(a);
  value.items.emplace_back(b);
  return value;
}

// The number that was written as this formula, if one was.
std::optional<double> written_number(const SceneFormula& formula) {
  if (!formula.scope.empty()) return std::nullopt;
  if (formula.text.find_first_not_of("0123456789.-+e") != std::string::npos) return std::nullopt;
  const double x = std::strtod(formula.text.c_str(), nullptr);
  return constant_formula(x).text == formula.text ? std::optional(x) : std::nullopt;
}

bool has_handles(const CurveKey& key) {
  return key.left.x != 0 || key.left.value != 0 || key.right.x != 0 || key.right.value != 0;
}

JsonValue curve_value(const SceneDefinition& curve) {
  // the shape that most keys have is not told at each
  const Interpolation common = curve.keys[0].interpolation;
  JsonValue value = JsonValue::object();
  JsonValue& keys = value.add("keys", JsonValue::array());
  for (const CurveKey& key : curve.keys) {
    if (key.interpolation == common && !has_handles(key)) {
      keys.items.push_back(pair(key.x, key.value));
      continue;
    }
    JsonValue& item = keys.items.emplace_back(JsonValue::object());
    item.add("x", key.x);
    item.add("value", key.value);
    if (key.interpolation != common) {
      item.add("interpolation", std::string(to_string(key.interpolation)));
    }
    if (!has_handles(key)) continue;
    item.add("left", pair(key.left.x, key.left.value));
    item.add("right", pair(key.right.x, key.right.value));
  }
  if (common != Interpolation::linear) {
    value.add("interpolation", std::string(to_string(common)));
  }
  if (curve.before != Extension::hold) value.add("before", std::string(to_string(curve.before)));
  if (curve.after != Extension::hold) value.add("after", std::string(to_string(curve.after)));
  return value;
}

JsonValue variable_value(const SceneDefinition& variable) {
  if (!variable.value) return doubled_braces(variable.formula.text);
  if (!variable.lower || !variable.upper) return *variable.value;
  JsonValue value = JsonValue::object();
  value.add("value", *variable.value);
  value.add("range", pair(*variable.lower, *variable.upper));
  return value;
}

std::string function_key(const SceneDefinition& function) {
  std::string key = "(";
  for (const std::string& parameter : function.parameters) {
    key += (key.size() > 1 ? ", " : "") + parameter;
  }
  return key + ")";
}

}  // namespace

std::string doubled_braces(const std::string& name) {
  std::string text;
  for (const char c : name) text += (c == '{' || c == '}') ? std::string(2, c) : std::string(1, c);
  return text;
}

JsonValue formula_value(const SceneFormula& formula) {
  if (formula.scope.empty()) return doubled_braces(formula.text);
  JsonValue value = JsonValue::object();
  value.add("formula", doubled_braces(formula.text));
  value.add("scope", doubled_braces(formula.scope));
  return value;
}

JsonValue vector_value(const std::vector<SceneFormula>& formulas) {
  if (formulas.size() == 1) return formula_value(formulas[0]);
  JsonValue value = JsonValue::array();
  for (const SceneFormula& formula : formulas) {
    const std::optional<double> number = written_number(formula);
    value.items.push_back(number ? JsonValue(*number) : formula_value(formula));
  }
  return value;
}

void put_definitions(JsonValue& top, const Scene& scene) {
  JsonValue variables = JsonValue::object(), functions = JsonValue::object();
  JsonValue curves = JsonValue::object(), probes = JsonValue::object();
  for (const SceneDefinition& d : scene.definitions) {
    const std::string name = d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name;
    if (!d.keys.empty()) {
      curves.add(name, curve_value(d));
    } else if (d.is_function) {
      functions.add(name + function_key(d), doubled_braces(d.formula.text));
    } else {
      variables.add(name, variable_value(d));
    }
  }
  for (const SceneProbe& probe : scene.probes) {
    probes.add(probe.name, formula_value(probe.formula));
  }
  const std::pair<const char*, JsonValue*> maps[] = {{"variables", &variables},
                                                     {"functions", &functions},
                                                     {"curves", &curves},
                                                     {"probes", &probes}};
  for (const auto& [key, map] : maps) {
    if (!map->items.empty()) top.add(key, std::move(*map));
  }
}

}  // namespace molejo

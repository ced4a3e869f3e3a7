#include "molejo/io/scene_formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "molejo/io/scene_keys.h"
#include "molejo/math/characters.h"
#include "molejo/math/expression.h"

namespace molejo {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }

// "arm.hand" of "arm.hand."
std::string scope_of(const Surroundings& around) {
  return around.prefix.empty() ? "" : around.prefix.substr(0, around.prefix.size() - 1);
}

// The beginnings of the names in a text, as far as they could be parameters.
void add_words(const std::string& text, std::set<std::string>& words) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && (is_letter_or_underscore(text[i]) || is_digit(text[i]))) ++i;
    const bool follows = begin > 0 && text[begin - 1] == '.';
    if (i > begin && is_letter_or_underscore(text[begin]) && !follows) {
      words.insert(text.substr(begin, i - begin));
    }
    if (i == begin) ++i;
  }
}

std::optional<double> value_in(const Scope& scope, const std::string& name) {
  const auto found = std::find(scope.names().begin(), scope.names().end(), name);
  if (found == scope.names().end()) return std::nullopt;
  return scope.values()[static_cast<std::size_t>(found - scope.names().begin())];
}

// of a probe or a scope, with those of the instances around it
void check_name(const JsonCursor& cursor, const std::string& name) {
  if (name.empty() || std::any_of(name.begin(), name.end(), is_control)) {
    cursor.fail("a name has a character or more, none of them a control character");
  }
}

CurveKey::Handle read_handle(const JsonCursor& cursor) {
  if (!cursor.is_array() || cursor.size() != 2) {
    cursor.fail("expected [x, value], from the key to the end of the handle");
  }
  return {cursor[0].number(), cursor[1].number()};
}

Interpolation read_interpolation(const JsonCursor& cursor) {
  using enum Interpolation;
  return read_word(cursor, "interpolation", parse_interpolation, {linear, smooth, bezier, step});
}

Extension read_extension(const JsonCursor& cursor) {
  using enum Extension;
  return read_word(cursor, "extension", parse_extension, {hold, repeat, extend});
}

CurveKey read_key(const JsonCursor& cursor, Interpolation interpolation) {
  CurveKey key;
  key.interpolation = interpolation;
  if (cursor.is_array()) {
    if (cursor.size() != 2) cursor.fail("expected [x, value] or an object");
    key.x = cursor[0].number(), key.value = cursor[1].number();
    return key;
  }
  cursor.expect_keys(scene_keys(SceneObject::curve_key));
  key.x = cursor.need("x").number();
  key.value = cursor.need("value").number();
  if (const auto word = cursor.find("interpolation")) key.interpolation = read_interpolation(*word);
  if (const auto left = cursor.find("left")) key.left = read_handle(*left);
  if (const auto right = cursor.find("right")) key.right = read_handle(*right);
  return key;
}

}  // namespace

std::string FormulaNotes::place(const JsonCursor& cursor) {
  const std::string in = cursor.instance();
  return places_.of(cursor.value()) + (in.empty() ? "" : " (in instance '" + in + "')");
}

void FormulaNotes::add(const JsonCursor& cursor, const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos) cursor.fail("expected a formula");
  if (text.starts_with('=')) cursor.fail("a live formula does not begin with '='");
  if (std::any_of(text.begin(), text.end(), is_control)) {
    cursor.fail("a formula stands on one line, without control characters");
  }
  if (text.size() > max_expression_length) {
    cursor.fail(fmt::format("a formula has at most {} characters", max_expression_length));
  }
  characters_ += text.size();
  if (characters_ > max_formula_characters) {
    cursor.fail(fmt::format("the formulas of the scene have more than {} characters",
                            max_formula_characters));
  }
  add_words(text, words_);
}

std::set<std::string> FormulaNotes::take_words() { return std::exchange(words_, {}); }

bool is_formula(const JsonCursor& cursor) {
  return cursor.is_object() || (cursor.is_string() && !cursor.is_number());
}

SceneFormula read_formula(const JsonCursor& cursor, const Surroundings& around) {
  SceneFormula formula{"", scope_of(around), around.formulas->place(cursor)};
  if (cursor.is_object()) {
    cursor.expect_keys(scene_keys(SceneObject::formula));
    formula.text = cursor.need("formula").word();
    if (const auto scope = cursor.find("scope")) {
      formula.scope = around.full_name(*scope, scope->word());
      check_name(*scope, formula.scope);
    }
  } else {
    if (!is_formula(cursor)) cursor.fail("expected a formula \"...\"");
    formula.text = cursor.word();
  }
  around.formulas->add(cursor, formula.text);
  return formula;
}

bool is_vector_formula(const JsonCursor& cursor) {
  if (!cursor.is_array()) return is_formula(cursor);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    if (is_formula(cursor[i])) return true;
  }
  return false;
}

std::vector<SceneFormula> read_vector_formula(const JsonCursor& cursor,
                                              const Surroundings& around) {
  if (is_formula(cursor)) return {read_formula(cursor, around)};
  if (!cursor.is_array() || cursor.size() != 3) {
    cursor.fail("expected a formula that gives a vector, or three formulas or numbers");
  }
  std::vector<SceneFormula> three;
  for (std::size_t i = 0; i < 3; ++i) {
    const JsonCursor item = cursor[i];
    three.push_back(is_formula(item) ? read_formula(item, around)
                                     : constant_formula(item.number()));
  }
  return three;
}

SceneFormula constant_formula(double x) { return {fmt::format("{}", x), "", ""}; }

void DefinitionReader::read(const JsonCursor& group, const Surroundings& around) {
  const auto each = [&](const char* key, auto read_one) {
    const auto map = group.find(key);
    if (!map) return;
    map->expect_object();
    if (scene_.definitions.size() + scene_.probes.size() + map->size() > max_scene_elements) {
      map->fail(fmt::format("more than {} definitions and probes", max_scene_elements));
    }
    for (std::size_t i = 0; i < map->size(); ++i) {
      (this->*read_one)((*map)[i], map->value().keys[i], around);
    }
  };
  each("variables", &DefinitionReader::read_variable);
  each("functions", &DefinitionReader::read_function);
  each("curves", &DefinitionReader::read_curve);
  each("probes", &DefinitionReader::read_probe);
}

// The name and the scope from "k" or "arm.k".
SceneDefinition DefinitionReader::begin(const JsonCursor& item, const std::string& key,
                                        const Surroundings& around) {
  SceneDefinition definition;
  const std::string full = around.full_name(item, key);
  const std::size_t dot = full.rfind('.');
  definition.name = full.substr(dot == std::string::npos ? 0 : dot + 1);
  definition.formula.scope = dot == std::string::npos ? "" : full.substr(0, dot);
  definition.formula.place = around.formulas->place(item);
  if (!is_free_name(definition.name) || full == "t") {
    item.fail(
        fmt::format("'{:.64}' cannot be defined: letters, digits and '_', not a number, t, "
                    "pi, deg, and, or, not",
                    definition.name));
  }
  if (value_in(item.scope(), definition.name) && scope_of(around) == definition.formula.scope) {
    item.fail(fmt::format("'{}' is a parameter already", definition.name));
  }
  if (!names_.insert(full).second) item.fail(fmt::format("'{}' is defined twice", full));
  return definition;
}

void DefinitionReader::read_variable(const JsonCursor& item, const std::string& key,
                                     const Surroundings& around) {
  SceneDefinition variable = begin(item, key, around);
  if (item.is_object()) {
    item.expect_keys(scene_keys(SceneObject::variable));
    variable.value = item.need("value").number();
    if (const auto range = item.find("range")) {
      const std::vector<double> ends = range->numbers(2);
      if (!(ends[0] < ends[1])) range->fail("the lower end must be below the upper end");
      if (!(*variable.value >= ends[0] && *variable.value <= ends[1])) {
        item.need("value").fail(fmt::format("is outside of its range {} to {}", ends[0], ends[1]));
      }
      variable.lower = ends[0], variable.upper = ends[1];
    }
  } else if (item.is_number()) {
    variable.value = item.number();
  } else if (item.is_string()) {
    variable.formula.text = item.word();
    around.formulas->add(item, variable.formula.text);
  } else {
    item.fail("expected a number, a formula \"...\" or {\"value\", \"range\"}");
  }
  scene_.definitions.push_back(std::move(variable));
}

void DefinitionReader::read_function(const JsonCursor& item, const std::string& key,
                                     const Surroundings& around) {
  const std::size_t parenthesis = key.rfind('(');
  if (parenthesis == std::string::npos) {
    item.fail(fmt::format("'{:.64}': a function is called \"name(x)\", with its parameters", key));
  }
  std::string name = key.substr(0, parenthesis);
  while (name.ends_with(' ')) name.pop_back();
  SceneDefinition function = begin(item, name, around);
  try {
    Definition header = read_definition("f" + key.substr(parenthesis) + "=0");
    function.parameters = std::move(header.parameters);
  } catch (const ExpressionError& e) {
    const std::string what = e.what();
    item.fail(fmt::format("'{:.64}': {}", key, what.substr(what.find(": ") + 2)));
  }
  function.is_function = true;
  if (!is_formula(item) || item.is_object()) item.fail("expected a formula \"...\"");
  function.formula.text = item.word();
  around.formulas->add(item, function.formula.text);
  scene_.definitions.push_back(std::move(function));
}

void DefinitionReader::read_curve(const JsonCursor& item, const std::string& key,
                                  const Surroundings& around) {
  SceneDefinition curve = begin(item, key, around);
  item.expect_keys(scene_keys(SceneObject::curve));
  const auto word = item.find("interpolation");
  const Interpolation standard = word ? read_interpolation(*word) : Interpolation::linear;
  if (const auto before = item.find("before")) curve.before = read_extension(*before);
  if (const auto after = item.find("after")) curve.after = read_extension(*after);
  const JsonCursor keys = item.need("keys");
  keys.expect_array(max_curve_keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    curve.keys.push_back(read_key(keys[i], standard));
  }
  try {
    const Curve trial(curve.keys, curve.before, curve.after);
  } catch (const CurveError& e) {
    keys.fail(e.what());
  }
  scene_.definitions.push_back(std::move(curve));
}

void DefinitionReader::read_probe(const JsonCursor& item, const std::string& key,
                                  const Surroundings& around) {
  check_name(item, key);
  SceneProbe probe{around.full_name(item, key), read_formula(item, around)};
  if (!probe_names_.insert(probe.name).second) {
    item.fail(fmt::format("probe '{}' is defined twice", probe.name));
  }
  scene_.probes.push_back(std::move(probe));
  probe_at_.push_back(&item.value());
}

void DefinitionReader::add_constant(const JsonCursor& group, const Surroundings& around,
                                    const std::string& name, double value) {
  if (!names_.insert(around.full_name(group, name)).second) return;
  SceneDefinition constant;
  constant.name = name;
  constant.formula = constant_formula(value);
  constant.formula.scope = scope_of(around);
  constant.formula.place = around.formulas->place(group);
  scene_.definitions.push_back(std::move(constant));
}

void DefinitionReader::add_parameters(const JsonCursor& group, const Surroundings& around,
                                      const Scope& outside) {
  for (const std::string& word : around.formulas->take_words()) {
    const std::optional<double> value = value_in(group.scope(), word);
    if (!value) continue;
    if (value == value_in(outside, word)) {
      outside_words_.insert(word);
    } else {
      add_constant(group, around, word, *value);
    }
  }
}

void DefinitionReader::add_outside_parameters(const JsonCursor& top, const Surroundings& around) {
  for (const std::string& word : outside_words_) {
    add_constant(top, around, word, *value_in(top.scope(), word));
  }
}

void DefinitionReader::check_probe_names(const JsonDocument& document) const {
  std::unordered_set<std::string> owners;  // of columns "owner.x"
  for (const SceneBody& body : scene_.bodies) owners.insert(body.name);
  for (const SceneJoint& joint : scene_.joints) owners.insert(joint.name);
  const std::set<std::string, std::less<>> parts{"x",       "y",       "z",      "qw",    "qx",
                                                 "qy",      "qz",      "v",      "force", "joint",
                                                 "force.x", "force.y", "force.z"};
  const auto is_part = [&](const std::string& part) {
    const std::string number = part.substr(part.starts_with('v') ? 1 : 0);
    return parts.contains(part) || std::all_of(number.begin(), number.end(), is_digit);
  };
  for (std::size_t i = 0; i < scene_.probes.size(); ++i) {
    const std::string& name = scene_.probes[i].name;
    bool taken = owners.contains(name) || name.ends_with(".work") ||
                 std::find(std::begin(whole_columns), std::end(whole_columns), name) !=
                     std::end(whole_columns);
    for (std::size_t dot = name.find('.'); dot != std::string::npos;
         dot = name.find('.', dot + 1)) {
      const std::string owner = name.substr(0, dot), part = name.substr(dot + 1);
      taken = taken || (owners.contains(owner) && is_part(part)) ||
              (probe_names_.contains(owner) && (part == "x" || part == "y" || part == "z"));
    }
    if (!taken) continue;
    fail(document, *probe_at_[i],
         fmt::format("probe '{}' has the name of a column that every recording has", name));
  }
}

std::string_view to_string(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::smooth:
      return "smooth";
    case Interpolation::bezier:
      return "bezier";
    case Interpolation::step:
      return "step";
    default:
      return "linear";
  }
}

std::string_view to_string(Extension extension) {
  switch (extension) {
    case Extension::repeat:
      return "repeat";
    case Extension::extend:
      return "extend";
    default:
      return "hold";
  }
}

std::optional<Interpolation> parse_interpolation(std::string_view word) {
  using enum Interpolation;
  for (const Interpolation i : {linear, smooth, bezier, step}) {
    if (word == to_string(i)) return i;
  }
  return std::nullopt;
}

std::optional<Extension> parse_extension(std::string_view word) {
  using enum Extension;
  for (const Extension e : {hold, repeat, extend}) {
    if (word == to_string(e)) return e;
  }
  return std::nullopt;
}

}  // namespace molejo

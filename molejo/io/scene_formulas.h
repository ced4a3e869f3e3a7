// The live formulas of a native scene file: "force": "-k*ball.x". A text that begins with "=" is
// computed while the file is read; any other, where a number could stand, while the scene runs.
//
// Inside an instance "arm" the names of a formula are looked for in arm first, then around it. The
// numbers among its parameters that formulas use become constants "arm.name".
#pragma once

#include <set>
#include <unordered_set>

#include "molejo/io/scene_elements.h"

namespace molejo {

inline constexpr std::size_t max_formula_characters = 16'000'000;  // of a scene, with every copy

// What is remembered over all formulas of a file.
class FormulaNotes {
 public:
  explicit FormulaNotes(const JsonDocument& document) : places_(document) {}

  // "file:line: /pointer (in instance 'arm')".
  std::string place(const JsonCursor& cursor);
  // Counts the text, and the words in it.
  void add(const JsonCursor& cursor, const std::string& text);
  // The words of the formulas since the last call that may be parameters.
  std::set<std::string> take_words();

 private:
  JsonPlaces places_;
  std::size_t characters_ = 0;
  std::set<std::string> words_;
};

// Is this a formula: a text without "=" at its beginning, or {"formula", "scope"}?
bool is_formula(const JsonCursor& cursor);
SceneFormula read_formula(const JsonCursor& cursor, const Surroundings& around);
// One formula that gives a vector, or a list of three, where numbers may stand among formulas.
std::vector<SceneFormula> read_vector_formula(const JsonCursor& cursor, const Surroundings& around);
// Is this one of the two? A list of numbers alone is not.
bool is_vector_formula(const JsonCursor& cursor);
// A number as a formula, with the digits that read back exactly.
SceneFormula constant_formula(double x);

// The keys "variables", "functions", "curves" and "probes" of a scene or an assembly, and the
// parameters that formulas use.
class DefinitionReader {
 public:
  explicit DefinitionReader(Scene& scene) : scene_(scene) {}
  void read(const JsonCursor& group, const Surroundings& around);
  // After all formulas of the group: constants from the parameters among their words.
  void add_parameters(const JsonCursor& group, const Surroundings& around, const Scope& outside);
  // After all groups: those of the scene itself.
  void add_outside_parameters(const JsonCursor& top, const Surroundings& around);
  // After all names: refuses a probe that is called like another column of a recording.
  void check_probe_names(const JsonDocument& document) const;

 private:
  SceneDefinition begin(const JsonCursor& item, const std::string& key, const Surroundings& around);
  void read_variable(const JsonCursor& item, const std::string& key, const Surroundings& around);
  void read_function(const JsonCursor& item, const std::string& key, const Surroundings& around);
  void read_curve(const JsonCursor& item, const std::string& key, const Surroundings& around);
  void read_probe(const JsonCursor& item, const std::string& key, const Surroundings& around);
  void add_constant(const JsonCursor& group, const Surroundings& around, const std::string& name,
                    double value);

  Scene& scene_;
  std::unordered_set<std::string> names_, probe_names_;
  std::vector<const JsonValue*> probe_at_;
  std::set<std::string> outside_words_;
};

// The columns of a recording about the whole scene.
inline constexpr const char* whole_columns[] = {"t",     "kinetic", "gravity", "elastic",
                                                "total", "px",      "py",      "pz",
                                                "lx",    "ly",      "lz",      "constraint_error"};

// Back to text. Numbers among formulas are written as numbers where that reads back the same.
JsonValue formula_value(const SceneFormula& formula);
JsonValue vector_value(const std::vector<SceneFormula>& formulas);
// "variables", "functions", "curves" and "probes".
void put_definitions(JsonValue& top, const Scene& scene);
// A name as it must be written for JsonCursor::word: with its braces doubled.
std::string doubled_braces(const std::string& name);

std::string_view to_string(Interpolation interpolation);
std::string_view to_string(Extension extension);
std::optional<Interpolation> parse_interpolation(std::string_view word);
std::optional<Extension> parse_extension(std::string_view word);

}  // namespace molejo

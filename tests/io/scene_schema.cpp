// docs/scene.schema.json, docs/scene.md and the reader must tell the same story.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/io/scene_keys.h"
#include "molejo/model/error.h"
#include "tests/support/places.h"

using namespace molejo;
using nlohmann::json;

namespace {

json read_json(const std::string& path) {
  return json::parse(read_file(path), nullptr, true, true);
}

const json& schema() {
  static const json root = read_json(test::source_dir() + "/docs/scene.schema.json");
  return root;
}

// A validator for the part of JSON Schema (2020-12) that our schema uses; a keyword it does not
// know is an error, so that nothing in the schema goes unchecked.
class Validator {
 public:
  bool valid(const json& value, const json& rule) {
    for (const auto& [keyword, argument] : rule.items()) {
      if (!holds(value, keyword, argument, rule)) return false;
    }
    return true;
  }

 private:
  static bool has_type(const json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
  }
  bool count_valid(const json& value, const json& rules, int& count) {
    count = 0;
    for (const json& rule : rules) count += valid(value, rule) ? 1 : 0;
    return count > 0;
  }

  bool holds(const json& value, const std::string& keyword, const json& argument,
             const json& rule) {
    int count = 0;
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" ||
        keyword == "description")
      return true;
    if (keyword == "$ref")
      return valid(value, schema().at(json::json_pointer(argument.get<std::string>().substr(1))));
    if (keyword == "anyOf") return count_valid(value, argument, count);
    if (keyword == "oneOf") return count_valid(value, argument, count) && count == 1;
    if (keyword == "allOf")
      return count_valid(value, argument, count) && count == static_cast<int>(argument.size());
    if (keyword == "not") return !valid(value, argument);
    if (keyword == "enum")
      return std::find(argument.begin(), argument.end(), value) != argument.end();
    if (keyword == "const") return value == argument;
    if (keyword == "type") {
      if (argument.is_string()) return has_type(value, argument);
      return std::any_of(argument.begin(), argument.end(),
                         [&](const json& t) { return has_type(value, t); });
    }
    if (value.is_object()) return object_holds(value, keyword, argument, rule);
    if (value.is_array()) return array_holds(value, keyword, argument);
    if (value.is_string()) return text_holds(value, keyword, argument);
    if (value.is_number()) return number_holds(value, keyword, argument);
    return is_known(keyword);
  }

  bool object_holds(const json& value, const std::string& keyword, const json& argument,
                    const json& rule) {
    if (keyword == "required") {
      return std::all_of(argument.begin(), argument.end(),
                         [&](const json& k) { return value.contains(k.get<std::string>()); });
    }
    if (keyword == "maxProperties") return value.size() <= argument;
    for (const auto& [key, item] : value.items()) {
      const bool listed = rule.contains("properties") && rule["properties"].contains(key);
      if (keyword == "properties" && listed && !valid(item, argument[key])) return false;
      if (keyword == "propertyNames" && !valid(json(key), argument)) return false;
      if (keyword == "additionalProperties" && !listed) {
        if (argument.is_boolean() ? !argument.get<bool>() : !valid(item, argument)) return false;
      }
    }
    return is_known(keyword);
  }
  bool array_holds(const json& value, const std::string& keyword, const json& argument) {
    if (keyword == "minItems") return value.size() >= argument;
    if (keyword == "maxItems") return value.size() <= argument;
    if (keyword == "items") {
      return std::all_of(value.begin(), value.end(),
                         [&](const json& item) { return valid(item, argument); });
    }
    return is_known(keyword);
  }
  bool text_holds(const json& value, const std::string& keyword, const json& argument) {
    const auto text = value.get<std::string>();
    if (keyword == "minLength") return text.size() >= argument;
    if (keyword == "maxLength") return text.size() <= argument;
    if (keyword == "pattern")
      return std::regex_search(text, std::regex(argument.get<std::string>()));
    return is_known(keyword);
  }
  bool number_holds(const json& value, const std::string& keyword, const json& argument) {
    if (keyword == "minimum") return value >= argument;
    if (keyword == "maximum") return value <= argument;
    if (keyword == "exclusiveMinimum") return value > argument;
    if (keyword == "exclusiveMaximum") return value < argument;
    return is_known(keyword);
  }
  static bool is_known(const std::string& keyword) {
    static const std::set<std::string> known{
        "required", "maxProperties", "properties", "propertyNames",    "additionalProperties",
        "minItems", "maxItems",      "items",      "minLength",        "maxLength",
        "pattern",  "minimum",       "maximum",    "exclusiveMinimum", "exclusiveMaximum"};
    if (!known.contains(keyword)) throw std::runtime_error("schema keyword " + keyword);
    return true;
  }
};

bool validates(const json& scene) { return Validator().valid(scene, schema()); }
bool validates(const std::string& text) {
  return validates(json::parse(text, nullptr, true, true));
}

// The blocks between ```json and ``` of a page.
std::vector<std::string> examples(const std::string& page) {
  std::vector<std::string> blocks;
  for (std::size_t at = 0;;) {
    const std::size_t begin = page.find("```json\n", at);
    if (begin == std::string::npos) return blocks;
    const std::size_t end = page.find("```", begin + 8);
    blocks.push_back(page.substr(begin + 8, end - begin - 8));
    at = end + 3;
  }
}

}  // namespace

TEST_CASE("schema: every object has the keys that the reader knows, and no other") {
  for (const SceneObject object : scene_objects()) {
    const std::string name(to_string(object));
    CAPTURE(name);
    REQUIRE(schema()["$defs"].contains(name));
    const json& definition = schema()["$defs"][name];
    CHECK(definition["additionalProperties"] == false);
    std::set<std::string> in_schema, in_reader;
    for (const auto& [key, rule] : definition["properties"].items()) in_schema.insert(key);
    for (const std::string& key : scene_keys(object)) in_reader.insert(key);
    CHECK(in_schema == in_reader);
  }
}

TEST_CASE("schema: words for joints, integrators and formulations are those of the reader") {
  const json& defs = schema()["$defs"];
  for (const json& word : defs["joint"]["properties"]["type"]["enum"])
    CHECK(parse_joint_type(word.get<std::string>()));
  CHECK(defs["joint"]["properties"]["type"]["enum"].size() == 9);
  for (const json& word : defs["method"]["enum"]) CHECK(parse_integrator(word.get<std::string>()));
  CHECK(defs["method"]["enum"].size() == 4);
  for (const json& word : defs["scene"]["properties"]["formulation"]["enum"])
    CHECK(parse_formulation(word.get<std::string>()));
  for (const json& word : defs["combination"]["enum"])
    CHECK(parse_combination(word.get<std::string>()));
  CHECK(defs["combination"]["enum"].size() == 5);
  const json& responses = defs["contact_pair"]["properties"]["response"]["enum"];
  for (const json& word : responses) CHECK(parse_response(word.get<std::string>()));
  CHECK(responses.size() == 4);
}

TEST_CASE("schema: shipped scenes validate") {
  int count = 0;
  for (const char* folder : {"/scenes", "/scenes/characters"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + folder)) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      CHECK(validates(read_file(entry.path().string())));
      ++count;
    }
  }
  CHECK(count >= 18);
}

TEST_CASE("schema: what the reader writes validates") {
  for (const char* folder : {"/scenes", "/scenes/characters"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + folder)) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      CHECK(validates(scene_text(read_scene(SourceFile::given(entry.path().string())))));
    }
  }
}

TEST_CASE("schema: refuses what the reader refuses") {
  for (
      const char* text :
      {R"([])",
       R"({"gravty": [0, 0, 0]})",
       R"({"gravity": [0, 0]})",
       R"({"fps": 0})",
       R"({"fps": "30"})",
       R"({"integrator": "euler"})",
       R"({"bodies": [{}]})",
       R"({"bodies": [{"name": ""}]})",
       R"({"bodies": [{"name": "a", "shape": {}}]})",
       R"({"bodies": [{"name": "a", "shape": {"sphere": 1, "box": 1}}]})",
       R"({"bodies": [{"name": "a", "shape": {"sphere": -1}}]})",
       R"({"bodies": [{"name": "a", "mass": 0}]})",
       R"({"bodies": [{"name": "a", "mass": 1, "density": 1}]})",
       R"({"bodies": [{"name": "a", "immobile": 1}]})",
       R"({"joints": [{"type": "hinge", "child": "a"}]})",
       R"({"joints": [{"type": "fixed"}]})",
       R"({"joints": [{"type": "revolute", "child": "a", "limits": [1]}]})",
       R"({"joints": [{"type": "revolute", "child": "a", "spring": {"stiffness": 1, "hertz": 1}}]})",
       R"({"bodies": [{"name": "a", "orientation": {"axis": [0, 0, 1]}}]})",
       R"({"bodies": [{"name": "a", "shape": {"capsule": {"radius": 1}}}]})",
       R"({"springs": [{"a": {}}]})",
       R"({"parameters": {"a b": 1}})",
       R"({"instances": [{}]})",
       R"({"camera": {"fov_deg": 200}})",
       R"({"variables": {"k": true}})",
       R"({"variables": {"k": {"range": [0, 1]}}})",
       R"({"functions": {"f": "1"}})",
       R"~({"functions": {"f(x)": 1}})~",
       R"({"curves": {"c": {}}})",
       R"({"curves": {"c": {"keys": [[0]]}}})",
       R"({"curves": {"c": {"keys": [[0, 1]], "interpolation": "cubic"}}})",
       R"({"probes": {"p": 1}})",
       R"({"probes": {"p": {"scope": "a"}}})",
       R"({"bodies": [{"name": "a"}], "forces": [{"body": "a", "force": ["t", 1]}]})",
       R"({"bodies": [{"name": "a"}], "forces": [{"body": "a", "force": "=1"}]})",
       R"({"bodies": [{"name": "a"}], "forces": [{"body": "a", "axes": "local", "force": "[t, 0, 0]"}]})",
       R"({"tables": ["a.out"]})",
       R"({"bodies": [{"name": "a"}], "tables": {"a": ""}})",
       R"({"legacy_angles": 1})",
       R"({"contact": 1})",
       R"({"contact": {"recovery": 1.5}})",
       R"({"contact": {"iterations": 0}})",
       R"({"contact": {"combine": {"friction": "harmonic"}}})",
       R"({"contact": {"pairs": [{"between": ["*"]}]}})",
       R"({"contact": {"pairs": [{"between": ["*", "*"], "response": "penalty"}]}})",
       R"({"contact": {"pairs": [{"between": ["*", "*"], "stiffness": 1}]}})",
       R"({"contact": {"sleep": {"speed": 0}}})",
       R"({"materials": {"ice": {"friction": -1}}})",
       R"({"bodies": [{"name": "a", "restitution": 2}]})",
       R"({"bodies": [{"name": "a", "shape": {"sphere": 1, "collides": 1}}]})",
       R"({"bodies": [{"name": "a", "group": ""}]})",
       R"({"bodies": [{"name": "a", "shape": {"height_field": {"heights": [[0, 1], [2, 3]]}}}]})",
       R"({"bodies": [{"name": "a", "shape": {"height_field": {"size": 1, "heights": [[0, 1]]}}}]})",
       R"({"bodies": [{"name": "a", "shape": {"height_field": {"size": 1, "image": "a.png"}}}]})",
       R"({"bodies": [{"name": "a", "shape": {"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}}}]})",
       R"({"bodies": [{"name": "a", "shape": {"mesh": {"parts": [[0, 1, 2, 3]]}}}]})",
       R"({"assemblies": {"a": {"contact": {"slop": 1}}}, "instances": [{"assembly": "a"}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(validates(std::string(text)));
    CHECK_THROWS_AS(parse_scene(text, "bad.json"), InputError);
  }
}

TEST_CASE("scene page: names every key, and its examples are scenes") {
  const std::string page = read_file(test::source_dir() + "/docs/scene.md");
  for (const SceneObject object : scene_objects()) {
    for (const std::string& key : scene_keys(object)) {
      CAPTURE(key);
      CHECK(page.find("`" + key + "`") != std::string::npos);
    }
  }
  const std::vector<std::string> blocks = examples(page);
  CHECK(blocks.size() >= 8);
  for (const std::string& block : blocks) {
    CAPTURE(block);
    CHECK_NOTHROW(
        parse_scene(block, SourceFile::given(test::source_dir() + "/scenes/example.json")));
    CHECK(validates(block));
  }
}

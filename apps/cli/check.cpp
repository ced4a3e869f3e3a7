// molejo check: what a file is, what it holds, what is wrong with it.
#include "apps/cli/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/given.h"
#include "molejo/model/error.h"
#include "molejo/net/net.h"

namespace molejo::cli {

namespace {

JsonValue to_json(const CheckOptions& options, FileKind kind, const Facts& facts) {
  JsonValue root = JsonValue::object();
  root.add("file", options.file);
  root.add("kind", std::string(to_string(kind)));
  root.add("name", facts.name);
  for (const Fact& fact : facts.list) root.add(fact.key, fact.value);
  JsonValue& warnings = root.add("warnings", JsonValue::array());
  for (const std::string& text : facts.warnings) warnings.items.emplace_back(text);
  return root;
}

void print(FileKind kind, const Facts& facts) {
  fmt::print("{}\n", facts.name.empty() ? to_string(kind) : facts.name);
  fmt::print("  {:<24}{}\n", "kind", to_string(kind));
  for (const Fact& fact : facts.list) {
    std::string label = fact.key;
    std::replace(label.begin(), label.end(), '_', ' ');
    fmt::print("  {:<24}{}\n", label, fact.text);
  }
}

}  // namespace

void Facts::add(const std::string& key, double value, const std::string& unit) {
  list.push_back({key, value, fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit)});
}
void Facts::add(const std::string& key, const std::string& value) {
  list.push_back({key, value, value});
}
void Facts::add(const std::string& key, bool value) {
  list.push_back({key, JsonValue::of(value), value ? "yes" : "no"});
}

int check(const CheckOptions& options) {
  const FileKind kind = kind_of_file(given(options.file));
  if (kind == FileKind::scene) return check_scene(options);
  if (options.names) throw InputError("--names: only a scene has formulas");
  if (options.units != UnitCheck::off) throw InputError("--units: only a scene has formulas");
  Facts facts;
  try {
    facts = facts_of(kind, options.file);
  } catch (const NetError& error) {
    throw InputError(options.file + ": " + error.what());
  } catch (const InputError& error) {
    // of another file that it names, or found out behind the reader
    const std::string text = error.what();
    throw InputError(text.starts_with(options.file) ? text : options.file + ": " + text);
  }
  if (options.json) {
    fmt::print("{}\n", pretty_text(to_json(options, kind, facts)));
  } else {
    print(kind, facts);
    print_warnings(facts.warnings);
  }
  return success;
}

}  // namespace molejo::cli

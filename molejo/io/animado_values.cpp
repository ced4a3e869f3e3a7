#include "molejo/io/animado_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goes_on(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.'; }

// Everything in a text that looks like a name: units and functions too, which nobody defines.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && goes_on(text[end])) ++end;
    if (end > i && begins_name(text[i])) names.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

}  // namespace

bool is_script_state(const std::string& name) {
  return std::find(std::begin(script_state_names), std::end(script_state_names), name) !=
         std::end(script_state_names);
}

ScriptValues::ScriptValues(const Script& script)
    : script_(script), zero_{"", "0", ""}, start_{"t", "0", ""} {
  for (const ScriptLine& line : script.globals) lines_[{-1, line.name}] = &line;
  for (std::size_t i = 0; i < script.actors.size(); ++i) {
    const int actor = static_cast<int>(i);
    actors_[script.actors[i].name] = actor;
    for (const char* name : script_state_names) lines_[{actor, name}] = &zero_;
    for (const ScriptLine& line : script.actors[i].lines) lines_[{actor, line.name}] = &line;
  }
  if (const ScriptLine* start = find(-1, "time_start")) start_ = {"t", "time_start", start->place};
  lines_[{-1, "t"}] = &start_;
}

const ScriptLine* ScriptValues::find(int actor, const std::string& name, bool or_global) const {
  const auto at = lines_.find({actor, name});
  if (at != lines_.end()) return at->second;
  return or_global && actor >= 0 ? find(-1, name) : nullptr;
}

std::optional<ScriptValues::Name> ScriptValues::resolve(int actor, const std::string& name) const {
  if (find(actor, name)) return Name{actor, name};
  if (find(-1, name)) return Name{-1, name};
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto other = actors_.find(name.substr(0, dot));
  if (other == actors_.end() || !find(other->second, name.substr(dot + 1))) return std::nullopt;
  return Name{other->second, name.substr(dot + 1)};
}

std::optional<double> ScriptValues::value(int actor, const std::string& name,
                                          bool or_global) const {
  if (!find(actor, name, or_global)) return std::nullopt;
  if (!find(actor, name)) actor = -1;
  // all lines that it needs
  std::vector<Name> needed{{actor, name}};
  std::set<Name> seen(needed.begin(), needed.end());
  std::vector<Definition> definitions;
  std::vector<const ScriptLine*> sources;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Name n = needed[i];
    const ScriptLine& line = *find(n.first, n.second);
    const std::string scope =
        n.first < 0 ? "" : script_.actors[static_cast<std::size_t>(n.first)].name;
    definitions.push_back({.name = n.second, .scope = scope, .text = line.text});
    sources.push_back(&line);
    read_ += line.text.size();
    if (read_ > max_script_bytes) {
      throw InputError(line.place + ": values of the start depend on too many others");
    }
    for (const std::string& word : names_in(line.text)) {
      const std::optional<Name> next = resolve(n.first, word);
      if (next && seen.insert(*next).second) needed.push_back(*next);
    }
  }
  const auto fail = [&](const TextPlace& place, const std::string& what) {
    const ScriptLine& line = *sources[place.in_definition ? place.index : 0];
    const std::string shown = line.text.size() > 60 ? line.text.substr(0, 57) + "..." : line.text;
    throw InputError(line.place + ": '" + shown + "': " + what);
  };
  const Formula wanted{.text = name, .scope = definitions[0].scope, .wanted = Wanted::number};
  try {
    const ExpressionProgram program = compile(definitions, {&wanted, 1}, NoNames());
    ExpressionWorkspace work(program);
    if (const auto wrong = first_non_finite(program, nullptr, work)) {
      fail(wrong->place, wrong->text);
    }
    const double result = output(program, 0, work);
    if (!std::isfinite(result)) fail({true, 0, 1}, "is not a finite number");
    return result;
  } catch (const ExpressionError& e) {
    fail(e.place, e.what());
  }
  return std::nullopt;
}

}  // namespace molejo

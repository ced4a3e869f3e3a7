// The numbers of a script at its start: fields of actors and globals, each evaluated once.
#pragma once

#include <map>

#include "molejo/io/animado_script.h"

namespace molejo {

// sx .. wz: position, angles, velocity, angular velocity.
inline constexpr const char* script_state_names[] = {"sx", "sy", "sz", "fix", "fiy", "fiz",
                                                     "vx", "vy", "vz", "wx",  "wy",  "wz"};
bool is_script_state(const std::string& name);

class ScriptValues {
 public:
  // Globals are those of actor -1.
  explicit ScriptValues(const Script& script);

  // The line that says it; of an actor that does not, with `or_global` the one for all.
  const ScriptLine* find(int actor, const std::string& name, bool or_global = false) const;

  // Its value; nothing when no line says it. Throws InputError when it depends on what only a run
  // knows, on itself, or is not finite.
  std::optional<double> value(int actor, const std::string& name, bool or_global = false) const;

 private:
  using Name = std::pair<int, std::string>;
  // What a name in a text of an actor stands for.
  std::optional<Name> resolve(int actor, const std::string& name) const;

  const Script& script_;
  std::map<Name, const ScriptLine*> lines_;
  std::map<std::string, int> actors_;
  ScriptLine zero_, start_;       // what is not said, and `t`
  mutable std::size_t read_ = 0;  // characters of expressions so far
};

}  // namespace molejo

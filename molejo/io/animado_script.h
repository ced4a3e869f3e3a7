// The lines of a script and of all that it includes, each with its file and line, by actors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/io/animado.h"

namespace molejo {

inline constexpr int max_script_nesting = 16;       // of includes
inline constexpr std::size_t max_script_name = 99;  // "actor.name" is one of a scene
inline constexpr std::size_t max_script_files = 4096;
inline constexpr std::size_t max_script_bytes = std::size_t{16} << 20;  // of all files
inline constexpr std::size_t max_script_lines = 60000;                  // that say something
inline constexpr std::size_t max_script_actors = 10000;

// "name text"; of FILE and FOLLOW the name is empty.
struct ScriptLine {
  std::string name, text;
  std::string place;  // "file:line"
};

struct ScriptActor {
  std::string name;
  std::string place;
  std::vector<ScriptLine> lines;
  std::optional<ScriptLine> output;  // FILE
  std::optional<ScriptLine> follow;  // FOLLOW, with the way from the script
};

struct Script {
  std::vector<ScriptLine> globals;
  std::vector<ScriptActor> actors;
};

// The text of the file that a line names. Throws InputError with the line's place.
std::string text_at(const AnimadoSource& source, const ScriptLine& file);

// Throws InputError "file:line: ...".
Script read_script(const AnimadoSource& source, const std::string& file);

// The lines of a text without their comments and the white space around, empty ones left out.
struct TextLine {
  std::string_view text;
  int number = 0;
};
std::vector<TextLine> lines_of(std::string_view text);

}  // namespace molejo

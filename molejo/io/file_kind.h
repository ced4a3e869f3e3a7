// What a file is, by its name and, where that says little, by what it holds: one table for all who
// open files of any kind.
#pragma once

#include <optional>
#include <string>

#include "molejo/io/file_scope.h"

namespace molejo {

enum class FileKind {
  scene,
  show,
  motion,
  gait,
  walk,
  net,
  character,
  // the studio shows those before
  terrain,
  mesh,
  heights,  // a grey picture
  training,
};
const char* to_string(FileKind kind);

// By the ending of its name alone; nothing where none is known.
std::optional<FileKind> kind_by_name(const std::string& file_name);

// The same, but .json and .xml are looked into. Throws InputError: no such file, no known kind.
FileKind kind_of_file(const SourceFile& file);

// ".show.json .motion.json ..." of the kinds that the studio shows.
std::string known_endings();

}  // namespace molejo

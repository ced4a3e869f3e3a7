// Files that the command line names, and what they in turn may name.
#pragma once

#include <string>
#include <vector>

#include "molejo/io/file_scope.h"

namespace CLI {
class App;
}

namespace molejo::cli {

// --root FOLDER, for a command that reads files.
void add_roots(CLI::App& command);
// Those that were given.
const std::vector<std::string>& given_roots();

// The scenes of the installed program, else those here, else those of the source tree in which the
// program was built; empty: none.
std::string own_scenes();

// A file of the command line, which may name files of all these folders too.
SourceFile given(const std::string& path);

}  // namespace molejo::cli

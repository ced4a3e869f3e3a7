// Directed scenes in files, NAME.show.json: docs/direct.md.
//
// Errors are InputError: "file:line: /pointer: value: what was expected". Scenes, nets, characters
// and gaits that it names are found beside the file.
#pragma once

#include <string>
#include <string_view>

#include "molejo/director/director.h"
#include "molejo/io/file_scope.h"

namespace molejo {

// `loader` gives the characters of walkers, instead of their files.
using CharacterLoader = std::function<motion::Character(const SourceFile& file)>;
Show parse_show(std::string_view text, const SourceFile& file, const CharacterLoader& loader = {});
Show load_show(const SourceFile& file, const CharacterLoader& loader = {});

// The firings of a counterexample: what `molejo net analyse --json` wrote (its first property with
// a trace, or a deadlock's), or a list of names, or of {"fire", "time"}.
std::vector<TraceStep> parse_trace(std::string_view text, const std::string& file, const Net& net);
std::vector<TraceStep> load_trace(const SourceFile& file, const Net& net);

}  // namespace molejo

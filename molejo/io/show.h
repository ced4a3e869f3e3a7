// Directed scenes in files, NAME.show.json: docs/direct.md.
//
// Errors are InputError: "file:line: /pointer: value: what was expected". Scenes, nets, characters
// and gaits that it names are found beside the file.
#pragma once

#include <string>
#include <string_view>

#include "molejo/director/director.h"
#include "molejo/io/file_scope.h"
#include "molejo/io/net_trace.h"

namespace molejo {

// `loader` gives the characters of walkers, instead of their files.
using CharacterLoader = std::function<motion::Character(const SourceFile& file)>;
Show parse_show(std::string_view text, const SourceFile& file, const CharacterLoader& loader = {});
Show load_show(const SourceFile& file, const CharacterLoader& loader = {});

}  // namespace molejo

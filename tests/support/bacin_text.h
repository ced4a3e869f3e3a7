// Bacin's files kept in memory, so that a test can change a word and read the scene again.
#pragma once

#include <map>
#include <string>

#include "molejo/io/bacin.h"

namespace molejo {

using TextFiles = std::map<std::string, std::string>;

// A small scene "s" that uses every field: a hanging tetrahedron, a second one hung from it, an
// immobile third, all joint kinds and both kinds of forces.
TextFiles bacin_sample();

// Replaces `from` (which must occur) in one file.
TextFiles with(TextFiles files, const std::string& file, const std::string& from,
               const std::string& to);

Scene parse(const TextFiles& files, const std::string& base = "s");
// The text of the InputError, or "no error".
std::string error_of(const TextFiles& files, const std::string& base = "s");

BacinSource source_of(const TextFiles& files);

}  // namespace molejo

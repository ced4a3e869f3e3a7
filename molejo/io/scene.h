// The native scene file: JSON with comments (docs/scene.md, docs/scene.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/file_scope.h"
#include "molejo/model/scene.h"

namespace molejo {

inline constexpr std::size_t max_scene_heights = 1'200'000;  // of all height fields together
inline constexpr std::size_t max_contact_pairs = 1000;
inline constexpr std::string_view any_body = "*";  // in a contact pair; no name of a body or group

// Errors are InputError: "file:line: /pointer: value: what was expected". `file` names the text in
// errors, and files that the scene refers to (OBJ) are found beside it.
Scene parse_scene(std::string_view text, const SourceFile& file);
Scene read_scene(const SourceFile& file);

// The scene as native text, every number with the digits to read it back exactly.
std::string scene_text(const Scene& scene);

}  // namespace molejo

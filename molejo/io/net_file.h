// Petri nets in files: the thesis's text language, Molejo's JSON, PNML, and state machines.
//
//   .pn            Bicho (2001), section 3.5: one record a line, "P name delay tokens"
//   .json          places, transitions, nets with parameters that refine places; or "states"
//   .pnml          ISO/IEC 15909-2, place/transition nets
//
// Readers throw InputError with file and line. Formats: docs/net.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file_scope.h"
#include "molejo/net/net.h"

namespace molejo {

// By the ending of the name.
Net load_net(const SourceFile& file);
void save_net(const std::string& path, const Net& net);
// What the format of that ending cannot hold of the net, one sentence each.
std::vector<std::string> lost_in_file(const std::string& path, const Net& net);

Net parse_net_text(std::string_view text, const std::string& file);
// Throws InputError when the net has what the language cannot say: events, interrupting arcs,
// weights of inhibitor arcs, names that are not words.
std::string net_text(const Net& net);

// Any of the JSON forms.
Net parse_net_json(std::string_view text, const SourceFile& file);
// Reading it back gives the same net. Refined places are written as such where the net still is
// what refining them gives, else flat.
std::string net_json(const Net& net);
std::optional<std::string> nested_net_json(const Net& net);  // only in the first case

Net parse_pnml(std::string_view text, const std::string& file);
std::string pnml_text(const Net& net);

}  // namespace molejo

// Text for SVG and HTML: what is not allowed there is escaped or replaced, never passed through.
#pragma once

#include <string>
#include <string_view>

namespace molejo {

// Escapes & < > " ' for element content and attribute values; control characters and bytes that
// are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// Is it UTF-8 that XML allows, without control characters but line ends and tabs? Then escaping and
// reading give it again.
bool is_markup_text(std::string_view text);

}  // namespace molejo

// Kinds of characters, whatever the locale.
#pragma once

namespace molejo {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_letter_or_underscore(char c) { return is_letter(c) || c == '_'; }

}  // namespace molejo

// nlohmann's JSON, for writers.
//
// Where memory runs out its values break before their destructors run, which it asserts: that ends
// the program, but as what nobody catches, not by a signal.
#pragma once

#include <exception>
#include <string>

#define JSON_ASSERT(x) ((x) ? void() : std::terminate())
#include <nlohmann/json.hpp>

namespace molejo {

// Bytes that are no UTF-8 are replaced.
inline std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace molejo

// nlohmann's JSON, for writers.
//
// Where memory runs out its values break before their destructors run, which it asserts: that ends
// the program, but as what nobody catches, not by a signal.
#pragma once

#include <exception>

#define JSON_ASSERT(x) ((x) ? void() : std::terminate())
#include <nlohmann/json.hpp>

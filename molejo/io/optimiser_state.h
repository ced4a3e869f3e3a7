// The state of an optimisation as JSON text: what was saved goes on with the same bits.
//
// Numbers have the fewest digits that read back exactly; what JSON has no number for is the text
// "inf", "-inf" or "nan". A file that is cut short, edited or of another kind gives an InputError
// that names the line; no content can make a reader crash.
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/json_cursor.h"
#include "molejo/optimise/multipliers.h"
#include "molejo/optimise/restarts.h"

namespace molejo {

inline constexpr int max_unknowns = 1000;

// As part of a larger document.
JsonValue to_json(const CmaState& state);
JsonValue to_json(const MultiplierState& state);
JsonValue to_json(const RestartState& state);
JsonValue to_json(const Solution& solution);
CmaState read_cma_state(const JsonCursor& at);
MultiplierState read_multiplier_state(const JsonCursor& at);
RestartState read_restart_state(const JsonCursor& at);
// Outputs may be none, and not finite.
Solution read_solution(const JsonCursor& at, std::size_t unknowns, std::size_t outputs);

// As a document of its own; `file` is the name for errors.
std::string optimiser_text(const CmaState& state);
std::string optimiser_text(const MultiplierState& state);
std::string optimiser_text(const RestartState& state);
CmaState parse_cma_state(std::string_view text, const std::string& file);
MultiplierState parse_multiplier_state(std::string_view text, const std::string& file);
RestartState parse_restart_state(std::string_view text, const std::string& file);

// Written beside the target and renamed: a run that is killed leaves the last or the new one.
void save_state(const std::string& path, const MultiplierState& state);
MultiplierState load_multiplier_state(const SourceFile& file);

}  // namespace molejo

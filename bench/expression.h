// Formulas: nanoseconds per evaluation, Molejo beside muParser when this machine has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace bench {

struct ExpressionRace {
  std::string name;
  int formulas = 1;                 // compiled together
  int operations = 0;               // of Molejo's code
  double molejo = 0, gradient = 0;  // ns: all values; all values and one gradient of each
  double compilation = 0;           // us
  std::optional<double> muparser{}, muparser_compilation{};
  std::string complaint{};  // when both do not give the same
};

// The best of many short passes, in turn.
std::vector<ExpressionRace> race_expressions(const Effort& effort);

std::string expression_text(const std::vector<ExpressionRace>& races);
std::string expression_json(const std::vector<ExpressionRace>& races);

}  // namespace bench

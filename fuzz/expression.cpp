// Any text either is an expression with a value, or ends in an ExpressionError.
#include "molejo/math/expression.h"

#include <array>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  static const std::array<std::string, 3> names{"a", "length", "i"};
  static const std::array<double, 3> values{0.5, 2, -3};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ExpressionCode code = parse_expression(text, names);
    const double value = evaluate(code, values);
    if (evaluate(code, values) != value && value == value) std::abort();
  } catch (const ExpressionError& e) {
    if (e.column < 1 || e.column > size + 1) std::abort();
  }
  return 0;
}

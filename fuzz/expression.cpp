// Any lines either are definitions, curves and formulas with values and gradients, or end in an
// ExpressionError at one of their columns.
//
//   name = text, name(a, b) = text   a definition      text   a formula
//   >scope                           of what follows   ~...   a curve c(x) from these bytes
#include "molejo/math/expression.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using namespace molejo;

class FuzzNames : public Names {
 public:
  std::optional<Symbol> find(std::string_view name) const override {
    if (name == "a") return Symbol{.slot = 0};
    if (name == "length") return Symbol{.slot = 1, .unit = dimension_of("m")};
    if (name == "ball.v") return Symbol{.slot = 2, .is_vector = true, .unit = dimension_of("m/s")};
    if (name == "i") return Symbol{.constant = std::array{3.0, 0.0, 0.0}};
    return std::nullopt;
  }
  std::vector<std::string> all() const override { return {"a", "length", "ball.v", "i"}; }
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
void need(bool fact) {
  if (!fact) std::abort();
}

// keys from bytes: x grows by the first of four, the others are value and shape
std::shared_ptr<const Curve> curve_from(std::string_view bytes) {
  std::vector<CurveKey> keys;
  double x = 0;
  for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
    const auto byte = [&](std::size_t k) { return static_cast<signed char>(bytes[i + k]); };
    x += byte(0) / 8.0;
    CurveKey key{.x = x, .value = static_cast<double>(byte(1))};
    key.interpolation = static_cast<Interpolation>(byte(2) & 3);
    key.right = {byte(3) / 4.0, static_cast<double>(byte(2))};
    key.left = {-byte(3) / 8.0, static_cast<double>(byte(1))};
    keys.push_back(key);
  }
  const auto extension = static_cast<Extension>((bytes.empty() ? 0 : bytes[0] & 0x7f) % 3);
  try {
    return std::make_shared<const Curve>(keys, extension, extension);
  } catch (const CurveError&) {
    return nullptr;
  }
}

void run(const ExpressionProgram& program, const std::array<double, 5>& inputs) {
  ExpressionWorkspace work(program), other(program);
  evaluate(program, inputs.data(), work);
  const bool is_finite = !first_non_finite(program, inputs.data(), other);
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const ExpressionProgram part = part_of(program, {&k, 1});
    need(part.code.size() <= program.code.size());
    ExpressionWorkspace alone(program);
    evaluate(part, inputs.data(), alone);
    const std::size_t components = program.outputs[k].is_vector ? 3 : 1;
    for (std::size_t c = 0; c < components; ++c) {
      const double value = output(program, k, work, c);
      need(same(value, output(part, 0, alone, c)));
      need(!is_finite || std::isfinite(value));
      double sum = 0;
      for (const double slope : gradient(program, k, c, work)) sum += slope;
      double part_sum = 0;
      for (const double slope : gradient(part, 0, c, alone)) part_sum += slope;
      // the part leaves out inputs whose derivative is 0
      need(same(sum, part_sum) || std::fabs(sum - part_sum) <= 1e-9 * std::fabs(sum));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<Definition> definitions;
  std::vector<Formula> formulas;
  std::string scope;
  try {
    while (!rest.empty() && definitions.size() + formulas.size() < 64) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const std::size_t equals = line.find('=');
      if (line.starts_with('>')) {
        scope = line.substr(1, 40);
      } else if (line.starts_with('~')) {
        if (auto curve = curve_from(line.substr(1))) {
          definitions.push_back({.name = "c", .scope = scope, .curve = curve});
        }
      } else if (equals != std::string_view::npos && line.substr(equals, 2) != "==" &&
                 line.find_first_of("<>!") > equals) {
        definitions.push_back(read_definition(line, scope));
      } else {
        formulas.push_back({.text = std::string(line), .scope = scope, .unit = dimension_of("N")});
      }
    }
    const FuzzNames names;
    const ExpressionProgram program = compile(definitions, formulas, names);
    check_units(definitions, formulas, names, size % 2 == 0);
    run(program, {0.5, 2, -3, 0.25, 1});
    run(program, {0, 0, 0, 0, 0});
    run(program, {-1e308, 1e-310, NAN, INFINITY, 1e16});
  } catch (const ExpressionError& e) {
    need(e.column >= 1 && e.column <= size + 1);
  }
  return 0;
}

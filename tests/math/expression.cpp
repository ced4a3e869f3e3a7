#include "molejo/math/expression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "tests/math/formulas.h"

using namespace molejo;

namespace {

const TestNames names{{"length", {{0.2}}},  {"gap", {{0.05}}},  {"i", {{7}}},
                      {"v", {{3, -4, 12}}}, {"w", {{1, 2, 3}}}, {"arm.elbow.angle", {{0.5}}},
                      {"ball.y", {{2.5}}},  {"e", {{2}}},       {"left foot.force", {{1, 5, 9}}}};

double value_of(const std::string& text) {
  const std::vector<double> values = values_of(text, names);
  CAPTURE(text);
  REQUIRE(values.size() == 1);
  return values[0];
}
std::string error(const std::string& text) { return error_of(text, names); }

using Vector = std::vector<double>;
Vector vector_of(const std::string& text) { return values_of(text, names); }

struct Row {
  const char* text;
  double value;
};
void check_rows(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(value_of(row.text) == row.value);
  }
}

}  // namespace

TEST_CASE("expression: operators bind as in mathematics") {
  check_rows({{"1 + 2 * 3", 7},
              {"(1 + 2) * 3", 9},
              {"10 - 4 - 3", 3},
              {"100 / 10 / 5", 2},
              {"2 ^ 3 ^ 2", 512},
              {"-2 ^ 2", -4},
              {"(-2) ^ 2", 4},
              {"2 ^ -1", 0.5},
              {"2 ^ -1 * 4", 2},
              {"2 * -3", -6},
              {"- - 3", 3},
              {"+3 - +1", 2},
              {"-2 * 3 + 10", 4},
              {"7 % 4 * 2", 6},
              {"-7 % 4", 1},
              {"7 % -4", -1},
              {"2 * 7 % 4", 2}});
}

TEST_CASE("expression: comparisons are 1 or 0 and bind looser than sums") {
  check_rows({{"1 + 1 < 3", 1},
              {"3 < 1 + 1", 0},
              {"2 <= 2", 1},
              {"2 >= 2", 1},
              {"2 > 2", 0},
              {"3 > 2", 1},
              {"2 == 2", 1},
              {"2 != 2", 0},
              {"(1 < 2) + 1", 2},
              {"not 1 < 2", 0},
              {"!1 + 5", 5},
              {"! 0", 1},
              {"not not 5", 1},
              {"1 < 2 and 2 < 3", 1},
              {"1 < 2 && 3 < 2", 0},
              {"0 or 5", 1},
              {"0 || 0", 0},
              {"1 or 0 and 0", 1},
              {"not 0 and 0", 0},
              {"3 and 4", 1},
              {"i > 5 ? 10 : 20", 10},
              {"i < 5 ? 10 : 20", 20},
              {"0 ? 1 : 0 ? 2 : 3", 3},
              {"1 ? 0 ? 4 : 5 : 6", 5},
              {"0 or 0 ? 1 : 2", 2},
              {"if(i == 7, 1, 2) + 1", 2},
              {"1 ? 2 : 3 + 4", 2}});
}

TEST_CASE("expression: numbers, names and constants") {
  check_rows({{"1.5e3", 1500},
              {".25", 0.25},
              {"2.", 2},
              {"1E-2", 0.01},
              {"0.1", 0.1},
              {"0.3e+1", 3},
              {"123456789012345678901234567890", 123456789012345678901234567890.0},
              {"9007199254740993", 9007199254740993.0},
              {"0.1234567890123456789", 0.1234567890123456789},
              {"1e-320", 1e-320},
              {"length / 2 + gap * i", 0.2 / 2 + 0.05 * 7},
              {"pi", std::numbers::pi},
              {"e^2", 4},
              {"\t 1\t+\n 1 ", 2},
              {"arm.elbow.angle * 2", 1},
              {"ball.y", 2.5},
              {"'ball'.y", 2.5},
              {"'left foot'.force.y", 5}});
}

TEST_CASE("expression: units follow a number, a name or a closing parenthesis") {
  check_rows({{"180 deg", radians(180)},
              {"-30 deg", -radians(30)},
              {"(10 + 20) deg", radians(30)},
              {"2 * 45 deg", 2 * radians(45)},
              {"i deg", radians(7)},
              {"5 N", 5},
              {"5N", 5},
              {"5 cm", 0.05},
              {"7 mm", 0.007},
              {"36 km/h", 10},
              {"9.81 m/s^2", 9.81},
              {"3 N*m", 3},
              {"2 kN/mm", 2e6},
              {"2 cm^2", 2e-4},
              {"4 ms^-1", 4000},
              {"3 kN*m/s^2/kg", 3000},
              {"1 turn", 2 * std::numbers::pi},
              {"5 g + 1 kg", 1.005},
              {"max(1, 2) cm", 0.02}});
  CHECK(value_of("30 rpm") == doctest::Approx(std::numbers::pi).epsilon(1e-15));
  CHECK(radians(180) == doctest::Approx(std::numbers::pi).epsilon(1e-15));
}

TEST_CASE("expression: a unit ends at a blank, at a name and at what is no unit") {
  const TestNames here{{"s", {{4}}}, {"g", {{10}}}, {"k", {{3}}}, {"m.a", {{8}}}};
  const auto value = [&](const char* text) { return values_of(text, here)[0]; };
  CHECK(value("8 m/s") == 2);  // s is a name here
  CHECK(value("8 m / s") == 2);
  CHECK(value("8 s") == 8);  // directly after a number it is the unit
  CHECK(value("2 kg*g") == 20);
  CHECK(value("2 kg*k") == 6);
  CHECK(value("2 m*m.a") == 16);
  CHECK(value("2 mm*min(3, 4)") == 0.006);
  CHECK(value("3 m^2") == 3);  // square metres
  CHECK(value("3 cm ^2") == 0.03 * 0.03);
  CHECK(value("3 m^k") == 27);
  CHECK(value("3 m^2.5") == std::pow(3, 2.5));
  CHECK(value("6 m/2") == 3);
  CHECK(error_of("8 m / kg", here) ==
        "column 7: unknown name 'kg'; did you mean 'g'? (a unit follows a number: 1 kg)");
}

TEST_CASE("expression: functions agree with the C library") {
  CHECK(value_of("sin(0.3)") == doctest::Approx(std::sin(0.3)).epsilon(1e-15));
  CHECK(value_of("cos(0.3)") == doctest::Approx(std::cos(0.3)).epsilon(1e-15));
  check_rows({{"tan(0.3)", std::tan(0.3)},
              {"asin(0.3)", std::asin(0.3)},
              {"acos(0.3)", std::acos(0.3)},
              {"atan(0.3)", std::atan(0.3)},
              {"atan2(1, -2)", std::atan2(1.0, -2.0)},
              {"sinh(0.3)", std::sinh(0.3)},
              {"cosh(0.3)", std::cosh(0.3)},
              {"tanh(0.3)", std::tanh(0.3)},
              {"sqrt(2)", std::sqrt(2.0)},
              {"cbrt(-8)", -2},
              {"abs(-3)", 3},
              {"sign(-3)", -1},
              {"sign(3)", 1},
              {"sign(0)", 0},
              {"floor(-1.5)", -2},
              {"ceil(-1.5)", -1},
              {"round(2.5)", 3},
              {"round(-2.5)", -3},
              {"exp(1)", std::exp(1.0)},
              {"log(10)", std::log(10.0)},
              {"log10(1000)", 3},
              {"pow(2, 10)", 1024},
              {"i^0.5", std::sqrt(7.0)},
              {"i^3", 343},
              {"i^4", 2401},
              {"i^2.5", std::pow(7, 2.5)},
              {"hypot(3, 4)", 5},
              {"mod(-7, 4)", 1},
              {"mod(5.5, 2)", 1.5},
              {"min(3, 1, 2)", 1},
              {"max(3, 1, 5, 2)", 5},
              {"min(4)", 4},
              {"clamp(5, 0, 3)", 3},
              {"clamp(-5, 0, 3)", 0},
              {"clamp(2, 0, 3)", 2},
              {"step(2, 1.5)", 0},
              {"step(2, 2)", 1},
              {"smoothstep(0, 4, -1)", 0},
              {"smoothstep(0, 4, 2)", 0.5},
              {"smoothstep(0, 4, 1)", 0.15625},
              {"smoothstep(0, 4, 9)", 1},
              {"mix(10, 20, 0.25)", 12.5},
              {"pulse(0.2, 0.25)", 1},
              {"pulse(-0.2, 0.25)", 0},
              {"pulse(7.3, 0.25)", 0},
              {"triangle(0)", 0},
              {"triangle(0.25)", 0.5},
              {"triangle(2.5)", 1},
              {"triangle(-0.25)", 0.5}});
}

TEST_CASE("expression: vectors") {
  CHECK(vector_of("v") == Vector{3, -4, 12});
  CHECK(vector_of("v + w") == Vector{4, -2, 15});
  CHECK(vector_of("v - w") == Vector{2, -6, 9});
  CHECK(vector_of("-v") == Vector{-3, 4, -12});
  CHECK(vector_of("2 * v") == Vector{6, -8, 24});
  CHECK(vector_of("v * i / 2") == Vector{10.5, -14, 42});
  CHECK(vector_of("[1, i, v.y]") == Vector{1, 7, -4});
  CHECK(vector_of("[1, 2, 3] cm") == Vector{0.01, 0.02, 0.03});
  CHECK(vector_of("cross([1, 0, 0], [0, 1, 0])") == Vector{0, 0, 1});
  CHECK(vector_of("cross(v, w)") == Vector{-36, 3, 10});
  CHECK(vector_of("normalize(v)") == Vector{3.0 / 13, -4.0 / 13, 12.0 / 13});
  CHECK(vector_of("normalize([0, 0, 0] * i)") == Vector{0, 0, 0});
  CHECK(vector_of("mix(v, w, 0.5)") == Vector{2, -1, 7.5});
  CHECK(vector_of("i > 3 ? v : w") == Vector{3, -4, 12});
  check_rows({{"v.x", 3},
              {"v.z", 12},
              {"(v + w).y", -2},
              {"cross(v, w).z", 10},
              {"[4, 5, 6].y", 5},
              {"dot(v, w)", 31},
              {"norm(v)", 13},
              {"norm([0, 0, 0] * i)", 0}});
}

TEST_CASE("expression: the norm of huge and of tiny vectors is a number") {
  CHECK(value_of("norm(v * 1e200)") == doctest::Approx(13e200).epsilon(1e-15));
  CHECK(value_of("norm(v * 1e-200)") == doctest::Approx(13e-200).epsilon(1e-15));
  CHECK(std::isinf(value_of("norm([1/0, 0, 0])")));
}

TEST_CASE("expression: types are checked, and the column is that of the wrong value") {
  CHECK(error("1 + v") == "column 3: a number + a vector");
  CHECK(error("v - 1") == "column 3: a vector - a number");
  CHECK(error("v * w") == "column 3: a vector * a vector: use dot(a, b) or cross(a, b)");
  CHECK(error("2 / v") == "column 5: a vector, where a number is expected");
  CHECK(error("2 ^ (v)") == "column 6: a vector, where a number is expected");
  CHECK(error("i + sin(v)") == "column 9: a vector, where a number is expected");
  CHECK(error("norm(i)") == "column 6: a number, where a vector is expected");
  CHECK(error("i.x") == "column 1: a number, where a vector is expected");
  CHECK(error("[v, 1, 2]") == "column 2: a vector, where a number is expected");
  CHECK(error("v < w") == "column 1: a vector, where a number is expected");
  CHECK(error("i ? v : 1") == "column 3: one branch is a vector, the other a number");
  CHECK(error("v ? 1 : 2") == "column 1: a vector, where a number is expected");
  CHECK(error_of("v", names, {}, "", Wanted::number) ==
        "column 1: a vector, where a number is expected");
  CHECK(error_of("2 * i", names, {}, "", Wanted::vector) ==
        "column 3: a number, where a vector is expected");
}

TEST_CASE("expression: arithmetic is IEEE") {
  CHECK(std::isinf(value_of("1 / 0")));
  CHECK(std::isnan(value_of("sqrt(-1)")));
  CHECK(std::isnan(value_of("min(1, sqrt(-1), 0)")));
  CHECK(std::isnan(value_of("max(sqrt(-1), 2)")));
  CHECK(value_of("i == 7 ? 1 : 1 / 0") == 1);
  CHECK(std::signbit(value_of("-(i - 7)")));
}

TEST_CASE("expression: errors name the column and the nearest word") {
  CHECK(error("lenght / 2") == "column 1: unknown name 'lenght'; did you mean 'length'?");
  CHECK(error("1 + sine(2)") == "column 5: unknown function 'sine'; did you mean 'sin'?");
  CHECK(error("arm.elbw.angle") ==
        "column 1: unknown name 'arm.elbw.angle'; did you mean 'arm.elbow.angle'?");
  CHECK(error("sin + 1") == "column 1: function 'sin' needs '(' after it");
  CHECK(error("") == "column 1: the expression ends, expected a number, a name or '('");
  CHECK(error("1 +") == "column 4: the expression ends, expected a number, a name or '('");
  CHECK(error("1 2") == "column 3: unexpected '2', expected an operator or the end");
  CHECK(error("2 length") == "column 3: unexpected 'length', expected an operator or the end");
  CHECK(error("(1 + 2") == "column 7: the expression ends, expected ')'");
  CHECK(error("1 + 2)") == "column 6: unexpected ')', expected an operator or the end");
  CHECK(error("* 2") == "column 1: unexpected '*', expected a number, a name or '('");
  CHECK(error("deg") == "column 1: unexpected 'deg', expected a number, a name or '('");
  CHECK(error("1 + and") == "column 5: unexpected 'and', expected a number, a name or '('");
  CHECK(error("atan2(1)") == "column 1: function 'atan2' takes 2, given 1");
  CHECK(error("sin(1, 2)") == "column 1: function 'sin' takes 1, given 2");
  CHECK(error("noise(1, 2, 3, 4)") == "column 1: function 'noise' takes 1 to 3, given 4");
  CHECK(error("1 $ 2") == "column 3: unexpected character '$'");
  CHECK(error("1 = 2") == "column 3: unexpected '='; a comparison is written '=='");
  CHECK(error("1 < 2 < 3") == "column 7: comparisons do not chain: write a < b and b < c");
  CHECK(error("1 + \x01") == "column 5: unexpected character code 1");
  CHECK(error("1e999") == "column 1: number too large");
  CHECK(error("length(2)") == "column 1: 'length' is a name, not a function");
  CHECK(error("'left") == "column 1: the name has no closing quote");
  CHECK(error("1 + ''") == "column 5: a name must not be empty");
  CHECK(error("(v).w") == "column 5: unexpected 'w', expected x, y or z");
  CHECK(error("1 ? 2") == "column 6: the expression ends, expected ':'");
  CHECK(error("[1, 2]") == "column 6: unexpected ']', expected ','");
}

TEST_CASE("expression: length and nesting are bounded") {
  CHECK(error(std::string(5000, '1')) == "column 1: longer than 4096 characters");
  CHECK(error(std::string(200, '(') + "1" + std::string(200, ')')) ==
        "column 65: nested deeper than 64 levels");
  CHECK(error(std::string(200, '-') + "1") == "column 65: nested deeper than 64 levels");
  CHECK(error(std::string(200, '!') + "1") == "column 65: nested deeper than 64 levels");
  CHECK(value_of(std::string(60, '(') + "1" + std::string(60, ')')) == 1);

  std::string sum = "i", wide = "max(1";
  for (int n = 0; n < 1000; ++n) sum += "+1";
  for (int n = 0; n < 1000; ++n) wide += "," + std::to_string(n);
  CHECK(value_of(sum) == 1007);
  CHECK(value_of(wide + ")") == 999);
}

TEST_CASE("expression: names that may be defined") {
  CHECK(is_free_name("length"));
  CHECK(is_free_name("_a1"));
  CHECK(is_free_name("step"));  // functions and names do not meet
  CHECK(is_free_name("m"));
  for (const char* word : {"", "1a", "a b", "a.b", "pi", "deg", "and", "or", "not"}) {
    CAPTURE(word);
    CHECK_FALSE(is_free_name(word));
  }
}

TEST_CASE("expression: a name with a fixed value leaves no code") {
  class Fixed : public NoNames {
    std::optional<Symbol> find(std::string_view name) const override {
      if (name != "a") return std::nullopt;
      return Symbol{.constant = std::array{4.0, 0.0, 0.0}};
    }
  };
  const Formula formula{.text = "3 * a + sqrt(a)"};
  const ExpressionProgram program = compile({}, {&formula, 1}, Fixed());
  CHECK(program.code.empty());
  CHECK(program.inputs.empty());
  CHECK(evaluate_number("3 * a + sqrt(a)", Fixed()) == 14);
  CHECK(std::isinf(evaluate_number("a / 0", Fixed())));
  CHECK_THROWS_WITH_AS(evaluate_number("2 * length", names),
                       "column 5: 'length' changes, where a constant is expected", ExpressionError);
}

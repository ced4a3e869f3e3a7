#include "molejo/math/expression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

using namespace molejo;

namespace {

const std::vector<std::string> names{"length", "gap", "i"};
const std::vector<double> values{0.2, 0.05, 7};

double value_of(const std::string& text) { return evaluate(parse_expression(text, names), values); }

std::string error_of(const std::string& text) {
  try {
    parse_expression(text, names);
  } catch (const ExpressionError& e) {
    return e.what();
  }
  return "no error";
}

// An expression in full parentheses with its value, computed beside the text.
struct Sample {
  std::string text;
  double value;
};

Sample random_expression(std::mt19937& random, int depth) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    const int pick = below(4);
    if (pick < 3)
      return {names[static_cast<std::size_t>(pick)], values[static_cast<std::size_t>(pick)]};
    const int n = below(100);
    return {std::to_string(n) + ".5", n + 0.5};
  }
  const Sample a = random_expression(random, depth - 1), b = random_expression(random, depth - 1);
  switch (below(6)) {
    case 0:
      return {"(" + a.text + " + " + b.text + ")", a.value + b.value};
    case 1:
      return {"(" + a.text + "-" + b.text + ")", a.value - b.value};
    case 2:
      return {"(" + a.text + "*" + b.text + ")", a.value * b.value};
    case 3:
      return {"(" + a.text + " / " + b.text + ")", a.value / b.value};
    case 4:
      return {"max(" + a.text + ", " + b.text + ")", a.value > b.value ? a.value : b.value};
    default:
      return {"-(" + a.text + ")", -a.value};
  }
}

}  // namespace

TEST_CASE("expression: operators bind as in mathematics") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("10 - 4 - 3") == 3);
  CHECK(value_of("100 / 10 / 5") == 2);
  CHECK(value_of("2 ^ 3 ^ 2") == 512);
  CHECK(value_of("-2 ^ 2") == -4);
  CHECK(value_of("(-2) ^ 2") == 4);
  CHECK(value_of("2 ^ -1") == 0.5);
  CHECK(value_of("2 ^ -1 * 4") == 2);
  CHECK(value_of("2 * -3") == -6);
  CHECK(value_of("- - 3") == 3);
  CHECK(value_of("+3 - +1") == 2);
  CHECK(value_of("-2 * 3 + 10") == 4);
}

TEST_CASE("expression: numbers, names and constants") {
  CHECK(value_of("1.5e3") == 1500);
  CHECK(value_of(".25") == 0.25);
  CHECK(value_of("2.") == 2);
  CHECK(value_of("1E-2") == 0.01);
  CHECK(value_of("0.1") == 0.1);
  CHECK(value_of("length / 2 + gap * i") == 0.2 / 2 + 0.05 * 7);
  CHECK(value_of("pi") == std::numbers::pi);
  CHECK(value_of("\t 1\t+ 1 ") == 2);
}

TEST_CASE("expression: 'deg' turns degrees into radians and binds tightest") {
  CHECK(value_of("180 deg") == radians(180));
  CHECK(radians(180) == doctest::Approx(std::numbers::pi).epsilon(1e-15));
  CHECK(value_of("-30 deg") == -radians(30));
  CHECK(value_of("(10 + 20) deg") == radians(30));
  CHECK(value_of("2 * 45 deg") == 2 * radians(45));
  CHECK(value_of("i deg") == radians(7));
  CHECK(value_of("sin(30 deg)") == doctest::Approx(0.5).epsilon(1e-15));
}

TEST_CASE("expression: functions agree with the C library") {
  CHECK(value_of("sin(0.3)") == doctest::Approx(std::sin(0.3)).epsilon(1e-15));
  CHECK(value_of("cos(0.3)") == doctest::Approx(std::cos(0.3)).epsilon(1e-15));
  CHECK(value_of("tan(0.3)") == std::tan(0.3));
  CHECK(value_of("asin(0.3)") == std::asin(0.3));
  CHECK(value_of("acos(0.3)") == std::acos(0.3));
  CHECK(value_of("atan(0.3)") == std::atan(0.3));
  CHECK(value_of("atan2(1, -2)") == std::atan2(1.0, -2.0));
  CHECK(value_of("sqrt(2)") == std::sqrt(2.0));
  CHECK(value_of("abs(-3)") == 3);
  CHECK(value_of("min(3, 1, 2)") == 1);
  CHECK(value_of("max(3, 1, 5, 2)") == 5);
  CHECK(value_of("min(4)") == 4);
  CHECK(value_of("floor(-1.5)") == -2);
  CHECK(value_of("exp(1)") == std::exp(1.0));
  CHECK(value_of("log(10)") == std::log(10.0));
  CHECK(value_of("max(1, 2) + min(3, 4) * sqrt(16)") == 14);
}

TEST_CASE("expression: arithmetic is IEEE") {
  CHECK(std::isinf(value_of("1 / 0")));
  CHECK(std::isnan(value_of("sqrt(-1)")));
  CHECK(std::isnan(value_of("min(1, sqrt(-1), 0)")));
  CHECK(std::isnan(value_of("max(sqrt(-1), 2)")));
}

TEST_CASE("expression: random expressions give the value computed beside them") {
  std::mt19937 random(7);
  for (int n = 0; n < 2000; ++n) {
    const Sample sample = random_expression(random, n % 6);
    CAPTURE(sample.text);
    const double value = value_of(sample.text);
    CHECK((value == sample.value || (std::isnan(value) && std::isnan(sample.value))));
  }
}

TEST_CASE("expression: errors name the column and the nearest word") {
  CHECK(error_of("lenght / 2") == "column 1: unknown name 'lenght'; did you mean 'length'?");
  CHECK(error_of("1 + sine(2)") == "column 5: unknown function 'sine'; did you mean 'sin'?");
  CHECK(error_of("sin + 1") == "column 1: function 'sin' needs '(' after it");
  CHECK(error_of("") == "column 1: the expression ends, expected a number, a name or '('");
  CHECK(error_of("1 +") == "column 4: the expression ends, expected a number, a name or '('");
  CHECK(error_of("1 2") == "column 3: unexpected '2', expected an operator or the end");
  CHECK(error_of("2 length") == "column 3: unexpected 'length', expected an operator or the end");
  CHECK(error_of("(1 + 2") == "column 7: the expression ends, expected ')'");
  CHECK(error_of("1 + 2)") == "column 6: unexpected ')', expected an operator or the end");
  CHECK(error_of("* 2") == "column 1: unexpected '*', expected a number, a name or '('");
  CHECK(error_of("deg") == "column 1: unexpected 'deg', expected a number, a name or '('");
  CHECK(error_of("atan2(1)") == "column 1: function 'atan2' takes 2, given 1");
  CHECK(error_of("sin(1, 2)") == "column 1: function 'sin' takes 1, given 2");
  CHECK(error_of("1 $ 2") == "column 3: unexpected character '$'");
  CHECK(error_of("1 + \x01") == "column 5: unexpected character code 1");
  CHECK(error_of("1e999") == "column 1: number too large");
  CHECK(error_of("length(2)") == "column 1: unknown function 'length'");
}

TEST_CASE("expression: length, nesting and stack are bounded") {
  CHECK(error_of(std::string(5000, '1')) == "column 1: longer than 4096 characters");
  CHECK(error_of(std::string(200, '(') + "1" + std::string(200, ')')) ==
        "column 65: nested deeper than 64 levels");
  CHECK(error_of(std::string(200, '-') + "1") == "column 65: nested deeper than 64 levels");
  CHECK(value_of(std::string(60, '(') + "1" + std::string(60, ')')) == 1);

  std::string sum = "1", wide = "max(1";
  for (int n = 0; n < 1000; ++n) sum += "+1";
  for (int n = 0; n < 300; ++n) wide += ",1";
  CHECK(value_of(sum) == 1001);
  CHECK(error_of(wide + ")").find("too many values at once") != std::string::npos);
}

TEST_CASE("expression: names that may be defined") {
  CHECK(is_free_name("length"));
  CHECK(is_free_name("_a1"));
  CHECK_FALSE(is_free_name(""));
  CHECK_FALSE(is_free_name("1a"));
  CHECK_FALSE(is_free_name("a b"));
  CHECK_FALSE(is_free_name("pi"));
  CHECK_FALSE(is_free_name("deg"));
  CHECK_FALSE(is_free_name("atan2"));
}

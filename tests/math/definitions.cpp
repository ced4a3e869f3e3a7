#include <doctest/doctest.h>

#include "tests/math/formulas.h"

using namespace molejo;

namespace {

const TestNames names{{"t", {{2}}}, {"ball", {{1, 2, 3}}}, {"Mars.sx", {{7}}}, {"m", {{5}}}};

double value_of(const std::string& text, const std::vector<Definition>& with,
                const std::string& scope = "") {
  return values_of(text, names, with, scope)[0];
}

}  // namespace

TEST_CASE("definitions: variables in any order, of numbers and vectors") {
  const auto with = definitions({"c = a + b", "a = 2 * b", "b = 3 + t", "up = [0, 0, c]", "e = 2",
                                 "step = 4", "half = up / 2"});
  CHECK(value_of("c", with) == 15);
  CHECK(value_of("half.z + e", with) == 9.5);
  CHECK(value_of("step(step, 5)", with) == 1);  // functions and variables do not meet
}

TEST_CASE("definitions: functions are written out where they are called") {
  const auto with = definitions({"square(x) = x * x", "f(a, b) = square(a) + square(b) * t",
                                 "first(v) = v.x", "along(a, b) = a * dot(a, b)"});
  CHECK(value_of("f(3, 4)", with) == 41);
  CHECK(value_of("first(ball) + first([5, 6, 7])", with) == 6);
  CHECK(values_of("along(ball, [1, 0, 0])", names, with) == std::vector<double>{1, 2, 3});
  // a parameter hides a name, t outside is not the t inside
  CHECK(value_of("f(3) + t", definitions({"f(t) = t * 10"})) == 32);
}

TEST_CASE("definitions: the whole cycle is told") {
  CHECK(error_of("1", names, definitions({"a = b", "b = 2 * c", "c = a + 1"})) ==
        "in definition 2: column 5: 'a' depends on itself: a -> b -> c -> a");
  CHECK(error_of("1", names, definitions({"a = a"})) ==
        "in definition 0: column 5: 'a' depends on itself: a -> a");
  CHECK(error_of("f(1)", names, definitions({"f(x) = g(x)", "g(x) = x > 0 ? f(x - 1) : 0"})) ==
        "in definition 1: column 16: 'f' depends on itself: f -> g -> f");
  CHECK(error_of("1", names, definitions({"f(x) = x + a", "a = f(1)"})) ==
        "in definition 0: column 12: 'a' depends on itself: a -> f -> a");
}

TEST_CASE("definitions: errors tell which definition, and its column") {
  CHECK(error_of("1", names, definitions({"a = 1", "b = 2 + speeed"})) ==
        "in definition 1: column 9: unknown name 'speeed'; expected one of Mars.sx, ball, m, t, a, "
        "b, "
        "pi");
  CHECK(error_of("1", names, definitions({"speed = 1", "f(x) = 2 + speeed"})) ==
        "in definition 1: column 12: unknown name 'speeed'; did you mean 'speed'?");
  CHECK(error_of("1", names, definitions({"f(x) = sinn(x)"})) ==
        "in definition 0: column 8: unknown function 'sinn'; did you mean 'sin'?");
  CHECK(error_of("1", names, definitions({"a = 1", "a = 2"})) ==
        "in definition 1: column 4: 'a' is defined twice");
  CHECK(error_of("1", names, definitions({"sin(x) = x"})) ==
        "in definition 0: column 9: 'sin' is a function already");
  CHECK(error_of("1", names, definitions({"f(x, x) = x"})) ==
        "in definition 0: column 10: parameter 'x' occurs twice");
  CHECK(error_of("2 + f", names, definitions({"f(x) = x"})) ==
        "column 5: function 'f' needs '(' after it");
  CHECK(error_of("f(1, 2)", names, definitions({"f(x) = x"})) ==
        "column 1: function 'f' takes 1, given 2");
  CHECK(error_of("a(1)", names, definitions({"a = 1"})) ==
        "column 1: 'a' is a name, not a function");
  CHECK(error_of("f(1)", names, definitions({"f(x) = norm(x)"})) ==
        "in definition 0: column 13: a number, where a vector is expected");
}

TEST_CASE("definitions: a line is a name, perhaps parameters, and an expression") {
  const auto error = [](const char* line) -> std::string {
    try {
      read_definition(line);
    } catch (const ExpressionError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(error("a") == "column 1: a definition is written 'name = expression'");
  CHECK(error("pi = 3") == "column 1: expected a name that can be defined");
  CHECK(error("f() = 3") == "column 3: expected a name that can be defined");
  CHECK(error("f(a b) = 3") == "column 5: expected ',' or ')'");
  CHECK(error("a b = 3") == "column 3: expected '='");
  CHECK(error("2 = 3") == "column 1: expected a name that can be defined");
  CHECK(error(("a = " + std::string(5000, '1')).c_str()) ==
        "column 1: longer than 4096 characters");
  const Definition f = read_definition(" f ( a , b )= a == b");
  CHECK(f.name == "f");
  CHECK(f.parameters == std::vector<std::string>{"a", "b"});
  CHECK(f.text == " a == b");
  CHECK(f.first_column == 14);
}

TEST_CASE("definitions: an actor sees its own names first, then those around it") {
  std::vector<Definition> with = definitions({"R = 1", "F = 100", "scale(x) = x * R"});
  for (const Definition& d :
       definitions({"R = 149.5", "sx = R", "Fx = -(F/R)*sx", "scale(x) = x * 2"}, "Earth")) {
    with.push_back(d);
  }
  for (const Definition& d : definitions({"R = 227", "Fx = -(F/R)*sx"}, "Mars")) with.push_back(d);
  for (const Definition& d : definitions({"r = R + F", "sx = 3"}, "Earth.Moon")) with.push_back(d);
  CHECK(value_of("R", with) == 1);
  CHECK(value_of("R", with, "Earth") == 149.5);
  CHECK(value_of("Fx", with, "Earth") == -100.0 / 149.5 * 149.5);
  CHECK(value_of("Earth.R + Mars.R", with) == 376.5);
  CHECK(value_of("Fx", with, "Mars") == -100.0 / 227 * 7);  // sx of the names
  CHECK(value_of("r", with, "Earth.Moon") == 249.5);
  CHECK(value_of("sx + Moon.sx", with, "Earth") == 152.5);
  CHECK(value_of("scale(5)", with) == 5);
  CHECK(value_of("scale(5)", with, "Earth") == 10);
  CHECK(value_of("Earth.scale(5)", with, "Mars") == 10);
  CHECK(error_of("Rr", names, with, "Earth") == "column 1: unknown name 'Rr'; did you mean 'R'?");
  CHECK(error_of("Fxx", names, with, "Mars") == "column 1: unknown name 'Fxx'; did you mean 'Fx'?");
}

TEST_CASE("definitions: expansion and depth are bounded") {
  std::vector<Definition> doubling = definitions({"f0(x) = x + 1"}),
                          chain = definitions({"a0 = t"});
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i), b = std::to_string(i - 1);
    doubling.push_back(read_definition("f" + n + "(x) = f" + b + "(x) + f" + b + "(x)"));
  }
  CHECK(error_of("f59(t)", names, doubling)
            .find("the functions write out to more than 1048576 operations") != std::string::npos);
  CHECK(value_of("f10(t)", doubling) == 3 * 1024);
  for (int i = 1; i < 1000; ++i) {
    chain.push_back(
        read_definition("a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1"));
  }
  CHECK(value_of("a999", chain) == 1001);  // in order each is one level deep
  std::reverse(chain.begin(), chain.end());
  CHECK(error_of("1", names, chain).find("use each other over more than 400 levels") !=
        std::string::npos);

  std::vector<Definition> wide{{.name = "f", .text = "1", .is_function = true}};
  for (int i = 0; i < 33; ++i) wide[0].parameters.push_back("p" + std::to_string(i));
  CHECK(error_of("1", names, wide) == "in definition 0: column 1: more than 32 parameters");

  // 400 different operations from each of 400 outputs
  std::vector<Formula> outputs(400);
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    outputs[n].text = "t";
    for (std::size_t k = 0; k < 400; ++k)
      outputs[n].text += "*t+" + std::to_string((n * 400 + k) % 999);
  }
  CHECK_THROWS_WITH_AS(compile({}, outputs, names),
                       doctest::Contains("the expressions become longer than 131072 operations"),
                       ExpressionError);
}

#include "molejo/math/units.h"

#include <doctest/doctest.h>

#include "tests/math/formulas.h"

using namespace molejo;

namespace {

const TestNames names{{"x", {{1}, "m"}},       {"v", {{1, 2, 3}, "m/s"}}, {"t", {{1}, "s"}},
                      {"angle", {{1}, "rad"}}, {"mass", {{1}, "kg"}},     {"plain", {{1}}},
                      {"F", {{1}, "N"}}};

// the complaints, joined, each with its column
std::string complaints(const std::string& text, const char* unit = nullptr, bool strict = false,
                       const std::vector<Definition>& with = {}) {
  Formula formula{.text = text};
  if (unit) formula.unit = dimension_of(unit);
  std::string all;
  for (const UnitComplaint& c : check_units(with, {&formula, 1}, names, strict)) {
    if (!all.empty()) all += "; ";
    all += "column " + std::to_string(c.place.column) + ": " + c.text;
  }
  return all;
}

}  // namespace

TEST_CASE("units: products, quotients and powers have dimensions") {
  const auto same = [](const char* a, const char* b) {
    REQUIRE(dimension_of(a));
    REQUIRE(dimension_of(b));
    return *dimension_of(a) == *dimension_of(b);
  };
  CHECK(same("N", "kg*m/s^2"));
  CHECK(same("J", "N*m"));
  CHECK(same("W", "J/s"));
  CHECK(same("Pa", "N/m^2"));
  CHECK(same("V", "W/A"));
  CHECK(same("T", "N/A/m"));
  CHECK(same("rad/s", "Hz"));
  CHECK_FALSE(same("N", "J"));
  CHECK_FALSE(dimension_of("q"));
  CHECK_FALSE(dimension_of("m s"));
  CHECK_FALSE(dimension_of("m/"));
  CHECK(text(*dimension_of("kg*m/s^2")) == "N");
  CHECK(text(*dimension_of("m/s")) == "m/s");
  CHECK(text(*dimension_of("kg*m/s")) == "N*s");
  CHECK(text(*dimension_of("kg/m^3")) == "kg/m^3");
  CHECK(text(*dimension_of("s^-1")) == "1/s");
  CHECK(text(*dimension_of("rad")) == "1");
  CHECK(text(*power(*dimension_of("m"), 0.5)) == "m^0.5");
  CHECK(*power(*dimension_of("m^3"), 1.0 / 3) == *dimension_of("m"));
  CHECK_FALSE(power(*dimension_of("m"), 0.3));
}

TEST_CASE("units: what fits is not complained about") {
  for (const char* text : {"x + 3 m",
                           "x + 3",
                           "0.5 * mass * dot(v, v) + F * x",
                           "sin(angle) + sin(30 deg)",
                           "5 N*m/rad * angle + 1 J",
                           "sqrt(x^2 + (2 cm)^2) + x",
                           "x > 3 ? x : 0",
                           "min(x, 1, 2 m)",
                           "atan2(x, 2 m)",
                           "exp(-t / 2 s)",
                           "noise(t) * 3 N + F",
                           "hypot(x, x) - x",
                           "cbrt(x^3) + x",
                           "[x, 0, 3 m].x + x",
                           "mix(x, 2 m, 0.3) + x",
                           "step(x, 2 m) * F + F",
                           "mod(t, 1 s) + t",
                           "x / x + 1",
                           "normalize(v).x + 1",
                           "smoothstep(0 m, 1 m, x) * F + F",
                           "2 Hz * 2 * pi * t + 1",
                           "x^2 / (1 m) + x",
                           "-x + abs(x) + floor(x)",
                           "x * plain + x"}) {
    CAPTURE(text);
    CHECK(complaints(text) == "");
  }
  CHECK(complaints("5 N/m * x", "N") == "");
  CHECK(complaints("5", "N") == "");
  CHECK(complaints("mass * v / t", "N") == "");
}

TEST_CASE("units: complaints name the column and both units") {
  struct Row {
    const char *text, *complaint;
  };
  for (const Row& row :
       {Row{"x + t", "column 3: m + s"},
        {"1 + x - 2 s", "column 7: m - s"},
        {"x < t", "column 3: m < s"},
        {"sin(x)", "column 1: sin of m"},
        {"2 ^ x", "column 3: a power of m"},
        {"x ^ plain", "column 3: m ^ an exponent that changes"},
        {"x ^ 0.3", "column 3: m ^ an exponent that is no sixth"},
        {"[x, t, 0]", "column 1: m beside s"},
        {"plain ? x : t", "column 7: m : s"},
        {"min(x, 3, t)", "column 1: m beside s"},
        {"x m", "column 3: m with a second unit"},
        {"mass * v + F * x * [1, 0, 0]", "column 10: N*s + J"},
        {"x / x + x", "column 7: 1 + m"},
        {"x + t + (mass - x)", "column 3: m + s; column 15: kg - m; column 7: m + kg"}}) {
    CAPTURE(row.text);
    CHECK(complaints(row.text) == row.complaint);
  }
  CHECK(complaints("3 * x", "N") == "column 3: m, where N is expected");
}

TEST_CASE("units: strictly, plain numbers fit nowhere but zero does everywhere") {
  CHECK(complaints("x + 3", nullptr, true) == "column 3: m + 1");
  CHECK(complaints("x > 0 ? x : 0", nullptr, true) == "");
  CHECK(complaints("[x, 0, 0]", nullptr, true) == "");
  CHECK(complaints("2 * x", "m", true) == "");
  CHECK(complaints("5", "N", true) == "column 1: 1, where N is expected");
  CHECK(complaints("x + plain", nullptr, true) == "column 3: m + 1");
}

TEST_CASE("units: definitions carry theirs, functions take those of their arguments") {
  const auto with = definitions({"k = 5 N/m", "free = 3", "f(a, b) = a * b", "sum(a, b) = a + b"});
  CHECK(complaints("f(k, x) + F", nullptr, false, with) == "");
  CHECK(complaints("sum(x, free)", nullptr, false, with) == "");
  CHECK(complaints("f(k, t) + F", nullptr, false, with) == "column 9: N*s/m + N");
  // the place is in the function
  const Formula formula{.text = "sum(x, t)"};
  const auto found = check_units(with, {&formula, 1}, names);
  REQUIRE(found.size() == 1);
  CHECK(found[0].place.in_definition);
  CHECK(found[0].place.index == 3);
  CHECK(found[0].place.column == 15);
  CHECK(found[0].text == "m + s");
}

TEST_CASE("units: a chain of products cannot overflow a dimension") {
  std::vector<Definition> with = definitions({"a0 = x"});
  for (int i = 1; i < 90; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    with.push_back(read_definition("a" + std::to_string(i) + " = " + before + " * " + before));
  }
  CHECK(complaints("a89 + x", nullptr, false, with) == "column 5: m^100000 + m");
}

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/math/allocations.h"
#include "tests/math/formulas.h"
#include "tests/math/random_trees.h"

using namespace molejo;

namespace {

const TestNames names{{"a", {{2}}}, {"b", {{-3}}}, {"c", {{0.5}}}, {"v", {{3, -4, 12}}}};

ExpressionProgram compiled(std::initializer_list<const char*> texts,
                           const std::vector<Definition>& with = {}) {
  std::vector<Formula> formulas;
  for (const char* text : texts) formulas.push_back({.text = text});
  return compile(with, formulas, names);
}

// d text / d name
double slope(const char* text, const std::string& name, std::vector<double> inputs = names.values) {
  const ExpressionProgram program = compiled({text});
  ExpressionWorkspace work(program);
  evaluate(program, inputs.data(), work);
  const auto slopes = gradient(program, 0, 0, work);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (program.inputs[i].slot == names.slot(name)) return slopes[i];
  }
  return 0;
}

std::string first_bad(const char* text, std::vector<double> inputs = names.values) {
  const ExpressionProgram program = compiled({text});
  ExpressionWorkspace work(program);
  const auto found = first_non_finite(program, inputs.data(), work);
  if (!found) return "";
  return "column " + std::to_string(found->place.column) + ": " + found->text;
}

}  // namespace

TEST_CASE("program: equal parts are computed once, constant ones not at all, unused ones neither") {
  CHECK(compiled({"(a + b) * (a + b) - (b + a)"}).code.size() == 3);
  CHECK(compiled({"a + b", "2 * (a + b)", "b + a"}).code.size() == 2);
  CHECK(compiled({"2 * 3 + sin(1) * a"}).code.size() == 2);
  CHECK(compiled({"1 * a / 1 - 0"}).code.empty());
  CHECK(compiled({"- -a"}).code.empty());
  CHECK(compiled({"a^2"}).code.size() == 1);
  CHECK(compiled({"a^4"}).code.size() == 2);
  CHECK(compiled({"1 < 2 ? a : b * c"}).code.empty());
  const auto with = definitions({"unused = sin(a) * b", "used = cos(a)"});
  const ExpressionProgram program = compiled({"used + 1"}, with);
  CHECK(program.code.size() == 2);
  CHECK(program.inputs.size() == 1);
  CHECK(compiled({"v.y"}).inputs.size() == 1);
}

TEST_CASE("program: -0, NaN and infinities survive simplification") {
  const auto value = [](const char* text, double a) {
    const ExpressionProgram program = compiled({text});
    ExpressionWorkspace work(program);
    evaluate(program, &a, work);
    return output(program, 0, work);
  };
  CHECK(std::signbit(value("a - 0", -0.0)));
  CHECK_FALSE(std::signbit(value("a + 0", -0.0)));
  CHECK(std::isnan(value("a * 0", std::nan(""))));
  CHECK(std::isnan(value("a - a", INFINITY)));
  CHECK(std::isnan(value("0 / 0 + a", 1)));
}

TEST_CASE("program: parts give the same with less code, in the same workspace") {
  const ExpressionProgram all = compiled({"a * b", "sin(c) + a", "v * (a * b)", "4"});
  ExpressionWorkspace work(all);
  const std::size_t second[] = {1}, last_two[] = {3, 2};
  const ExpressionProgram one = part_of(all, second), two = part_of(all, last_two);
  CHECK(one.code.size() == 2);
  CHECK(one.inputs.size() == 2);
  CHECK(two.code.size() == 4);
  evaluate(one, names.values.data(), work);
  CHECK(output(one, 0, work) == sincos(0.5).sin + 2);
  CHECK(std::isnan(output(all, 0, work)));  // not computed yet
  evaluate(two, names.values.data(), work);
  CHECK(output(two, 0, work) == 4);
  CHECK(output(two, 1, work, 2) == -72);
  CHECK(gradient(one, 0, 0, work).size() == 2);
  CHECK(depends_on(all, 0, names.slot("a")));
  CHECK_FALSE(depends_on(all, 0, names.slot("c")));
  CHECK(depends_on(all, 2, names.slot("v") + 1));
  CHECK_FALSE(depends_on(all, 3, names.slot("a")));
}

TEST_CASE("program: neither evaluation nor gradient allocates") {
  const auto with = definitions({"f(x, y) = hypot(x, y) + noise(x, y, t2)", "t2 = a * c"});
  const ExpressionProgram program = compiled(
      {"f(a, b) > 1 ? normalize(v) : cross(v, [a, b, c])", "min(a, b, c) ^ 3 % 2 + atan2(a, b)"},
      with);
  ExpressionWorkspace work(program);
  const long before = allocations_so_far();
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    evaluate(program, names.values.data(), work);
    for (std::size_t k = 0; k < 3; ++k) sum += gradient(program, 0, k, work)[0];
    sum += gradient(program, 1, 0, work)[1];
  }
  const long made = allocations_so_far() - before;
  CHECK(made == 0);
  CHECK(std::isfinite(sum));
  const std::vector<double> counted(7);
  CHECK(allocations_so_far() > before);
}

TEST_CASE("program: derivatives at kinks follow the documented side") {
  CHECK(slope("abs(a - 2)", "a") == 0);
  CHECK(slope("abs(b)", "b") == -1);
  CHECK(slope("min(a, 2)", "a") == 1);  // the first of equals
  CHECK(slope("min(2, a)", "a") == 0);
  CHECK(slope("max(b, c, a)", "a") == 1);
  CHECK(slope("floor(a) + ceil(a) + round(a) + sign(a)", "a") == 0);
  CHECK(slope("a < 3", "a") == 0);
  CHECK(slope("a > 1 ? 5 * a : 7 * a", "a") == 5);
  CHECK(slope("a > 2 ? 5 * a : 7 * a", "a") == 7);
  CHECK(slope("sqrt(a - 2)", "a") == 0);  // infinite
  CHECK(slope("(a - 2)^0.3", "a") == 0);
  CHECK(slope("asin(a / 2)", "a") == 0);
  CHECK(slope("norm([a - 2, 0, 0])", "a") == 0);
  CHECK(slope("hypot(a - 2, b + 3)", "b") == 0);
  CHECK(slope("normalize([a - 2, 0, 0]).x", "a") == 0);
  // what is not taken does not matter, however bad
  CHECK(slope("a == 2 ? 3 * a : a / (a - 2)", "a") == 3);
  CHECK(slope("clamp(a, 0, 1) + a", "a") == 1);
  CHECK(slope("mod(a, c * 3)", "c") == -3);
  CHECK(slope("(b)^3", "b") == 27);
  CHECK(slope("b^2", "b") == -6);
}

TEST_CASE("program: the gradient of each component of a vector") {
  const ExpressionProgram program = compiled({"cross(v, [a, b, c])"});
  ExpressionWorkspace work(program);
  evaluate(program, names.values.data(), work);
  // z: vx b - vy a
  const auto slopes = gradient(program, 0, 2, work);
  REQUIRE(slopes.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::uint32_t slot = program.inputs[i].slot;
    const double expected = slot == names.slot("a")       ? 4
                            : slot == names.slot("b")     ? 3
                            : slot == names.slot("v")     ? -3
                            : slot == names.slot("v") + 1 ? -2
                                                          : 0;
    CHECK(slopes[i] == expected);
  }
}

TEST_CASE("program: the first operation without a finite result is told") {
  CHECK(first_bad("1 + a / (b + 3)") == "column 7: 2 / 0 is infinite");
  CHECK(first_bad("a + sqrt(b) / 0") == "column 5: sqrt(-3) is not a number");
  CHECK(first_bad("1 / (1 / 0)") == "column 8: 1 / 0 is infinite");
  CHECK(first_bad("2 * exp(a * 1e3)") == "column 5: exp(2000) is infinite");
  CHECK(first_bad("atan2(log(b + 3), 1)") == "column 7: log(0) is infinite");
  CHECK(first_bad("(b + 3)^-1") == "column 8: 0 ^ -1 is infinite");
  CHECK(first_bad("a / b + norm(v)") == "");
  // not in the branch that is not taken
  CHECK(first_bad("b == -3 ? 1 : 1 / (b + 3)") == "");
  CHECK(first_bad("b != -3 and 1 / (b + 3) > 2") == "");
  CHECK(first_bad("b == -3 or 1 / (b + 3) > 2") == "");
  CHECK(first_bad("b == -3 ? 1 / (b + 3) : 1") == "column 13: 1 / 0 is infinite");
  CHECK(first_bad("2 * a", {NAN, 0, 0, 0, 0, 0}) == "column 5: a is not a number");
}

TEST_CASE("program: ten thousand random expressions agree with 256 bits, and so do gradients") {
  const TestNames three{{"a", {{0}}}, {"b", {{0}}}, {"c", {{0}}}};
  std::mt19937 random(2024);
  std::uniform_real_distribution<double> any(-3, 3);
  int compared = 0, tried = 0, operations = 0, sharp = 0, slopes_compared = 0;
  double closest = 0, closest_slope = 0;
  for (; compared < 10000 && tried < 100000; ++tried) {
    const exact::TreePtr tree = exact::random_tree(random, 1 + tried % 5);
    // sometimes whole numbers, where kinks and jumps are
    const auto pick = [&] { return random() % 4 == 0 ? std::round(any(random)) : any(random); };
    const std::array<double, 3> at{pick(), pick(), pick()};
    const std::string text = exact::text(*tree);
    if (text.size() > max_expression_length) continue;
    const auto bounded = exact::evaluate(*tree, at);
    if (!bounded) continue;
    ++compared;
    operations += exact::size(*tree);

    const Formula formula{.text = text};
    const ExpressionProgram program = compile({}, {&formula, 1}, three);
    ExpressionWorkspace work(program);
    evaluate(program, at.data(), work);
    CAPTURE(text);
    CAPTURE(at[0]);
    CAPTURE(at[1]);
    CAPTURE(at[2]);
    const double value = output(program, 0, work);
    const double off = (bounded->value - exact::Real(value)).magnitude();
    CAPTURE(value);
    CHECK(off <= bounded->error);
    if (bounded->error > 0) closest = std::max(closest, off / bounded->error);
    sharp += bounded->error <= 1e-10 * (1 + std::fabs(value));

    const auto slopes = gradient(program, 0, 0, work);
    std::array<double, 3> full{};
    for (std::size_t i = 0; i < slopes.size(); ++i) full[program.inputs[i].slot] = slopes[i];
    for (std::size_t v = 0; v < 3; ++v) {
      const double slope_off = (bounded->derivative[v] - exact::Real(full[v])).magnitude();
      CAPTURE(v);
      CAPTURE(full[v]);
      CHECK(slope_off <= bounded->derivative_error[v]);
      if (bounded->derivative_error[v] > 0) {
        closest_slope = std::max(closest_slope, slope_off / bounded->derivative_error[v]);
      }
      slopes_compared += bounded->derivative_error[v] <= 1e-10 * (1 + std::fabs(full[v])) &&
                         bounded->derivative_magnitude[v] > 0;
    }
  }
  MESSAGE(compared << " of " << tried << " expressions, " << operations << " operations; sharp "
                   << sharp << ", slopes " << slopes_compared << "; largest share of the bound "
                   << closest << ", of a slope " << closest_slope);
  CHECK(compared == 10000);
  CHECK(sharp > 9500);
  CHECK(slopes_compared > 5000);
}

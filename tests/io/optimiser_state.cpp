// Saved states: exact numbers, refusals, and runs that go on from a file with the same bits.
#include "molejo/io/optimiser_state.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "molejo/io/file.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// least |x - i|^2 with x_0 x_1 = 2 and a wall
void values_at(const double* x, int n, double* y) {
  y[0] = 0;
  for (int i = 0; i < n; ++i) y[0] += (x[i] - i) * (x[i] - i);
  y[1] = x[2] < 0.5 ? 1 + x[2] * x[2] : 0;
  y[2] = x[0] * x[1] - 2;
  y[3] = NAN;  // more than the constraints, of no concern
}

Problem wall() {
  return {5, 4, 1,
          [](int, int, const double* points, double* results) { values_at(points, 5, results); }};
}

MultiplierSettings settings() {
  MultiplierSettings s{.tolerance = {1e-6}, .runs = 3};
  s.cma.max_generations = 20;
  s.run_0_until_easy = false;
  return s;
}

Multipliers fresh() {
  const double inf = HUGE_VAL;
  return Multipliers(settings(), 4, std::vector<double>(5, 0.1),
                     std::vector<double>{-3, -3, -3, -inf, -3},
                     std::vector<double>{3, 3, 3, inf, 4});
}

MultiplierState after(int generations) {
  Multipliers multipliers = fresh();
  ThreadEvaluator evaluator(wall(), 1);
  int done = 0;
  minimise(multipliers, evaluator,
           {.after_generation = [&](const Multipliers&) { return ++done < generations; }});
  return multipliers.state();
}

// The text with `from` (which must occur) replaced once.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  return error_text([&] { parse_multiplier_state(text, "state.json"); });
}

bool same_bits(const MatX& a, const MatX& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("optimiser state: every number comes back with its bits") {
  for (const int generations : {1, 7, 25}) {
    const MultiplierState a = after(generations);
    const MultiplierState b = parse_multiplier_state(optimiser_text(a), "state.json");
    CHECK(optimiser_text(b) == optimiser_text(a));
    CHECK(same_bits(a.cma.mean, b.cma.mean));
    CHECK(same_bits(a.cma.B, b.cma.B));
    CHECK(same_bits(a.cma.C, b.cma.C));
    CHECK(same_bits(a.cma.D, b.cma.D));
    CHECK(same_bits(a.cma.path_sigma, b.cma.path_sigma));
    CHECK(same_bits(a.cma.path_c, b.cma.path_c));
    CHECK(same_bits(a.cma.best, b.cma.best));
    CHECK(a.cma.best_history == b.cma.best_history);
    CHECK(a.cma.lower == b.cma.lower);
    CHECK(a.cma.upper == b.cma.upper);
    CHECK(a.cma.random == b.cma.random);
    CHECK(a.cma.sigma == b.cma.sigma);
    CHECK(a.lambda == b.lambda);
    CHECK(a.phase == b.phase);
    CHECK(a.settings.max_evaluations == b.settings.max_evaluations);
  }
}

TEST_CASE("optimiser state: a run that is killed after any generation ends with the same bits") {
  Multipliers whole = fresh();
  ThreadEvaluator evaluator(wall(), 1);
  minimise(whole, evaluator);
  const std::string expected = optimiser_text(whole.state());

  const std::string path = binary_dir() + "/optimiser_state_test.json";
  save_state(path, fresh().state());
  bool over = false;
  while (!over) {
    // a new process, that lives for three generations and saves after each
    Multipliers part(load_multiplier_state(SourceFile::given(path)));
    int lived = 0;
    minimise(part, evaluator, {.after_generation = [&](const Multipliers& m) {
               save_state(path, m.state());
               return ++lived < 3;
             }});
    over = part.phase() > MultiplierPhase::run_ended;
    if (over) CHECK(optimiser_text(part.state()) == expected);
  }
  std::filesystem::remove(path);
}

TEST_CASE("optimiser state: the other two kinds") {
  CmaEs cma({.diagonal = true}, std::vector<double>(4, 1.0));
  const std::string text = optimiser_text(cma.state());
  CHECK(optimiser_text(parse_cma_state(text, "a")) == text);

  Restarts restarts({}, std::vector<double>(3, 1.0), std::vector<double>(3, 0.0),
                    std::vector<double>(3, 2.0));
  const std::string other = optimiser_text(restarts.state());
  CHECK(optimiser_text(parse_restart_state(other, "b")) == other);
  CHECK(error_text([&] { parse_cma_state(other, "b"); }) ==
        "b:2: /optimiser_state: \"restarts\": "
        "unknown kind of state 'restarts'; expected one of cma");
}

TEST_CASE("optimiser state: what does not fit is refused with its place") {
  const std::string good = optimiser_text(after(3));
  CHECK(refusal(good) == "no error");
  CHECK(refusal("") == "state.json: the file is empty");
  CHECK(refusal("[]").find("state.json:1: /:") == 0);
  struct Row {
    std::string from, to, said;
  };
  const Row rows[] = {
      {"\"running\"", "\"runing\"", "did you mean 'running'?"},
      {"\"outputs\": 4", "\"outputs\": 2", "/outputs: 2: "},
      {"\"run\": 0", "\"run\": -1", "/run: -1: "},
      {"\"run\": 0", "\"run\": \"=1+1\"", "/run"},
      {"\"weights\": \"active\"", "\"weights\": \"actve\"", "did you mean 'active'?"},
      {"\"population\": 8", "\"population\": 1", "expected 0, or 2 and more"},
      {"\"seed\": \"0x", "\"seed\": \"1x", "16 hexadecimal digits"},
      {"\"penalty\": 0.003", "\"penalty\": \"nan\"",
       "/settings/penalty: \"nan\": expected a number"},
      {"\"penalty\": 0.003", "\"penalty\": \"=2*3\"", "expected a number"},
      {"\"tolerance\": [1e-06]", "\"tolerance\": [0]", "expected a positive number"},
      {"\"tolerance\": [1e-06]", "\"tolerance\": [1, 1]", "/lambda"},
      {"\"fading\": ", "\"fading\": 7", "/cma/fading"},
      {"\"lambda\": [0]", "\"lambda\": []", "expected a list of 1 numbers"},
      {"\"sigma_decay\": 0.7", "\"sigma_decay\": 0", "expected a positive number"},
      {"\"lower\": [-3,", "\"lower\": [5,", "expected a bound above the lower one"},
      {"\"D\": [", "\"D\": [1, ", "expected a list of 5 numbers"},
      {"\"run\": 0,", "", "run"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.from);
    CAPTURE(row.to);
    const std::string said = refusal(with(good, row.from, row.to));
    CHECK(said.find("state.json:") == 0);
    CHECK(said.find(row.said) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("optimiser state: a file that was cut short anywhere is refused") {
  const std::string good = optimiser_text(after(3));
  for (std::size_t size = 0; size + 3 < good.size(); size += 97) {
    CHECK(refusal(good.substr(0, size)) != "no error");
  }
}

TEST_CASE("optimiser state: populations that would not fit into memory are refused") {
  const std::string text =
      optimiser_text(CmaEs({.population = 8}, std::vector<double>(4, 1.0)).state());
  const std::string large = with(text, "\"population\": 8", "\"population\": 1048577");
  CHECK(error_text([&] { parse_cma_state(large, "a"); }).find("a:") == 0);
}

// A generation takes no memory once the optimiser exists: neither ask, nor evaluate, nor tell.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/optimise/multipliers.h"
#include "tests/stepping/allocations.h"

using namespace molejo;

namespace {

void values_at(int, int count, const double* points, double* results) {
  for (int k = 0; k < count; ++k) {
    double sum = 0;
    for (int i = 0; i < 87; ++i) sum += std::pow(points[87 * k + i] - 0.3, 2) * (1 + i);
    results[3 * k] = sum;
    results[3 * k + 1] = points[87 * k] < 0.2 ? 1 : 0;
    results[3 * k + 2] = points[87 * k + 1] - points[87 * k + 2];
  }
}

}  // namespace

TEST_CASE("stepping: a generation of 87 unknowns allocates nothing, on one thread and on two") {
  for (const bool diagonal : {false, true}) {
    for (const int threads : {1, 2}) {
      MultiplierSettings settings{.tolerance = {1e-12}};  // the first to meet all would be copied
      settings.cma.diagonal = diagonal;
      settings.run_0_until_easy = false;
      Multipliers multipliers(settings, 3, std::vector<double>(87, 0.5),
                              std::vector<double>(87, 0.0), std::vector<double>(87, 1.0));
      ThreadEvaluator evaluator({87, 3, 4, values_at}, threads);
      std::vector<double> points(87 * 17), results(3 * 17);
      const auto generation = [&] {
        multipliers.ask(points.data());
        evaluator.evaluate(17, points.data(), results.data());
        multipliers.tell(points.data(), results.data());
      };
      generation();  // threads and the first solution
      generation();
      const long before = allocations_so_far();
      for (int g = 0; g < 40; ++g) generation();
      const long after = allocations_so_far();  // before the test's own
      CAPTURE(diagonal);
      CAPTURE(threads);
      CHECK(after == before);
      CHECK(multipliers.cma().state().decomposed > 2);  // a decomposition was among them
    }
  }
}

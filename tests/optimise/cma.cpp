// CMA-ES against the evaluations that the literature gives.
#include "molejo/optimise/cma.h"

#include <doctest/doctest.h>

#include <cstdio>

#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("probe") {
  struct Row {
    const char* name;
    Function f;
    double start;
    double sigma;
    double target;
  };
  for (const CmaWeights w : {CmaWeights::classic, CmaWeights::positive, CmaWeights::active}) {
    for (int n : {10, 20}) {
      const Row rows[] = {{"sphere", sphere, 3, 1, 1e-9},
                          {"ellipsoid", ellipsoid, 3, 1, 1e-9},
                          {"rosenbrock", rosenbrock, 0, 0.1, 1e-9}};
      for (const Row& row : rows) {
        std::vector<double> evals;
        for (unsigned seed = 1; seed <= 9; ++seed) {
          CmaEs cma({.sigma = row.sigma, .weights = w, .seed = seed, .target = row.target},
                    std::vector<double>(static_cast<std::size_t>(n), row.start));
          run(cma, row.f);
          evals.push_back(
              cma.stop() == CmaStop::target ? static_cast<double>(cma.state().evaluations) : 1e9);
        }
        std::printf("%d n %d %s median %g\n", static_cast<int>(w), n, row.name, median(evals));
      }
    }
  }
}

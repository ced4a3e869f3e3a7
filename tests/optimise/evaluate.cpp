#include "molejo/optimise/evaluate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "molejo/optimise/mpi.h"
#include "molejo/optimise/multipliers.h"
#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// sum and product of three numbers
void sum_and_product(const VecX& x, double* y) {
  y[0] = x.sum();
  y[1] = x.prod();
}

std::vector<double> some_points(int count) {
  std::vector<double> points(3 * static_cast<std::size_t>(count));
  Random random(1);
  for (double& x : points) x = random.normal();
  return points;
}

}  // namespace

TEST_CASE("evaluate: groups are formed by index, the last is short") {
  // each result tells the size of its group and the first coordinate of its first point
  const auto tell_group = [](int, int count, const double* points, double* results) {
    for (int k = 0; k < count; ++k) {
      results[2 * k] = count;
      results[2 * k + 1] = points[0];
    }
  };
  for (const int threads : {1, 2, 3}) {
    ThreadEvaluator evaluator({1, 2, 4, tell_group}, threads);
    std::vector<double> points(10), results(20);
    for (int i = 0; i < 10; ++i) points[static_cast<std::size_t>(i)] = i;
    evaluator.evaluate(10, points.data(), results.data());
    for (int i = 0; i < 10; ++i) {
      CHECK(results[2 * static_cast<std::size_t>(i)] == (i < 8 ? 4 : 2));
      CHECK(results[2 * static_cast<std::size_t>(i) + 1] == i / 4 * 4);
    }
    CHECK(evaluator.evaluations() == 10);
  }
}

TEST_CASE("evaluate: the same bits for one to four threads and any grouping") {
  const std::vector<double> points = some_points(101);
  std::vector<double> expected(202);
  ThreadEvaluator alone(problem(3, 2, sum_and_product), 1);
  alone.evaluate(101, points.data(), expected.data());
  for (const int threads : {1, 2, 3, 4}) {
    for (const int group : {1, 2, 4, 7, 200}) {
      ThreadEvaluator evaluator(problem(3, 2, sum_and_product, group), threads);
      std::vector<double> results(202, -1);
      evaluator.evaluate(101, points.data(), results.data());
      CHECK(results == expected);
    }
  }
}

TEST_CASE("evaluate: each worker has memory of its own") {
  for (const int threads : {1, 2, 4}) {
    std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
    std::atomic<int> overlaps{0}, calls{0};
    const auto busy = [&](int worker, int, const double*, double* results) {
      REQUIRE(worker < threads);
      if (++inside[static_cast<std::size_t>(worker)] != 1) ++overlaps;
      ++calls;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --inside[static_cast<std::size_t>(worker)];
      *results = 0;
    };
    ThreadEvaluator evaluator({1, 1, 1, busy}, threads);
    CHECK(evaluator.workers() == threads);
    std::vector<double> points(50), results(50);
    evaluator.evaluate(50, points.data(), results.data());
    CHECK(overlaps == 0);
    CHECK(calls == 50);
  }
}

TEST_CASE("evaluate: an exception of the first group that fails reaches the caller") {
  const auto sometimes = [](int, int, const double* points, double* results) {
    if (points[0] >= 5) throw std::runtime_error("point " + std::to_string(points[0]));
    *results = 2 * points[0];
  };
  for (const int threads : {1, 2, 4}) {
    ThreadEvaluator evaluator({1, 1, 1, sometimes}, threads);
    std::vector<double> points(20), results(20);
    for (int i = 0; i < 20; ++i) points[static_cast<std::size_t>(i)] = i;
    CHECK_THROWS_WITH(evaluator.evaluate(20, points.data(), results.data()), "point 5.000000");
    // and it can be used again
    evaluator.evaluate(5, points.data(), results.data());
    CHECK(results[4] == 8);
    CHECK(evaluator.evaluations() == 5);
  }
}

TEST_CASE("evaluate: a minimisation has the same bits for any threads and grouping") {
  const auto f = [](const VecX& x, double* y) {
    y[0] = rosenbrock(x);
    y[1] = 0;
    y[2] = x[0] + x[1] - 1;
  };
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3, 4}) {
    for (const int group : {1, 4}) {
      Multipliers multipliers({.cma = {.max_generations = 60}, .tolerance = {1e-6}, .runs = 3}, 3,
                              std::vector<double>(8, 0.0));
      ThreadEvaluator evaluator(problem(8, 3, f, group), threads);
      minimise(multipliers, evaluator);
      const std::uint64_t found = hash(multipliers.solution().x);
      if (expected == 0) expected = found;
      CHECK(found == expected);
    }
  }
}

TEST_CASE("evaluate: no launcher of MPI is seen where there is none") {
  CHECK_FALSE(launched_by_mpirun());
  CHECK(rank_by_mpirun() == 0);
  // this program is not beside the module
  CHECK(mpi_trouble().find("molejo_mpi.so is neither beside the program nor in") == 0);
  CHECK_THROWS_WITH(MpiSession(), doctest::Contains("molejo_mpi.so"));
}

// test_mpi MODE: minimises a constrained function over all ranks and tells the hash of the result.
//
//   same     prints "hash H evaluations N", the same for any number of ranks
//   throw    the evaluation of some points fails, on all ranks but the leader
//   sizes    the last rank has a problem of other sizes
//   trouble  the last rank cannot read its input
//   leave    the last rank ends without being told
//   wait     prints the process of each rank, then minimises slowly for ever
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "molejo/optimise/mpi.h"
#include "molejo/optimise/multipliers.h"
#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Rosenbrock with its first two coordinates on a line, in groups of four.
Problem constrained(int unknowns, const std::string& mode) {
  const auto f = [mode](const VecX& x, double* outputs) {
    outputs[0] = rosenbrock(x);
    outputs[1] = x[2] < 0.25 ? 1 + x[2] * x[2] : 0;
    outputs[2] = x[0] + x[1] - 1;
    if (mode == "throw" && x[0] > 1) {
      throw std::runtime_error("x = " + std::to_string(x[0]));
    }
    if (mode == "wait") std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  return problem(unknowns, 3, f, 4);
}

int work(const std::string& mode) {
  MpiSession mpi;
  const bool last = mpi.rank() == mpi.ranks() - 1;
  const std::string text = mpi.broadcast(mpi.leads() ? "the leader's text" : "");
  mpi.agree(text == "the leader's text" ? "" : "broadcast lost the text");
  if (mode == "trouble") mpi.agree(last ? "motion.json: no such file" : "");
  if (mode == "leave" && last) return 0;
  // ranks with one, two, one, two .. threads; a second evaluator to be told apart from the first
  const int threads = 1 + mpi.rank() % 2;
  MpiEvaluator other(mpi, problem(1, 1, [](const VecX& x, double* y) { *y = 2 * x[0]; }), threads);
  const int unknowns = mode == "sizes" && last ? 5 : 6;
  MpiEvaluator evaluator(mpi, constrained(unknowns, mpi.leads() ? "same" : mode), threads);
  if (mode == "wait") {
    std::fprintf(stderr, "process %d rank %d\n", static_cast<int>(getpid()), mpi.rank());
  }
  if (!mpi.leads()) return mpi.serve();

  MultiplierSettings settings{.tolerance = {1e-6}, .scaled = false, .penalty = 1, .runs = 8};
  settings.cma.max_generations = mode == "wait" ? 1'000'000 : 100;
  if (mode == "wait") settings.cma.tol_x = settings.cma.tol_fun = 0;
  Multipliers multipliers(settings, 3, std::vector<double>(6, 0.5), std::vector<double>(6, -1),
                          std::vector<double>(6, 2));
  minimise(multipliers, evaluator);

  std::vector<double> points(37), doubled(37);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = std::sqrt(static_cast<double>(i));
  other.evaluate(37, points.data(), doubled.data());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (doubled[i] != 2 * points[i]) throw std::runtime_error("results in the wrong places");
  }
  std::printf("hash %016llx evaluations %lld workers %d\n",
              static_cast<unsigned long long>(hash(multipliers.solution().x)),
              static_cast<long long>(multipliers.evaluations()), evaluator.all_workers());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return work(argc > 1 ? argv[1] : "same");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
  }
}

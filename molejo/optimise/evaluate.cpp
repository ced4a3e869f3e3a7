#include "molejo/optimise/evaluate.h"

#include <algorithm>
#include <cassert>

#include "molejo/math/parallel.h"

namespace molejo {

Problem interruptible(Problem problem, const std::atomic<bool>& stop) {
  problem.evaluate = [evaluate = std::move(problem.evaluate), &stop](
                         int worker, int count, const double* points, double* results) {
    if (stop) throw Interrupted();
    evaluate(worker, count, points, results);
  };
  return problem;
}

ThreadEvaluator::ThreadEvaluator(Problem problem, int threads)
    : Evaluator(problem.unknowns, problem.outputs),
      problem_(std::move(problem)),
      threads_(thread_count(threads)) {
  assert(problem_.unknowns > 0 && problem_.outputs > 0 && problem_.group > 0);
}

void ThreadEvaluator::do_evaluate(int count, const double* points, double* results) {
  const int groups = (count + problem_.group - 1) / problem_.group;
  parallel_for_workers(groups, threads_, [&](int worker, int g) {
    const std::ptrdiff_t first = std::ptrdiff_t{g} * problem_.group;
    const int size = std::min(problem_.group, count - static_cast<int>(first));
    problem_.evaluate(worker, size, points + first * problem_.unknowns,
                      results + first * problem_.outputs);
  });
}

}  // namespace molejo

// Many points evaluated at once, with the same result for any number of threads and machines.
//
//   results[i] = f(points[i]),  i = 0 .. count-1,  f: R^unknowns -> R^outputs
//
// Groups of `group` neighbouring points are formed by index, never by who is free, and every result
// is written to the place of its index. What f gives for a point must not depend on the other
// points of its group.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace molejo {

// What is evaluated. Independent of threads but for the worker index: calls with the same worker
// never overlap, so that each worker may have memory of its own.
struct Problem {
  int unknowns = 0;  // doubles a point
  int outputs = 1;   // doubles a result
  int group = 1;     // most points in one call; 4: four candidates in one pack

  // count in 1 .. group; points: count rows of `unknowns`; results: count rows of `outputs`.
  // worker in 0 .. workers-1, as the evaluator tells. An exception ends the batch.
  std::function<void(int worker, int count, const double* points, double* results)> evaluate = {};
};

// The same problem, but an evaluation that begins when `stop` is set throws Interrupted.
struct Interrupted {};
Problem interruptible(Problem problem, const std::atomic<bool>& stop);

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  int unknowns() const { return unknowns_; }
  int outputs() const { return outputs_; }
  std::int64_t evaluations() const { return evaluations_; }  // points so far

  // points: count rows of unknowns(); results: count rows of outputs(), all written unless an
  // exception leaves: the one of the first group (by index) that failed.
  void evaluate(int count, const double* points, double* results) {
    do_evaluate(count, points, results);
    evaluations_ += count;
  }

 protected:
  Evaluator(int unknowns, int outputs) : unknowns_(unknowns), outputs_(outputs) {}

 private:
  virtual void do_evaluate(int count, const double* points, double* results) = 0;

  int unknowns_, outputs_;
  std::int64_t evaluations_ = 0;
};

// Groups are taken by whichever thread is free, the caller's among them. The threads persist
// (molejo/math/parallel.h); no allocation in evaluate(). Two evaluators that are used at the same
// time do not share threads: the later one works on its caller's alone.
class ThreadEvaluator : public Evaluator {
 public:
  // threads = 0: as many as the machine has. The problem must be ready for workers() workers:
  // `thread_count(threads)` tells their number beforehand.
  explicit ThreadEvaluator(Problem problem, int threads = 0);

  int workers() const { return threads_; }

 private:
  void do_evaluate(int count, const double* points, double* results) override;

  Problem problem_;
  int threads_;
};

}  // namespace molejo

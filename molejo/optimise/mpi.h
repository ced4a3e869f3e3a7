// A population spread over machines: `mpirun -n N molejo train ...`.
//
//   MpiSession mpi;
//   MpiEvaluator evaluator(mpi, problem, threads);      // on every rank, in the same order
//   if (!mpi.leads()) return mpi.serve();               // until the leader's session ends
//   minimise(multipliers, evaluator);
//
// Rank 0 leads and works as well; each rank gets neighbouring whole groups in proportion to its
// threads. So results have the same bits for any number of ranks. Only collectives of MPI are used,
// and one message where a rank failed. MPI is loaded by the first session (mpi_module.h).
//
// A rank that is killed: mpirun names it, ends all others and returns an error; nothing is left
// waiting. An exception in a rank's evaluation is thrown by the leader's evaluate().
#pragma once

#include <memory>
#include <string>

#include "molejo/optimise/evaluate.h"

namespace molejo {

// Loads MPI. One line if it cannot be: its module, molejo_mpi.so, is not there or does not load.
std::string mpi_trouble();

// Whether a launcher of MPI started this process (Open MPI, MPICH and PMIx tell by variables of the
// environment). If not, leave MPI alone: threads do the same.
bool launched_by_mpirun();
// The rank that such a launcher gave it, known before MPI is loaded; else 0.
int rank_by_mpirun();

class MpiEvaluator;

// One per process, for good: MPI can be begun and ended once. All members from one thread.
class MpiSession {
 public:
  // Throws std::runtime_error where there is mpi_trouble().
  MpiSession();
  // The leader tells the others to end. Another rank that was not told so ends the whole job with
  // a message: the leader would wait for it forever.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool leads() const { return rank_ == 0; }

  // The leader's text, on every rank: one reads the file, all have it. Called by all ranks.
  std::string broadcast(const std::string& text);

  // Called by all ranks with what went wrong on each, empty if nothing did. Throws
  // std::runtime_error "rank 2 on host: ..." on all of them for the first that failed; the session
  // is then over and must be left.
  void agree(const std::string& trouble);

  // The other ranks' part: evaluates what the leader sends until it ends. Returns 0.
  int serve();

 private:
  friend class MpiEvaluator;
  int rank_ = 0, ranks_ = 1;
  bool told_to_end_ = false;
  std::vector<MpiEvaluator*> evaluators_;  // by number; null once it is gone
};

class MpiEvaluator : public Evaluator {
 public:
  // Called by all ranks, with problems of the same sizes (or all throw std::runtime_error).
  // threads: of this rank, as for ThreadEvaluator.
  MpiEvaluator(MpiSession& session, Problem problem, int threads = 0);
  ~MpiEvaluator() override;

  int workers() const { return local_.workers(); }  // of this rank
  int all_workers() const { return threads_before_.back(); }

 private:
  friend class MpiSession;
  void do_evaluate(int count, const double* points, double* results) override;
  void work(int count, const double* points, double* results);
  void divide(int count);

  MpiSession& session_;
  ThreadEvaluator local_;
  int number_, group_;
  std::vector<int> threads_before_;              // of all ranks before, ranks + 1 entries
  std::vector<int> points_of_, first_point_of_;  // share of each rank
  std::vector<int> sent_, sent_at_, received_, received_at_;
  std::vector<double> own_points_, own_results_;
  std::vector<int> failed_;
};

}  // namespace molejo

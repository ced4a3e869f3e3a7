#include "molejo/optimise/mpi.h"

#include <cassert>
#include <cstdlib>
#include <exception>
#include <limits>
#include <stdexcept>

#ifdef MOLEJO_MPI
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#endif

namespace molejo {

bool launched_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

#ifdef MOLEJO_MPI

namespace {

constexpr int end_of_session = -1;
constexpr int trouble_tag = 1;

std::string host_name() {
  char text[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::string place(int rank, const std::string& host) {
  return "rank " + std::to_string(rank) + " on " + host;
}

// MPI promises nothing after an error: all ranks end
[[noreturn]] void end_job(int rank, const std::string& reason) {
  std::fprintf(stderr, "molejo: %s: %s; the job ends\n", place(rank, host_name()).c_str(),
               reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0, rank = 0;
  MPI_Error_string(code, text, &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  end_job(rank, text);
}

void send_trouble(const std::string& text) {
  check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, trouble_tag,
                 MPI_COMM_WORLD));
}

std::string receive_trouble(int rank) {
  MPI_Status status;
  int size = 0;
  check(MPI_Probe(rank, trouble_tag, MPI_COMM_WORLD, &status));
  check(MPI_Get_count(&status, MPI_CHAR, &size));
  std::string text(static_cast<std::size_t>(size), ' ');
  check(
      MPI_Recv(text.data(), size, MPI_CHAR, rank, trouble_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  return text;
}

}  // namespace

bool has_mpi() { return true; }

MpiSession::MpiSession() {
  int initialized = 0, provided = 0;
  MPI_Initialized(&initialized);
  if (initialized) throw std::runtime_error("MPI: a process can have one session only");
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    throw std::runtime_error("MPI: this installation does not allow threads");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_));
}

MpiSession::~MpiSession() {
  if (leads() && !told_to_end_) {
    int command[2] = {end_of_session, 0};
    check(MPI_Bcast(command, 2, MPI_INT, 0, MPI_COMM_WORLD));
  } else if (!told_to_end_) {
    end_job(rank_, "left before the leader ended");
  }
  MPI_Finalize();
}

std::string MpiSession::broadcast(const std::string& text) {
  assert(text.size() < std::numeric_limits<int>::max());
  int size = static_cast<int>(text.size());
  check(MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD));
  std::string result = leads() ? text : std::string(static_cast<std::size_t>(size), ' ');
  check(MPI_Bcast(result.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD));
  return result;
}

void MpiSession::agree(const std::string& trouble) {
  // the lowest rank in trouble, or ranks_ if none is
  int own = trouble.empty() ? ranks_ : rank_, first = ranks_;
  check(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  if (first == ranks_) return;
  std::string text = place(rank_, host_name()) + ": " + trouble;
  int size = static_cast<int>(text.size());
  check(MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD));
  text.resize(static_cast<std::size_t>(size));
  check(MPI_Bcast(text.data(), size, MPI_CHAR, first, MPI_COMM_WORLD));
  // all know, so each may leave without a word
  told_to_end_ = true;
  throw std::runtime_error(text);
}

int MpiSession::serve() {
  assert(!leads());
  while (true) {
    int command[2] = {end_of_session, 0};
    check(MPI_Bcast(command, 2, MPI_INT, 0, MPI_COMM_WORLD));
    if (command[0] == end_of_session) {
      told_to_end_ = true;
      return 0;
    }
    const auto number = static_cast<std::size_t>(command[0]);
    if (number >= evaluators_.size() || !evaluators_[number]) {
      end_job(rank_, "asked for an evaluator that is not here");
    }
    evaluators_[number]->work(command[1], nullptr, nullptr);
  }
}

MpiEvaluator::MpiEvaluator(MpiSession& session, Problem problem, int threads)
    : Evaluator(problem.unknowns, problem.outputs),
      session_(session),
      local_(problem, threads),
      number_(static_cast<int>(session.evaluators_.size())),
      group_(problem.group) {
  const auto ranks = static_cast<std::size_t>(session.ranks());
  const std::array<int, 5> own = {problem.unknowns, problem.outputs, problem.group, number_,
                                  local_.workers()};
  std::vector<int> all(own.size() * ranks);
  check(MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_INT, all.data(),
                      static_cast<int>(own.size()), MPI_INT, MPI_COMM_WORLD));
  const bool same = std::equal(own.begin(), own.end() - 1, all.begin());  // as on rank 0
  session.agree(same ? "" : "the problem has other sizes here than on rank 0");
  threads_before_.assign(1, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    threads_before_.push_back(threads_before_.back() + all[own.size() * r + own.size() - 1]);
  }
  for (std::vector<int>* list :
       {&points_of_, &first_point_of_, &sent_, &sent_at_, &received_, &received_at_, &failed_}) {
    list->resize(ranks);
  }
  session.evaluators_.push_back(this);
}

MpiEvaluator::~MpiEvaluator() { session_.evaluators_[static_cast<std::size_t>(number_)] = nullptr; }

// Whole groups, in the order of the ranks, in proportion to their threads.
void MpiEvaluator::divide(int count) {
  assert(std::int64_t{count} * std::max(unknowns(), outputs()) < std::numeric_limits<int>::max());
  const std::int64_t groups = (count + group_ - 1) / group_, threads = threads_before_.back();
  const auto first_point = [&](std::size_t r) {
    const std::int64_t first_group = groups * threads_before_[r] / threads;
    return static_cast<int>(std::min<std::int64_t>(count, first_group * group_));
  };
  for (std::size_t r = 0; r < points_of_.size(); ++r) {
    first_point_of_[r] = first_point(r);
    points_of_[r] = first_point(r + 1) - first_point_of_[r];
    sent_[r] = points_of_[r] * unknowns();
    sent_at_[r] = first_point_of_[r] * unknowns();
    received_[r] = points_of_[r] * outputs();
    received_at_[r] = first_point_of_[r] * outputs();
  }
}

void MpiEvaluator::do_evaluate(int count, const double* points, double* results) {
  assert(session_.leads());
  int command[2] = {number_, count};
  check(MPI_Bcast(command, 2, MPI_INT, 0, MPI_COMM_WORLD));
  work(count, points, results);
}

// What each rank does with a batch; `points` and `results` are the leader's.
void MpiEvaluator::work(int count, const double* points, double* results) {
  divide(count);
  const auto r = static_cast<std::size_t>(session_.rank());
  const int own = points_of_[r];
  own_points_.resize(static_cast<std::size_t>(sent_[r]));
  own_results_.resize(static_cast<std::size_t>(received_[r]));
  check(MPI_Scatterv(points, sent_.data(), sent_at_.data(), MPI_DOUBLE, own_points_.data(),
                     sent_[r], MPI_DOUBLE, 0, MPI_COMM_WORLD));
  std::exception_ptr failure;
  std::string trouble;
  try {
    if (own > 0) local_.evaluate(own, own_points_.data(), own_results_.data());
  } catch (const std::exception& e) {
    failure = std::current_exception();
    trouble = e.what();
  } catch (...) {
    failure = std::current_exception();
    trouble = "an evaluation failed";
  }
  check(MPI_Gatherv(own_results_.data(), received_[r], MPI_DOUBLE, results, received_.data(),
                    received_at_.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD));
  int failed = failure ? 1 : 0;
  check(MPI_Gather(&failed, 1, MPI_INT, failed_.data(), 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (!session_.leads()) {
    if (failure) send_trouble(place(session_.rank(), host_name()) + ": " + trouble);
    return;
  }
  // every message is fetched, the first by rank (so by index of the group) is thrown
  std::string first;
  for (int other = 1; other < session_.ranks(); ++other) {
    if (failed_[static_cast<std::size_t>(other)] == 0) continue;
    const std::string text = receive_trouble(other);
    if (first.empty()) first = text;
  }
  if (failure) std::rethrow_exception(failure);
  if (!first.empty()) throw std::runtime_error(first);
}

#else  // built without MPI

bool has_mpi() { return false; }

MpiSession::MpiSession() {
  throw std::runtime_error(
      "Molejo was built without MPI; install libopenmpi-dev and build again, or run without "
      "mpirun");
}
MpiSession::~MpiSession() = default;
std::string MpiSession::broadcast(const std::string& text) { return text; }
void MpiSession::agree(const std::string&) {}
int MpiSession::serve() { return 0; }

MpiEvaluator::MpiEvaluator(MpiSession& session, Problem problem, int threads)
    : Evaluator(problem.unknowns, problem.outputs),
      session_(session),
      local_(problem, threads),
      number_(0),
      group_(problem.group) {}
MpiEvaluator::~MpiEvaluator() = default;
void MpiEvaluator::do_evaluate(int count, const double* points, double* results) {
  local_.evaluate(count, points, results);
}

#endif

}  // namespace molejo

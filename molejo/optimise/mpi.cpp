#include "molejo/optimise/mpi.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "molejo/optimise/mpi_module.h"

namespace molejo {

bool launched_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

int rank_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

namespace {

constexpr const char* module_file = "molejo_mpi.so";

struct LoadedModule {
  const MpiModule* functions = nullptr;
  std::string trouble;
};

// The folder of the program or shared library that holds this code.
std::filesystem::path own_folder() {
  Dl_info info{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&launched_by_mpirun), &info) == 0) return {};
  // a program is known by the name it was called by: the system knows where it is
  std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string name = std::filesystem::path(info.dli_fname).filename().string();
  if (name.find(".so") != std::string::npos) {
    file = std::filesystem::canonical(info.dli_fname, error);
  }
  return file.parent_path();
}

LoadedModule load_module() {
  const std::filesystem::path own = own_folder();
  const std::filesystem::path installed = std::filesystem::path("molejo") / module_file;
  const std::filesystem::path places[] = {
      own / module_file,                               // where it was built
      own / ".." / MOLEJO_LIBRARY_FOLDER / installed,  // from bin
      own / installed,                                 // from lib
      std::filesystem::path(MOLEJO_FULL_LIBRARY_FOLDER) / installed};
  for (const std::filesystem::path& place : places) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    // MPI looks for parts of itself among the symbols of the whole process
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return {nullptr, dlerror()};
    void* function = dlsym(handle, mpi_module_function);
    if (!function) return {nullptr, place.string() + ": of another version of Molejo"};
    return {reinterpret_cast<decltype(&molejo_mpi_module_1)>(function)(), ""};
  }
  return {nullptr, std::string(module_file) + " is neither beside the program nor in " +
                       places[3].parent_path().string() +
                       "; install it (built where libopenmpi-dev is), or run without mpirun"};
}

const LoadedModule& loaded_module() {
  static const LoadedModule loaded = load_module();
  return loaded;
}

const MpiModule& mpi() {
  const LoadedModule& loaded = loaded_module();
  if (!loaded.functions) throw std::runtime_error(loaded.trouble);
  return *loaded.functions;
}

constexpr int end_of_session = -1;

[[noreturn]] void end_job(const char* reason) {
  mpi().end_job(reason);
  std::abort();
}

std::string place(int rank) { return "rank " + std::to_string(rank) + " on " + mpi().host_name(); }

std::string receive_trouble(int rank) {
  std::string text(static_cast<std::size_t>(mpi().size_of_message(rank)), ' ');
  mpi().receive(text.data(), static_cast<int>(text.size()), rank);
  return text;
}

}  // namespace

std::string mpi_trouble() { return loaded_module().trouble; }

MpiSession::MpiSession() {
  if (const char* trouble = mpi().begin(&rank_, &ranks_)) {
    throw std::runtime_error(std::string("MPI: ") + trouble);
  }
}

MpiSession::~MpiSession() {
  if (leads() && !told_to_end_) {
    int command[2] = {end_of_session, 0};
    mpi().broadcast(command, sizeof command, 0);
  } else if (!told_to_end_) {
    end_job("left before the leader ended");
  }
  mpi().end();
}

std::string MpiSession::broadcast(const std::string& text) {
  assert(text.size() < std::numeric_limits<int>::max());
  int size = static_cast<int>(text.size());
  mpi().broadcast(&size, sizeof size, 0);
  std::string result = leads() ? text : std::string(static_cast<std::size_t>(size), ' ');
  mpi().broadcast(result.data(), size, 0);
  return result;
}

void MpiSession::agree(const std::string& trouble) {
  // the lowest rank in trouble, or ranks_ if none is
  const int first = mpi().least(trouble.empty() ? ranks_ : rank_);
  if (first == ranks_) return;
  std::string text = place(rank_) + ": " + trouble;
  int size = static_cast<int>(text.size());
  mpi().broadcast(&size, sizeof size, first);
  text.resize(static_cast<std::size_t>(size));
  mpi().broadcast(text.data(), size, first);
  // all know, so each may leave without a word
  told_to_end_ = true;
  throw std::runtime_error(text);
}

int MpiSession::serve() {
  assert(!leads());
  while (true) {
    int command[2] = {end_of_session, 0};
    mpi().broadcast(command, sizeof command, 0);
    if (command[0] == end_of_session) {
      told_to_end_ = true;
      return 0;
    }
    const auto number = static_cast<std::size_t>(command[0]);
    if (number >= evaluators_.size() || !evaluators_[number]) {
      end_job("asked for an evaluator that is not here");
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
  mpi().gather_everywhere(own.data(), static_cast<int>(own.size()), all.data());
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
  mpi().broadcast(command, sizeof command, 0);
  work(count, points, results);
}

// What each rank does with a batch; `points` and `results` are the leader's.
void MpiEvaluator::work(int count, const double* points, double* results) {
  divide(count);
  const auto r = static_cast<std::size_t>(session_.rank());
  const int own = points_of_[r];
  own_points_.resize(static_cast<std::size_t>(sent_[r]));
  own_results_.resize(static_cast<std::size_t>(received_[r]));
  mpi().scatter_numbers(points, sent_.data(), sent_at_.data(), own_points_.data(), sent_[r]);
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
  mpi().gather_numbers(own_results_.data(), received_[r], results, received_.data(),
                       received_at_.data());
  mpi().gather(failure ? 1 : 0, failed_.data());
  if (!session_.leads()) {
    if (failure) {
      const std::string text = place(session_.rank()) + ": " + trouble;
      mpi().send(text.data(), static_cast<int>(text.size()));
    }
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

}  // namespace molejo

// molejo_mpi.so: MPI behind the functions of mpi_module.h.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "molejo/optimise/mpi_module.h"

namespace molejo {

namespace {

constexpr int message_tag = 1;

const char* host_name() {
  static char text[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int length = 0;
  if (text[0] == 0) MPI_Get_processor_name(text, &length);
  return text;
}

[[noreturn]] void end_job(const char* reason) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "molejo: rank %d on %s: %s; the job ends\n", rank, host_name(), reason);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  end_job(text);
}

const char* begin(int* rank, int* ranks) {
  int initialized = 0, provided = 0;
  MPI_Initialized(&initialized);
  if (initialized) return "a process can have one session only";
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    return "this installation does not allow threads";
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(MPI_COMM_WORLD, rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, ranks));
  return nullptr;
}

void end() { MPI_Finalize(); }

void broadcast(void* data, int bytes, int from) {
  check(MPI_Bcast(data, bytes, MPI_BYTE, from, MPI_COMM_WORLD));
}

int least(int own) {
  int result = own;
  check(MPI_Allreduce(&own, &result, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return result;
}

void gather_everywhere(const int* own, int count, int* all) {
  check(MPI_Allgather(own, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD));
}

void gather(int own, int* all) {
  check(MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
}

void scatter_numbers(const double* all, const int* counts, const int* starts, double* own,
                     int own_count) {
  check(
      MPI_Scatterv(all, counts, starts, MPI_DOUBLE, own, own_count, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

void gather_numbers(const double* own, int own_count, double* all, const int* counts,
                    const int* starts) {
  check(
      MPI_Gatherv(own, own_count, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

void send(const char* text, int size) {
  check(MPI_Send(text, size, MPI_CHAR, 0, message_tag, MPI_COMM_WORLD));
}

int size_of_message(int from) {
  MPI_Status status;
  int size = 0;
  check(MPI_Probe(from, message_tag, MPI_COMM_WORLD, &status));
  check(MPI_Get_count(&status, MPI_CHAR, &size));
  return size;
}

void receive(char* text, int size, int from) {
  check(MPI_Recv(text, size, MPI_CHAR, from, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

constexpr MpiModule module = {begin,
                              end,
                              end_job,
                              host_name,
                              broadcast,
                              least,
                              gather_everywhere,
                              gather,
                              scatter_numbers,
                              gather_numbers,
                              send,
                              size_of_message,
                              receive};

}  // namespace

[[gnu::visibility("default")]] const MpiModule* molejo_mpi_module_1() { return &module; }

}  // namespace molejo

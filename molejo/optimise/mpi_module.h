// What the library asks of MPI. The module molejo_mpi.so (apps/mpi) answers; it alone is linked to
// MPI, and only a process that mpirun started loads it.
//
// Functions return when all went well: MPI promises nothing after an error, so that the module then
// says what happened and ends the job. All are called from one thread.
#pragma once

namespace molejo {

struct MpiModule {
  // Begins MPI. Null, or what went wrong.
  const char* (*begin)(int* rank, int* ranks);
  void (*end)();
  // All ranks end, this one here; `reason` is told with the rank and its host.
  void (*end_job)(const char* reason);
  const char* (*host_name)();

  // collectives: called by all ranks
  void (*broadcast)(void* data, int bytes, int from);
  int (*least)(int own);
  void (*gather_everywhere)(const int* own, int count, int* all);
  void (*gather)(int own, int* all);
  // to each rank counts[rank] numbers, from there at starts[rank]; and back
  void (*scatter_numbers)(const double* all, const int* counts, const int* starts, double* own,
                          int own_count);
  void (*gather_numbers)(const double* own, int own_count, double* all, const int* counts,
                         const int* starts);

  // a text for the leader, who learns its size first
  void (*send)(const char* text, int size);
  int (*size_of_message)(int from);
  void (*receive)(char* text, int size, int from);
};

// The one function that the module exports, by this name: changed when MpiModule is.
extern "C" const MpiModule* molejo_mpi_module_1();
inline constexpr const char* mpi_module_function = "molejo_mpi_module_1";

}  // namespace molejo

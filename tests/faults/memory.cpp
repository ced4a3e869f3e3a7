// Memory that is not given: preloaded into a program, it counts what is asked for since main() has
// begun, and refuses.
//
//   LD_PRELOAD=libfaulty_memory.so FAULT_AT=17 molejo ...      the 17th time
//   LD_PRELOAD=libfaulty_memory.so FAULT_FROM=17 molejo ...    from the 17th time on
//   LD_PRELOAD=libfaulty_memory.so FAULT_COUNT=file molejo ... writes how often it was asked
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

}  // extern "C"

namespace {

std::atomic<bool> armed{false};
std::atomic<long> asked{0};
long at = 0, from = 0;

long number(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 10) : 0;
}

bool is_refused() {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const long n = ++asked;
  if (n != at && (from == 0 || n < from)) return false;
  errno = ENOMEM;
  return true;
}

constexpr long main_begins = 999'999;  // no call of the system: trace.cpp waits for it

int (*real_main)(int, char**, char**) = nullptr;

int armed_main(int count, char** words, char** environment) {
  at = number("FAULT_AT"), from = number("FAULT_FROM");
  ::syscall(main_begins);
  armed = true;
  return real_main(count, words, environment);
}

__attribute__((destructor)) void tell() {
  armed = false;
  const char* file = std::getenv("FAULT_COUNT");
  const int out = file ? ::open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (out < 0) return;
  ::dprintf(out, "%ld\n", asked.load());
  ::close(out);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return is_refused() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return is_refused() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return is_refused() ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return is_refused() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack) {
  real_main = main;
  const auto real =
      reinterpret_cast<decltype(&__libc_start_main)>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(&armed_main, count, words, init, fini, loader_fini, stack);
}

}  // extern "C"

// A value that each thread keeps from call to call, for memory that a hot path must not ask for
// anew. `thread_local` would do, but for one thing: glibc ends the process when it has no memory to
// note that such a value wants a destructor. Here std::bad_alloc is thrown.
//
//   static const ThreadKept<std::vector<double>> kept;
//   std::vector<double>& u = kept.of_this_thread();
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace molejo {

template <class T>
class ThreadKept {
 public:
  ThreadKept() {
    if (pthread_key_create(&key_, [](void* value) { delete static_cast<T*>(value); }) != 0) {
      throw std::bad_alloc();
    }
  }
  ThreadKept(const ThreadKept&) = delete;
  ThreadKept& operator=(const ThreadKept&) = delete;

  T& of_this_thread() const {
    if (void* value = pthread_getspecific(key_)) return *static_cast<T*>(value);
    auto value = std::make_unique<T>();
    if (pthread_setspecific(key_, value.get()) != 0) throw std::bad_alloc();
    return *value.release();
  }

 private:
  pthread_key_t key_;  // lives as long as the process
};

}  // namespace molejo

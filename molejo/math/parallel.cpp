#include "molejo/math/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Threads that wait for the work of one caller at a time, which must not throw. They are started
// when first needed and joined when the program ends.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  // Calls work() on this thread and on up to `others` more, and returns when all have ended.
  // False: the pool is busy with another caller.
  bool run(int others, const std::function<void()>& work) {
    if (busy_.test_and_set()) return false;
    {
      const std::lock_guard lock(mutex_);
      start(others);
      work_ = &work;
      wanted_ = others;
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // who has not begun need not
    done_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
    busy_.clear();
    return true;
  }

 private:
  // Where there cannot be so many, fewer do the work.
  void start(int threads) {
    try {
      while (static_cast<int>(threads_.size()) < threads) {
        threads_.emplace_back([this] { wait_for_work(); });
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  void wait_for_work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ending_ || wanted_ > 0; });
      if (ending_) return;
      --wanted_;
      ++running_;
      const std::function<void()>* work = work_;
      lock.unlock();
      (*work)();
      lock.lock();
      if (--running_ == 0) done_.notify_all();
    }
  }

  std::atomic_flag busy_;  // set while one caller's work is done
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  const std::function<void()>* work_ = nullptr;
  int wanted_ = 0, running_ = 0;
  bool ending_ = false;
};

}  // namespace

int thread_count(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_in_parallel(int count, int threads, const std::function<void(int, int)>& f) {
  static Pool pool;
  threads = std::min(thread_count(threads), count);
  std::atomic<int> next{0}, next_worker{0};
  std::mutex failure_mutex;
  int first_failure = count;
  std::exception_ptr failure;
  InterruptScope* const scope = current_interrupt_scope;
  const auto take_items = [&] {
    const JoinedInterruptScope joined(scope);
    const int worker = next_worker++;
    for (int i = next++; i < count; i = next++) {
      try {
        check_interrupt();
        f(worker, i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (i < first_failure) first_failure = i, failure = std::current_exception();
      }
    }
  };
  const std::function<void()> work = std::cref(take_items);  // a reference: nothing is allocated
  // calls from inside f find the pool busy
  if (threads <= 1 || !pool.run(threads - 1, work)) work();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace molejo

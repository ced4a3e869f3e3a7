// Work that takes long, one piece after another on a thread of its own, and what it has to tell. It
// can be interrupted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "molejo/math/interrupt.h"

namespace molejo {

// Lines from any thread for the one that takes them.
class News {
 public:
  // `wake` is called whenever there is some; any thread.
  explicit News(std::function<void()> wake) : wake_(std::move(wake)) {}
  void tell(const std::string& line);
  // What was told since the last time.
  std::vector<std::string> take();

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class Jobs {
 public:
  using Tell = std::function<void(const std::string& news)>;
  using Work = std::function<void(const Tell& tell)>;

  // `wake` is called whenever there is news; any thread.
  Jobs(std::function<void()> wake, std::size_t most_waiting_bytes);
  ~Jobs();  // ends the piece under way; those that wait are dropped

  // Work that holds so many bytes until it is done. False when too much waits already.
  bool add(int number, Work work, std::size_t bytes);
  // Interrupts it, or lets it not begin. False: there is none of this number.
  bool cancel(int number);
  // What was told since the last time.
  std::vector<std::string> news() { return news_.take(); }

 private:
  void run();

  struct Job {
    int number = 0;
    Work work;
    std::size_t bytes = 0;
    std::shared_ptr<Interrupt> interrupt = std::make_shared<Interrupt>();
  };
  News news_;
  const std::size_t most_waiting_bytes_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Job> jobs_;  // the first one is under way
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace molejo

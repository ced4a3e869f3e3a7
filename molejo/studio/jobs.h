// Work that takes long, one piece after another on a thread of its own, and what it has to tell.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
  explicit Jobs(std::function<void()> wake);
  ~Jobs();  // waits for the piece under way; those that wait are dropped

  // False when too many wait already.
  bool add(Work work);
  // What was told since the last time.
  std::vector<std::string> news() { return news_.take(); }

 private:
  void run();

  News news_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Work> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace molejo

#include "molejo/studio/jobs.h"

#include <utility>

namespace molejo {

namespace {

constexpr std::size_t most_waiting = 16;

}  // namespace

void News::tell(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  if (wake_) wake_();
}

std::vector<std::string> News::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

Jobs::Jobs(std::function<void()> wake) : news_(std::move(wake)), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    more_.notify_one();
  }
  thread_.join();
}

bool Jobs::add(Work work) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= most_waiting) return false;
  waiting_.push_back(std::move(work));
  more_.notify_one();
  return true;
}

void Jobs::run() {
  while (true) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work([this](const std::string& text) { news_.tell(text); });
  }
}

}  // namespace molejo

#include "molejo/studio/jobs.h"

namespace molejo {

namespace {

constexpr std::size_t most_waiting = 16;

}  // namespace

Jobs::Jobs(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { run(); }) {}

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

std::vector<std::string> Jobs::news() {
  const std::lock_guard lock(mutex_);
  return std::move(news_);
}

void Jobs::tell(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    news_.push_back(text);
  }
  if (wake_) wake_();
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
    work([this](const std::string& text) { tell(text); });
  }
}

}  // namespace molejo

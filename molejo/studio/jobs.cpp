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

Jobs::Jobs(std::function<void()> wake, std::size_t most_waiting_bytes)
    : news_(std::move(wake)), most_waiting_bytes_(most_waiting_bytes), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const Job& job : jobs_) job.interrupt->cancel();
    more_.notify_one();
  }
  thread_.join();
}

bool Jobs::add(int number, Work work, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::size_t all = bytes;
  for (const Job& job : jobs_) all += job.bytes;
  if (!jobs_.empty() && (jobs_.size() > most_waiting || all > most_waiting_bytes_)) return false;
  jobs_.push_back({number, std::move(work), bytes});
  more_.notify_one();
  return true;
}

bool Jobs::cancel(int number) {
  const std::lock_guard lock(mutex_);
  for (const Job& job : jobs_) {
    if (job.number != number) continue;
    job.interrupt->cancel();
    return true;
  }
  return false;
}

void Jobs::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Work work = std::move(jobs_.front().work);
    const std::shared_ptr<Interrupt> interrupt = jobs_.front().interrupt;
    lock.unlock();
    {
      const InterruptScope scope(*interrupt);
      try {
        work([this](const std::string& text) { news_.tell(text); });
      } catch (const std::exception&) {
        // what there is to tell, it has told
      }
      work = nullptr;  // with all that it holds
    }
    lock.lock();
    jobs_.pop_front();
  }
}

}  // namespace molejo

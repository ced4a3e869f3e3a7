#include "molejo/studio/net_analyst.h"

#include <utility>

namespace molejo {

NetAnalyst::NetAnalyst(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { run(); }) {}

NetAnalyst::~NetAnalyst() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancel();
  }
  more_.notify_all();
  thread_.join();
}

// With the lock held.
void NetAnalyst::cancel() {
  cancelled_ = true;
  if (under_way_) under_way_->cancel();
}

void NetAnalyst::ask(Net net, std::uint64_t max_markings, int own) {
  const std::lock_guard lock(mutex_);
  asked_ = Question{std::move(net), max_markings, own};
  found_.reset();
  cancel();
  more_.notify_all();
}

std::optional<NetFindings> NetAnalyst::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(found_, std::nullopt);
}

void NetAnalyst::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return stopping_ || asked_; });
    if (stopping_) return;
    const Question q = std::move(*asked_);
    asked_.reset();
    cancelled_ = false;
    Interrupt interrupt;
    under_way_ = &interrupt;
    lock.unlock();
    NetFindings findings;
    try {
      const InterruptScope scope(interrupt);
      findings = find_out(q.net, q.max_markings, q.own);
    } catch (const std::exception& e) {
      findings = {};
      findings.complete = false;
      findings.sentences.push_back({Finding::Sign::unknown,
                                    Finding::Group::asked,
                                    std::string("stopped: ") + e.what(),
                                    -1,
                                    {},
                                    {}});
    }
    lock.lock();
    under_way_ = nullptr;
    if (cancelled_) continue;
    found_ = std::move(findings);
    lock.unlock();
    if (wake_) wake_();
    lock.lock();
  }
}

}  // namespace molejo

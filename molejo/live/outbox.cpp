#include "molejo/live/outbox.h"

#include <algorithm>
#include <utility>

namespace molejo {

bool Outbox::add_reply(SharedBytes bytes) {
  if (closing_) return false;
  if (replies_ == limits_.max_replies || bytes->size() > limits_.max_reply_bytes - reply_bytes_) {
    give_up("replies are not read in time");
    return false;
  }
  ++replies_;
  reply_bytes_ += bytes->size();
  waiting_.push_back({std::nullopt, std::move(bytes)});
  return true;
}

bool Outbox::add_frame(int stream, SharedBytes bytes) {
  if (closing_) return false;
  const auto older = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& item) { return item.stream == stream; });
  if (older != waiting_.end()) {
    waiting_.erase(older);
    ++dropped_frames_;
  } else if (waiting_.size() - replies_ == limits_.max_streams) {
    give_up("too many streams");
    return false;
  }
  waiting_.push_back({stream, std::move(bytes)});
  return true;
}

SharedBytes Outbox::take() {
  if (waiting_.empty()) return nullptr;
  Waiting item = std::move(waiting_.front());
  waiting_.pop_front();
  if (!item.stream) {
    --replies_;
    reply_bytes_ -= item.bytes->size();
  }
  return std::move(item.bytes);
}

void Outbox::close(CloseReason reason) {
  if (!closing_) closing_ = std::move(reason);
}

// it does not read: what waits would wait for ever
void Outbox::give_up(std::string reason) {
  waiting_.clear();
  replies_ = 0;
  reply_bytes_ = 0;
  close({CloseCode::policy, std::move(reason)});
}

}  // namespace molejo

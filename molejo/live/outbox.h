// What still has to be sent to one client: bounded, in the order it was given.
//
// Replies are never dropped: more of them than fit end the connection. Frames are views of a
// stream that goes on: of each stream only the latest waits, so that a slow client loses frames
// and delays nobody. No locks here; the server guards its outboxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "molejo/live/websocket.h"

namespace molejo {

// A whole encoded frame; one copy serves all clients that get it.
using SharedBytes = std::shared_ptr<const std::string>;

struct OutboxLimits {
  std::size_t max_replies = 1024;
  std::size_t max_reply_bytes = std::size_t{8} << 20;
  std::size_t max_streams = 16;
};

class Outbox {
 public:
  explicit Outbox(const OutboxLimits& limits) : limits_(limits) {}

  // False when the client is being closed, also by this very reply being one too many.
  bool add_reply(SharedBytes bytes);
  bool add_frame(int stream, SharedBytes bytes);

  // The next to send, null when there is none.
  SharedBytes take();
  bool empty() const { return waiting_.empty(); }
  std::size_t waiting_bytes() const { return reply_bytes_; }
  std::uint64_t dropped_frames() const { return dropped_frames_; }

  // Ends the connection once what waits was sent. The first reason given is the one told.
  void close(CloseReason reason);
  const std::optional<CloseReason>& closing() const { return closing_; }
  // Ends it at once: what waits is dropped.
  void give_up(std::string reason);

 private:
  struct Waiting {
    std::optional<int> stream;  // none: a reply
    SharedBytes bytes;
  };
  OutboxLimits limits_;
  std::deque<Waiting> waiting_;
  std::size_t replies_ = 0;
  std::size_t reply_bytes_ = 0;
  std::uint64_t dropped_frames_ = 0;
  std::optional<CloseReason> closing_;
};

}  // namespace molejo

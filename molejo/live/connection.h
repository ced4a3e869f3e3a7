// One accepted socket, from its first byte to its last. Used by the network thread alone.
//
//   head --> open ----> closing --.
//     |                           +--> draining --> finished
//     `----> (body) --> response -'
//
// head: the request is read. body: what a POST brings is read. open: a WebSocket. response: an
// answer or a file is sent. closing: what waits and a close frame are sent. draining: all is sent;
// what still comes is discarded until the other end closes as well, for a socket closed over unread
// bytes would take ours back.
#pragma once

#include <optional>
#include <string>

#include "molejo/live/admission.h"
#include "molejo/live/files.h"
#include "molejo/live/network.h"
#include "molejo/live/outbox.h"
#include "molejo/live/server.h"
#include "molejo/live/websocket.h"

namespace molejo {

// What a connection asks of the server that holds it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual bool has_room() const = 0;  // for one more client
  virtual ClientId open() = 0;
  // False when the handler failed.
  virtual bool deliver(ClientId client, const std::string& text) = 0;
  virtual SharedBytes next_bytes(ClientId client) = 0;
  // For one more body of this size, beside those that are read now.
  virtual bool has_room_for(std::size_t body) const = 0;
  // An answer that is no file; throws HttpError.
  virtual std::optional<HttpAnswer> request(const HttpRequest& request) = 0;
  // The client is no more; returns what still waits for it.
  virtual Outbox forget(ClientId client, const CloseReason& reason) = 0;
};

class Connection {
 public:
  using Time = NetworkClock::time_point;

  Connection(Socket socket, const ServerOptions& options, const Admission& admission,
             ConnectionOwner& owner, Time now);

  // Reads what is there, 64 KiB at most, and acts on it.
  void receive(Time now);
  // Writes what the socket takes, 256 KiB at most.
  void transmit(Time now);
  // Sends pings and ends what takes too long.
  void keep_time(Time now);
  // When keep_time has to be called at the latest.
  Time deadline() const { return deadline_; }

  enum class Waiting { are_sent, are_dropped };  // the messages that still wait
  void close(const CloseReason& reason, Waiting waiting, Time now);
  // The other end is gone, or is to be: at once and without a word.
  void abandon();

  std::optional<ClientId> client() const { return client_; }
  // Bytes that are kept for the body of a POST.
  std::size_t body_size() const { return phase_ == Phase::body ? body_size_ : 0; }
  bool finished() const { return phase_ == Phase::finished; }
  bool reads() const { return !ended_; }
  bool blocked() const { return blocked_; }  // waits until the socket takes more
  int descriptor() const { return socket_.descriptor(); }
  const std::string& address() const { return address_; }

 private:
  enum class Phase { head, body, open, response, closing, draining, finished };

  void read_head(std::string_view bytes, Time now);
  // Throws HttpError unless it may be answered.
  void admit(const RequestHead& request) const;
  void answer(const RequestHead& request, Time now);
  void upgrade(const RequestHead& request, Time now);
  void respond(int status, std::string_view body, Time now);
  void begin_body(RequestHead request, Time now);
  void read_body(std::string_view bytes, Time now);
  void respond_with_bytes(const HttpAnswer& answer, bool head_only, Time now);
  void respond_with_file(const RequestHead& request, Time now);
  void read_messages(Time now);
  void act_on(WebSocketMessage message, Time now);
  void charge(std::uint64_t frames, Time now);
  SharedBytes next_bytes(Time now);
  SharedBytes next_of_file();
  void drain(Time now);

  Socket socket_;
  const ServerOptions& options_;
  const Admission& admission_;
  ConnectionOwner& owner_;
  std::string address_;
  Phase phase_ = Phase::head;
  Time deadline_;
  bool ended_ = false;    // the other end sends no more
  bool blocked_ = false;  // the socket takes no more

  std::string head_;
  std::optional<RequestHead> post_;  // whose body is read
  std::string body_;
  std::size_t body_size_ = 0;
  SharedBytes content_;  // of an answer, after its head
  std::optional<ServedFile> file_;
  WebSocketReader reader_;
  std::optional<ClientId> client_;
  double allowance_;  // frames that may come at once
  Time charged_;      // when allowance_ was right
  bool ping_due_ = false;
  bool ping_open_ = false;
  std::optional<std::string> pong_due_;
  std::optional<Outbox> rest_;
  SharedBytes farewell_;
  SharedBytes sending_;
  std::size_t sent_ = 0;  // bytes of sending_
};

}  // namespace molejo

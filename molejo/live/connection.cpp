#include "molejo/live/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace molejo {
namespace {

constexpr std::size_t read_at_once = 64 * 1024;
constexpr std::size_t write_at_once = 256 * 1024;

SharedBytes shared(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::string response_head(int status, std::string_view content_type, std::uint64_t size) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\n{}{}\r\n",
      status, status_text(status), content_type, size, security_headers,
      status == 426   ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      : status == 401 ? "WWW-Authenticate: Bearer\r\n"
      : status == 405 ? "Allow: GET, HEAD\r\n"
                      : "");
}

}  // namespace

Connection::Connection(Socket socket, const ServerOptions& options, const Admission& admission,
                       ConnectionOwner& owner, Time now)
    : socket_(std::move(socket)),
      options_(options),
      admission_(admission),
      owner_(owner),
      address_(peer_address(socket_)),
      deadline_(now + options.handshake_timeout),
      reader_(Sender::client, options.max_message_bytes),
      allowance_(options.message_burst),
      charged_(now) {}

void Connection::receive(Time now) {
  char bytes[read_at_once];
  const ssize_t count = ::recv(socket_.descriptor(), bytes, sizeof(bytes), 0);
  if (count < 0) {
    if (!would_block()) abandon();
    return;
  }
  if (count == 0) {
    // it may still wait for our last words, but not for those of a request or run
    ended_ = true;
    if (phase_ != Phase::response && phase_ != Phase::closing) abandon();
    return;
  }
  const std::string_view arrived(bytes, static_cast<std::size_t>(count));
  if (phase_ == Phase::head) {
    read_head(arrived, now);
  } else if (phase_ == Phase::body) {
    read_body(arrived, now);
  } else if (phase_ == Phase::open) {
    reader_.append(arrived);
  }
  if (phase_ == Phase::open) {
    // any sign of life will do
    ping_open_ = ping_due_ = false;
    deadline_ = now + options_.ping_interval;
    read_messages(now);
  }
}

void Connection::read_head(std::string_view bytes, Time now) {
  head_ += bytes;
  try {
    const std::optional<std::size_t> end = head_end(head_);
    if (!end) return;
    const RequestHead request = parse_request(std::string_view(head_).substr(0, *end));
    const std::string rest = head_.substr(*end);
    head_ = {};
    if (request.method == "POST" && options_.max_body_bytes > 0) {
      begin_body(request, now);
      read_body(rest, now);
      return;
    }
    // a client may send its first messages along
    reader_.append(rest);
    answer(request, now);
  } catch (const HttpError& error) {
    respond(error.status, error.what(), now);
  }
}

void Connection::answer(const RequestHead& request, Time now) {
  admit(request);
  if (request.path() == options_.path) {
    upgrade(request, now);
  } else {
    respond_with_file(request, now);
  }
}

void Connection::admit(const RequestHead& request) const {
  check_host(admission_, request);
  check_origin(admission_, request);
  check_token(admission_, request);
}

// Only a length that is told and bounded is waited for.
void Connection::begin_body(RequestHead request, Time now) {
  admit(request);
  const std::string* length = request.header("content-length");
  if (request.header("transfer-encoding") || !length || length->empty() || length->size() > 12 ||
      length->find_first_not_of("0123456789") != std::string::npos) {
    throw HttpError(411, "a body needs its length");
  }
  const unsigned long long size = std::stoull(*length);
  if (size > options_.max_body_bytes) {
    throw HttpError(413,
                    fmt::format("{} bytes; expected {} at most", size, options_.max_body_bytes));
  }
  if (!owner_.has_room_for(static_cast<std::size_t>(size))) {
    throw HttpError(503, "too much is being sent here; try again");
  }
  body_size_ = static_cast<std::size_t>(size);
  body_.reserve(body_size_);  // grown step by step it would take twice as much
  post_ = std::move(request);
  phase_ = Phase::body;
  deadline_ = now + options_.body_timeout;
}

void Connection::read_body(std::string_view bytes, Time now) {
  body_ += bytes.substr(0, body_size_ - body_.size());
  if (body_.size() < body_size_) return;
  try {
    const std::optional<HttpAnswer> given = owner_.request({*post_, body_});
    if (!given) throw HttpError(404, "nothing is taken here");
    respond_with_bytes(*given, false, now);
  } catch (const HttpError& error) {
    respond(error.status, error.what(), now);
  }
  body_ = {};
}

void Connection::respond_with_bytes(const HttpAnswer& given, bool head_only, Time now) {
  sending_ =
      shared(response_head(given.status, given.content_type, given.body ? given.body->size() : 0));
  if (!head_only && given.body && !given.body->empty()) content_ = given.body;
  phase_ = Phase::response;
  deadline_ = now + options_.pong_timeout;
}

void Connection::upgrade(const RequestHead& request, Time now) {
  const std::string key = check_upgrade(request);
  if (!owner_.has_room()) throw HttpError(503, "there are as many clients as may be");
  sending_ = shared(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: " +
      accept_key(key) + "\r\n\r\n");
  phase_ = Phase::open;
  charged_ = now;
  client_ = owner_.open();
}

void Connection::respond(int status, std::string_view body, Time now) {
  const std::string text = std::string(body) + "\n";
  sending_ = shared(response_head(status, "text/plain; charset=utf-8", text.size()) + text);
  phase_ = Phase::response;
  deadline_ = now + options_.pong_timeout;
}

void Connection::respond_with_file(const RequestHead& request, Time now) {
  const bool head_only = request.method == "HEAD";
  if (request.method != "GET" && !head_only) throw HttpError(405, "only GET and HEAD");
  if (const std::optional<HttpAnswer> given = owner_.request({request, {}})) {
    return respond_with_bytes(*given, head_only, now);
  }
  if (!options_.folder.empty()) file_ = open_served_file(options_.folder, request.path());
  if (!file_) throw HttpError(404, "no such file");
  sending_ = shared(response_head(200, file_->content_type, file_->size));
  if (head_only) file_.reset();
  phase_ = Phase::response;
  deadline_ = now + options_.pong_timeout;
}

void Connection::read_messages(Time now) {
  try {
    while (phase_ == Phase::open) {
      const std::uint64_t before = reader_.frames();
      std::optional<WebSocketMessage> message = reader_.next();
      charge(reader_.frames() - before, now);
      if (!message) return;
      act_on(std::move(*message), now);
    }
  } catch (const ProtocolError& error) {
    close({error.code, error.what()}, Waiting::are_dropped, now);
  }
}

void Connection::act_on(WebSocketMessage message, Time now) {
  switch (message.opcode) {
    case Opcode::text:
      if (!owner_.deliver(*client_, message.payload)) {
        close({CloseCode::internal_error, "internal error"}, Waiting::are_dropped, now);
      }
      return;
    case Opcode::ping:
      pong_due_ = std::move(message.payload);  // the latest is enough (RFC 6455, 5.5.3)
      return;
    case Opcode::pong:
      return;
    case Opcode::close:
      close(decode_close(message.payload), Waiting::are_sent, now);
      return;
    default:
      throw ProtocolError(CloseCode::unsupported_data, "only text is understood here");
  }
}

// a bucket that fills with time and that each frame takes one from
void Connection::charge(std::uint64_t frames, Time now) {
  const double elapsed = std::chrono::duration<double>(now - charged_).count();
  allowance_ =
      std::min(options_.message_burst, allowance_ + elapsed * options_.max_messages_per_second) -
      static_cast<double>(frames);
  charged_ = now;
  if (allowance_ < 0) {
    throw ProtocolError(CloseCode::policy, fmt::format("more than {} messages a second",
                                                       options_.max_messages_per_second));
  }
}

void Connection::transmit(Time now) {
  std::size_t written = 0;
  blocked_ = false;
  while (phase_ != Phase::finished) {
    if (!sending_) {
      sending_ = next_bytes(now);
      sent_ = 0;
      if (!sending_) return;
    }
    const ssize_t count = ::send(socket_.descriptor(), sending_->data() + sent_,
                                 sending_->size() - sent_, MSG_NOSIGNAL);
    if (count < 0) {
      if (would_block()) {
        blocked_ = true;
      } else {
        abandon();
      }
      return;
    }
    if (phase_ == Phase::response) deadline_ = now + options_.pong_timeout;
    sent_ += static_cast<std::size_t>(count);
    if (sent_ == sending_->size()) sending_.reset();
    written += static_cast<std::size_t>(count);
    if (written >= write_at_once) {
      blocked_ = true;  // others first
      return;
    }
  }
}

SharedBytes Connection::next_bytes(Time now) {
  SharedBytes bytes;
  switch (phase_) {
    case Phase::open:
      if (pong_due_) {
        bytes = shared(encode_frame(Opcode::pong, *std::exchange(pong_due_, std::nullopt)));
      } else if (std::exchange(ping_due_, false)) {
        bytes = shared(encode_frame(Opcode::ping, ""));
      } else {
        bytes = owner_.next_bytes(*client_);
      }
      break;
    case Phase::closing:
      if (rest_) bytes = rest_->take();
      if (!bytes) bytes = std::exchange(farewell_, nullptr);
      if (!bytes) drain(now);
      break;
    case Phase::response:
      bytes = std::exchange(content_, nullptr);
      if (!bytes) bytes = next_of_file();
      if (!bytes) drain(now);
      break;
    default:
      break;
  }
  return bytes;
}

SharedBytes Connection::next_of_file() {
  if (!file_ || file_->size == 0) return nullptr;
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(read_at_once, file_->size)),
                    0);
  const ssize_t count = ::read(file_->descriptor.descriptor(), bytes.data(), bytes.size());
  if (count <= 0) {
    abandon();  // shorter than its promised size: the reader must not take it for whole
    return nullptr;
  }
  bytes.resize(static_cast<std::size_t>(count));
  file_->size -= bytes.size();
  return shared(std::move(bytes));
}

void Connection::keep_time(Time now) {
  if (now < deadline_ || phase_ == Phase::finished) return;
  if (phase_ == Phase::head || phase_ == Phase::body) {
    respond(408, "no whole request in time", now);
  } else if (phase_ != Phase::open) {
    abandon();
  } else if (ping_open_) {
    close({CloseCode::policy, "no pong in time"}, Waiting::are_dropped, now);
  } else {
    ping_open_ = ping_due_ = true;
    deadline_ = now + options_.pong_timeout;
  }
}

void Connection::close(const CloseReason& reason, Waiting waiting, Time now) {
  if (phase_ == Phase::head || phase_ == Phase::body) return abandon();
  if (phase_ != Phase::open) return;
  phase_ = Phase::closing;
  deadline_ = now + options_.close_timeout;
  farewell_ = shared(encode_frame(Opcode::close, encode_close(reason)));
  Outbox rest = owner_.forget(*std::exchange(client_, std::nullopt), reason);
  if (waiting == Waiting::are_sent) rest_ = std::move(rest);
}

void Connection::drain(Time now) {
  if (phase_ == Phase::finished) return;
  ::shutdown(socket_.descriptor(), SHUT_WR);
  phase_ = ended_ ? Phase::finished : Phase::draining;
  deadline_ = now + options_.close_timeout;
}

void Connection::abandon() {
  phase_ = Phase::finished;
  if (client_) {
    owner_.forget(*std::exchange(client_, std::nullopt),
                  {CloseCode::lost, "the connection was lost"});
  }
}

}  // namespace molejo

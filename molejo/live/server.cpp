#include "molejo/live/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "molejo/live/connection.h"
#include "molejo/live/http.h"
#include "molejo/model/error.h"

namespace molejo {
namespace {

using Time = NetworkClock::time_point;

constexpr std::size_t min_token = 16;
constexpr std::size_t bodies_at_once = 4;  // of the largest size

// the server whose network thread this is
thread_local const void* runs_here = nullptr;

void check(const ServerOptions& options) {
  const auto positive = [](const char* name, double value) {
    if (!(value > 0)) throw InputError(fmt::format("{} is {}; expected more than 0", name, value));
  };
  if (options.port < 0 || options.port > 65535) {
    throw InputError(fmt::format("port {}; expected 0 (any free one) to 65535", options.port));
  }
  if (!options.token.empty() && options.token.size() < min_token) {
    throw InputError(fmt::format("a token of {} characters; expected {} or more",
                                 options.token.size(), min_token));
  }
  if (!is_visible(options.token)) {
    throw InputError("a token with spaces or control characters; expected visible ASCII");
  }
  for (const std::string& origin : options.origins) {
    if (is_origin(origin)) continue;
    throw InputError(fmt::format(
        "origin '{:.80}'; expected one like https://a.org, http://b.org:8080 or http://b.org:*",
        origin));
  }
  if (options.path.empty() || options.path[0] != '/') {
    throw InputError(fmt::format("path '{}'; expected one that begins with /", options.path));
  }
  positive("max_clients", options.max_clients);
  positive("max_connections", options.max_connections);
  positive("max_connections_per_address", options.max_connections_per_address);
  positive("max_message_bytes", static_cast<double>(options.max_message_bytes));
  positive("max_messages_per_second", options.max_messages_per_second);
  if (!(options.message_burst >= 1)) {
    throw InputError(fmt::format("message_burst is {}; expected 1 or more", options.message_burst));
  }
}

int milliseconds_until(Time deadline, Time now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1000));
}

}  // namespace

// All that the network thread works on. Others touch only what `mutex_` guards, and the pipe.
class Server::Network : public ConnectionOwner {
 public:
  explicit Network(ServerOptions options);
  ~Network() override { stop(); }

  void start(ServerHandlers handlers);
  void stop();
  int port() const { return options_.port; }
  const std::string& token() const { return options_.token; }
  std::string url() const;

  SharedBytes encoded(std::string_view payload, Payload kind);
  bool send(std::span<const ClientId> clients, const SharedBytes& bytes);
  void send_frame(std::span<const ClientId> clients, int stream, const SharedBytes& bytes);
  void close(ClientId client, CloseReason reason);
  std::vector<ClientId> clients() const;
  std::uint64_t dropped_frames(ClientId client) const;

 private:
  bool has_room() const override;
  ClientId open() override;
  bool deliver(ClientId client, const std::string& text) override;
  SharedBytes next_bytes(ClientId client) override;
  bool has_room_for(std::size_t body) const override;
  std::optional<HttpAnswer> request(const HttpRequest& request) override;
  Outbox forget(ClientId client, const CloseReason& reason) override;

  void wake();
  void run();
  void wait(Time until);
  void accept_all(Time now);
  void admit(Socket socket, Time now);
  void serve(Time now);
  void close_those_to_be_closed(Time now);
  void say_goodbye(Time now);

  ServerOptions options_;
  Admission admission_;
  ServerHandlers handlers_;
  Socket listener_;
  Socket wake_reader_, wake_writer_;
  std::atomic<bool> stopping_ = false;

  mutable std::mutex mutex_;
  std::map<ClientId, Outbox> outboxes_;  // guarded
  bool awake_ = false;                   // guarded: a byte is in the pipe
  std::shared_ptr<std::atomic<std::size_t>> unsent_ = std::make_shared<std::atomic<std::size_t>>(0);

  // of the network thread
  std::list<Connection> connections_;
  std::vector<pollfd> polled_;  // the pipe, the listener, then each connection in order
  std::uint64_t last_client_ = 0;
  Time accept_again_{};  // after the system ran out of descriptors

  std::mutex joining_;
  std::thread thread_;
};

Server::Network::Network(ServerOptions options) : options_(std::move(options)) {
  check(options_);
  if (options_.token.empty()) options_.token = make_token();
  admission_ = {is_loopback(options_.address), options_.token, options_.origins, options_.hosts};
  listener_ = listen_at(options_.address, options_.port);
  int ends[2];
  if (::pipe(ends) != 0) throw NetworkError(fmt::format("no pipe: {}", std::strerror(errno)));
  wake_reader_ = Socket(ends[0]);
  wake_writer_ = Socket(ends[1]);
  make_non_blocking(wake_reader_);
  make_non_blocking(wake_writer_);
}

void Server::Network::start(ServerHandlers handlers) {
  assert(!thread_.joinable());
  handlers_ = std::move(handlers);
  thread_ = std::thread([this] { run(); });
}

void Server::Network::stop() {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);
    wake();
  }
  if (runs_here == this) return;
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

std::string Server::Network::url() const {
  const bool v6 = options_.address.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + options_.address + "]" : options_.address;
  return fmt::format("ws://{}:{}{}?token={}", host, options_.port, options_.path,
                     percent_encode(options_.token));
}

// A frame that counts as unsent as long as anybody waits for it.
SharedBytes Server::Network::encoded(std::string_view payload, Payload kind) {
  const Opcode opcode = kind == Payload::text ? Opcode::text : Opcode::binary;
  auto bytes = std::make_unique<const std::string>(encode_frame(opcode, payload));
  *unsent_ += bytes->size();
  return {bytes.release(), [unsent = unsent_](const std::string* text) {
            *unsent -= text->size();
            delete text;
          }};
}

// Where too much waits, the client for whom most does has to go.
bool Server::Network::send(std::span<const ClientId> clients, const SharedBytes& bytes) {
  const std::lock_guard lock(mutex_);
  bool sent = false;
  for (const ClientId client : clients) {
    const auto found = outboxes_.find(client);
    sent = (found != outboxes_.end() && found->second.add_reply(bytes)) || sent;
  }
  if (*unsent_ > options_.max_unsent_bytes) {
    const auto slowest =
        std::max_element(outboxes_.begin(), outboxes_.end(), [](const auto& a, const auto& b) {
          return a.second.waiting_bytes() < b.second.waiting_bytes();
        });
    if (slowest != outboxes_.end() && slowest->second.waiting_bytes() > 0) {
      slowest->second.give_up("too much waits to be read");
    }
  }
  wake();
  return sent;
}

void Server::Network::send_frame(std::span<const ClientId> clients, int stream,
                                 const SharedBytes& bytes) {
  const std::lock_guard lock(mutex_);
  for (const ClientId client : clients) {
    const auto found = outboxes_.find(client);
    if (found != outboxes_.end()) found->second.add_frame(stream, bytes);
  }
  wake();
}

void Server::Network::close(ClientId client, CloseReason reason) {
  const std::lock_guard lock(mutex_);
  const auto found = outboxes_.find(client);
  if (found == outboxes_.end()) return;
  found->second.close(std::move(reason));
  wake();
}

std::vector<ClientId> Server::Network::clients() const {
  const std::lock_guard lock(mutex_);
  std::vector<ClientId> list;
  for (const auto& [client, outbox] : outboxes_) list.push_back(client);
  return list;
}

std::uint64_t Server::Network::dropped_frames(ClientId client) const {
  const std::lock_guard lock(mutex_);
  const auto found = outboxes_.find(client);
  return found == outboxes_.end() ? 0 : found->second.dropped_frames();
}

// with the lock held
void Server::Network::wake() {
  if (awake_) return;
  const char byte = 0;
  awake_ = ::write(wake_writer_.descriptor(), &byte, 1) == 1;
}

bool Server::Network::has_room() const {
  const std::lock_guard lock(mutex_);
  return outboxes_.size() < static_cast<std::size_t>(options_.max_clients);
}

ClientId Server::Network::open() {
  const ClientId client{++last_client_};
  {
    const std::lock_guard lock(mutex_);
    outboxes_.emplace(client, Outbox(options_.outbox));
  }
  try {
    if (handlers_.on_open) handlers_.on_open(client);
  } catch (...) {
    close(client, {CloseCode::internal_error, "internal error"});
  }
  return client;
}

bool Server::Network::deliver(ClientId client, const std::string& text) {
  try {
    if (handlers_.on_message) handlers_.on_message(client, text);
    return true;
  } catch (...) {
    return false;
  }
}

SharedBytes Server::Network::next_bytes(ClientId client) {
  const std::lock_guard lock(mutex_);
  return outboxes_.at(client).take();
}

bool Server::Network::has_room_for(std::size_t body) const {
  for (const Connection& connection : connections_) body += connection.body_size();
  return body <= bodies_at_once * options_.max_body_bytes;
}

std::optional<HttpAnswer> Server::Network::request(const HttpRequest& request) {
  try {
    if (handlers_.on_request) return handlers_.on_request(request);
  } catch (const HttpError&) {
    throw;
  } catch (...) {
    throw HttpError(500, "internal error");
  }
  return std::nullopt;
}

Outbox Server::Network::forget(ClientId client, const CloseReason& reason) {
  Outbox rest(options_.outbox);
  {
    const std::lock_guard lock(mutex_);
    rest = std::move(outboxes_.at(client));
    outboxes_.erase(client);
  }
  try {
    if (handlers_.on_close) handlers_.on_close(client, reason);
  } catch (...) {
    // it is closed anyway
  }
  return rest;
}

void Server::Network::run() {
  runs_here = this;
  while (!stopping_) {
    const Time now = NetworkClock::now();
    Time until = now + std::chrono::seconds(1);
    for (const Connection& connection : connections_) {
      until = std::min(until, connection.deadline());
    }
    if (accept_again_ > now) until = std::min(until, accept_again_);
    try {
      wait(until);
      serve(NetworkClock::now());
      accept_all(NetworkClock::now());
    } catch (const std::bad_alloc&) {
      // whoever took the memory is about to give it back
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  listener_ = Socket();
  say_goodbye(NetworkClock::now());
  const Time end = NetworkClock::now() + options_.close_timeout;
  while (!connections_.empty() && NetworkClock::now() < end) {
    wait(end);
    serve(NetworkClock::now());
  }
  for (Connection& connection : connections_) connection.abandon();
  connections_.clear();
}

void Server::Network::wait(Time until) {
  const Time now = NetworkClock::now();
  const bool accepts = listener_ && now >= accept_again_;
  polled_.clear();
  polled_.push_back({wake_reader_.descriptor(), POLLIN, 0});
  polled_.push_back({accepts ? listener_.descriptor() : -1, POLLIN, 0});
  for (const Connection& connection : connections_) {
    const int events = (connection.reads() ? POLLIN : 0) | (connection.blocked() ? POLLOUT : 0);
    polled_.push_back({connection.descriptor(), static_cast<short>(events), 0});
  }
  const int ready = ::poll(polled_.data(), polled_.size(), milliseconds_until(until, now));
  if (ready < 0) {
    for (pollfd& entry : polled_) entry.revents = 0;
  }

  const std::lock_guard lock(mutex_);
  char bytes[16];
  while (::read(wake_reader_.descriptor(), bytes, sizeof(bytes)) > 0) {
  }
  awake_ = false;
}

// reads and writes what is ready, then forgets who is finished
void Server::Network::serve(Time now) {
  std::size_t entry = 2;
  for (Connection& connection : connections_) {
    const int ready = polled_[entry++].revents;
    if (ready & (POLLIN | POLLHUP | POLLERR)) connection.receive(now);
    connection.keep_time(now);
  }
  close_those_to_be_closed(now);
  entry = 2;
  for (Connection& connection : connections_) {
    const int ready = polled_[entry++].revents;
    if (!connection.blocked() || ready & (POLLOUT | POLLHUP | POLLERR)) connection.transmit(now);
  }
  connections_.remove_if([](const Connection& connection) { return connection.finished(); });
}

void Server::Network::close_those_to_be_closed(Time now) {
  for (Connection& connection : connections_) {
    std::optional<CloseReason> reason;
    if (connection.client()) {
      const std::lock_guard lock(mutex_);
      reason = outboxes_.at(*connection.client()).closing();
    }
    if (reason) connection.close(*reason, Connection::Waiting::are_sent, now);
  }
}

void Server::Network::accept_all(Time now) {
  if (now < accept_again_) return;
  for (;;) {
    Socket socket(::accept(listener_.descriptor(), nullptr, nullptr));
    if (socket) {
      admit(std::move(socket), now);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // leave it waiting until somebody has gone
      accept_again_ = now + std::chrono::milliseconds(100);
      return;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
}

void Server::Network::admit(Socket socket, Time now) {
  make_non_blocking(socket);
  tune_for_messages(socket);
  const std::string address = peer_address(socket);
  const auto of_that_address =
      std::count_if(connections_.begin(), connections_.end(),
                    [&](const Connection& other) { return other.address() == address; });
  if (connections_.size() >= static_cast<std::size_t>(options_.max_connections) ||
      of_that_address >= options_.max_connections_per_address) {
    static const std::string refusal = fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n{}\r\n",
        security_headers);
    ::send(socket.descriptor(), refusal.data(), refusal.size(), MSG_NOSIGNAL);
    return;
  }
  connections_.emplace_back(std::move(socket), options_, admission_, *this, now);
}

void Server::Network::say_goodbye(Time now) {
  const CloseReason reason{CloseCode::going_away, "the server stops"};
  for (Connection& connection : connections_) {
    connection.close(reason, Connection::Waiting::are_sent, now);
    if (!connection.blocked()) connection.transmit(now);
  }
}

Server::Server(ServerOptions options) : network_(std::make_unique<Network>(std::move(options))) {}
Server::~Server() = default;
int Server::port() const { return network_->port(); }
const std::string& Server::token() const { return network_->token(); }
std::string Server::url() const { return network_->url(); }
void Server::start(ServerHandlers handlers) { network_->start(std::move(handlers)); }
void Server::stop() { network_->stop(); }

bool Server::send(ClientId client, std::string_view payload, Payload kind) {
  return network_->send({&client, 1}, network_->encoded(payload, kind));
}

void Server::send(std::span<const ClientId> clients, std::string_view payload) {
  network_->send(clients, network_->encoded(payload, Payload::text));
}

void Server::send_frame(std::span<const ClientId> clients, int stream, std::string_view payload,
                        Payload kind) {
  network_->send_frame(clients, stream, network_->encoded(payload, kind));
}

void Server::close(ClientId client, CloseReason reason) {
  network_->close(client, std::move(reason));
}

std::vector<ClientId> Server::clients() const { return network_->clients(); }

std::uint64_t Server::dropped_frames(ClientId client) const {
  return network_->dropped_frames(client);
}

}  // namespace molejo

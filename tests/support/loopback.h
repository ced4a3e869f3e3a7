// Both ends of live connections on this machine: what a server was told, raw sockets, bounded
// waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/live/client.h"
#include "molejo/live/server.h"

namespace molejo::test {

using namespace std::chrono_literals;

// Long enough for a loaded machine; only a failing test waits for it.
constexpr auto patience = 30s;

// What the handlers of a server were told; waits for it to become so.
class Log {
 public:
  // Handlers that write here, then call these.
  ServerHandlers handlers(ServerHandlers then = {});

  // Waits until the condition holds; false when it does not within `patience`.
  bool wait(const std::function<bool(const Log&)>& condition);

  // Guarded while a condition of wait looks at them, else to be read when all is quiet.
  std::vector<ClientId> opened;
  std::map<ClientId, std::vector<std::string>> messages;
  std::map<ClientId, CloseReason> closed;
  int closings = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

// A server that sends back what it gets.
struct EchoServer {
  explicit EchoServer(ServerOptions options = {});
  Log log;
  Server server;
};

// Bytes to and from a server, by no protocol.
class RawSocket {
 public:
  explicit RawSocket(int port);
  explicit RawSocket(Socket socket);
  void send(std::string_view bytes);  // throws NetworkError
  // All that comes until the other end closes, or `wanted` bytes.
  std::string receive(std::size_t wanted = std::string::npos);
  void reset();  // vanishes with RST instead of a goodbye

 private:
  Socket socket_;
};

// The handshake of RFC 6455, section 1.3, with the header lines given (each with CR LF).
std::string upgrade_request(std::string_view extra_headers = "",
                            std::string_view host = "localhost", std::string_view target = "/live");

// A raw socket that has shaken hands, at the address of a server.
RawSocket raw_websocket(const std::string& url);
// "Authorization: Bearer ..." as a line of a head.
std::string bearer(const std::string& token);

// The next message, which must come.
std::string receive_text(Client& client);
// How the server ends a connection, other messages skipped.
CloseReason receive_close(Client& client);
// The close frame in raw bytes that begin with it.
CloseReason first_close(std::string_view bytes);

std::string masked(Opcode opcode, std::string_view payload, bool final = true);

// Whether one who asks far too much is closed for it.
bool is_closed_for_flooding(const std::string& url);

// What the connection attempt was refused with; empty when it was not.
std::string refusal(const std::string& url, ClientOptions options = {});

// Memory of this process in bytes; nothing where sanitizers make it meaningless.
std::optional<long> resident_memory();

}  // namespace molejo::test

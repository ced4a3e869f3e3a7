// A server of live runs: WebSocket messages to and from many clients, and the files of one folder.
//
// One network thread reads, writes and calls the handlers; anyone may send at any time and never
// waits for a client. Knows nothing of what the messages say. How clients are admitted, bounded
// and closed is told in docs/live.md.
//
//   Server server({.port = 8000});
//   server.start({.on_message = [&](ClientId client, const std::string& text) {
//     server.send(client, text);
//   }});
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/live/http.h"
#include "molejo/live/network.h"
#include "molejo/live/outbox.h"
#include "molejo/live/websocket.h"

namespace molejo {

// Never used twice by one server.
enum class ClientId : std::uint64_t {};

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric, or localhost
  int port = 0;                       // 0: any free one, see Server::port
  std::string path = "/live";         // where the WebSocket is
  std::string folder = {};            // its files are served under /; empty: none

  std::string token = {};                 // 16 characters at least; made unless given
  std::vector<std::string> origins = {};  // besides loopback's: "https://a.org", "http://b.org:*"
  std::vector<std::string> hosts = {};    // names of this server, besides loopback's

  int max_clients = 32;
  int max_connections = 128;             // clients, requests for files, handshakes under way
  int max_connections_per_address = 64;  // of one machine
  std::size_t max_message_bytes = std::size_t{1} << 20;  // of a client, all fragments together
  std::size_t max_body_bytes = 0;                        // of a POST; 0: none is taken
  double max_messages_per_second = 200;  // of a client; control frames and fragments count
  double message_burst = 400;            // as many at once after a silence
  OutboxLimits outbox = {};
  std::size_t max_unsent_bytes = std::size_t{128} << 20;  // that wait for all clients together

  std::chrono::milliseconds handshake_timeout{5000};  // from connecting to a whole request
  std::chrono::milliseconds body_timeout{60'000};     // for the whole body of a POST
  std::chrono::milliseconds ping_interval{10'000};    // of silence, then it is asked
  std::chrono::milliseconds pong_timeout{10'000};     // for anything at all to come back
  std::chrono::milliseconds close_timeout{1000};      // for the last bytes to leave
};

// A request that is no WebSocket and, where there is a folder, before it is looked for there.
struct HttpRequest {
  const RequestHead& head;
  std::string_view body;  // of a POST
};
struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  SharedBytes body;  // null: empty
};

// All are called on the network thread, one at a time, without any lock held; they should return
// soon and may call any function of the server. One that throws costs that client its connection
// (1011), nothing else.
struct ServerHandlers {
  std::function<void(ClientId)> on_open = {};
  std::function<void(ClientId, const std::string& text)> on_message = {};
  std::function<void(ClientId, const CloseReason&)> on_close = {};  // once for each on_open
  // GET, HEAD and, where bodies are taken, POST. Nothing: not known here. An HttpError it throws
  // is the answer.
  std::function<std::optional<HttpAnswer>(const HttpRequest&)> on_request = {};
};

enum class Payload { text, binary };

class Server {
 public:
  // Listens from now on; clients wait until start. Throws InputError for options that make no
  // sense, NetworkError when the address cannot be had.
  explicit Server(ServerOptions options);
  ~Server();  // stops; not to be called by a handler

  int port() const;
  const std::string& token() const;  // without it nobody is answered
  std::string url() const;           // "ws://127.0.0.1:8000/live?token=...", which lets in

  void start(ServerHandlers handlers);  // once

  // The functions below may be called by any thread and do not wait.

  // A reply: it arrives, or the connection ends. False when the client is gone. Text is UTF-8.
  bool send(ClientId client, std::string_view payload, Payload kind = Payload::text);
  // The same for each of these clients, who share one copy.
  void send(std::span<const ClientId> clients, std::string_view payload);

  // A frame for each of these clients: replaces the one of the same stream that a client has not
  // been sent yet. Those who are gone are skipped.
  void send_frame(std::span<const ClientId> clients, int stream, std::string_view payload,
                  Payload kind = Payload::text);

  // Ends a connection after what was sent to it so far.
  void close(ClientId client, CloseReason reason);

  std::vector<ClientId> clients() const;
  // Frames replaced before they were sent: how far this client lags. 0 when it is gone.
  std::uint64_t dropped_frames(ClientId client) const;

  // Tells all clients (1001) and returns when the network thread has ended: at most close_timeout
  // after the handler under way. Called by a handler it does not wait. A second call is no harm.
  void stop();

 private:
  class Network;
  std::unique_ptr<Network> network_;
};

}  // namespace molejo

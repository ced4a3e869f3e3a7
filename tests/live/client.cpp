// The client against servers that are silent, broken or gone. Good ones are in server.cpp.
#include "molejo/live/client.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "molejo/live/http.h"
#include "molejo/model/error.h"
#include "tests/support/loopback.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Listens, takes one connection, reads its handshake and does as told.
class FakeServer {
 public:
  // `talk` is given the accept key due.
  explicit FakeServer(std::function<void(RawSocket&, const std::string& accept)> talk)
      : listener_(listen_at("127.0.0.1", port_)) {
    thread_ = std::thread([this, talk] {
      if (!wait_until(Readiness::to_read, listener_, NetworkClock::now() + patience)) return;
      Socket accepted(::accept(listener_.descriptor(), nullptr, nullptr));
      make_non_blocking(accepted);
      RawSocket socket(std::move(accepted));
      std::string request;
      while (!head_end(request)) request += socket.receive(1);
      talk(socket, accept_key(*parse_request(request).header("sec-websocket-key")));
    });
  }
  ~FakeServer() { thread_.join(); }
  std::string url() const { return fmt::format("ws://127.0.0.1:{}/live", port_); }

 private:
  int port_ = 0;
  Socket listener_;
  std::thread thread_;
};

std::string good_answer(const std::string& accept) {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         accept + "\r\n\r\n";
}

// what is received after a good handshake and these bytes: a text, or the error without the url
std::string outcome(const std::string& bytes) {
  FakeServer fake([&](RawSocket& socket, const std::string& accept) {
    socket.send(good_answer(accept) + bytes);
    socket.receive();
  });
  Client client(fake.url(), {.max_message_bytes = 1000});
  try {
    return receive_text(client);
  } catch (const NetworkError& error) {
    return std::string(error.what()).substr(fake.url().size());
  }
}

}  // namespace

TEST_CASE("client: what cannot be an address, or is nobody's, is told in one line") {
  for (const char* url :
       {"", "http://localhost:80/", "ws://", "ws://:80/", "ws://a:0/", "ws://a:x/", "ws://a:65536/",
        "ws://[::1/", "ws://a b/", "ws://a/\r\nX: y"}) {
    CAPTURE(url);
    CHECK_THROWS_AS(Client{url}, InputError);
  }
  CHECK_THROWS_AS(Client("ws://127.0.0.1:1/", {.token = "a\r\nb"}), InputError);

  int port = 0;
  { const Socket taken = listen_at("127.0.0.1", port); }  // free again
  try {
    Client client(fmt::format("ws://127.0.0.1:{}/live", port));
    FAIL("nobody is there");
  } catch (const NetworkError& error) {
    CHECK(error.what() == fmt::format("cannot connect to 127.0.0.1:{}: Connection refused", port));
  }
}

TEST_CASE("client: a server that is silent, or no WebSocket server, is given up") {
  int port = 0;
  const Socket silent = listen_at("127.0.0.1", port);
  const std::string url = fmt::format("ws://127.0.0.1:{}/live", port);
  CHECK(refusal(url, {.timeout = 50ms}) == "no answer to the handshake in time");

  EchoServer echo;
  const std::string elsewhere = fmt::format("ws://localhost:{}/elsewhere", echo.server.port());
  CHECK(refusal(elsewhere, {.token = echo.server.token()}) ==
        "refused with 404 Not Found: no such file");
}

TEST_CASE("client: a handshake that proves nothing is refused") {
  const auto answered = [](const std::function<std::string(const std::string&)>& answer) {
    FakeServer fake(
        [&](RawSocket& socket, const std::string& accept) { socket.send(answer(accept)); });
    return refusal(fake.url());
  };
  const std::string no_websocket = "the answer is not that of a WebSocket server";
  CHECK(answered([](const std::string& accept) { return good_answer(accept); }) == "");
  CHECK(answered([](const std::string&) { return good_answer("bm90IHRoZSByaWdodCBrZXkh"); }) ==
        no_websocket);
  CHECK(answered([](const std::string&) {
          return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
        }) == no_websocket);
  CHECK(answered([](const std::string& accept) {
          const std::string good = good_answer(accept);
          return good.substr(0, good.size() - 2) +
                 "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
        }) == no_websocket);
  CHECK(answered([](const std::string&) {
          return "HTTP/1.1 403 Forbidden\r\n\r\nnot \x1b[31myou\nnor you\n";
        }) == "refused with 403 Forbidden: not ?[31myou");
  CHECK(answered([](const std::string&) { return "SSH-2.0-hello\r\n\r\n"; }) ==
        "no HTTP answer: no HTTP/1.1 status line");
  CHECK(answered([](const std::string&) { return std::string(max_head_bytes, 'a'); }) ==
        "no HTTP answer: the head is too long");
  CHECK(answered([](const std::string&) { return ""; }) == "the connection was lost");
}

TEST_CASE("client: a server that breaks the protocol is left") {
  const std::string broken = ": the server breaks the protocol: ";
  CHECK(outcome(encode_frame(Opcode::text, "good")) == "good");
  CHECK(outcome(masked(Opcode::text, "a")) == broken + "a masked frame from a server");
  CHECK(outcome(encode_frame(Opcode::text, "\xff")) == broken + "text that is not UTF-8");
  CHECK(outcome(encode_frame(Opcode::text, std::string(1001, 'a'))) ==
        broken + "a message over 1000 bytes");
  CHECK(outcome(encode_frame(Opcode::close, encode_close({CloseCode::policy, "no"}))) ==
        ": closed by the server with 1008: no");
  CHECK(outcome(encode_frame(Opcode::close, "")) == ": closed by the server with 1005");
}

TEST_CASE("client: pings are answered while it waits") {
  std::string answer;
  {
    FakeServer fake([&](RawSocket& socket, const std::string& accept) {
      socket.send(good_answer(accept) + encode_frame(Opcode::ping, "here?"));
      answer = socket.receive(11);
      socket.send(encode_frame(Opcode::text, "thanks"));
      socket.receive();
    });
    Client client(fake.url());
    CHECK(receive_text(client) == "thanks");
  }
  WebSocketReader reader(Sender::client, 100);
  reader.append(answer);
  const auto pong = reader.next();
  REQUIRE(pong);
  CHECK(pong->opcode == Opcode::pong);
  CHECK(pong->payload == "here?");
}

TEST_CASE("client: a signal does not end a wait") {
  EchoServer echo;
  const Socket quiet = connect_to("127.0.0.1", echo.server.port(), NetworkClock::now() + patience);
  struct sigaction heard {};
  struct sigaction before {};
  heard.sa_handler = [](int) {};  // and no SA_RESTART: poll returns
  sigaction(SIGUSR1, &heard, &before);
  const pthread_t waiting = pthread_self();
  std::atomic<bool> over = false;
  std::thread knocking([&] {
    while (!over) {
      pthread_kill(waiting, SIGUSR1);
      std::this_thread::sleep_for(5ms);
    }
  });
  const auto deadline = NetworkClock::now() + 200ms;
  const bool ready = wait_until(Readiness::to_read, quiet, deadline);
  const auto end = NetworkClock::now();
  over = true;
  knocking.join();
  sigaction(SIGUSR1, &before, nullptr);
  CHECK_FALSE(ready);
  CHECK(end >= deadline);
}

TEST_CASE("client: no wait is without end") {
  std::promise<void> given_up;
  FakeServer deaf([&](RawSocket& socket, const std::string& accept) {
    socket.send(good_answer(accept));
    given_up.get_future().wait_for(patience);  // reads no more
  });
  Client client(deaf.url(), {.timeout = 50ms});
  try {
    for (int i = 0; i < 100; ++i) client.send(std::string(1 << 20, 'a'));
    FAIL("a hundred megabytes went nowhere");
  } catch (const NetworkError& error) {
    CHECK(error.what() == deaf.url() + ": cannot send: the server does not read");
  }
  given_up.set_value();
}

TEST_CASE("client: a goodbye that is not answered ends in time") {
  FakeServer rude([](RawSocket& socket, const std::string& accept) {
    socket.send(good_answer(accept));
    socket.receive();
  });
  Client client(rude.url(), {.timeout = 50ms});
  try {
    client.close();
    FAIL("who answered?");
  } catch (const NetworkError& error) {
    CHECK(error.what() == rude.url() + ": no answer to the goodbye in time");
  }
}

TEST_CASE("client: a closed connection says so") {
  EchoServer echo;
  Client client(echo.server.url());
  client.close();
  // the token is not told
  const std::string closed =
      fmt::format("ws://127.0.0.1:{}/live: the connection is closed", echo.server.port());
  CHECK_THROWS_WITH_AS(client.send("a"), closed.c_str(), NetworkError);
  CHECK_THROWS_WITH_AS(client.receive(0ms), closed.c_str(), NetworkError);
  CHECK_THROWS_WITH_AS(client.close(), closed.c_str(), NetworkError);
}

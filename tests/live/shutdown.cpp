// A server ends in bounded time, whoever asks and whatever goes on.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "molejo/live/client.h"
#include "molejo/live/server.h"
#include "tests/support/loopback.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("shutdown: every client is told, and every open has its close") {
  EchoServer echo;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(std::make_unique<Client>(echo.server.url()));
  std::thread stopping([&] { echo.server.stop(); });
  for (const auto& client : clients) {
    const CloseReason reason = receive_close(*client);
    CHECK(reason.code == CloseCode::going_away);
    CHECK(reason.text == "the server stops");
  }
  clients.clear();
  stopping.join();
  CHECK(echo.log.opened.size() == 5);
  CHECK(echo.log.closings == 5);
  CHECK(echo.log.closed.size() == 5);
  CHECK(echo.server.clients().empty());
  CHECK_FALSE(echo.server.send(echo.log.opened[0], "anyone"));
  echo.server.stop();  // once more is no harm
}

TEST_CASE("shutdown: a busy server stops in time, by two threads at once") {
  EchoServer echo({.max_messages_per_second = 1e6, .message_burst = 1e6, .close_timeout = 200ms});
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, url = echo.server.url()] {
      try {
        Client client(url);
        for (;;) {
          client.send("busy");
          client.receive(1ms);
        }
      } catch (const NetworkError&) {  // stopped
      }
    });
  }
  RawSocket stalled = raw_websocket(echo.server.url());  // never reads nor closes
  RawSocket idle(echo.server.port());                    // never asks
  threads.emplace_back([&] {
    const std::string frame(50'000, 'f');
    while (!over) echo.server.send_frame(echo.server.clients(), 0, frame);
  });
  REQUIRE(echo.log.wait(
      [](const Log& log) { return log.opened.size() == 5 && log.messages.size() == 4; }));

  const auto before = NetworkClock::now();
  std::thread another([&] { echo.server.stop(); });
  echo.server.stop();
  CHECK(NetworkClock::now() - before < 2s);
  another.join();
  over = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(echo.log.closings == 5);
}

TEST_CASE("shutdown: a handler may ask for it") {
  Log log;
  Server server({});
  server.start(log.handlers({.on_message = [&](ClientId client, const std::string&) {
    server.send(client, "as you wish");
    server.stop();
  }}));
  Client client(server.url());
  client.send("stop");
  CHECK(receive_text(client) == "as you wish");
  CHECK(receive_close(client).code == CloseCode::going_away);
  server.stop();
  CHECK(log.closings == 1);
}

TEST_CASE("shutdown: a server that never started, or served nobody, just ends") {
  const auto before = NetworkClock::now();
  for (int i = 0; i < 20; ++i) {
    Server unstarted({});
    Server idle({});
    idle.start({});
  }
  CHECK(NetworkClock::now() - before < 2s);
}

TEST_CASE("shutdown: the port is free again at once") {
  int port = 0;
  for (int i = 0; i < 5; ++i) {
    EchoServer echo({.port = port});
    port = echo.server.port();
    Client client(echo.server.url());
    client.send("again");
    CHECK(receive_text(client) == "again");
    echo.server.close(echo.server.clients().at(0), {});
    CHECK(receive_close(client).code == CloseCode::normal);
  }
}

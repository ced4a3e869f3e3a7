// A server and its clients over real sockets, all of them well-behaved.
#include "molejo/live/server.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "molejo/live/client.h"
#include "molejo/model/error.h"
#include "tests/support/loopback.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("server: what a client sends comes back") {
  EchoServer echo;
  CHECK(echo.server.port() > 0);
  CHECK(echo.server.url() ==
        fmt::format("ws://127.0.0.1:{}/live?token={}", echo.server.port(), echo.server.token()));
  Client client(echo.server.url());
  for (const std::size_t size : {0, 1, 125, 126, 65535, 65536, 1 << 20}) {
    CAPTURE(size);
    const std::string text(size, 'm');
    client.send(text);
    CHECK(receive_text(client) == text);
  }
  client.send("molejo \xc3\xa9 \xf0\x9f\xa6\xb5");
  CHECK(receive_text(client) == "molejo \xc3\xa9 \xf0\x9f\xa6\xb5");

  CHECK(client.close({CloseCode::normal, "done"}).code == CloseCode::normal);
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 1; }));
  CHECK(echo.log.opened.size() == 1);
  CHECK(echo.log.closed.begin()->second.code == CloseCode::normal);
  CHECK(echo.log.closed.begin()->second.text == "done");
}

TEST_CASE("server: nothing comes when nothing is sent, and waiting for it ends") {
  EchoServer echo;
  Client client(echo.server.url());
  const auto before = NetworkClock::now();
  CHECK_FALSE(client.receive(20ms));
  CHECK(NetworkClock::now() - before >= 20ms);
  client.send("still there");
  CHECK(receive_text(client) == "still there");
}

TEST_CASE("server: one that waits takes no processor time") {
  EchoServer echo;
  Client client(echo.server.url());
  client.send("first");
  CHECK(receive_text(client) == "first");
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(400ms);
  const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  CHECK(used < 0.2);  // of 0.4 s; what never waits takes all of them
}

TEST_CASE("server: twenty clients at once each get their own") {
  EchoServer echo;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<Client>(echo.server.url()));
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      clients[i]->send(fmt::format("client {} round {}", i, round));
    }
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      CHECK(receive_text(*clients[i]) == fmt::format("client {} round {}", i, round));
    }
  }
  CHECK(echo.server.clients().size() == 20);
  for (const auto& client : clients) client->close();
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 20; }));
  CHECK(echo.server.clients().empty());
}

TEST_CASE("server: a frame reaches every client, text or binary") {
  EchoServer echo;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<Client>(echo.server.url()));
  REQUIRE(echo.log.wait([](const Log& log) { return log.opened.size() == 20; }));

  echo.server.send_frame(echo.server.clients(), 0, "a frame");
  const std::string binary("\0\xff\x80", 3);
  echo.server.send_frame(echo.server.clients(), 1, binary, Payload::binary);
  for (const auto& client : clients) {
    CHECK(receive_text(*client) == "a frame");
    const auto message = client->receive(patience);
    REQUIRE(message);
    CHECK(message->opcode == Opcode::binary);
    CHECK(message->payload == binary);
  }
  for (const ClientId client : echo.server.clients()) {
    CHECK(echo.server.dropped_frames(client) == 0);
  }
}

TEST_CASE("server: a handshake may come byte by byte, or with the first message behind it") {
  EchoServer echo;
  RawSocket slow(echo.server.port());
  const std::string request = upgrade_request(bearer(echo.server.token()));
  for (const char c : request) slow.send({&c, 1});
  CHECK(slow.receive(12) == "HTTP/1.1 101");

  RawSocket eager(echo.server.port());
  eager.send(request + masked(Opcode::text, "early") + masked(Opcode::close, ""));
  const std::string answer = eager.receive();
  CHECK(answer.substr(answer.find("\r\n\r\n") + 4) ==
        encode_frame(Opcode::text, "early") + encode_frame(Opcode::close, ""));
}

TEST_CASE("server: fragments are joined and pings between them answered") {
  EchoServer echo;
  RawSocket client = raw_websocket(echo.server.url());
  client.send(masked(Opcode::text, "one ", false));
  client.send(masked(Opcode::ping, "are you there"));
  const std::string pong = encode_frame(Opcode::pong, "are you there");
  CHECK(client.receive(pong.size()) == pong);
  client.send(masked(Opcode::continuation, "two ", false) + masked(Opcode::pong, "unasked") +
              masked(Opcode::continuation, "three"));
  const std::string joined = encode_frame(Opcode::text, "one two three");
  CHECK(client.receive(joined.size()) == joined);
}

TEST_CASE("server: bodies under way together are no more than four of the largest") {
  Server server({.max_body_bytes = 1000});
  server.start({.on_request = [](const HttpRequest& request) {
    return HttpAnswer{.body = std::make_shared<const std::string>(request.body)};
  }});
  const auto begin = [&](std::size_t size) {
    RawSocket socket(server.port());
    socket.send(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
                            "/?token=" + server.token(), size));
    return socket;
  };
  const auto status = [](RawSocket& socket) { return socket.receive(12).substr(9); };

  std::vector<RawSocket> waiting;
  for (const std::size_t size : {1000, 1000, 1000, 400, 600}) waiting.push_back(begin(size));
  RawSocket fifth = begin(1);
  CHECK(status(fifth) == "503");
  CHECK(fifth.receive().find("too much is being sent here") != std::string::npos);
  RawSocket larger = begin(1001);
  CHECK(status(larger) == "413");

  // those who were let in are served, and leave their room to others
  waiting[3].send(std::string(400, 'a'));
  CHECK(status(waiting[3]) == "200");
  RawSocket next = begin(401);
  CHECK(status(next) == "503");
  next = begin(400);
  next.send(std::string(400, 'b'));
  CHECK(next.receive().ends_with("\r\n\r\n" + std::string(400, 'b')));
}

TEST_CASE("server: a close by the server comes after what it sent before") {
  Log log;
  Server server({});
  server.start(log.handlers({.on_message = [&](ClientId client, const std::string&) {
    server.send(client, "last words");
    server.close(client, {static_cast<CloseCode>(4001), "enough"});
    CHECK_FALSE(server.send(client, "too late"));
  }}));
  Client client(server.url());
  client.send("go");
  CHECK(receive_text(client) == "last words");
  const CloseReason reason = receive_close(client);
  CHECK(static_cast<int>(reason.code) == 4001);
  CHECK(reason.text == "enough");
  REQUIRE(log.wait([](const Log& now) { return now.closings == 1; }));
  CHECK(log.closed.begin()->second.text == "enough");
  CHECK_FALSE(server.send(log.opened[0], "gone"));
  CHECK(server.dropped_frames(log.opened[0]) == 0);
}

TEST_CASE("server: loopback has a second address") {
  std::unique_ptr<EchoServer> echo;
  try {
    echo = std::make_unique<EchoServer>(ServerOptions{.address = "::1"});
  } catch (const NetworkError& error) {
    MESSAGE("no IPv6 here: ", error.what());
    return;
  }
  CHECK(echo->server.url() ==
        fmt::format("ws://[::1]:{}/live?token={}", echo->server.port(), echo->server.token()));
  Client client(echo->server.url());
  client.send("six");
  CHECK(receive_text(client) == "six");
}

TEST_CASE("server: a handler that throws costs one connection") {
  Log log;
  Server server({});
  server.start(log.handlers({.on_message = [&](ClientId client, const std::string& text) {
    if (text == "bad") throw std::runtime_error("a fault of ours");
    server.send(client, text);
  }}));
  Client good(server.url()), bad(server.url());
  bad.send("bad");
  CHECK(receive_close(bad).code == CloseCode::internal_error);
  good.send("good");
  CHECK(receive_text(good) == "good");
}

TEST_CASE("server: options that make no sense are refused in one line") {
  const auto error = [](ServerOptions options) -> std::string {
    try {
      Server server(std::move(options));
      return "";
    } catch (const InputError& refused) {
      return refused.what();
    }
  };
  CHECK(error({.address = "0.0.0.0"}) == "");  // a token is made
  CHECK(error({.token = "short"}) == "a token of 5 characters; expected 16 or more");
  CHECK(error({.token = "sixteen\r\nletters"}) ==
        "a token with spaces or control characters; expected visible ASCII");
  CHECK(error({.port = 65536}) == "port 65536; expected 0 (any free one) to 65535");
  CHECK(error({.origins = {"https://a.org", "foo"}}) ==
        "origin 'foo'; expected one like https://a.org, http://b.org:8080 or http://b.org:*");
  CHECK(error({.path = "live"}) == "path 'live'; expected one that begins with /");
  CHECK(error({.max_clients = 0}) == "max_clients is 0; expected more than 0");
  CHECK(error({.message_burst = 0}) == "message_burst is 0; expected 1 or more");
  CHECK(error({.address = "0.0.0.0", .token = "0123456789abcdef"}) == "");
}

TEST_CASE("server: a port that is taken is told") {
  Server first({});
  try {
    Server second({.port = first.port()});
    FAIL("two servers on one port");
  } catch (const NetworkError& error) {
    CHECK(
        error.what() ==
        fmt::format("cannot listen on 127.0.0.1:{}: Address already in use; take another port, or "
                    "0 for any free one",
                    first.port()));
  }
  CHECK_THROWS_AS(Server({.address = "no number", .token = "0123456789abcdef"}), NetworkError);
}

// Clients that break rules, flood, stall or vanish: they are closed, the others notice nothing.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "molejo/live/client.h"
#include "molejo/live/server.h"
#include "tests/support/loopback.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// what raw bytes after a good handshake are answered with
CloseReason answer_to(EchoServer& echo, const std::string& bytes) {
  RawSocket client = raw_websocket(echo.server.url());
  client.send(bytes);
  return first_close(client.receive());
}

void check_alive(Client& client) {
  client.send("alive");
  CHECK(receive_text(client) == "alive");
}

}  // namespace

TEST_CASE("abuse: malformed frames are closed with their code, and harm nobody") {
  EchoServer echo({.max_message_bytes = 1000});
  Client other(echo.server.url());
  struct Case {
    std::string bytes;
    int code;
    std::string text;
  };
  const std::string nul(4, '\0');
  const std::vector<Case> cases = {
      {"\x81\x02hi", 1002, "an unmasked frame from a client"},
      {"\xc1\x80" + nul, 1002, "a reserved bit is set"},
      {"\x83\x80" + nul, 1002, "reserved opcode 3"},
      {masked(Opcode::ping, "a", false), 1002, "a fragmented control frame"},
      {masked(Opcode::continuation, "a"), 1002, "a continuation of nothing"},
      {masked(Opcode::text, "\xc0\x80"), 1007, "text that is not UTF-8"},
      {masked(Opcode::binary, "a"), 1003, "only text is understood here"},
      {masked(Opcode::text, std::string(1001, 'a')), 1009, "a message over 1000 bytes"},
      {"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009, "a message over 1000 bytes"},
      {masked(Opcode::text, std::string(500, 'a'), false) +
           masked(Opcode::continuation, std::string(500, 'a'), false) +
           masked(Opcode::continuation, "a"),
       1009, "a message over 1000 bytes"},
      {masked(Opcode::close, "\x03"), 1002, "a close of one byte"},
      {masked(Opcode::close, "\x03\xee"), 1002, "close code 1006"},
      {masked(Opcode::close, "\x03\xe9gone"), 1001, "gone"},
      {std::string(20000, '\xff'), 1002, "a reserved bit is set"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const CloseReason reason = answer_to(echo, c.bytes);
    CHECK(static_cast<int>(reason.code) == c.code);
    CHECK(reason.text == c.text);
    check_alive(other);
  }
  REQUIRE(echo.log.wait([&](const Log& log) { return log.closings == int(cases.size()); }));
  CHECK(echo.server.clients().size() == 1);
}

TEST_CASE("abuse: requests that are none are answered and closed") {
  EchoServer echo;
  const auto status = [&](const std::string& bytes) {
    RawSocket socket(echo.server.port());
    socket.send(bytes);
    const std::string answer = socket.receive();
    CHECK(answer.find("Connection: close\r\n") != std::string::npos);
    return answer.substr(0, 12);
  };
  CHECK(status("\r\n\r\n") == "HTTP/1.1 400");
  CHECK(status("GET / HTTP/2.0\r\n\r\n") == "HTTP/1.1 505");
  CHECK(status(std::string(20000, 'a')) == "HTTP/1.1 431");
  const std::string local = "Host: localhost\r\n" + bearer(echo.server.token()) + "\r\n";
  CHECK(status("GET /live HTTP/1.1\r\n" + local) == "HTTP/1.1 426");
  CHECK(status("POST /live HTTP/1.1\r\n" + local) == "HTTP/1.1 405");
  CHECK(status("GET /live HTTP/1.1\r\n\r\n") == "HTTP/1.1 400");
  CHECK(status(upgrade_request("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")) ==
        "HTTP/1.1 400");
  CHECK(echo.log.opened.empty());
}

TEST_CASE("abuse: a wrong token, a foreign Origin and a foreign Host stay outside") {
  const std::string token = "0123456789abcdef+/";
  EchoServer echo({.token = token, .origins = {"https://studio.example"}});
  const std::string address = echo.server.url(), url = address.substr(0, address.find('?'));
  CHECK(refusal(address) == "");
  CHECK(refusal(url) ==
        "refused with 401 Unauthorized: a token is needed: ?token=... as in the address that was "
        "printed, or Authorization: Bearer");
  CHECK(refusal(url, {.token = "0123456789abcdef++"}) ==
        "refused with 401 Unauthorized: wrong token");
  CHECK(refusal(url + "?token=0123456789abcdef") == "refused with 401 Unauthorized: wrong token");
  CHECK(refusal(url, {.token = token}) == "");
  CHECK(refusal(url + "?token=0123456789abcdef%2B%2F") == "");

  const std::string foreign = "refused with 403 Forbidden: pages of that Origin are not allowed";
  CHECK(refusal(url, {.token = token, .origin = "https://evil.example"}) == foreign);
  CHECK(refusal(url, {.token = token, .origin = "null"}) == foreign);
  CHECK(refusal(url, {.token = token, .origin = "https://studio.example"}) == "");
  CHECK(refusal(url, {.token = token, .origin = "http://localhost:3000"}) == "");

  RawSocket rebound(echo.server.port());
  rebound.send(upgrade_request(bearer(token), "evil.example"));
  CHECK(rebound.receive().substr(0, 12) == "HTTP/1.1 421");
}

TEST_CASE("abuse: one client too many is refused until another leaves") {
  EchoServer echo({.max_clients = 2});
  Client first(echo.server.url()), second(echo.server.url());
  CHECK(refusal(echo.server.url()) ==
        "refused with 503 Service Unavailable: there are as many clients as may be");
  check_alive(first);
  second.close();
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 1; }));
  Client third(echo.server.url());
  check_alive(third);
}

TEST_CASE("abuse: connections are bounded in all and per address") {
  for (const ServerOptions& options :
       {ServerOptions{.max_connections = 3}, ServerOptions{.max_connections_per_address = 3}}) {
    EchoServer echo(options);
    Client client(echo.server.url());
    RawSocket idle1(echo.server.port()), idle2(echo.server.port());
    // in the order of their coming, so the idle ones are in
    RawSocket refused(echo.server.port());
    CHECK(refused.receive().substr(0, 12) == "HTTP/1.1 503");
    check_alive(client);
  }
}

TEST_CASE("abuse: who connects and says nothing, or dribbles, is closed in time") {
  EchoServer echo({.handshake_timeout = 60ms});
  const auto before = NetworkClock::now();
  RawSocket silent(echo.server.port());
  CHECK(silent.receive().substr(0, 12) == "HTTP/1.1 408");
  CHECK(NetworkClock::now() - before >= 60ms);

  // a byte every few milliseconds does not buy time
  RawSocket dribbling(echo.server.port());
  std::atomic<bool> answered = false;
  std::thread dribble([&] {
    try {
      for (int i = 0; i < 2000 && !answered; ++i) {
        dribbling.send("a");
        std::this_thread::sleep_for(5ms);
      }
    } catch (const NetworkError&) {
    }
  });
  CHECK(dribbling.receive().substr(0, 12) == "HTTP/1.1 408");
  answered = true;
  dribble.join();
}

TEST_CASE("abuse: a client that vanished is missed at its pong") {
  EchoServer echo({.ping_interval = 30ms, .pong_timeout = 300ms});
  RawSocket vanished = raw_websocket(echo.server.url());  // never answers
  const std::string bytes = vanished.receive();
  CHECK(bytes.substr(0, 2) == encode_frame(Opcode::ping, ""));
  CHECK(first_close(bytes).code == CloseCode::policy);
  CHECK(first_close(bytes).text == "no pong in time");
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 1; }));

  // one that answers stays, however quiet it is
  Client quiet(echo.server.url());
  CHECK_FALSE(quiet.receive(700ms));
  CHECK(echo.server.clients().size() == 1);
}

TEST_CASE("abuse: half a message does not outlive its sender") {
  EchoServer echo({.ping_interval = 30ms, .pong_timeout = 100ms});
  RawSocket half = raw_websocket(echo.server.url());
  half.send(masked(Opcode::text, std::string(5000, 'a')).substr(0, 3000));
  CHECK(first_close(half.receive()).text == "no pong in time");
}

TEST_CASE("abuse: a client that resets its connection is forgotten") {
  EchoServer echo;
  Client other(echo.server.url());
  for (int i = 0; i < 10; ++i) {
    RawSocket socket = raw_websocket(echo.server.url());
    for (int k = 0; k < 20; ++k) socket.send(masked(Opcode::text, std::string(1000, 'a')));
    socket.reset();
  }
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 10; }));
  for (const auto& [client, reason] : echo.log.closed) CHECK(reason.code == CloseCode::lost);
  check_alive(other);
}

TEST_CASE("abuse: a flood is stopped at its limit while the others go on") {
  EchoServer echo({.max_messages_per_second = 200, .message_burst = 400});
  Client other(echo.server.url());
  check_alive(other);
  const std::optional<long> before = resident_memory();

  RawSocket flood = raw_websocket(echo.server.url());
  const auto start = NetworkClock::now();
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += masked(Opcode::text, "flood");
  int sent = 0;
  std::thread flooding([&] {
    try {
      for (; sent < 100'000; sent += 1000) flood.send(thousand);
    } catch (const NetworkError&) {  // closed meanwhile
    }
  });
  for (int i = 0; i < 50; ++i) check_alive(other);
  flooding.join();
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 1; }));
  const double seconds = std::chrono::duration<double>(NetworkClock::now() - start).count();

  const ClientId flooder = echo.log.closed.begin()->first;
  CHECK(echo.log.closed[flooder].code == CloseCode::policy);
  CHECK(echo.log.closed[flooder].text == "more than 200 messages a second");
  const double delivered = static_cast<double>(echo.log.messages[flooder].size());
  CHECK(delivered >= 400);
  CHECK(delivered <= 401 + 200 * seconds);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("memory grew by ", (*after - *before) / 1024, " KiB in a flood of ", sent);
    CHECK(*after - *before < 8 << 20);
  }
  check_alive(other);
}

TEST_CASE("abuse: pings, pongs and empty fragments count as well") {
  EchoServer echo({.max_messages_per_second = 10, .message_burst = 50});
  for (const std::string& frame : {masked(Opcode::ping, ""), masked(Opcode::pong, ""),
                                   masked(Opcode::continuation, "", false)}) {
    std::string bytes = masked(Opcode::text, "", false);
    for (int i = 0; i < 100; ++i) bytes += frame;
    CHECK(answer_to(echo, bytes).text == "more than 10 messages a second");
  }
}

TEST_CASE("abuse: ten thousand messages leave no memory behind") {
  Server server({.max_messages_per_second = 1e6, .message_burst = 1e6});
  server.start(
      {.on_message = [&](ClientId client, const std::string& text) { server.send(client, text); }});
  Client client(server.url());
  const std::string text(2000, 'm');
  const auto exchange = [&](int count) {
    for (int i = 0; i < count; i += 10) {
      for (int k = 0; k < 10; ++k) client.send(text);
      for (int k = 0; k < 10; ++k) CHECK(receive_text(client) == text);
    }
  };
  exchange(1000);
  const std::optional<long> before = resident_memory();
  exchange(10'000);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("memory grew by ", (*after - *before) / 1024, " KiB over 10000 messages each way");
    CHECK(*after - *before < 1 << 20);
  }
}

TEST_CASE("abuse: a client that does not read loses frames, the others none of theirs") {
  EchoServer echo({.ping_interval = 10min});  // or it would be missed
  RawSocket stalled = raw_websocket(echo.server.url());
  REQUIRE(echo.log.wait([](const Log& log) { return log.opened.size() == 1; }));
  const ClientId slow = echo.log.opened[0];
  Client good(echo.server.url());
  const std::vector<ClientId> both = echo.server.clients();
  REQUIRE(both.size() == 2);
  const std::optional<long> before = resident_memory();

  // 100 MB in all; the good client paces them
  const int frames = 1000;
  const std::string filling(100'000, 'f');
  for (int i = 0; i < frames; ++i) {
    const std::string frame = fmt::format("{:06} ", i) + filling;
    echo.server.send_frame(both, 0, frame);
    CHECK(receive_text(good) == frame);
  }
  const std::uint64_t dropped = echo.server.dropped_frames(slow);
  CHECK(dropped > frames - 100);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("memory grew by ", (*after - *before) / 1024, " KiB beside a stalled client that lost ",
            dropped, " frames");
    CHECK(*after - *before < 8 << 20);
  }

  // once it reads, what it gets is in order and ends with the latest
  echo.server.close(slow, {CloseCode::normal, "end"});
  WebSocketReader reader(Sender::server, 1 << 20);
  reader.append(stalled.receive());
  int last = -1;
  std::uint64_t count = 0;
  for (auto message = reader.next(); message && message->opcode == Opcode::text;
       message = reader.next()) {
    const int number = std::stoi(message->payload);
    CHECK(number > last);
    last = number;
    ++count;
  }
  CHECK(last == frames - 1);
  CHECK(count + dropped == frames);
}

TEST_CASE("abuse: a client that does not read its replies is closed") {
  EchoServer echo({.outbox = {.max_reply_bytes = 1 << 20}});
  Client other(echo.server.url());
  RawSocket stalled = raw_websocket(echo.server.url());
  REQUIRE(echo.log.wait([](const Log& log) { return log.opened.size() == 2; }));
  const ClientId slow = echo.log.opened[1];

  const std::string reply(10'000, 'r');
  int accepted = 0;
  while (accepted < 10'000 && echo.server.send(slow, reply)) ++accepted;
  CHECK(accepted >= 100);  // a megabyte waits
  CHECK(accepted < 1000);  // and what the kernel took
  REQUIRE(echo.log.wait([](const Log& log) { return log.closings == 1; }));
  CHECK(echo.log.closed[slow].code == CloseCode::policy);
  CHECK(echo.log.closed[slow].text == "replies are not read in time");
  check_alive(other);
}

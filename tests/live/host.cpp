// A live run over real sockets: many who watch, one who edits, some who misbehave.
#include "molejo/live/host.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

#include "molejo/io/json_document.h"
#include "molejo/io/load.h"
#include "molejo/live/client.h"
#include "tests/live/in_process.h"
#include "tests/live/pushed_ball.h"
#include "tests/support/loopback.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using namespace std::chrono_literals;

namespace {

// Reads until a message has this key; frames have "poses", answers "ok" or "error".
JsonValue next_with(Client& client, const char* key) {
  for (int n = 0; n < 10'000; ++n) {
    const auto message = client.receive(10s);
    REQUIRE(message);
    JsonValue value = parse_json(message->payload, "message").root;
    if (value.find(key)) return value;
  }
  FAIL("no message with " << key);
  return {};
}

JsonValue ask(Client& client, const std::string& text) {
  client.send(text);
  while (true) {
    const auto message = client.receive(10s);
    REQUIRE(message);
    JsonValue value = parse_json(message->payload, "message").root;
    if (value.find("ok") || value.find("error")) return value;
  }
}

}  // namespace

TEST_CASE("live host: twenty clients see the same frames while one edits a formula") {
  LiveHost host(pushed_ball(), {}, {});
  host.start(true);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(host.url()));
    CHECK(ask(*clients.back(), R"({"do": "subscribe"})").find("ok"));
  }
  const JsonValue refused =
      ask(*clients[7],
          R"({"do": "replace", "what": "force", "name": "wind", "component": 0, "text": "2*fan"})");
  REQUIRE(refused.find("error"));
  CHECK(refused.find("error")->text.find("column 3") != std::string::npos);
  CHECK(ask(*clients[7],
            R"({"do": "replace", "what": "force", "name": "wind", "component": 0, "text": "-f"})")
            .find("ok"));
  CHECK(ask(*clients[3], R"({"do": "set", "variable": "f", "value": 2})").find("ok"));

  // frames of the same number are the same for all
  std::map<double, std::string> poses;
  for (const auto& client : clients) {
    double last = -1;
    for (int n = 0; n < 5; ++n) {
      const JsonValue frame = next_with(*client, "poses");
      const double number = frame.find("frame")->number;
      CHECK(number > last);
      last = number;
      const std::string text = compact_text(*frame.find("poses"), std::string::npos);
      const auto [at, fresh] = poses.emplace(number, text);
      if (!fresh) CHECK(at->second == text);
    }
  }
  host.stop();
}

TEST_CASE("live host: play, pause, seek and reset act for all") {
  LiveHost host(pushed_ball(), {}, {});
  host.start(false);
  Client first(host.url()), second(host.url());
  CHECK(ask(first, R"({"do": "step", "frames": 50})").find("t")->number == doctest::Approx(0.5));
  CHECK(ask(second, R"({"do": "status"})").find("t")->number == doctest::Approx(0.5));
  CHECK(ask(second, R"({"do": "seek", "t": 0.2})").find("t")->number == doctest::Approx(0.2));
  CHECK(ask(first, R"({"do": "status"})").find("end")->number == doctest::Approx(0.5));
  CHECK(ask(first, R"({"do": "speed", "value": 0})").find("ok"));
  CHECK(ask(first, R"({"do": "play"})").find("ok"));
  // as fast as it can: far more than the clock
  double t = 0;
  for (int n = 0; n < 200 && t < 20; ++n) t = ask(first, R"({"do": "status"})").find("t")->number;
  CHECK(t >= 20);
  CHECK(ask(second, R"({"do": "pause"})").find("playing")->boolean == false);
  CHECK(ask(second, R"({"do": "reset"})").find("t")->number == 0);
}

TEST_CASE("live host: a served run has the bits of the same run in process") {
  const Scene scene = load_scene(SourceFile::given(source_dir() + "/scenes/dunes.json"));
  constexpr int frames = 600;
  const std::vector<std::string> expected = hashes_in_process(scene, frames);
  LiveHost host(scene, {}, {});
  host.start(true);
  Client client(host.url());
  CHECK(ask(client, R"({"do": "subscribe"})").find("ok"));
  int compared = 0;
  double reached = 0;
  const auto compare = [&](const JsonValue& status) {
    reached = status.find("frame")->number;
    if (reached > frames) return;
    CHECK(status.find("hash")->text == expected[static_cast<std::size_t>(reached)]);
    ++compared;
  };
  for (const double speed : {1.0, 2.0, 0.4, 1.5}) {
    ask(client, fmt::format(R"({{"do": "speed", "value": {}}})", speed));
    ask(client, R"({"do": "play"})");
    for (int n = 0; n < 10; ++n) compare(next_with(client, "poses"));
    compare(ask(client, R"({"do": "pause"})"));
  }
  REQUIRE(reached < frames);
  compare(ask(client, fmt::format(R"({{"do": "step", "frames": {}}})", frames - reached)));
  CHECK(reached == frames);
  CHECK(compared == 45);
}

TEST_CASE("live host: who floods, dies or does not read disturbs nobody") {
  ServerOptions options;
  options.max_messages_per_second = 100;
  options.message_burst = 200;
  LiveHost host(pushed_ball(), {}, options);
  host.start(true);
  Client watcher(host.url());
  CHECK(ask(watcher, R"({"do": "subscribe"})").find("ok"));

  Client silent(host.url());  // subscribes and never reads
  silent.send(R"({"do": "subscribe", "contacts": true})");
  {
    Client dead(host.url());
    dead.send(R"({"do": "subscribe"})");
  }  // gone without a word
  CHECK(is_closed_for_flooding(host.url()));
  const double before = next_with(watcher, "poses").find("t")->number;
  double after = before;
  while (after < before + 0.2) after = next_with(watcher, "poses").find("t")->number;
  CHECK(ask(watcher, R"({"do": "status"})").find("ok"));
}

TEST_CASE(
    "host: what piles up before a busy conversation is bounded, and whoever sends more is told") {
  // hears nothing until it is let go, then counts
  class Busy : public Conversation {
   public:
    Busy(std::shared_future<void> go, std::atomic<int>& heard)
        : go_(std::move(go)), heard_(heard) {}
    void open(ClientKey) override { go_.wait(); }
    void close(ClientKey) override {}
    void receive(ClientKey, std::string_view) override { ++heard_; }
    double tick(double) override { return -1; }
    std::string status() const override { return {}; }
    bool owes_answer(ClientKey) const override { return false; }

   private:
    std::shared_future<void> go_;
    std::atomic<int>& heard_;
  };
  ServerOptions options;
  options.max_messages_per_second = options.message_burst = 1e9;
  std::atomic<int> heard = 0;
  Host host(options);
  std::promise<void> go;
  host.start(std::make_unique<Busy>(go.get_future().share(), heard));
  Client client(host.url());

  // 220 MB at most, which would be too much to keep
  const std::optional<long> before = resident_memory();
  const std::string text(20'000, 'm');
  int sent = 0, refused = 0;
  const auto count_refusals = [&](std::chrono::milliseconds wait) {
    while (const auto message = client.receive(wait)) {
      CHECK(message->payload.find("too many messages are waiting") != std::string::npos);
      ++refused;
    }
  };
  for (; sent < 11'000 && refused == 0; ++sent) {
    client.send(text);
    if (sent % 16 == 0) count_refusals(0ms);
  }
  CHECK(refused > 0);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("memory grew by ", (*after - *before) >> 20, " MiB before the first refusal");
  }

  // nothing is lost in silence: each is heard or refused, and room is made again
  go.set_value();
  const auto deadline = NetworkClock::now() + patience;
  while (heard + refused < sent && NetworkClock::now() < deadline) count_refusals(20ms);
  CHECK(heard + refused == sent);
  const int before_last = heard;
  client.send("last");
  while (heard == before_last && NetworkClock::now() < deadline) count_refusals(20ms);
  CHECK(heard == before_last + 1);
}

TEST_CASE("live host: ten thousand messages leave memory where it was") {
  ServerOptions options;
  options.max_messages_per_second = options.message_burst = 1e6;
  LiveHost host(pushed_ball(), {}, options);
  host.start(false);
  Client client(host.url());
  const auto talk = [&](int count) {
    for (int n = 0; n < count; ++n) {
      static const char* const texts[] = {
          R"({"do": "set", "variable": "f", "value": 3})",
          R"({"do": "replace", "what": "force", "name": "wind", "component": 0, "text": "f*t"})",
          R"({"do": "push", "body": "ball", "force": [1, 0, 0]})"};
      const char* text = texts[n % 3];
      REQUIRE(ask(client, text).find("ok"));
      if (n % 100 == 99) REQUIRE(ask(client, R"({"do": "step", "frames": 20})").find("ok"));
    }
  };
  talk(1000);
  const std::optional<long> before = resident_memory();
  talk(10'000);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("grown by " << (*after - *before) / 1024 << " KiB");
    CHECK(*after - *before < (8 << 20));
  }
}

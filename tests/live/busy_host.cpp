// Clients whose run is busy: others are answered, what takes long is ended, what waits is bounded.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "molejo/io/json_document.h"
#include "molejo/live/client.h"
#include "molejo/live/host.h"
#include "tests/live/pushed_ball.h"
#include "tests/support/loopback.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Clock = std::chrono::steady_clock;

// "work" goes on until it is interrupted, "later" is answered by the next "work" that ends.
class Busy : public Conversation {
 public:
  Busy(Playback::Outputs outputs, std::atomic<bool>& working)
      : outputs_(std::move(outputs)), working_(working) {}
  void open(ClientKey) override {}
  void close(ClientKey) override {}
  double tick(double) override { return -1; }
  std::string status() const override { return "\"heard\":" + std::to_string(heard_); }
  bool owes_answer(ClientKey client) const override { return owed_ && owed_->client == client; }
  void receive(ClientKey client, std::string_view text) override {
    ++heard_;
    const auto now = answer(text, client, [&](const Message& c) -> std::optional<std::string> {
      if (c.word() == "later") {
        owed_ = c.asker();
        return {};
      }
      if (c.word() == "work") work();
      if (owed_ && c.word() == "cancel") outputs_.reply({owed_->client}, owed_->ok(""));
      if (c.word() == "cancel") owed_.reset();
      return status();
    });
    if (now) outputs_.reply({client}, *now);
  }

 private:
  void work() {
    working_ = true;
    while (true) check_interrupt();
  }
  Playback::Outputs outputs_;
  std::atomic<bool>& working_;
  std::optional<Asker> owed_;
  int heard_ = 0;
};

struct BusyHost {
  explicit BusyHost(HostLimits limits = {}) : host({}, limits) {
    host.start(std::make_unique<Busy>(host.outputs(), working));
  }
  void wait_until_working() {
    for (int i = 0; i < 1000 && !working; ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(working);
  }
  std::atomic<bool> working = false;
  Host host;
};

JsonValue next(Client& client) {
  const auto message = client.receive(patience);
  REQUIRE(message);
  return parse_json(message->payload, "message").root;
}

JsonValue ask(Client& client, const std::string& text) {
  client.send(text);
  return next(client);
}

}  // namespace

TEST_CASE("busy host: others are told the status while one lets it work without end") {
  BusyHost busy;
  Client hard(busy.host.url()), other(busy.host.url());
  CHECK(ask(other, R"({"do": "status", "id": 1})").find("busy") == nullptr);
  hard.send(R"({"do": "work", "id": "w"})");
  busy.wait_until_working();
  for (int i = 0; i < 5; ++i) {
    const JsonValue status = ask(other, R"({"do": "status", "id": "s"})");
    CHECK(status.find("ok"));
    CHECK(status.find("id")->text == "s");
    REQUIRE(status.find("busy"));
    CHECK(status.find("heard")->number == 1);
  }
  // who has work done may ask too, before it is
  CHECK(ask(hard, R"({"do": "status", "id": 2})").find("id")->number == 2);
}

TEST_CASE("busy host: who wants something else ends the work of others, who wants more does not") {
  BusyHost busy;
  Client hard(busy.host.url()), other(busy.host.url());
  hard.send(R"({"do": "work", "id": "w"})");
  busy.wait_until_working();
  other.send(R"({"do": "more"})");
  CHECK_FALSE(other.receive(1500ms));
  other.send(R"({"do": "pause", "id": "p"})");
  const JsonValue ended = next(hard);
  CHECK(ended.find("id")->text == "w");
  CHECK(ended.find("error")->text == "interrupted");
  CHECK(next(other).find("ok"));
  CHECK(next(other).find("id")->text == "p");
}

TEST_CASE("busy host: what takes longer than it may is given up") {
  BusyHost busy({.longest_message = 0.2});
  Client hard(busy.host.url());
  CHECK(ask(hard, R"({"do": "work"})").find("error")->text == "takes longer than 0.2 s");
  CHECK(ask(hard, R"({"do": "more"})").find("ok"));
}

TEST_CASE("busy host: it stops at once, whatever it works on") {
  const auto start = Clock::now();
  {
    BusyHost busy;
    Client hard(busy.host.url());
    hard.send(R"({"do": "work"})");
    busy.wait_until_working();
    busy.host.stop();
  }
  CHECK(Clock::now() - start < 10s);
}

TEST_CASE("busy host: a client is heard again after what it waits for, unless it gives that up") {
  BusyHost busy;
  Client patient(busy.host.url()), other(busy.host.url());
  patient.send(R"({"do": "later", "id": 1})");
  patient.send(R"({"do": "more", "id": 2})");
  CHECK(ask(other, R"({"do": "more"})").find("ok"));
  CHECK_FALSE(patient.receive(300ms));
  patient.send(R"({"do": "cancel", "id": 3})");
  CHECK(next(patient).find("id")->number == 1);
  CHECK(next(patient).find("id")->number == 3);
  CHECK(next(patient).find("id")->number == 2);
}

TEST_CASE("busy host: who goes while it waits for an answer takes all that it said with it") {
  BusyHost busy({.waiting_bytes = std::size_t{4} << 20});
  Client other(busy.host.url());
  const std::string big = R"({"do": "more", "x": ")" + std::string(500'000, 'x') + "\"}";
  for (int i = 0; i < 20; ++i) {
    Client hasty(busy.host.url());
    hasty.send(R"({"do": "later"})");
    for (int k = 0; k < 5; ++k) hasty.send(big);
    CHECK(ask(other, R"({"do": "status"})").find("ok"));
  }
  // nothing is left of them
  CHECK(ask(other, R"({"do": "cancel"})").find("ok"));
  CHECK(ask(other, big).find("ok"));
}

TEST_CASE("busy host: messages that wait are bounded by their bytes, in all and of one client") {
  BusyHost busy({.waiting_bytes = std::size_t{4} << 20});
  Client hard(busy.host.url()), other(busy.host.url());
  hard.send(R"({"do": "work"})");
  busy.wait_until_working();
  const std::string big = R"({"do": "more", "x": ")" + std::string(500'000, 'x') + "\"}";
  const std::optional<long> before = resident_memory();
  const auto refusals = [&](Client& client) {
    for (int i = 0; i < 100; ++i) client.send(big);
    int refused = 0;
    while (const auto message = client.receive(500ms)) {
      CHECK(parse_json(message->payload, "message").root.find("error")->text ==
            "the run is busy: too many messages are waiting");
      ++refused;
    }
    return refused;
  };
  CHECK(refusals(hard) == 98);
  CHECK(refusals(other) == 98);
  if (const std::optional<long> after = resident_memory(); before && after) {
    CHECK(*after - *before < 32 << 20);
  }
  CHECK(ask(other, R"({"do": "status"})").find("ok"));
}

TEST_CASE("live host: a hundred thousand frames are made in parts, and others are heard") {
  Scene scene = pushed_ball();
  scene.settings.time_step = 1e-6;
  LiveHost host(std::move(scene), {}, {});
  host.start(false);
  Client steps(host.url()), other(host.url());
  CHECK(ask(steps, R"({"do": "step", "frames": 2})").find("frame")->number == 2);
  steps.send(R"({"do": "step", "frames": 100000, "id": "many"})");
  // it goes on, and can be seen to
  double left = 100'000;
  const auto deadline = NetworkClock::now() + patience;
  for (int seen = 0; seen < 3;) {
    std::this_thread::sleep_for(200ms);
    const JsonValue status = ask(other, R"({"do": "status"})");
    REQUIRE(status.find("frames_left"));
    CHECK(status.find("frames_left")->number <= left);
    if (status.find("frames_left")->number < left) ++seen;
    left = status.find("frames_left")->number;
    REQUIRE(NetworkClock::now() < deadline);
  }
  CHECK_FALSE(steps.receive(1ms));
  CHECK(ask(other, R"({"do": "pause"})").find("ok"));
  const JsonValue ended = next(steps);
  CHECK(ended.find("id")->text == "many");
  CHECK(ended.find("frames_left")->number <= left);
  CHECK_FALSE(ask(other, R"({"do": "status"})").find("frames_left"));
}

TEST_CASE("live host: one frame that would take years keeps nobody waiting") {
  Scene scene = pushed_ball();
  scene.settings.time_step = 1e-9;
  scene.settings.fps = 1e-3;
  LiveHost host(std::move(scene), {}, {});
  host.start(true);
  Client client(host.url());
  for (int i = 0; i < 3; ++i) {
    const auto asked = Clock::now();
    CHECK(ask(client, R"({"do": "describe"})").find("ok"));
    CHECK(Clock::now() - asked < 5s);
  }
  const auto start = Clock::now();
  host.stop();
  CHECK(Clock::now() - start < 10s);
}

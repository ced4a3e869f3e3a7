// Those who misbehave cost themselves their connection, and nobody else anything.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Frames go on coming: the run goes on, and this one is still served.
void check_served(Visitor& visitor) {
  const double before = read_at<double>(visitor.frame(1), 8);
  double after = before;
  while (after < before + 0.1) after = read_at<double>(visitor.frame(1), 8);
}

}  // namespace

TEST_CASE("studio: every file of the gallery opens or says in one line why not") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  int opened = 0;
  const JsonValue gallery = visitor.must(R"({"do": "gallery"})");
  for (const JsonValue& item : gallery.find("files")->items) {
    const std::string file = item.find("file")->text;
    if (file.find("walks/demo_") != std::string::npos) continue;  // needs packages of npm
    CAPTURE(file);
    const JsonValue answer = visitor.ask(R"({"do": "open", "file": ")" + file + "\"}");
    if (answer.find("error")) {
      CAPTURE(answer.find("error")->text);
      CHECK(file.find(".bvh") != std::string::npos);  // an idle alone walks nowhere
      CHECK(answer.find("error")->text.find('\n') == std::string::npos);
      continue;
    }
    ++opened;
    const JsonValue status = visitor.must(R"({"do": "step", "frames": 2})");
    CHECK(!status.find("failure"));
  }
  CHECK(opened > 80);
}

TEST_CASE("studio: a hundred who connect, and one who works") {
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json");
  Visitor visitor(studio);
  std::vector<std::unique_ptr<Client>> crowd;
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    try {
      crowd.push_back(std::make_unique<Client>(studio.live_url()));
      crowd.back()->send(R"({"do": "subscribe", "binary": true})");  // and never reads
    } catch (const NetworkError&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
  for (int i = 0; i < 50; ++i) visitor.must(R"({"do": "status"})");
  crowd.clear();
  CHECK(visitor.must(R"({"do": "status"})").find("playing")->boolean);
  CHECK(http(studio, "GET", "/").substr(9, 3) == "200");
}

TEST_CASE("studio: messages that make no sense are answered with a reason") {
  LoopbackStudio studio("scenes/walks/stick_a.walk.json");
  Visitor visitor(studio);
  for (const char* file :
       {"scenes/chain.json", "scenes/walks/stick_a.walk.json", "scenes/shows/walk.show.json",
        "scenes/gaits/basic_run.motion.json", "scenes/gaits/basic_run_closed.gait.json"}) {
    visitor.must(std::string(R"({"do": "open", "file": ")") + file + "\"}");
    for (const char* text : {"",
                             "{",
                             "[]",
                             "3",
                             R"({"do": 3})",
                             R"({"do": "dance"})",
                             R"({"do": "seek"})",
                             R"({"do": "seek", "t": "now"})",
                             R"({"do": "step", "frames": -1})",
                             R"({"do": "step", "frames": 1e300})",
                             R"({"do": "speed", "value": -1})",
                             R"({"do": "subscribe", "plots": [3]})",
                             R"({"do": "subscribe", "rate": 0})",
                             R"({"do": "export"})",
                             R"({"do": "export", "what": "exe"})",
                             R"({"do": "open"})",
                             R"({"do": "push", "body": 3})",
                             R"({"do": "drag"})",
                             R"({"do": "sculpt"})",
                             R"({"do": "steer", "turn": "left"})",
                             R"({"do": "terrain", "elevation": 3})",
                             R"({"do": "edit"})",
                             R"({"do": "fire"})",
                             R"({"do": "play_trace", "which": -1})",
                             R"({"do": "amplitude"})",
                             R"({"do": "mark"})",
                             R"({"do": "rest"})",
                             R"({"do": "ghost"})",
                             R"({"do": "result"})",
                             R"({"do": "resume"})"}) {
      CAPTURE(file);
      CAPTURE(text);
      CHECK(visitor.error(text) != "no error");
    }
    visitor.must(R"({"do": "seek", "t": -1e300})");
    visitor.must(R"({"do": "seek", "t": 1e300})");
    visitor.must(R"({"do": "command_line"})");
  }
}

TEST_CASE("studio: twenty who watch see the same while one edits a formula") {
  LoopbackStudio studio("scenes/mobile_in_wind.json");
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (int i = 0; i < 20; ++i) {
    visitors.push_back(std::make_unique<Visitor>(studio));
    visitors.back()->must(R"({"do": "subscribe", "binary": true})");
  }
  const JsonValue before = visitors[3]->must(R"({"do": "describe"})");
  const std::string name = before.find("forces")->items[0].find("name")->text;
  const auto edit = [&](const std::string& text) {
    return fmt::format(
        R"({{"do": "replace", "what": "force", "name": "{}", "component": 0, "text": "{}"}})", name,
        text);
  };
  CHECK(visitors[7]->error(edit("3*winnd")).find("column 3") != std::string::npos);
  visitors[7]->must(edit("0.01*t"));
  // frames of the same number are the same bytes for all
  std::map<std::uint32_t, std::string> known;
  for (const auto& visitor : visitors) {
    std::int64_t last = -1;
    for (int n = 0; n < 5; ++n) {
      const std::string frame = visitor->frame(1);
      const auto number = read_at<std::uint32_t>(frame, 4);
      CHECK(number >= last);
      last = number;
      const auto [at, fresh] = known.emplace(number, frame);
      if (!fresh) CHECK(at->second == frame);
    }
  }
}

TEST_CASE("studio: broken frames and requests end their own connection alone") {
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json");
  Visitor watcher(studio);
  watcher.must(R"({"do": "subscribe", "binary": true})");
  const std::string nul(4, '\0');
  const std::vector<std::pair<std::string, int>> frames = {
      {"\x81\x02hi", 1002},
      {"\xc1\x80" + nul, 1002},
      {masked(Opcode::continuation, "a"), 1002},
      {masked(Opcode::text, "\xc0\x80"), 1007},
      {masked(Opcode::binary, "a"), 1003},
      {masked(Opcode::text, std::string((1 << 20) + 1, 'a')), 1009},
      {"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009},
      {std::string(20000, '\xff'), 1002},
  };
  for (const auto& frame : frames) {
    const std::string& bytes = frame.first;
    const int code = frame.second;
    CAPTURE(code);
    RawSocket client = raw_websocket(studio.live_url());
    client.send(bytes);
    CHECK(static_cast<int>(first_close(client.receive()).code) == code);
    check_served(watcher);
  }
  const auto status = [&](const std::string& text) {
    RawSocket client(studio.port());
    client.send(text);
    const std::string answer = client.receive();
    return answer.size() > 12 ? answer.substr(9, 3) : answer;
  };
  CHECK(status("nonsense\r\n\r\n") == "400");
  CHECK(status("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n") == "505");
  CHECK(status("GET / HTTP/1.1\r\nHost: elsewhere.org\r\n\r\n") == "421");
  CHECK(status("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n") == "401");
  CHECK(status("BREW / HTTP/1.1\r\nHost: localhost\r\n" + bearer(studio.token()) + "\r\n") ==
        "405");
  CHECK(status("GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n") == "431");
  CHECK(refusal(studio.live_url(), {.origin = "https://elsewhere.org"}).find("403") !=
        std::string::npos);
  check_served(watcher);
}

TEST_CASE("studio: who floods, dies, resets or does not read disturbs nobody") {
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json");
  Visitor watcher(studio);
  watcher.must(R"({"do": "subscribe", "binary": true})");
  Client silent(studio.live_url());
  silent.send(R"({"do": "subscribe", "binary": true, "contacts": true, "plots": ["energy"]})");
  {
    Client dead(studio.live_url());
    dead.send(R"({"do": "subscribe"})");
  }  // gone without a word
  raw_websocket(studio.live_url()).reset();
  CHECK(is_closed_for_flooding(studio.live_url()));
  check_served(watcher);
  CHECK(watcher.must(R"({"do": "status"})").find("playing")->boolean);
}

TEST_CASE("studio: sending a file slowly, in parts or not at all costs only that connection") {
  ServerOptions options;
  options.body_timeout = 300ms;
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json", options);
  Visitor watcher(studio);
  watcher.must(R"({"do": "subscribe", "binary": true})");
  const std::string head =
      "POST /upload?name=a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33554432\r\n" +
      bearer(studio.token()) + "\r\n";
  std::vector<RawSocket> slow;
  for (int i = 0; i < 20; ++i) {
    slow.emplace_back(studio.port());
    slow.back().send(head + "{");
  }
  RawSocket gone(studio.port());
  gone.send(head + std::string(1 << 16, ' '));
  gone.reset();
  // a few are waited for, the others find no room
  std::map<std::string, int> answers;
  for (RawSocket& socket : slow) ++answers[socket.receive().substr(9, 3)];
  CHECK(answers["408"] >= 1);
  CHECK(answers["408"] + answers["503"] == 20);
  check_served(watcher);
  CHECK(http(studio, "POST", "/upload?name=a.json", "{}").substr(9, 3) == "200");
}

TEST_CASE("studio: what is sent is bounded in all") {
  LoopbackStudio studio("scenes/pendulum.json");
  const std::string big = "{}" + std::string((32 << 20) - 2, ' ');
  int taken = 0;
  std::string answer;
  for (int i = 0; i < 20; ++i) {
    answer = http(studio, "POST", "/upload?name=big.json", big);
    if (answer.substr(9, 3) != "200") break;
    ++taken;
  }
  CHECK(taken == 16);
  CHECK(answer.find("too much was sent") != std::string::npos);
  CHECK(http(studio, "GET", "/").substr(9, 3) == "200");
}

TEST_CASE("studio: ten thousand messages leave memory where it was") {
  ServerOptions options;
  options.max_messages_per_second = options.message_burst = 1e6;
  LoopbackStudio studio("scenes/walks/stick_a.walk.json", options, {.frames = 100});
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const auto talk = [&](int count) {
    for (int n = 0; n < count; ++n) {
      static const char* const texts[] = {
          R"({"do": "steer", "walk": true, "turn": 0.5})", R"({"do": "status"})",
          R"({"do": "sculpt", "x": 3, "y": 1, "radius": 0.5, "height": 0.001})"};
      visitor.must(texts[n % 3]);
      visitor.events.clear();
      if (n % 100 == 99) visitor.must(R"({"do": "step", "frames": 2})");
    }
  };
  talk(1000);
  const std::optional<long> before = resident_memory();
  talk(10'000);
  if (const std::optional<long> after = resident_memory(); before && after) {
    MESSAGE("grown by " << (*after - *before) / 1024 << " KiB");
    CHECK(*after - *before < (16 << 20));
  }
}

namespace {

// Bodies in a row, which take a while to be opened.
std::string long_row(int count) {
  std::string text = R"({"bodies": [)";
  for (int i = 0; i < count; ++i) {
    text +=
        fmt::format(R"({}{{"name": "b{}", "position": [{}, 0, 1], "shape": {{"sphere": 0.1}}}})",
                    i > 0 ? "," : "", i, i);
  }
  return text + "]}";
}

std::string sent(const Studio& studio, const std::string& name, const std::string& text) {
  const JsonValue answer =
      parse_json(body_of(http(studio, "POST", "/upload?name=" + name, text)), "answer").root;
  REQUIRE(answer.find("file"));
  return answer.find("file")->text;
}

}  // namespace

TEST_CASE("studio: what is open plays on while a heavy file is opened, and another may be wanted") {
  LoopbackStudio studio("scenes/pendulum.json");
  const std::string heavy = sent(studio, "heavy.json", long_row(60'000));
  Visitor greedy(studio), other(studio);
  other.must(R"({"do": "subscribe", "binary": true})");
  for (const char* instead :
       {R"({"do": "open", "file": "scenes/chain.json"})", R"({"do": "cancel"})"}) {
    greedy.client().send(R"({"do": "open", "file": ")" + heavy + R"(", "id": "heavy"})");
    JsonValue status = other.must(R"({"do": "status"})");
    while (!status.find("opening")) status = other.must(R"({"do": "status"})");
    CHECK(status.find("opening")->text == heavy);
    check_served(other);
    other.must(instead);
    CHECK_FALSE(other.must(R"({"do": "status"})").find("opening"));
    const JsonValue refused = greedy.answer();
    REQUIRE(refused.find("error"));
    CHECK(refused.find("error")->text == "given up: another file is wanted");
    CHECK(refused.find("id")->text == "heavy");
  }
}

TEST_CASE("studio: a file whose description is too long is refused in one line") {
  const std::string text = long_row(10'000);
  struct SmallStudio : Studio {
    SmallStudio()
        : Studio({.page = {}, .scenes = source_dir() + "/scenes", .max_memory = 64 << 20}, {}) {
      start("scenes/pendulum.json");
    }
  } studio;
  const std::string file = sent(studio, "row.json", text);
  Visitor visitor(studio);
  CHECK(visitor.error(R"({"do": "open", "file": ")" + file + "\"}") ==
        "to describe it takes 4 MB; expected 2 at most");
  CHECK(visitor.must(R"({"do": "status"})").find("playing")->boolean);
}

TEST_CASE("studio: an export can be ended") {
  LoopbackStudio studio("scenes/pile.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "step", "frames": 3})");
  const double job = number(visitor.must(R"({"do": "export", "what": "csv"})"), "job");
  visitor.ask(fmt::format(R"({{"do": "cancel", "job": {}}})", job));
  CHECK(visitor.error(R"({"do": "cancel", "job": 999})") ==
        "'job': no export of this number is under way");
}

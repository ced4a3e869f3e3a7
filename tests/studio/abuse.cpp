// Those who misbehave cost themselves their connection, and nobody else anything.
#include <doctest/doctest.h>

#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

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
    visitor.must(R"({"do": "command"})");
  }
}

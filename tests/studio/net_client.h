// What the tests of nets in the studio share.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "tests/studio/studio_client.h"

namespace molejo::test {

// Two who each hold one of two forks and want the other: the textbook deadlock.
inline const char* const dining = R"({
  "name": "Two eat",
  "places": [{"name": "fork1", "tokens": 1}, {"name": "fork2", "tokens": 1},
             {"name": "a", "tokens": 1}, {"name": "a_one"}, {"name": "b", "tokens": 1}, {"name": "b_one"}],
  "transitions": [{"name": "a_left", "in": ["a", "fork1"], "out": "a_one"},
                  {"name": "a_right", "in": ["a_one", "fork2"], "out": ["a", "fork1", "fork2"]},
                  {"name": "b_left", "in": ["b", "fork2"], "out": "b_one"},
                  {"name": "b_right", "in": ["b_one", "fork1"], "out": ["b", "fork1", "fork2"]}],
  "properties": ["always: a + a_one == 1", "never: a_one & b_one"]
})";

// A light that a switch turns on for half a second.
inline const char* const light = R"({
  "places": [{"name": "off", "tokens": 1}, {"name": "on", "delay": 0.5}],
  "transitions": [{"name": "press", "event": "switch", "in": "off", "out": "on"},
                  {"name": "fade", "in": "on", "out": "off"}]
})";

struct NetFile {
  explicit NetFile(const std::string& name, const std::string& text)
      : path(binary_dir() + "/" + std::to_string(::getpid()) + "_" + name) {
    std::ofstream(path) << text;
  }
  ~NetFile() { std::remove(path.c_str()); }
  std::string path;
};

inline const JsonValue& at(const JsonValue& value, const char* key) {
  CAPTURE(key);
  REQUIRE(value.find(key));
  return *value.find(key);
}

using Tokens = std::map<std::string, double>;

// By the name of their place.
inline Tokens marking(const JsonValue& described, const JsonValue& now) {
  Tokens tokens;
  for (const JsonValue& count : at(now, "marking").items) {
    const auto place = static_cast<std::size_t>(count.items[0].number);
    tokens[at(at(at(described, "net"), "places").items[place], "name").text] =
        count.items[1].number;
  }
  return tokens;
}

inline JsonValue analysis(Visitor& visitor) {
  while (true) {
    const JsonValue described = visitor.must(R"({"do": "describe"})");
    if (described.find("analysis")) return *described.find("analysis");
    visitor.event("analysis");
  }
}

inline const JsonValue* sentence(const JsonValue& analysis, const std::string& start) {
  for (const JsonValue& s : at(analysis, "sentences").items) {
    if (at(s, "text").text.starts_with(start)) return &s;
  }
  return nullptr;
}

}  // namespace molejo::test

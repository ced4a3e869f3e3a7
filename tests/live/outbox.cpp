#include "molejo/live/outbox.h"

#include <doctest/doctest.h>

#include <string>

using namespace molejo;

namespace {

SharedBytes shared(const std::string& text) { return std::make_shared<const std::string>(text); }

std::string taken(Outbox& outbox) {
  std::string all;
  while (const SharedBytes bytes = outbox.take()) all += *bytes + " ";
  return all;
}

}  // namespace

TEST_CASE("outbox: the latest frame of each stream stays, replies all stay, in order") {
  Outbox outbox({});
  outbox.add_frame(1, shared("a1"));
  outbox.add_reply(shared("r1"));
  outbox.add_frame(2, shared("b1"));
  outbox.add_frame(1, shared("a2"));
  outbox.add_reply(shared("r2"));
  outbox.add_frame(1, shared("a3"));
  CHECK(outbox.dropped_frames() == 2);
  CHECK(taken(outbox) == "r1 b1 r2 a3 ");
  outbox.add_frame(1, shared("a4"));
  CHECK(outbox.dropped_frames() == 2);
  CHECK(taken(outbox) == "a4 ");
}

TEST_CASE("outbox: one reply too many ends the connection and frees what waits") {
  Outbox outbox({.max_replies = 2});
  CHECK(outbox.add_reply(shared("a")));
  CHECK(outbox.add_reply(shared("b")));
  CHECK_FALSE(outbox.closing());
  CHECK_FALSE(outbox.add_reply(shared("c")));
  REQUIRE(outbox.closing());
  CHECK(outbox.closing()->code == CloseCode::policy);
  CHECK(outbox.closing()->text == "replies are not read in time");
  CHECK(outbox.empty());
  CHECK_FALSE(outbox.add_reply(shared("d")));
  CHECK_FALSE(outbox.add_frame(0, shared("d")));
  CHECK(outbox.empty());
}

TEST_CASE("outbox: replies are bounded in bytes, and what was taken makes room") {
  Outbox outbox({.max_reply_bytes = 10});
  CHECK(outbox.add_reply(shared("123456")));
  CHECK(outbox.add_reply(shared("1234")));
  CHECK(*outbox.take() == "123456");
  CHECK(outbox.add_reply(shared("123456")));
  CHECK_FALSE(outbox.add_reply(shared("1")));
  CHECK(outbox.closing());
}

TEST_CASE("outbox: more streams than allowed end the connection") {
  Outbox outbox({.max_streams = 2});
  CHECK(outbox.add_frame(1, shared("a")));
  CHECK(outbox.add_reply(shared("r")));
  CHECK(outbox.add_frame(2, shared("b")));
  CHECK(outbox.add_frame(1, shared("c")));
  CHECK_FALSE(outbox.add_frame(3, shared("d")));
  CHECK(outbox.closing()->text == "too many streams");
}

TEST_CASE("outbox: a close keeps what waits and its first reason") {
  Outbox outbox({});
  outbox.add_reply(shared("a"));
  outbox.close({CloseCode::normal, "first"});
  outbox.close({CloseCode::policy, "second"});
  CHECK(outbox.closing()->text == "first");
  CHECK_FALSE(outbox.add_reply(shared("b")));
  CHECK(taken(outbox) == "a ");
}

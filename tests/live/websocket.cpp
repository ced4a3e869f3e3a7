// The examples of RFC 6455 and every way to break its rules.
#include "molejo/live/websocket.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "molejo/io/base64.h"
#include "tests/support/loopback.h"

using namespace molejo;
using molejo::test::masked;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

std::vector<WebSocketMessage> read_all(Sender sender, const std::string& input, std::size_t portion,
                                       std::size_t limit = 1 << 20) {
  WebSocketReader reader(sender, limit);
  std::vector<WebSocketMessage> list;
  for (std::size_t at = 0; at < input.size(); at += portion) {
    reader.append(std::string_view(input).substr(at, portion));
    while (auto message = reader.next()) list.push_back(*message);
  }
  return list;
}

// 0 when nothing is wrong
int failure(const std::string& input, Sender sender = Sender::client) {
  try {
    read_all(sender, input, input.size(), 1000);
    return 0;
  } catch (const ProtocolError& error) {
    return static_cast<int>(error.code);
  }
}

}  // namespace

TEST_CASE("websocket: the examples of the standard are read") {
  // RFC 6455, section 5.7
  const std::string hello = bytes({0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f});
  const std::string masked_hello =
      bytes({0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58});
  const std::string fragments = bytes({0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f});
  const std::string ping = bytes({0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f});
  const std::string masked_pong =
      bytes({0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58});
  const std::string binary256 = bytes({0x82, 0x7e, 0x01, 0x00}) + std::string(256, 'x');
  const std::string binary64k =
      bytes({0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0}) + std::string(65536, 'y');

  for (const std::size_t portion : {1, 2, 3, 7, 1 << 20}) {
    CAPTURE(portion);
    const auto list =
        read_all(Sender::server, hello + fragments + ping + binary256 + binary64k, portion);
    REQUIRE(list.size() == 5);
    CHECK(list[0].payload == "Hello");
    CHECK(list[0].opcode == Opcode::text);
    CHECK(list[1].payload == "Hello");
    CHECK(list[2].payload == "Hello");
    CHECK(list[2].opcode == Opcode::ping);
    CHECK(list[3].payload == std::string(256, 'x'));
    CHECK(list[3].opcode == Opcode::binary);
    CHECK(list[4].payload == std::string(65536, 'y'));

    const auto of_client = read_all(Sender::client, masked_hello + masked_pong, portion);
    REQUIRE(of_client.size() == 2);
    CHECK(of_client[0].payload == "Hello");
    CHECK(of_client[1].opcode == Opcode::pong);
  }
  CHECK(encode_frame(Opcode::text, "Hello") == hello);
  CHECK(encode_frame(Opcode::text, "Hello", {.mask = 0x37fa213d}) == masked_hello);
  CHECK(encode_frame(Opcode::binary, std::string(256, 'x')) == binary256);
  CHECK(encode_frame(Opcode::binary, std::string(65536, 'y')) == binary64k);
}

TEST_CASE("websocket: lengths at their edges come back") {
  for (const std::size_t size : {0, 1, 125, 126, 127, 65535, 65536, 100000}) {
    CAPTURE(size);
    const std::string payload(size, 'a');
    const auto list = read_all(Sender::client, masked(Opcode::text, payload), 4096);
    REQUIRE(list.size() == 1);
    CHECK(list[0].payload == payload);
  }
}

TEST_CASE("websocket: control frames may stand between fragments") {
  const std::string input = masked(Opcode::text, "a", false) + masked(Opcode::ping, "p") +
                            masked(Opcode::continuation, "b", false) + masked(Opcode::pong, "") +
                            masked(Opcode::continuation, "c");
  WebSocketReader reader(Sender::client, 100);
  reader.append(input);
  CHECK(reader.next()->payload == "p");
  CHECK(reader.next()->opcode == Opcode::pong);
  CHECK(reader.next()->payload == "abc");
  CHECK_FALSE(reader.next());
  CHECK(reader.frames() == 5);
}

TEST_CASE("websocket: every broken rule has its code") {
  CHECK(failure(bytes({0x81, 0x01, 'a'})) == 1002);                   // unmasked
  CHECK(failure(masked(Opcode::text, "a"), Sender::server) == 1002);  // masked by a server
  CHECK(failure(bytes({0xc1, 0x80, 0, 0, 0, 0})) == 1002);            // RSV1
  CHECK(failure(bytes({0xa1, 0x80, 0, 0, 0, 0})) == 1002);            // RSV2
  CHECK(failure(bytes({0x91, 0x80, 0, 0, 0, 0})) == 1002);            // RSV3
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    CAPTURE(opcode);
    CHECK(failure(bytes({0x80 | opcode, 0x80, 0, 0, 0, 0})) == 1002);
  }
  CHECK(failure(masked(Opcode::continuation, "a")) == 1002);  // of nothing
  CHECK(failure(masked(Opcode::text, "a", false) + masked(Opcode::text, "b")) == 1002);
  CHECK(failure(masked(Opcode::ping, "a", false)) == 1002);                   // in fragments
  CHECK(failure(masked(Opcode::ping, std::string(126, 'a'))) == 1002);        // too long
  CHECK(failure(bytes({0x81, 0xfe, 0, 125})) == 1002);                        // not shortest
  CHECK(failure(bytes({0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) == 1002);  // not shortest
  CHECK(failure(bytes({0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0})) == 1002);     // 64 bits
  CHECK(failure(masked(Opcode::close, "x")) == 1002);                         // half a code
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535}) {
    CAPTURE(code);
    CHECK(failure(masked(Opcode::close, bytes({code >> 8, code & 255}))) == 1002);
  }
  CHECK(failure(masked(Opcode::close, bytes({3, 232, 0xff}))) == 1007);
  CHECK(failure(masked(Opcode::text, "\xff")) == 1007);
  CHECK(failure(masked(Opcode::text, "\xe2\x82", false) + masked(Opcode::continuation, "x")) ==
        1007);

  // a length is judged before its payload comes
  CHECK(failure(bytes({0x81, 0xfe, 0x03, 0xe9})) == 1009);
  CHECK(failure(bytes({0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})) == 1009);
  CHECK(failure(masked(Opcode::text, std::string(600, 'a'), false) +
                masked(Opcode::continuation, std::string(401, 'a'))) == 1009);
  CHECK(failure(masked(Opcode::text, std::string(600, 'a'), false) +
                masked(Opcode::continuation, std::string(400, 'a'))) == 0);
  // a character cut by a fragment is whole again
  CHECK(failure(masked(Opcode::text, "\xe2\x82", false) + masked(Opcode::continuation, "\xac")) ==
        0);
  CHECK(failure(masked(Opcode::binary, "\xff")) == 0);
}

TEST_CASE("websocket: UTF-8 is what RFC 3629 says") {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CAPTURE(good);
    CHECK(is_utf8(good));
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                          "\xe2\x28\xa1", "\xf0\x90\x28\xbc", "\xff"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_utf8(bad));
  }
}

TEST_CASE("websocket: the reason of a close comes back, cut at a whole character") {
  const CloseReason reason{CloseCode::policy, "too fast"};
  CHECK(decode_close(encode_close(reason)).code == CloseCode::policy);
  CHECK(decode_close(encode_close(reason)).text == "too fast");
  CHECK(encode_close({CloseCode::none_given, "x"}).empty());
  CHECK(decode_close("").code == CloseCode::none_given);

  // 122 letters and a character of two bytes: 124 in all, one too many
  const std::string letters(122, 'a');
  CHECK(decode_close(encode_close({CloseCode::normal, letters + "\xc3\xa9"})).text == letters);
  CHECK(decode_close(encode_close({CloseCode::normal, letters + "bc"})).text == letters + "b");
}

TEST_CASE("websocket: keys are answered as the standard shows") {
  CHECK(accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  // RFC 4648, section 10
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

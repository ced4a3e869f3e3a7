#include "molejo/live/http.h"

#include <doctest/doctest.h>

#include <string>

using namespace molejo;

namespace {

int status_of(const std::string& head) {
  try {
    parse_request(head);
    return 200;
  } catch (const HttpError& error) {
    return error.status;
  }
}

const std::string line = "GET / HTTP/1.1\r\n";

}  // namespace

TEST_CASE("http: a request is taken apart") {
  const RequestHead request = parse_request(
      "GET /live?a=1&token=x%2By HTTP/1.1\r\nHost: localhost:80\r\nCONNECTION: keep-alive ,  "
      "Upgrade\r\n"
      "X-Empty:\r\nConnection: other\r\n\r\n");
  CHECK(request.method == "GET");
  CHECK(request.path() == "/live");
  CHECK(request.parameter("token") == "x+y");
  CHECK(request.parameter("a") == "1");
  CHECK_FALSE(request.parameter("b"));
  CHECK_FALSE(request.parameter("oken"));
  CHECK(*request.header("host") == "localhost:80");
  CHECK(*request.header("x-empty") == "");
  CHECK(request.header("origin") == nullptr);
  CHECK(request.lists("connection", "upgrade"));
  CHECK(request.lists("connection", "other"));
  CHECK_FALSE(request.lists("connection", "alive"));
}

TEST_CASE("http: what two readers could understand differently is refused") {
  CHECK(status_of(line + "Host: a\r\n\r\n") == 200);
  CHECK(status_of("GET / HTTP/1.0\r\n\r\n") == 505);
  CHECK(status_of("GET / HTTP/1.1 \r\n\r\n") == 400);
  CHECK(status_of("GET /a b HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET http://a/ HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET \r\n\r\n") == 400);
  CHECK(status_of("\r\n\r\n") == 400);
  CHECK(status_of("G(T / HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of(line + "Host: a\r\nHost: a\r\n\r\n") == 400);
  CHECK(status_of(line + "Origin: a\r\nORIGIN: b\r\n\r\n") == 400);
  CHECK(status_of(line + "Host : a\r\n\r\n") == 400);
  CHECK(status_of(line + " folded: a\r\n\r\n") == 400);
  CHECK(status_of(line + "no colon\r\n\r\n") == 400);
  CHECK(status_of(line + "a: b\nc: d\r\n\r\n") == 400);
  CHECK(status_of(line + "a: b\rc: d\r\n\r\n") == 400);
  CHECK(status_of(line + std::string("a: \0\r\n\r\n", 8)) == 400);
  CHECK(status_of(line + "Host: a\r\n") == 400);

  std::string many = line;
  for (std::size_t i = 0; i < max_headers; ++i) many += "a: b\r\n";
  CHECK(status_of(many + "\r\n") == 200);
  CHECK(status_of(many + "a: b\r\n\r\n") == 431);
}

TEST_CASE("http: the end of a head is found within its limit") {
  CHECK_FALSE(head_end("GET / HTTP/1.1\r\n\r"));
  CHECK(head_end("GET / HTTP/1.1\r\n\r\nbody") == 18);
  CHECK_FALSE(head_end(std::string(max_head_bytes - 1, 'a')));
  CHECK(head_end(std::string(max_head_bytes - 4, 'a') + "\r\n\r\n") == max_head_bytes);
  CHECK_THROWS_AS(head_end(std::string(max_head_bytes, 'a')), HttpError);
}

TEST_CASE("http: an answer is taken apart") {
  const ResponseHead head = parse_http_response("HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n");
  CHECK(head.status == 404);
  CHECK(head.reason == "Not Found");
  CHECK(parse_http_response("HTTP/1.1 101\r\n\r\n").status == 101);
  for (const char* bad :
       {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000\r\n\r\n",
        "HTTP/1.1\r\n\r\n", "\r\n\r\n", "HTTP/1.1 -10 a\r\n\r\n"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_http_response(bad), HttpError);
  }
}

TEST_CASE("http: percent codes are undone once") {
  CHECK(percent_decode("a%2e%2E%25%32e") == "a..%2e");
  CHECK(percent_decode("%C3%A9") == "\xc3\xa9");
  for (const char* bad : {"%", "%2", "%0g", "%00", "a%zz", "%-1"}) {
    CAPTURE(bad);
    CHECK_FALSE(percent_decode(bad));
  }
  CHECK(percent_encode("a b/\xff~") == "a%20b%2F%FF~");
}

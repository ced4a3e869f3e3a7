#include "molejo/live/admission.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace molejo;

namespace {

RequestHead request(const std::string& target, const std::string& headers) {
  return parse_request("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
}

// 200 when the check lets it pass
template <class Check>
int status_of(Check check, const Admission& admission, const RequestHead& head) {
  try {
    check(admission, head);
    return 200;
  } catch (const HttpError& error) {
    return error.status;
  }
}

int host_status(const Admission& admission, const std::string& host) {
  return status_of(check_host, admission, request("/", "Host: " + host + "\r\n"));
}

int origin_status(const Admission& admission, const std::string& origin,
                  const std::string& host = "localhost") {
  return status_of(check_origin, admission,
                   request("/", "Host: " + host + "\r\nOrigin: " + origin + "\r\n"));
}

}  // namespace

TEST_CASE("admission: on loopback only names of loopback are answered to") {
  const Admission local;
  for (const char* good : {"localhost", "localhost:8000", "LocalHost:1", "127.0.0.1",
                           "127.0.0.1:80", "[::1]", "[::1]:8000"}) {
    CAPTURE(good);
    CHECK(host_status(local, good) == 200);
  }
  for (const char* foreign : {"evil.example", "evil.example:8000", "localhost.evil.example",
                              "127.0.0.1.evil.example", "evil.localhost", "localhost.", "::1"}) {
    CAPTURE(foreign);
    CHECK(host_status(local, foreign) != 200);
  }
  CHECK(host_status(local, "evil.example") == 421);
  for (const char* bad :
       {"", ":80", "localhost:", "localhost:x", "localhost:800000", "localhost:8 0"}) {
    CAPTURE(bad);
    CHECK(host_status(local, bad) == 400);
  }
  CHECK(status_of(check_host, local, request("/", "")) == 400);

  CHECK(host_status({.hosts = {"Studio.lan"}}, "studio.lan:80") == 200);
  CHECK(host_status({.loopback = false}, "anything:80") == 200);
  CHECK(host_status({.loopback = false, .hosts = {"studio.lan"}}, "anything:80") == 421);
}

TEST_CASE("admission: what no browser sends is no origin") {
  for (const char* good :
       {"http://a", "https://a.org", "http://b.org:8080", "http://b.org:*", "HTTPS://A.org",
        "http://127.0.0.1:1", "http://[::1]:80", "http://[::1]", "http://[::1]:*",
        "chrome-extension://abcdefgh", "http://a-b.example_c.org"}) {
    CAPTURE(good);
    CHECK(is_origin(good));
  }
  for (const char* bad : {"",
                          "foo",
                          "a.org",
                          "a.org:80",
                          "null",
                          "*",
                          "://",
                          "://a.org",
                          "http://",
                          "http:a.org",
                          "http://a.org/",
                          "http://a.org/page",
                          "http://a.org:",
                          "http://a.org:x",
                          "http://a.org:**",
                          "http://a.org:80:*",
                          "http://:80",
                          "http://:*",
                          "http://a org",
                          "http://user@a.org",
                          "http://a.org?b",
                          "http://*.a.org",
                          "h ttp://a.org",
                          "http://a.org\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_origin(bad));
  }
}

TEST_CASE("admission: pages of other origins are refused") {
  const Admission local;
  CHECK(status_of(check_origin, local, request("/", "Host: a\r\n")) == 200);
  for (const char* good : {"http://localhost", "http://localhost:3000", "http://127.0.0.1:1",
                           "http://[::1]:80", "HTTP://LOCALHOST:80"}) {
    CAPTURE(good);
    CHECK(origin_status(local, good) == 200);
  }
  for (const char* bad : {"http://evil.example", "https://localhost", "null", "", "http://",
                          "http://localhost.evil.example", "http://localhost:80.evil.example",
                          "http://evil.example/http://localhost", "http://localhost@evil.example",
                          "file://", "http://127.0.0.1.evil.example:80"}) {
    CAPTURE(bad);
    CHECK(origin_status(local, bad) == 403);
  }
  // a rebound name has the same Host as Origin: no excuse without a token
  CHECK(origin_status(local, "http://evil.example:80", "evil.example:80") == 403);
  CHECK(origin_status({.token = "t"}, "http://studio.lan:80", "studio.lan:80") == 200);
  CHECK(origin_status({.token = "t"}, "http://evil.example:80", "studio.lan:80") == 403);

  const Admission listed{.origins = {"https://a.org", "http://b.org:*"}};
  CHECK(origin_status(listed, "https://a.org") == 200);
  CHECK(origin_status(listed, "https://a.org:1") == 403);
  CHECK(origin_status(listed, "http://b.org") == 200);
  CHECK(origin_status(listed, "http://b.org:8000") == 200);
  CHECK(origin_status(listed, "http://b.org:x") == 403);
  CHECK(origin_status(listed, "http://b.org.evil.example") == 403);
}

TEST_CASE("admission: the token is asked for in two places") {
  const Admission guarded{.token = "a secret+of/ours"};
  const auto status = [&](const std::string& target, const std::string& headers) {
    return status_of(check_token, guarded, request(target, headers));
  };
  CHECK(status("/live?token=a%20secret%2Bof/ours", "") == 200);
  CHECK(status("/live?x=1&token=a%20secret+of/ours", "") == 200);
  CHECK(status("/live", "Authorization: Bearer a secret+of/ours\r\n") == 200);
  CHECK(status("/live", "Authorization: bearer a secret+of/ours\r\n") == 200);
  for (const char* bad :
       {"/live", "/live?token=", "/live?token=a", "/live?token=%", "/live?token=a%20secret+of/ourS",
        "/live?token=a%20secret+of/oursa", "/live?token=a%20secret+of/our",
        "/live?token=a%20secret+of/oursa%20secret+of/ours"}) {
    CAPTURE(bad);
    CHECK(status(bad, "") == 401);
  }
  CHECK(status("/live", "Authorization: Basic a secret+of/ours\r\n") == 401);
  // without a token nobody is let in
  CHECK(status_of(check_token, {}, request("/live", "")) == 401);
  CHECK(status_of(check_token, {}, request("/live?token=", "")) == 401);
  CHECK(status_of(check_token, {}, request("/live?token=a", "")) == 401);
}

TEST_CASE("admission: tokens are long, fit into an address, and differ") {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const std::string token = make_token();
    CHECK(token.size() == 32);
    CHECK(percent_encode(token) == token);
    tokens.insert(token);
  }
  CHECK(tokens.size() == 100);
}

TEST_CASE("admission: a WebSocket is asked for in due form") {
  const std::string upgrade = "Upgrade: websocket\r\n", connection = "Connection: Upgrade\r\n";
  const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const std::string version = "Sec-WebSocket-Version: 13\r\n";
  const auto status = [](const std::string& headers) {
    return status_of([](const Admission&, const RequestHead& head) { check_upgrade(head); }, {},
                     request("/live", headers));
  };
  CHECK(status(upgrade + connection + key + version) == 200);
  CHECK(status(connection + key + version) == 426);
  CHECK(status(upgrade + key + version) == 426);
  CHECK(status(upgrade + connection + key) == 426);
  CHECK(status(upgrade + connection + key + "Sec-WebSocket-Version: 8\r\n") == 426);
  CHECK(status(upgrade + connection + version) == 400);
  CHECK(status(upgrade + connection + version + "Sec-WebSocket-Key: short==\r\n") == 400);
  CHECK_THROWS_AS(status(upgrade + connection + version + key + key), HttpError);
}

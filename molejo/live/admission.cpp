#include "molejo/live/admission.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <optional>

#include "molejo/io/base64.h"
#include "molejo/live/network.h"

namespace molejo {
namespace {

constexpr std::array loopback_hosts = {"localhost", "127.0.0.1", "[::1]"};

struct HostAndPort {
  std::string host;  // in lower case
  std::string port;  // digits, empty when there is none
};

// "name:80", "name", "[::1]:80"; nothing when it has no such form
std::optional<HostAndPort> split_port(std::string_view text) {
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  HostAndPort parts{lower_case(text.substr(0, colon)), ""};
  if (colon != std::string_view::npos) {
    parts.port = text.substr(colon + 1);
    const bool digits = !parts.port.empty() && parts.port.size() <= 5 &&
                        parts.port.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) return std::nullopt;
  }
  if (parts.host.empty()) return std::nullopt;
  return parts;
}

bool is_loopback_host(const std::string& host) {
  return std::find(loopback_hosts.begin(), loopback_hosts.end(), host) != loopback_hosts.end();
}

bool is_loopback_origin(const std::string& origin) {
  constexpr std::string_view scheme = "http://";
  if (origin.compare(0, scheme.size(), scheme) != 0) return false;
  const auto parts = split_port(std::string_view(origin).substr(scheme.size()));
  return parts && is_loopback_host(parts->host);
}

// "http://name:*" stands for every port of that name
bool matches(const std::string& pattern, const std::string& origin) {
  constexpr std::string_view any_port = ":*";
  if (pattern.size() <= any_port.size() ||
      pattern.compare(pattern.size() - any_port.size(), any_port.size(), any_port) != 0) {
    return pattern == origin;
  }
  const std::string stem = pattern.substr(0, pattern.size() - any_port.size());
  if (origin.compare(0, stem.size(), stem) != 0) return false;
  const std::string rest = origin.substr(stem.size());
  return rest.empty() ||
         (rest[0] == ':' && rest.find_first_not_of("0123456789", 1) == std::string::npos);
}

// looks at every byte of `given`, whatever it finds
bool equal_in_constant_time(std::string_view expected, std::string_view given) {
  std::size_t difference = expected.size() ^ given.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(expected[i % expected.size()]);
  }
  return difference == 0;
}

// 22 digits that stand for 16 bytes, and "=="
bool is_websocket_key(std::string_view key) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return key.size() == 24 && key.substr(22) == "==" &&
         key.substr(0, 22).find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace

bool is_origin(std::string_view text) {
  constexpr std::string_view mark = "://", any_port = ":*";
  const std::size_t scheme = text.find(mark);
  if (scheme == 0 || scheme == std::string_view::npos) return false;
  const auto is_part = [](std::string_view part, std::string_view others) {
    return std::all_of(part.begin(), part.end(), [&](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
    });
  };
  std::string_view rest = text.substr(scheme + mark.size());
  const bool has_any_port = rest.ends_with(any_port);
  if (has_any_port) rest.remove_suffix(any_port.size());
  const auto parts = split_port(rest);
  return parts && (parts->port.empty() || !has_any_port) &&
         is_part(lower_case(text.substr(0, scheme)), "+-.") && is_part(parts->host, "-._:[]");
}

void check_host(const Admission& admission, const RequestHead& request) {
  const std::string* host = request.header("host");
  if (host == nullptr) throw HttpError(400, "no Host");
  const auto parts = split_port(*host);
  if (!parts) throw HttpError(400, "a Host that is none");
  if (is_loopback_host(parts->host)) return;
  if (!admission.loopback && admission.hosts.empty()) return;
  for (const std::string& name : admission.hosts) {
    if (lower_case(name) == parts->host) return;
  }
  throw HttpError(421, "this server does not go by the name of that Host");
}

void check_origin(const Admission& admission, const RequestHead& request) {
  const std::string* given = request.header("origin");
  if (given == nullptr) return;
  const std::string origin = lower_case(*given);
  if (is_loopback_origin(origin)) return;
  for (const std::string& allowed : admission.origins) {
    if (matches(lower_case(allowed), origin)) return;
  }
  const std::string* host = request.header("host");
  if (!admission.token.empty() && host != nullptr && origin == "http://" + lower_case(*host))
    return;
  throw HttpError(403, "pages of that Origin are not allowed");
}

std::string make_token() {
  std::string bytes(24, '\0');
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw NetworkError("no token: the system gives no random numbers");
  }
  std::string token = base64(bytes);
  std::replace(token.begin(), token.end(), '+', '-');
  std::replace(token.begin(), token.end(), '/', '_');
  return token;
}

void check_token(const Admission& admission, const RequestHead& request) {
  std::optional<std::string> given = request.parameter("token");
  const std::string* authorization = request.header("authorization");
  if (!given && authorization != nullptr) {
    constexpr std::string_view scheme = "bearer ";
    if (lower_case(std::string_view(*authorization).substr(0, scheme.size())) == scheme) {
      given = authorization->substr(scheme.size());
    }
  }
  if (!given) {
    throw HttpError(401,
                    "a token is needed: ?token=... as in the address that was printed, or "
                    "Authorization: Bearer");
  }
  if (admission.token.empty() || !equal_in_constant_time(admission.token, *given)) {
    throw HttpError(401, "wrong token");
  }
}

std::string check_upgrade(const RequestHead& request) {
  if (request.method != "GET") throw HttpError(405, "a WebSocket begins with GET");
  if (!request.lists("upgrade", "websocket") || !request.lists("connection", "upgrade")) {
    throw HttpError(426, "this address speaks WebSocket");
  }
  const std::string* version = request.header("sec-websocket-version");
  if (version == nullptr || *version != "13") {
    throw HttpError(426, "only version 13 of WebSocket is spoken here");
  }
  const std::string* key = request.header("sec-websocket-key");
  if (key == nullptr || !is_websocket_key(*key)) {
    throw HttpError(400, "no valid Sec-WebSocket-Key");
  }
  return *key;
}

}  // namespace molejo

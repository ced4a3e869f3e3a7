// The heads of HTTP/1.1 messages (RFC 9112, sections 2 to 5), as functions of bytes.
//
// Strict: lines end with CR LF, no folded lines, no control characters, no header twice where one
// is meant. What a browser or a WebSocket client sends passes; what two parsers could read in two
// ways does not.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace molejo {

constexpr std::size_t max_head_bytes = 16 * 1024;
constexpr std::size_t max_headers = 64;

// A request that is answered with an error status; the text is the body of that answer.
struct HttpError : std::runtime_error {
  HttpError(int error_status, const std::string& text)
      : std::runtime_error(text), status(error_status) {}
  int status;
};

struct HttpHeader {
  std::string name;  // in lower case
  std::string value;
};

struct HttpHead {
  std::vector<HttpHeader> headers;

  // The value of a header (name in lower case), null when it is not there.
  const std::string* header(std::string_view name) const;
  // Whether a comma-separated list, such as that of Connection, names this word in any case.
  bool lists(std::string_view name, std::string_view word) const;
};

struct RequestHead : HttpHead {
  std::string method;
  std::string target;  // path and query, still encoded

  std::string_view path() const;
  // The decoded value of one query parameter; nothing when absent or badly encoded.
  std::optional<std::string> parameter(std::string_view name) const;
};

struct ResponseHead : HttpHead {
  int status = 0;
  std::string reason;
};

// One past the blank line that ends a head; nothing when it is still to come. Throws HttpError 431
// when it cannot come any more within max_head_bytes.
std::optional<std::size_t> head_end(std::string_view bytes);

// `head` is what head_end delimits. Both throw HttpError with the status to answer.
RequestHead parse_request(std::string_view head);
ResponseHead parse_http_response(std::string_view head);

// Undoes %xx; nothing for a bad or zero escape.
std::optional<std::string> percent_decode(std::string_view text);
std::string percent_encode(std::string_view text);

// ASCII without spaces and control characters, or nothing at all.
bool is_visible(std::string_view text);
std::string lower_case(std::string_view text);
std::string_view status_text(int status);

// What every answer says to browsers: scripts and styles of this server alone, no frame around it,
// no word to others about where one came from, nothing guessed.
inline constexpr std::string_view security_headers =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n";

}  // namespace molejo

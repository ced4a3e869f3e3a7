#include "molejo/live/http.h"

#include <algorithm>
#include <array>

#include "molejo/math/characters.h"

namespace molejo {
namespace {

// RFC 9110, 5.6.2
bool is_token_char(char c) {
  return is_digit(c) || is_letter(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// cuts a line, without its end, from the front
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) throw HttpError(400, "a line without end");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  for (const char c : line) {
    const bool control = (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
    if (control) throw HttpError(400, "a control character in the head");
  }
  return line;
}

// headers that lists are joined from (RFC 9110, 5.3); any other must stand alone
bool may_repeat(std::string_view name) {
  constexpr std::array once = {"host",
                               "origin",
                               "authorization",
                               "content-length",
                               "upgrade",
                               "sec-websocket-key",
                               "transfer-encoding",
                               "sec-websocket-version",
                               "sec-websocket-accept"};
  return std::find(once.begin(), once.end(), name) == once.end();
}

void add_header(HttpHead& head, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    throw HttpError(400, "a header without a name");
  }
  if (head.headers.size() == max_headers) throw HttpError(431, "too many headers");
  HttpHeader header{lower_case(line.substr(0, colon)),
                    std::string(trimmed(line.substr(colon + 1)))};
  if (head.header(header.name) != nullptr && !may_repeat(header.name)) {
    throw HttpError(400, "header '" + header.name + "' given twice");
  }
  head.headers.push_back(std::move(header));
}

void add_headers(HttpHead& head, std::string_view lines) {
  for (std::string_view line = take_line(lines); !line.empty(); line = take_line(lines)) {
    add_header(head, line);
  }
  if (!lines.empty()) throw HttpError(400, "text after the head");
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

const std::string* HttpHead::header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (header.name == name) return &header.value;
  }
  return nullptr;
}

bool HttpHead::lists(std::string_view name, std::string_view word) const {
  for (const HttpHeader& header : headers) {
    if (header.name != name) continue;
    std::string_view rest = header.value;
    for (;;) {
      const std::size_t comma = rest.find(',');
      if (lower_case(trimmed(rest.substr(0, comma))) == word) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

std::string_view RequestHead::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::string> RequestHead::parameter(std::string_view name) const {
  const std::size_t question = target.find('?');
  if (question == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(target).substr(question + 1);
  for (;;) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return percent_decode(pair.substr(equals + 1));
    }
    if (end == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> head_end(std::string_view bytes) {
  const std::size_t blank = bytes.substr(0, max_head_bytes).find("\r\n\r\n");
  if (blank != std::string_view::npos) return blank + 4;
  if (bytes.size() >= max_head_bytes) throw HttpError(431, "the head is too long");
  return std::nullopt;
}

RequestHead parse_request(std::string_view head) {
  const std::string_view line = take_line(head);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) throw HttpError(400, "no request line");
  const std::string_view target = line.substr(first + 1, last - first - 1);
  RequestHead request;
  request.method = line.substr(0, first);
  request.target = target;
  if (!is_token(request.method)) throw HttpError(400, "no method");
  if (target.empty() || target[0] != '/' || !is_visible(target)) {
    throw HttpError(400, "the target is not a path");
  }
  if (line.substr(last + 1) != "HTTP/1.1") throw HttpError(505, "only HTTP/1.1 is spoken here");
  add_headers(request, head);
  return request;
}

ResponseHead parse_http_response(std::string_view head) {
  const std::string_view line = take_line(head);
  const std::string_view version = "HTTP/1.1 ";
  const std::string_view code = line.substr(std::min(version.size(), line.size()));
  if (line.substr(0, version.size()) != version || code.size() < 3 ||
      !std::all_of(code.begin(), code.begin() + 3, is_digit) ||
      (code.size() > 3 && code[3] != ' ')) {
    throw HttpError(400, "no HTTP/1.1 status line");
  }
  ResponseHead response;
  response.status = 100 * (code[0] - '0') + 10 * (code[1] - '0') + (code[2] - '0');
  if (code.size() > 4) response.reason = code.substr(4);
  add_headers(response, head);
  return response;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    const int value = 16 * high + low;
    if (high < 0 || low < 0 || value == 0) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_digit(c) || is_letter(c) || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return encoded;
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view status_text(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 426:
      return "Upgrade Required";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace molejo

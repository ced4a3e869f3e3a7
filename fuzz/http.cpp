// The heads of HTTP messages, and what decides on admission from them.
//
// Nothing but HttpError may leave; a head that was read holds nothing that could be read twice or
// start a line of its own; who is admitted has said the token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "molejo/live/admission.h"
#include "molejo/live/files.h"
#include "molejo/live/http.h"

namespace {

using namespace molejo;

const Admission guarded{.token = "0123456789abcdef", .origins = {"https://a.org", "http://b:*"}};

void require(bool condition) {
  if (!condition) std::abort();
}

void check_headers(const HttpHead& head) {
  require(head.headers.size() <= max_headers);
  for (const HttpHeader& header : head.headers) {
    require(!header.name.empty() && header.name == lower_case(header.name));
    require(header.value.find_first_of(std::string("\r\n\0", 3)) == std::string::npos);
  }
}

void check_request(std::string_view head) {
  const RequestHead request = parse_request(head);
  check_headers(request);
  require(!request.path().empty() && request.path()[0] == '/');
  require(!open_served_file("/nowhere at all", request.path()));
  check_host({}, request);
  check_origin({}, request);
  check_token(guarded, request);
  const std::string* authorization = request.header("authorization");
  require(request.parameter("token") == guarded.token ||
          (authorization != nullptr && authorization->substr(7) == guarded.token));
  require(check_upgrade(request).size() == 24);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  require(percent_decode(percent_encode(bytes)).value_or(bytes) == bytes);
  try {
    if (const auto end = head_end(bytes)) check_request(std::string_view(bytes).substr(0, *end));
  } catch (const HttpError& error) {
    require(error.status >= 400 && error.status < 600);
  }
  try {
    if (const auto end = head_end(bytes)) {
      check_headers(parse_http_response(std::string_view(bytes).substr(0, *end)));
    }
  } catch (const HttpError& error) {
    require(error.status >= 400 && error.status < 600);
  }
  return 0;
}

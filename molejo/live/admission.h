// Who may talk to a live run.
//
// Three doors, each closed to one attack: Host keeps out pages that rebind a name of theirs to
// this machine, Origin keeps out pages of other sites, the token keeps out other people, those of
// this machine too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "molejo/live/http.h"

namespace molejo {

struct Admission {
  bool loopback = true;                   // the server listens where only this machine reaches it
  std::string token = {};                 // empty: nobody is let in
  std::vector<std::string> origins = {};  // allowed besides those of loopback; a port may be `*`
  std::vector<std::string> hosts = {};    // names of this server besides those of loopback
};

// Each throws HttpError with the status and the sentence to answer.
//
// On loopback the name must be localhost, 127.0.0.1, [::1] or one of `hosts`, with any port.
// Elsewhere any name will do unless `hosts` lists some.
void check_host(const Admission& admission, const RequestHead& request);

// No Origin (not a browser), one of loopback over http, or one of `origins`. Where there is a
// token, a page of this very server (Origin = http://Host) passes as well.
void check_origin(const Admission& admission, const RequestHead& request);

// "https://a.org", "http://b.org:8080", "http://b.org:*": what a browser may send as Origin, with a
// path or without a scheme it is none.
bool is_origin(std::string_view text);

// 192 bits of the kernel's randomness, in letters that an address may have.
std::string make_token();

// `?token=` or `Authorization: Bearer`; the time taken tells nothing about the token.
void check_token(const Admission& admission, const RequestHead& request);

// The Sec-WebSocket-Key of a request that asks for a WebSocket in due form.
std::string check_upgrade(const RequestHead& request);

}  // namespace molejo

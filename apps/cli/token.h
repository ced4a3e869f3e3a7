// The token of a server: what whoever connects must know.
//
// It never stands in a command line, which every user of the machine can read. A server leaves it
// in a file that only its own user can read, so that `molejo send PORT` finds it.
#pragma once

#include <string>

#include "molejo/io/descriptor.h"

namespace molejo::cli {

// What the file holds, else what $MOLEJO_TOKEN says; empty: neither was given. Throws InputError
// for a file that others can read.
std::string given_token(const std::string& file);

// Lasts as long as the server; what a killed one has left goes when the next one starts.
class TokenNote {
 public:
  TokenNote(int port, std::string token);
  ~TokenNote();
  TokenNote(const TokenNote&) = delete;

 private:
  int port_;
  std::string token_;
  Descriptor file_;  // locked
};

// What a server of this user has left at that port of this machine; empty: nothing.
std::string noted_token(int port);

}  // namespace molejo::cli

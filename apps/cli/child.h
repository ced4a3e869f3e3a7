// A program that this one starts, and ends: a browser, an encoder.
#pragma once

#include <string>
#include <vector>

namespace molejo::cli {

// The path of a program, looked for like the shell does; empty: there is none.
std::string find_program(const std::string& name);

class Child {
 public:
  // Starts it with its output thrown away; with `fed`, what is given to feed() is its input.
  Child(const std::string& program, const std::vector<std::string>& arguments, bool fed = false);
  // Ends it, if it has not ended, with all that it started itself.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False: it does not listen any more.
  bool feed(const std::string& bytes);
  // Closes its input and waits for it. True: it ended well.
  bool finish();
  bool runs();

 private:
  int pid_ = -1, input_ = -1;
};

}  // namespace molejo::cli

// A program that this one starts, and ends: a browser, an encoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace molejo {

// The path of the first of these programs that is there, looked for like the shell does. Throws
// InputError that says how to get it.
std::string need_program(const std::vector<std::string>& names, const std::string& package);

class Child {
 public:
  // Starts it with its output thrown away; with `fed`, what is given to feed() is its input, and
  // what it complains about is kept.
  Child(const std::string& program, const std::vector<std::string>& arguments, bool fed = false);
  // Ends it, if it has not ended, with all that it started itself.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False: it does not listen any more. Throws Interrupted.
  bool feed(std::string_view bytes);
  // Closes its input and waits for it. True: it ended well. Throws Interrupted.
  bool finish();
  bool runs();
  // The last line of what it complained about.
  std::string complaint() const;

 private:
  void close_input();

  int pid_ = -1, input_ = -1, errors_ = -1;
};

}  // namespace molejo

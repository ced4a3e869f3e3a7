// A process of the program that is attacked, and what it takes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace molejo::test {

class Victim {
 public:
  // Starts the program with its output kept in a file.
  Victim(const std::string& program, const std::vector<std::string>& arguments,
         const std::string& output);
  ~Victim();  // kills it
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // What it has said so far.
  std::string said() const;
  bool runs();
  void interrupt();  // SIGINT
  // Waits for its end; false: it did not end in time.
  bool wait(double seconds);

  // Most memory that it held, MB: while it runs, and of all its life.
  double memory() const;
  // Once it has ended: its code, or minus the signal.
  int code() const { return code_; }

 private:
  void reap(bool wait);

  int pid_ = -1;
  std::string output_;
  int code_ = 0;
  double ended_memory_ = 0;
};

// Sends a file to the studio at this port; the answer, or what came of it.
std::string send_file(int port, const std::string& token, const std::string& name,
                      std::string_view bytes);

}  // namespace molejo::test

// A file descriptor that is closed by its owner.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

namespace molejo {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int operator*() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// open(2), which may wait: a pipe opens when somebody else holds its other end. A signal ends the
// wait where it ends the work (math/interrupt.h).
Descriptor open_waiting(const std::string& path, int flags);

// All that it holds. Throws InputError with `name` in front: it cannot be read, or has more than
// `max_bytes`.
std::string read_to_end(const Descriptor& file, const std::string& name, std::size_t max_bytes);

}  // namespace molejo

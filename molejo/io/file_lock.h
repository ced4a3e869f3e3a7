// Whoever works long for a file holds its lock, so that no other process works for the same one.
//
// The lock of FILE is FILE.lock beside what FILE leads to. It ends with the process, however that
// ends; a file that is left behind locks nothing. A pipe or a device has no lock.
#pragma once

#include <string>

#include "molejo/io/descriptor.h"

namespace molejo {

class FileLock {
 public:
  // Throws InputError that names the process which holds it.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(FileLock&&) noexcept = default;

 private:
  std::string file_;
  Descriptor lock_;
};

}  // namespace molejo

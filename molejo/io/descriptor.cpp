#include "molejo/io/descriptor.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

Descriptor open_waiting(const std::string& path, int flags) {
  while (true) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (file || errno != EINTR) return file;
    check_interrupt();
  }
}

std::string read_to_end(const Descriptor& file, const std::string& name, std::size_t max_bytes) {
  std::string content;
  char block[1 << 16];
  for (ssize_t count; (count = ::read(*file, block, sizeof block)) != 0;) {
    const int error = errno;
    check_interrupt();
    if (count < 0 && error == EINTR) continue;
    if (count < 0) throw InputError(name + ": cannot be read: " + std::strerror(error));
    content.append(block, static_cast<std::size_t>(count));
    if (content.size() > max_bytes) {
      throw InputError(name + ": larger than " + std::to_string(max_bytes) + " bytes");
    }
  }
  return content;
}

}  // namespace molejo

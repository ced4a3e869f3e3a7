// A folder for files that are needed for a while, gone with its owner.
//
// It lies where TMPDIR says, and nobody else may look into it. What a killed process has left is
// removed by the next process that makes one.
#pragma once

#include <string>

#include "molejo/io/descriptor.h"

namespace molejo {

class TemporaryFolder {
 public:
  // Throws InputError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor lock_;  // of the folder itself: held as long as it is used
};

}  // namespace molejo

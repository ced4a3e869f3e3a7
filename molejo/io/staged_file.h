// Files that are written beside their targets and put in place when they are whole.
//
// Until then an earlier file stays as it is; whoever is killed leaves the earlier file or the new
// one. The new one keeps mode and owner of the earlier one; where there was none, the umask says.
// A link stays a link: what it leads to is written. What is no regular file (a pipe, a terminal,
// /dev/stdout) gets the content when all is there.
//
// While a file is written it has no name where the file system can do that, else one that begins
// with ".molejo-" and that nobody else has. A name that a killed process has left is removed by the
// next process that writes in the folder.
//
// All throw InputError with the path and what the system says.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/descriptor.h"

namespace molejo {

// Where a link leads, whether there is something or not; `path` itself where it is none.
std::string behind_links(const std::string& path);

// What is at a path before it is written.
struct WriteTarget {
  std::string path;  // behind links
  bool exists = false;
  bool in_place = false;  // no regular file: it is written as it is, not replaced
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

// Throws where a file of this name cannot be written: no folder, not allowed, a folder itself.
WriteTarget check_writable(const std::string& path);

class StagedFile {
 public:
  explicit StagedFile(const std::string& path);
  ~StagedFile();  // what was not put in place is gone
  StagedFile(StagedFile&&) noexcept = default;

  void write(std::string_view content);
  // A name by which another program can write it, as long as this object lives.
  std::string door() const;
  bool is_in_place() const { return target_.in_place; }
  // One after the other: its content is on the disk, it is in place, its name is on the disk.
  void sync();
  void place();
  void settle();

 private:
  void open_nameless();
  void open_named();
  void give_name();
  void write_in_place();
  void keep_owner_and_mode();

  std::string path_;  // as it was given, for messages
  WriteTarget target_;
  Descriptor folder_, file_;
  std::string temporary_;  // its name in the folder; empty: it has none
};

// Several files of one run: none is put in place before all are on the disk.
class FileSet {
 public:
  void add(const std::string& path, std::string_view content);
  // Not called: nothing is written.
  void commit();

 private:
  std::vector<StagedFile> files_;
};

}  // namespace molejo

// What may be opened when a file names others. Readers open nothing by any other way.
//
// A FileScope is a few folders, its roots. A file is looked for below a root, a name at a time, and
// nothing leads out: no "..", no absolute path, no link. Only regular files are read. A SourceFile
// is a file, or a text, together with what it may name:
//
//   const SourceFile scene = SourceFile::given("scenes/stack.json");
//   const std::string mesh = scene.beside("table.obj").read();
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

class FileScope {
 public:
  struct Root {
    std::string name;     // of the folder in this scope: "scenes", an absolute path, or empty
    std::string folder;   // where it lies
    bool hidden = false;  // whether names that begin with a dot are opened too
  };

  FileScope() = default;  // no file at all
  // Throws InputError where a folder is none.
  explicit FileScope(const std::vector<Root>& roots);
  // Of a file that the user chose: its folder and the one above, its project (the folder with .git
  // or package.json), the packages beside its own (package.xml), and `more` folders. Neither "/"
  // nor the user's home unless the file lies there.
  static FileScope around(const std::string& path, const std::vector<std::string>& more = {});

  bool has(const std::string& name) const;
  // Throws InputError: outside, missing, not a regular file, larger than `max_bytes`.
  std::string read(const std::string& name, std::size_t max_bytes = max_input_bytes) const;

 private:
  struct Place;  // a root, and where it really lies
  struct Found;
  struct Walk;

  Found find(const std::string& name) const;

  std::shared_ptr<const std::vector<Place>> places_;
  std::string hint_;  // how the user may allow more
};

class SourceFile {
 public:
  // A text that is no file: it can name none. `name` is what errors call it.
  SourceFile(std::string name);  // NOLINT: a name is enough for a text
  SourceFile(const char* name) : SourceFile(std::string(name)) {}  // NOLINT
  // A file of a scope, by its name there.
  SourceFile(std::string name, FileScope scope);
  // The same, for a file that the reader of the errors has sent.
  static SourceFile sent(std::string name, FileScope scope);
  // A file that the user chose: it may lie anywhere, and may be a pipe. `roots`: FileScope::around.
  static SourceFile given(const std::string& path, const std::vector<std::string>& roots = {});

  const std::string& name() const { return name_; }
  const FileScope& scope() const { return scope_; }
  bool exists() const;
  // Throws InputError.
  std::string read(std::size_t max_bytes = max_input_bytes) const;
  // A file that this one names. Throws InputError for what cannot be a name.
  SourceFile beside(const std::string& name) const;
  // A text inside this file, which errors call "file: /pointer".
  SourceFile part(const std::string& pointer) const;

  // Does the reader of the errors have the content already? It was chosen or sent, not named.
  bool is_quotable() const { return origin_ != Origin::named; }

 private:
  enum class Origin { text, given, sent, named };
  SourceFile(std::string name, FileScope scope, Origin origin);

  std::string name_, path_;
  FileScope scope_;
  Origin origin_;
};

// "file:line: expected KIND": the place of an error of this file, and nothing that it quotes.
[[noreturn]] void fail_unquoted(const SourceFile& file, std::string_view kind,
                                std::string_view message);

// Calls `read`, whose errors quote nothing where the file is not to be quoted.
template <class Read>
auto unquoted(const SourceFile& file, std::string_view kind, Read read) {
  if (file.is_quotable()) return read();
  try {
    return read();
  } catch (const InputError& error) {
    fail_unquoted(file, kind, error.what());
  }
}

}  // namespace molejo

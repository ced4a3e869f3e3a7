#include "molejo/io/file_scope.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include "molejo/io/descriptor.h"
#include "molejo/io/file.h"

namespace molejo {

namespace fs = std::filesystem;

namespace {

constexpr int most_climbed = 8;  // folders that are looked through for a project

std::deque<std::string> names_of(const fs::path& path) {
  std::deque<std::string> names;
  for (const fs::path& name : path.relative_path()) {
    if (!name.empty() && name != ".") names.push_back(name.string());
  }
  return names;
}

fs::path whole_path(const std::string& path) { return fs::absolute(path).lexically_normal(); }

// What of `path` lies below `folder`; nothing where it does not.
std::optional<std::deque<std::string>> below(const fs::path& folder, const fs::path& path) {
  if (folder.is_absolute() != path.is_absolute()) return {};
  const std::deque<std::string> outer = names_of(folder);
  std::deque<std::string> inner = names_of(path);
  if (inner.size() < outer.size() || !std::equal(outer.begin(), outer.end(), inner.begin())) {
    return {};
  }
  inner.erase(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(outer.size()));
  if (!inner.empty() && inner.front() == "..") return {};
  return inner;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

std::string link_target(int link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(link, "", target.data(), target.size());
  target.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return target;
}

// Neither the whole machine nor all that a user has.
bool is_too_wide(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return folder == folder.root_path() || (home && *home == '/' && below(folder, whole_path(home)));
}

bool holds(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::exists(folder / name, error);
}

// The highest folder that a file here may name files of.
fs::path widest_around(const fs::path& folder) {
  fs::path widest = folder;
  const auto widen = [&](const fs::path& to) {
    if (below(to, widest)) widest = to;
  };
  widen(folder.parent_path());
  bool in_project = false, in_package = false;
  fs::path at = folder;
  for (int i = 0; i < most_climbed && at.has_relative_path(); ++i, at = at.parent_path()) {
    if (!in_project && (holds(at, ".git") || holds(at, "package.json"))) {
      in_project = true;
      widen(at);
    }
    if (!in_package && holds(at, "package.xml")) {
      in_package = true;
      widen(at.parent_path());
    }
  }
  while (widest != folder && is_too_wide(widest)) {
    const std::deque<std::string> down = *below(widest, folder);
    widest /= down.front();
  }
  return widest;
}

}  // namespace

struct FileScope::Place {
  fs::path name, folder;  // the folder without links
  bool hidden = false;
};

struct FileScope::Found {
  enum class What { regular, folder, other, missing, outside } what = What::outside;
  Descriptor holder = Descriptor();  // of the file, where it is a regular one
  std::string last = {};             // name, within its holder
};

// Down from a root, a name at a time; links are put in the place of their names.
struct FileScope::Walk {
  using What = Found::What;
  const std::vector<Place>& places;
  int links = 0;

  Found go(const Place& from, std::deque<std::string> ahead) {
    std::vector<Descriptor> folders;
    folders.emplace_back(::open(from.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folders.back()) return {What::missing};
    fs::path here = from.folder;
    while (!ahead.empty()) {
      const std::string name = std::move(ahead.front());
      ahead.pop_front();
      if (name == "..") {
        if (folders.size() == 1) return elsewhere(here.parent_path(), ahead);
        folders.pop_back();
        here = here.parent_path();
        continue;
      }
      if (name.front() == '.' && !from.hidden) return {What::outside};
      Descriptor at(::openat(*folders.back(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat status {};
      if (!at || ::fstat(*at, &status) != 0) return {What::missing};
      if (S_ISDIR(status.st_mode)) {
        folders.push_back(std::move(at));
        here /= name;
      } else if (S_ISLNK(status.st_mode)) {
        if (++links > max_links) return {What::missing};
        const fs::path target = link_target(*at);
        const std::deque<std::string> more = names_of(target);
        ahead.insert(ahead.begin(), more.begin(), more.end());
        if (target.is_absolute()) return elsewhere("/", ahead);
      } else if (!ahead.empty()) {
        return {What::missing};
      } else {
        if (!S_ISREG(status.st_mode)) return {What::other};
        return {What::regular, std::move(folders.back()), name};
      }
    }
    return {What::folder};
  }

  // A link leads out of its root: into another one, or outside.
  Found elsewhere(fs::path path, const std::deque<std::string>& ahead) {
    for (const std::string& name : ahead) path /= name;
    path = path.lexically_normal();
    for (const Place& place : places) {
      if (auto names = below(place.folder, path)) return go(place, std::move(*names));
    }
    return {What::outside};
  }
};

FileScope::FileScope(const std::vector<Root>& roots) {
  std::vector<Place> places;
  for (const Root& root : roots) {
    std::error_code error;
    const fs::path folder = fs::canonical(root.folder, error);
    if (error || !fs::is_directory(folder, error)) {
      throw InputError(root.folder + ": no such folder");
    }
    places.push_back({fs::path(root.name).lexically_normal(), folder, root.hidden});
  }
  places_ = std::make_shared<const std::vector<Place>>(std::move(places));
}

FileScope FileScope::around(const std::string& path, const std::vector<std::string>& more) {
  std::vector<Root> roots;
  std::error_code error;
  const std::string widest = widest_around(whole_path(path).parent_path()).string();
  if (fs::is_directory(widest, error)) roots.push_back({widest, widest, true});
  for (const std::string& root : more) roots.push_back({whole_path(root).string(), root, true});
  FileScope scope(roots);
  scope.hint_ = "; --root FOLDER allows more";
  return scope;
}

FileScope::Found FileScope::find(const std::string& name) const {
  Found best;
  if (!places_ || name.find('\0') != std::string::npos) return best;
  const fs::path plain = fs::path(name).lexically_normal();
  for (const Place& place : *places_) {
    auto names = below(place.name, place.name.is_absolute() ? whole_path(name) : plain);
    if (!names) continue;
    Found found = Walk{*places_}.go(place, std::move(*names));
    if (found.what == Found::What::regular) return found;
    if (best.what == Found::What::outside) best = std::move(found);
  }
  return best;
}

bool FileScope::has(const std::string& name) const {
  return find(name).what == Found::What::regular;
}

std::string FileScope::read(const std::string& name, std::size_t max_bytes) const {
  const Found found = find(name);
  switch (found.what) {
    case Found::What::outside:
      throw InputError(name + (places_ ? ": lies outside of what may be read here" + hint_
                                       : ": no other files can be read here"));
    case Found::What::missing:
      throw InputError(name + ": no such file");
    case Found::What::folder:
      throw InputError(name + ": is a folder, expected a file");
    case Found::What::other:
      throw InputError(name + ": is not a regular file");
    case Found::What::regular:
      break;
  }
  const Descriptor file(
      ::openat(*found.holder, found.last.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) throw InputError(name + ": cannot be opened: " + std::strerror(errno));
  if (!is_regular(*file)) throw InputError(name + ": is not a regular file");
  return read_to_end(file, name, max_bytes);
}

SourceFile::SourceFile(std::string name, FileScope scope, Origin origin)
    : name_(name), path_(std::move(name)), scope_(std::move(scope)), origin_(origin) {}

SourceFile::SourceFile(std::string name) : SourceFile(std::move(name), {}, Origin::text) {}

SourceFile::SourceFile(std::string name, FileScope scope)
    : SourceFile(std::move(name), std::move(scope), Origin::named) {}

SourceFile SourceFile::sent(std::string name, FileScope scope) {
  return {std::move(name), std::move(scope), Origin::sent};
}

SourceFile SourceFile::given(const std::string& path, const std::vector<std::string>& roots) {
  return {path, FileScope::around(path, roots), Origin::given};
}

bool SourceFile::exists() const {
  std::error_code error;
  return origin_ == Origin::given ? fs::exists(path_, error) : scope_.has(path_);
}

std::string SourceFile::read(std::size_t max_bytes) const {
  if (origin_ == Origin::text) {
    throw InputError(name_ + ": is the name of a text; a file is a SourceFile::given(path)");
  }
  return origin_ == Origin::given ? read_file(path_, max_bytes) : scope_.read(path_, max_bytes);
}

SourceFile SourceFile::beside(const std::string& name) const {
  if (name.empty() || name.find('\0') != std::string::npos) {
    throw InputError("expected the name of a file");
  }
  return {(fs::path(path_).parent_path() / name).lexically_normal().string(), scope_};
}

SourceFile SourceFile::part(const std::string& pointer) const {
  SourceFile inner = *this;
  inner.name_ += ": " + pointer;
  return inner;
}

void fail_unquoted(const SourceFile& file, std::string_view kind, std::string_view message) {
  std::string place = file.name();
  if (message.starts_with(place + ":")) {
    const std::string_view line = message.substr(place.size() + 1);
    const std::size_t end = line.find_first_not_of("0123456789");
    if (end != 0 && end != std::string_view::npos && line[end] == ':') {
      place += ":" + std::string(line.substr(0, end));
    }
  }
  throw InputError(place + ": expected " + std::string(kind));
}

}  // namespace molejo

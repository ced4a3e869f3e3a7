#include "molejo/live/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "molejo/live/http.h"

namespace molejo {
namespace {

bool is_servable_name(std::string_view name) {
  if (name.empty() || name[0] == '.' || name.size() > 255) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\\' || c == 0x7f || (c >= 0 && c < ' ');
  });
}

}  // namespace

std::optional<ServedFile> open_served_file(const std::string& folder, std::string_view path) {
  if (path.empty() || path[0] != '/') return std::nullopt;
  Socket place(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  path.remove_prefix(1);

  // go down, a name at a time
  std::string name;
  for (bool last = false; !last;) {
    const std::size_t slash = path.find('/');
    last = slash == std::string_view::npos;
    const std::optional<std::string> decoded = percent_decode(path.substr(0, slash));
    if (!decoded) return std::nullopt;
    name = last && decoded->empty() ? "index.html" : *decoded;
    if (!is_servable_name(name)) return std::nullopt;
    // a pipe must not keep us waiting: O_NONBLOCK
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
    place = Socket(place ? ::openat(place.descriptor(), name.c_str(), flags) : -1);
    if (!place) return std::nullopt;
    if (!last) path.remove_prefix(slash + 1);
  }

  struct stat status {};
  if (::fstat(place.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return ServedFile{std::move(place), static_cast<std::uint64_t>(status.st_size),
                    content_type(name)};
}

std::string_view content_type(std::string_view file_name) {
  struct Type {
    std::string_view ending, type;
  };
  static constexpr Type types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
      {".md", "text/plain; charset=utf-8"},
      {".csv", "text/csv; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
      {".glb", "model/gltf-binary"},
      {".gltf", "model/gltf+json"},
      {".mp4", "video/mp4"},
  };
  const std::string name = lower_case(file_name);
  for (const Type& type : types) {
    if (name.size() > type.ending.size() &&
        name.compare(name.size() - type.ending.size(), type.ending.size(), type.ending) == 0) {
      return type.type;
    }
  }
  return "application/octet-stream";
}

}  // namespace molejo

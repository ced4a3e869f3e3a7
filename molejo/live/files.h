// Files of one folder, to be served to anyone: the path of a request never leads out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "molejo/live/network.h"

namespace molejo {

struct ServedFile {
  Socket descriptor;  // open for reading
  std::uint64_t size = 0;
  std::string_view content_type;
};

// The regular file that a request's path (still percent-encoded) names below `folder`; a path that
// ends with a slash means its index.html. Nothing for what is not there, hidden (a name that
// begins with a dot, `..` among them), reached through a symbolic link, or not a regular file.
// Each name is opened within the folder before it, so nothing can be exchanged meanwhile.
std::optional<ServedFile> open_served_file(const std::string& folder, std::string_view path);

// By the ending of the name; application/octet-stream when unknown.
std::string_view content_type(std::string_view file_name);

}  // namespace molejo

#include "molejo/studio/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_thumb_bytes = std::size_t{1} << 20;
constexpr std::size_t max_asset_bytes = std::size_t{512} << 20;
constexpr std::size_t max_all_uploads = std::size_t{512} << 20;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.size() <= 120 &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || c == '\\' || c == 0x7f || (c >= 0 && c < ' ');
         });
}

// Each part a plain name, and nothing on the way a link.
std::optional<fs::path> below(const fs::path& folder, std::string_view name) {
  fs::path path = folder;
  std::error_code error;
  for (bool last = false; !last;) {
    const std::size_t slash = name.find('/');
    last = slash == std::string_view::npos;
    const std::string_view part = name.substr(0, slash);
    if (!is_plain_name(part)) return {};
    path /= std::string(part);
    if (fs::is_symlink(path, error)) return {};
    if (!last) name.remove_prefix(slash + 1);
  }
  if (!fs::is_regular_file(path, error)) return {};
  return path;
}

// Does a text name a file by a way that leads out of the workspace? "/etc", "a/../b", "../../x";
// "../characters/x" is one of the scenes' folders, beside those of what is sent. Comments and
// divisions are no ways: a way begins behind a quote, or a space where nothing is quoted.
bool leads_out(std::string_view text) {
  const bool quotes = text.find_first_of("\"'") != std::string_view::npos;
  const auto begins = [&](std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    return before == '"' || before == '\'' || before == '=' || before == '>' ||
           (!quotes && std::string_view(" \t\r\n").find(before) != std::string_view::npos);
  };
  for (std::size_t at = text.find(".."); at != std::string_view::npos;
       at = text.find("..", at + 1)) {
    const char next = at + 2 < text.size() ? text[at + 2] : ' ';
    const bool spaced =
        at > 0 && std::string_view(" \t").find(text[at - 1]) != std::string_view::npos;
    if (next == '\\' || (next == '/' && !begins(at) && !spaced)) return true;
  }
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    const bool word = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '.';
    if (word && begins(at)) return true;
  }
  return false;
}

// Folders within each other: whoever goes up from a file that was sent is still here.
constexpr const char* deep = "a/b/c/d";

}  // namespace

Workspace::Workspace(std::string scenes) : scenes_(std::move(scenes)) {
  std::error_code error;
  fs::create_directories(fs::path(temporary()) / deep, error);
  // what is sent may name what lies in the folders of the scenes, as the scenes do
  if (!scenes_.empty() && fs::is_directory(scenes_, error)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(scenes_, error)) {
      if (!entry.is_directory(error)) continue;
      fs::create_directory_symlink(fs::absolute(entry.path()),
                                   fs::path(temporary()) / deep / entry.path().filename(), error);
    }
  }
  if (!scenes_.empty()) {
    const std::vector<CatalogEntry> entries = catalog(scenes_);
    gallery_ = catalog_json(entries, "scenes/");
    for (const std::string& file : terrain_files(scenes_)) terrains_.push_back("scenes/" + file);
    for (const CatalogEntry& e : entries) {
      if (const auto path = e.thumb.empty() ? std::nullopt : below(scenes_, e.thumb)) {
        thumbs_["/" + e.thumb] =
            std::make_shared<const std::string>(read_file(path->string(), max_thumb_bytes));
      }
    }
  }
}

std::string Workspace::give(const std::string& path) {
  const std::lock_guard lock(mutex_);
  given_ = fs::absolute(path).string();
  return "given/" + fs::path(path).filename().string();
}

std::string Workspace::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto rest = [&](std::string_view prefix) {
    return std::string_view(name).substr(prefix.size());
  };
  std::optional<fs::path> path;
  if (name.starts_with("scenes/") && !scenes_.empty()) path = below(scenes_, rest("scenes/"));
  if (name.starts_with("upload/")) path = below(fs::path(temporary()) / deep, rest("upload/"));
  if (name.starts_with("given/") && !given_.empty() &&
      fs::path(given_).filename().string() == rest("given/")) {
    path = given_;
  }
  if (!path) throw InputError(fmt::format("'{:.120}': no such file here", name));
  return path->string();
}

std::string Workspace::upload(const std::string& file_name, std::string_view bytes) {
  if (!is_plain_name(file_name)) {
    throw InputError(fmt::format("'{:.120}': expected the plain name of a file", file_name));
  }
  if (!kind_of(file_name)) {
    throw InputError(
        fmt::format("{}: expected a file of the kinds {}", file_name, known_endings()));
  }
  if (bytes.empty() || bytes.size() > max_upload_bytes) {
    throw InputError(
        fmt::format("{}: {} bytes; expected 1 to {}", file_name, bytes.size(), max_upload_bytes));
  }
  const bool text = bytes.substr(0, 4) != "glTF";
  if (text && leads_out(bytes)) {
    throw InputError(file_name + ": names a file outside its folder; expected all in one file");
  }
  return keep(file_name, bytes);
}

std::string Workspace::keep(const std::string& file_name, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (upload_bytes_ + bytes.size() > max_all_uploads) {
    throw InputError(file_name + ": too much was sent already; start the studio again");
  }
  const std::string number = std::to_string(++uploads_);
  const fs::path folder = fs::path(temporary()) / deep / number;
  std::error_code error;
  fs::create_directory(folder, error);
  write_file((folder / file_name).string(), bytes);
  upload_bytes_ += bytes.size();
  return "upload/" + number + "/" + file_name;
}

std::string Workspace::add_asset(const std::string& name, std::string bytes) {
  const std::lock_guard lock(mutex_);
  const int number = ++assets_made_;
  const std::string path = fmt::format("/asset/{}/{}", number, name);
  asset_bytes_ += bytes.size();
  assets_[number] = {path, std::make_shared<const std::string>(std::move(bytes))};
  while (asset_bytes_ > max_asset_bytes && assets_.size() > 1) {
    asset_bytes_ -= assets_.begin()->second.bytes->size();
    assets_.erase(assets_.begin());
  }
  return path;
}

SharedBytes Workspace::thumb(const std::string& path) const {
  const auto found = thumbs_.find(path);
  return found == thumbs_.end() ? nullptr : found->second;
}

SharedBytes Workspace::asset(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, asset] : assets_) {
    if (asset.path == path) return asset.bytes;
  }
  return nullptr;
}

}  // namespace molejo

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
constexpr std::size_t max_all_uploads = std::size_t{512} << 20;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.size() <= 120 &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || c == '\\' || c == 0x7f || (c >= 0 && c < ' ');
         });
}

bool has_plain_names(std::string_view path) {
  for (std::size_t slash; (slash = path.find('/')) != std::string_view::npos;) {
    if (!is_plain_name(path.substr(0, slash))) return false;
    path.remove_prefix(slash + 1);
  }
  return is_plain_name(path);
}

// Of a folder of scenes, and of the clips of npm packages that scenes of the source tree name.
FileScope files_of_gallery(const std::string& scenes) {
  std::vector<FileScope::Root> roots{{"scenes", scenes}};
  const std::string clips = "node_modules/.molejo-clips";
  const fs::path installed = fs::path(scenes) / ".." / clips;
  std::error_code error;
  if (fs::is_directory(installed, error)) roots.push_back({clips, installed.string()});
  return FileScope(roots);
}

}  // namespace

Workspace::Workspace(std::string scenes, std::size_t max_asset_bytes)
    : scenes_(std::move(scenes)), max_asset_bytes_(max_asset_bytes) {
  if (scenes_.empty()) return;
  gallery_files_ = files_of_gallery(scenes_);
  const std::vector<CatalogEntry> entries = catalog(scenes_);
  gallery_ = catalog_json(entries, "scenes/");
  for (const std::string& file : terrain_files(scenes_)) terrains_.push_back("scenes/" + file);
  for (const CatalogEntry& e : entries) {
    files_.push_back("scenes/" + e.file);
    const std::string thumb = "scenes/" + e.thumb;
    if (e.thumb.empty() || !gallery_files_.has(thumb)) continue;
    thumbs_["/" + e.thumb] =
        std::make_shared<const std::string>(gallery_files_.read(thumb, max_thumb_bytes));
  }
}

std::string Workspace::give(const std::string& path, const std::vector<std::string>& roots) {
  const std::lock_guard lock(mutex_);
  const std::string whole = fs::absolute(path).string();
  given_ = {SourceFile::given(whole, roots), whole};
  return "given/" + fs::path(path).filename().string();
}

WorkspaceFile Workspace::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const fs::path plain(name);
  if (name.starts_with("scenes/") && has_plain_names(name) && gallery_files_.has(name)) {
    return {SourceFile(name, gallery_files_),
            (scenes_ / plain.lexically_relative("scenes")).string()};
  }
  if (const auto sent = uploads_.find(name); sent != uploads_.end()) {
    std::vector<FileScope::Root> roots{
        {plain.parent_path().string(), fs::path(sent->second).parent_path().string()}};
    if (!scenes_.empty()) roots.push_back({"upload", scenes_});
    return {SourceFile::sent(name, FileScope(roots)), sent->second};
  }
  if (given_ && name == "given/" + fs::path(given_->path).filename().string()) return *given_;
  throw InputError(fmt::format("'{:.120}': no such file here", name));
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
  return keep(file_name, bytes);
}

std::string Workspace::keep(const std::string& file_name, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (upload_bytes_ + bytes.size() > max_all_uploads) {
    throw InputError(file_name + ": too much was sent already; start the studio again");
  }
  const std::string name = fmt::format("upload/{}/{}", uploads_.size() + 1, file_name);
  const fs::path path = fs::path(temporary()) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  write_file(path.string(), bytes);
  upload_bytes_ += bytes.size();
  uploads_[name] = path.string();
  return name;
}

std::string Workspace::add_asset(const std::string& name, std::string bytes) {
  const std::lock_guard lock(mutex_);
  const int number = ++assets_made_;
  const std::string path = fmt::format("/asset/{}/{}", number, name);
  asset_bytes_ += bytes.size();
  assets_[number] = {path, std::make_shared<const std::string>(std::move(bytes))};
  while (asset_bytes_ > max_asset_bytes_ && assets_.size() > 1) {
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

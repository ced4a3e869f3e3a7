// Files that the studio may touch: those of a folder of scenes, one that it was started with, what
// was sent to it, and what it made itself. No name leads anywhere else.
//
//   scenes/chain.json    given/mine.json    upload/3/thing.glb    /asset/7/run.glb
//
// What is sent may name files of the scenes, as if it lay in a folder of theirs, and no others.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "molejo/io/file_scope.h"
#include "molejo/io/temporary_folder.h"
#include "molejo/live/outbox.h"
#include "molejo/studio/catalog.h"

namespace molejo {

inline constexpr std::size_t max_upload_bytes = std::size_t{32} << 20;

struct WorkspaceFile {
  SourceFile file;   // with what it may name
  std::string path;  // where it lies
};

// Any thread.
class Workspace {
 public:
  // Without a folder there are no scenes. Makes a temporary folder, removed at the end.
  explicit Workspace(std::string scenes, std::size_t max_asset_bytes = std::size_t{128} << 20);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& folder() const { return scenes_; }                   // of the gallery
  const std::string& gallery() const { return gallery_; }                 // JSON
  const std::vector<std::string>& files() const { return files_; }        // names, in its order
  const std::vector<std::string>& terrains() const { return terrains_; }  // names of files here
  SharedBytes thumb(const std::string& path) const;  // "/thumbs/..." of the gallery, or null
  // A file by the user's own will, wherever it lies; its name here. `roots`: see FileScope::around.
  std::string give(const std::string& path, const std::vector<std::string>& roots = {});
  // Throws InputError.
  WorkspaceFile find(const std::string& name) const;

  // Keeps what was sent; its name here. Throws InputError: too big, no name, an unknown kind.
  std::string upload(const std::string& file_name, std::string_view bytes);
  // The same for what the studio made itself.
  std::string keep(const std::string& file_name, std::string_view bytes);

  // What was made, under "/asset/N/name"; the oldest go when there is too much.
  std::string add_asset(const std::string& name, std::string bytes);
  SharedBytes asset(std::string_view path) const;  // null: none of this name
  // For files that are being made.
  const std::string& temporary() const { return temporary_.path(); }

 private:
  std::string scenes_, gallery_ = "[]";
  TemporaryFolder temporary_;
  FileScope gallery_files_;
  std::optional<WorkspaceFile> given_;
  std::map<std::string, SharedBytes> thumbs_;
  std::vector<std::string> files_, terrains_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> uploads_;  // paths by names
  int assets_made_ = 0;
  const std::size_t max_asset_bytes_;
  std::size_t upload_bytes_ = 0, asset_bytes_ = 0;
  struct Asset {
    std::string path;
    SharedBytes bytes;
  };
  std::map<int, Asset> assets_;
};

}  // namespace molejo

// What lies in a folder of scenes: kind, topic, title and description of every file that the
// studio opens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/io/file_kind.h"

namespace molejo {

// By the ending of its name alone; nothing for what the studio does not open.
std::optional<FileKind> kind_of(const std::string& file_name);

struct CatalogEntry {
  std::string file;  // from the folder on, with slashes
  FileKind kind = FileKind::scene;
  std::string topic;  // bodies, contact, forces, nets, terrain, locomotion
  std::string title, description;
  std::string thumb;  // a picture of it in the folder, "thumbs/chain.json.png"; empty: none
};

// By topic, then by title. Files that cannot be read are left out; 10,000 at most are looked at.
// Throws InputError when there is no such folder.
std::vector<CatalogEntry> catalog(const std::string& folder);
// The *.terrain.json there, by name, from the folder on. Throws InputError as well.
std::vector<std::string> terrain_files(const std::string& folder);

// As JSON: [{"file", "kind", "topic", "title", "description", "thumb"}, ...], with `prefix` before
// each file and a slash before each thumb.
std::string catalog_json(const std::vector<CatalogEntry>& entries, const std::string& prefix);

}  // namespace molejo

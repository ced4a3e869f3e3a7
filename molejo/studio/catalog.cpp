#include "molejo/studio/catalog.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "molejo/io/file_scope.h"
#include "molejo/io/json_document.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 10'000;
constexpr std::size_t most_bytes_looked_into = std::size_t{8}
                                               << 20;  // of a file that is looked into

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) {
    return text.find(std::string("\"") + word + "\"") != std::string::npos;
  });
}

std::string topic_of(FileKind kind, const std::string& text) {
  switch (kind) {
    case FileKind::show:
    case FileKind::net:
      return "nets";
    case FileKind::motion:
    case FileKind::gait:
      return "locomotion";
    case FileKind::walk:
    case FileKind::character:
      return "terrain";
    default:
      break;
  }
  if (mentions(text, {"variables", "functions", "probes"})) return "forces";
  const bool touches = mentions(text, {"plane", "friction", "restitution", "height_field", "grid"});
  return touches ? "contact" : "bodies";
}

std::string text_of(const JsonValue& root, const char* key) {
  const JsonValue* value = root.find(key);
  return value && value->is(JsonValue::Kind::string) ? value->text : "";
}

// "basic_run.gait.json" as "basic run"
std::string title_of(const fs::path& file) {
  std::string title = file.filename().string();
  title.resize(std::min(title.find('.'), title.size()));
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::optional<CatalogEntry> look_at(const fs::path& file, const fs::path& folder,
                                    const FileScope& files) {
  const std::optional<FileKind> kind = kind_of(file.filename().string());
  if (!kind) return {};
  CatalogEntry entry{
      fs::relative(file, folder).generic_string(), *kind, "", title_of(file), "", ""};
  std::string text;
  if (file.extension() == ".json") {
    try {
      text = files.read(entry.file, most_bytes_looked_into);
      const JsonDocument document = parse_json(text, file.string());
      if (const std::string name = text_of(document.root, "name"); !name.empty()) {
        entry.title = name;
      }
      entry.description = text_of(document.root, "description");
    } catch (const InputError&) {
      return {};
    }
  }
  entry.topic = topic_of(*kind, text);
  std::error_code error;
  const std::string thumb = "thumbs/" + entry.file + ".png";
  if (fs::is_regular_file(folder / thumb, error)) entry.thumb = thumb;
  return entry;
}

// Regular files below a folder that are not hidden.
std::vector<fs::path> files_below(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(folder + ": no such folder");
  std::vector<fs::path> files;
  std::size_t seen = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options, error);
       !error && at != fs::recursive_directory_iterator() && ++seen <= most_files;
       at.increment(error)) {
    if (at->path().filename().string().starts_with(".")) {
      at.disable_recursion_pending();
    } else if (!at->is_symlink(error) && at->is_regular_file(error)) {
      files.push_back(at->path());
    }
  }
  return files;
}

}  // namespace

std::optional<FileKind> kind_of(const std::string& file_name) {
  const std::optional<FileKind> kind = kind_by_name(file_name);
  return kind && *kind < FileKind::terrain ? kind : std::nullopt;
}

std::vector<CatalogEntry> catalog(const std::string& folder) {
  std::vector<CatalogEntry> entries;
  const FileScope files({{"", folder}});
  for (const fs::path& file : files_below(folder)) {
    if (std::optional<CatalogEntry> entry = look_at(file, folder, files)) {
      entries.push_back(std::move(*entry));
    }
  }
  const auto order = [](const CatalogEntry& e) {
    static const std::vector<std::string> topics{"locomotion", "terrain", "nets",
                                                 "bodies",     "contact", "forces"};
    return std::tuple(std::find(topics.begin(), topics.end(), e.topic) - topics.begin(), e.title,
                      e.file);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const CatalogEntry& a, const CatalogEntry& b) { return order(a) < order(b); });
  return entries;
}

std::vector<std::string> terrain_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::path& file : files_below(folder)) {
    if (file.filename().string().ends_with(".terrain.json")) {
      files.push_back(fs::relative(file, folder).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string catalog_json(const std::vector<CatalogEntry>& entries, const std::string& prefix) {
  JsonValue list = JsonValue::array();
  for (const CatalogEntry& e : entries) {
    JsonValue& item = list.items.emplace_back(JsonValue::object());
    item.add("file", prefix + e.file);
    item.add("kind", std::string(to_string(e.kind)));
    item.add("topic", e.topic);
    item.add("title", e.title);
    item.add("description", e.description);
    item.add("thumb", e.thumb.empty() ? JsonValue() : JsonValue("/" + e.thumb));
  }
  return compact_text(list, std::string::npos);
}

}  // namespace molejo

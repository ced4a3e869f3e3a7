#include "molejo/io/file_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/file.h"
#include "molejo/io/json_document.h"
#include "molejo/io/xml.h"
#include "molejo/math/characters.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

struct Ending {
  const char* ending;
  FileKind kind;
  bool is_part = false;  // of a scene that has another file: the reader says which
};

// The first that fits counts.
constexpr Ending endings[] = {{".show.json", FileKind::show},  {".motion.json", FileKind::motion},
                              {".gait.json", FileKind::gait},  {".walk.json", FileKind::walk},
                              {".net.json", FileKind::net},    {".terrain.json", FileKind::terrain},
                              {".pnml", FileKind::net},        {".pn", FileKind::net},
                              {".glb", FileKind::character},   {".gltf", FileKind::character},
                              {".vrm", FileKind::character},   {".bvh", FileKind::character},
                              {".json", FileKind::scene},      {".cfg", FileKind::scene},
                              {".dat", FileKind::scene},       {".ani", FileKind::scene},
                              {".urdf", FileKind::scene},      {".xml", FileKind::scene},
                              {".obj", FileKind::mesh},        {".stl", FileKind::mesh},
                              {".png", FileKind::heights},     {".part", FileKind::training},
                              {".bds", FileKind::scene, true}, {".shp", FileKind::scene, true},
                              {".ste", FileKind::scene, true}, {".ctr", FileKind::scene, true},
                              {".for", FileKind::scene, true}, {".act", FileKind::scene, true}};

const Ending* find_ending(const std::string& file_name) {
  const std::string name = lower_case(file_name);
  for (const Ending& e : endings) {
    const std::string_view ending = e.ending;
    if (name.size() > ending.size() && name.ends_with(ending)) return &e;
  }
  return nullptr;
}

// Keys that no other kind has at its top.
FileKind kind_of_json(const JsonValue& root) {
  const auto has = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return root.find(key); });
  };
  if (root.is(JsonValue::Kind::array)) return FileKind::terrain;
  if (has({"training_state"})) return FileKind::training;
  if (has({"found"})) return FileKind::gait;
  if (has({"steps"}) && has({"character", "scene"})) return FileKind::motion;
  if (has({"actors", "actions", "cast", "causes"}) || (has({"net"}) && has({"scene"}))) {
    return FileKind::show;
  }
  if (has({"terrains"}) && has({"characters"})) return FileKind::walk;
  if (has({"places", "transitions", "nets", "states", "layers"})) return FileKind::net;
  if (has({"elevation", "noise", "bumps", "steps", "grid", "image", "terrains"})) {
    return FileKind::terrain;
  }
  return FileKind::scene;
}

// "a scene (.json .cfg ...), a show (.show.json), ..."
std::string known_kinds() {
  std::string all;
  for (int k = 0; k <= static_cast<int>(FileKind::training); ++k) {
    const auto kind = static_cast<FileKind>(k);
    std::string list;
    for (const Ending& e : endings) {
      if (e.kind == kind && !e.is_part) list += (list.empty() ? "" : " ") + std::string(e.ending);
    }
    all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", to_string(kind), list);
  }
  return all;
}

}  // namespace

const char* to_string(FileKind kind) {
  constexpr const char* names[] = {"scene",     "show",    "motion", "gait",    "walk",    "net",
                                   "character", "terrain", "mesh",   "heights", "training"};
  return names[static_cast<int>(kind)];
}

std::optional<FileKind> kind_by_name(const std::string& file_name) {
  const Ending* ending = find_ending(file_name);
  if (!ending || ending->is_part) return {};
  return ending->kind;
}

FileKind kind_of_file(const SourceFile& file) {
  const Ending* ending = find_ending(file.name());
  const std::string_view text = ending ? ending->ending : "";
  if (text == ".json") return kind_of_json(parse_json(file.read(max_json_bytes), file).root);
  if (text == ".xml" && root_element(file.read()) == "pnml") return FileKind::net;
  if (ending) return ending->kind;
  file.read();  // a missing file is the likelier mistake than its ending
  throw InputError(file.name() + ": unknown kind of file; expected " + known_kinds());
}

std::string known_endings() {
  std::string all;
  for (const Ending& e : endings) {
    if (e.kind < FileKind::terrain && !e.is_part) {
      all += (all.empty() ? "" : " ") + std::string(e.ending);
    }
  }
  return all;
}

}  // namespace molejo

// No file and no message makes a reader open what lies elsewhere.
#include <doctest/doctest.h>

#include <filesystem>

#include "molejo/io/character_file.h"
#include "molejo/io/load.h"
#include "molejo/io/motion.h"
#include "molejo/io/scene.h"
#include "molejo/io/show.h"
#include "molejo/io/walk_scene.h"
#include "tests/support/escapes.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

namespace fs = std::filesystem;

void read_any(const SourceFile& file) {
  const std::string& name = file.name();
  if (name.ends_with(".show.json")) {
    load_show(file);
  } else if (name.ends_with(".walk.json")) {
    load_walk_scene(file);
  } else if (name.ends_with(".motion.json")) {
    load_motion(file);
  } else if (name.ends_with(".gait.json")) {
    load_gait(file);
  } else if (is_character_file(name)) {
    load_character(file);
  } else {
    load_scene(file);
  }
}

// What was said against it; nothing when it was read.
std::string refusal(const SourceFile& file) {
  try {
    read_any(file);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::vector<Escape> all_escapes(const Canary& canary) {
  std::vector<Escape> all = spelled_escapes(canary);
  for (Escape& e : file_escapes(canary)) all.push_back(std::move(e));
  return all;
}

}  // namespace

TEST_CASE("escapes: whatever a file names, nothing outside of its scope is opened") {
  Canary canary(binary_dir() + "/tests/canary");
  const fs::path gallery = fs::path(binary_dir()) / "tests" / "escapes", folder = gallery / "sent";
  fs::remove_all(gallery);
  fs::create_directories(folder);
  for (const char* shared : {"characters", "walks"}) {
    fs::copy(source_dir() + "/scenes/" + shared, gallery / shared);
  }
  const FileScope narrow({{"upload/1", folder.string()}, {"upload", gallery.string()}});
  const FileScope wide({{"/", "/", true}});
  int tried = 0;
  for (const Escape& e : all_escapes(canary)) {
    CAPTURE(e.what);
    CAPTURE(e.text);
    write_file((folder / e.name).string(), e.text);
    if (!e.part.empty()) write_file((folder / e.part).string(), e.part_text);
    const std::string said = refusal(SourceFile::sent("upload/1/" + e.name, narrow));
    CAPTURE(said);
    CHECK(canary.opened() == 0);
    CHECK(said.find(Canary::secret) == std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    // where it may be read, it is: it was the scope that refused it
    const std::string allowed = refusal(SourceFile((folder / e.name).string(), wide));
    CAPTURE(allowed);
    CHECK((canary.opened() > 0) == e.reaches);
    CHECK(allowed.find(Canary::secret) == std::string::npos);
    ++tried;
  }
  MESSAGE(tried << " ways out of a file");
  CHECK(tried >= 60);
}

TEST_CASE("escapes: a scene that is only a text opens nothing at all") {
  Canary canary(binary_dir() + "/tests/second_canary");
  int tried = 0;
  for (const Escape& e : all_escapes(canary)) {
    if (e.name != "scene.json" && e.name != "a.json") continue;
    CAPTURE(e.what);
    CHECK_THROWS_AS(parse_scene(e.text, "scene"), InputError);
    CHECK(canary.opened() == 0);
    ++tried;
  }
  MESSAGE(tried << " ways out of a message");
  CHECK(tried >= 30);
}

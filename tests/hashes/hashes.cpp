// Every shipped scene ends in the known state, to the last bit: in every kind of build (debug,
// release, with sanitizers, with and without wide registers, g++ and clang) and on any number of
// threads. So a change that should not change results can be told from one that does.
//
// tests/io/hashes.txt holds a line a scene: its file, the seconds to run, the hash. After a change
// that is meant to change results, copy the hashes.txt that this test leaves in the build folder.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "molejo/io/file.h"
#include "molejo/io/load.h"
#include "molejo/physics/world.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

struct KnownEnd {
  std::string scene;
  std::string seconds;
  std::string hash;
};

std::vector<KnownEnd> known_ends() {
  std::istringstream text(read_file(test::source_dir() + "/tests/io/hashes.txt"));
  std::vector<KnownEnd> ends;
  for (KnownEnd end; text >> end.scene >> end.seconds >> end.hash;) ends.push_back(end);
  return ends;
}

std::set<std::string> scene_files() {
  const std::filesystem::path scenes = test::source_dir() + "/scenes";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
    if (entry.path().stem().has_extension()) continue;  // walk.net.json, run.gait.json
    const std::string kind = entry.path().extension().string();
    if (kind == ".json" || kind == ".cfg" || kind == ".urdf" || kind == ".xml" || kind == ".dat") {
      files.insert(entry.path().lexically_relative(scenes).generic_string());
    }
  }
  return files;
}

}  // namespace

TEST_CASE("scene hashes: each shipped scene has one") {
  std::set<std::string> known;
  for (const KnownEnd& end : known_ends()) known.insert(end.scene);
  CHECK(known == scene_files());
}

TEST_CASE("scene hashes: the known bits in this build, on one and on five threads") {
  std::string all;
  bool same = true;
  for (const KnownEnd& end : known_ends()) {
    CAPTURE(end.scene);
    Scene scene = load_scene(test::source_dir() + "/scenes/" + end.scene);
    scene.settings.duration = std::stod(end.seconds);
    const Built built = build(scene);
    const Recording one = simulate(built, scene.settings);
    CHECK(one.summary.failure == "");
    const std::string hash = fmt::format("{:016x}", one.summary.hash);
    CHECK(hash == end.hash);
    same = same && hash == end.hash;
    all += fmt::format("{} {} {}\n", end.scene, end.seconds, hash);
    scene.settings.threads = 5;
    CHECK(simulate(built, scene.settings).summary.hash == one.summary.hash);
  }
  if (!same) write_file(test::binary_dir() + "/hashes.txt", all);
}

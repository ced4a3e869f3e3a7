// Every shipped file does the known thing, to the last bit: in every kind of build (debug, release,
// with sanitizers, with and without wide registers, g++ and clang) and on any number of threads. So
// a change that should not change results can be told from one that does.
//
// tests/hashes/hashes.txt holds a line a file: its name, the seconds to run, the hash. The lines of
// this build are left in its folder hashes/; `make hashes` compares those of several builds.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "molejo/io/file.h"
#include "tests/hashes/witness.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::vector<Witness> table() {
  std::istringstream text(read_file(source_dir() + "/tests/hashes/hashes.txt"));
  std::vector<Witness> lines;
  for (Witness line; text >> line.file >> line.seconds >> line.hash;) lines.push_back(line);
  return lines;
}

// All files of a topic, on one and on five threads.
void check(const std::string& about) {
  std::string all;
  for (const Witness& known : table()) {
    if (topic(known.file) != about) continue;
    CAPTURE(known.file);
    std::string hash = known.hash;
    if (can_run(known.file)) {
      hash = witness(known.file, known.seconds, 1);
      CHECK(hash == known.hash);
      CHECK(witness(known.file, known.seconds, 5) == hash);
    } else {
      MESSAGE("skipped: its clips are not installed");
    }
    all += fmt::format("{} {} {}\n", known.file, known.seconds, hash);
  }
  std::filesystem::create_directories(binary_dir() + "/hashes");
  write_file(binary_dir() + "/hashes/" + about + ".txt", all);
}

}  // namespace

TEST_CASE("hashes: each shipped file has one") {
  std::set<std::string> known;
  for (const Witness& line : table()) known.insert(line.file);
  CHECK(known == witnessed_files());
}

TEST_CASE("hashes: the known bits of scenes") { check("scenes"); }

TEST_CASE("hashes: the known bits of gaits and of trainings") { check("locomotion"); }

TEST_CASE("hashes: the known bits of directed scenes") { check("shows"); }

TEST_CASE("hashes: the known bits of walks, clips and terrains") { check("walks"); }

TEST_CASE("hashes: the known bits of nets") { check("nets"); }

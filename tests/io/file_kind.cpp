// What a file is, by its name and by what it holds.
#include "molejo/io/file_kind.h"

#include <doctest/doctest.h>

#include "molejo/io/file.h"
#include "tests/support/empty_folder.h"
#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("file kinds: the longest ending counts, in any case of letters") {
  const std::pair<const char*, FileKind> known[] = {{"a.json", FileKind::scene},
                                                    {"a.show.json", FileKind::show},
                                                    {"a.motion.json", FileKind::motion},
                                                    {"A.GAIT.JSON", FileKind::gait},
                                                    {"b/a.walk.json", FileKind::walk},
                                                    {"a.net.json", FileKind::net},
                                                    {"a.pn", FileKind::net},
                                                    {"a.pnml", FileKind::net},
                                                    {"a.VRM", FileKind::character},
                                                    {"a.bvh", FileKind::character},
                                                    {"a.terrain.json", FileKind::terrain},
                                                    {"a.stl", FileKind::mesh},
                                                    {"a.png", FileKind::heights},
                                                    {"a.gait.json.part", FileKind::training}};
  for (const auto& pair : known) {
    const auto name = pair.first;  // clang 14 captures no bindings
    const FileKind kind = pair.second;
    CAPTURE(name);
    REQUIRE(kind_by_name(name));
    CHECK(*kind_by_name(name) == kind);
  }
  // parts of other files, endings alone, and what nobody reads
  for (const char* name : {"a.bds", "a.act", ".json", ".show.json.txt", "a", "", "a.step"}) {
    CAPTURE(name);
    CHECK_FALSE(kind_by_name(name));
  }
}

TEST_CASE("file kinds: a plain .json is what it holds") {
  const EmptyFolder folder;
  const auto kind = [&](const std::string& text, const std::string& name = "a.json") {
    write_file(folder / name, text);
    return kind_of_file(SourceFile::given(folder / name));
  };
  CHECK(kind(R"({"bodies": []})") == FileKind::scene);
  CHECK(kind("{}") == FileKind::scene);
  CHECK(kind(R"({"character": "a.json", "steps": []})") == FileKind::motion);
  CHECK(kind(R"({"scene": {}, "steps": [], "found": {}})") == FileKind::gait);
  CHECK(kind(R"({"actors": []})") == FileKind::show);
  CHECK(kind(R"({"terrains": [], "characters": []})") == FileKind::walk);
  CHECK(kind(R"({"places": []})") == FileKind::net);
  CHECK(kind(R"({"states": []})") == FileKind::net);
  CHECK(kind(R"([{"elevation": "x"}])") == FileKind::terrain);
  CHECK(kind(R"({"steps": [{"length": 3}]})") == FileKind::terrain);
  CHECK(kind(R"({"training_state": "gait"})") == FileKind::training);
  CHECK(kind("<?xml version='1.0'?><pnml/>", "a.xml") == FileKind::net);
  CHECK(kind("<mujoco/>", "a.xml") == FileKind::scene);
  CHECK(error_text([&] { kind("{", "a.json"); }).find(folder / "a.json:1: ") == 0);
  CHECK(error_text([&] { kind("x", "a.step"); }) ==
        folder /
            "a.step: unknown kind of file; expected scene (.json .cfg .dat .ani .urdf .xml), "
            "show (.show.json), motion (.motion.json), gait (.gait.json), walk (.walk.json), "
            "net (.net.json .pnml .pn), character (.glb .gltf .vrm .bvh), terrain "
            "(.terrain.json), mesh (.obj .stl), heights (.png), training (.part)");
  CHECK(error_text([&] { kind_of_file(SourceFile::given(folder / "missing.step")); }) ==
        folder / "missing.step: no such file");
}

// Whoever can connect cannot have files read that are not in the gallery, nor sent by himself.
#include <doctest/doctest.h>

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/live/http.h"
#include "tests/studio/studio_client.h"
#include "tests/support/escapes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::string open_message(const std::string& file) {
  JsonValue message = JsonValue::object();
  message.add("do", std::string("open"));
  message.add("file", file);
  return compact_text(message, std::string::npos);
}

std::string load_message(const std::string& scene) {
  return R"({"do": "load", "scene": )" + scene + "}";
}

// Everything that was told, at once and later.
std::string told(Visitor& visitor, const std::string& message) {
  std::string all = compact_text(visitor.ask(message), std::string::npos);
  for (const JsonValue& event : visitor.events) all += compact_text(event, std::string::npos);
  visitor.events.clear();
  return all;
}

}  // namespace

TEST_CASE("studio escapes: nothing that is sent has another file read") {
  Canary canary(binary_dir() + "/tests/studio_canary");
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  int sent = 0, messages = 0;
  std::vector<Escape> all = spelled_escapes(canary);
  for (Escape& e : file_escapes(canary)) all.push_back(std::move(e));
  for (const Escape& e : all) {
    CAPTURE(e.what);
    const std::string answer = http(studio, "POST", "/upload?name=" + e.name, e.text);
    REQUIRE(answer.substr(9, 3) == "200");
    const std::string file = parse_json(body_of(answer), "answer").root.find("file")->text;
    const std::string opened = told(visitor, open_message(file));
    CHECK(opened.find(Canary::secret) == std::string::npos);
    CHECK(canary.opened() == 0);
    ++sent;
    if (e.name != "scene.json" && e.name != "a.json") continue;
    visitor.must(open_message("scenes/pendulum.json"));
    const std::string loaded = told(visitor, load_message(e.text));
    CHECK(loaded.find("error") != std::string::npos);
    CHECK(loaded.find(Canary::secret) == std::string::npos);
    CHECK(canary.opened() == 0);
    ++messages;
  }
  MESSAGE(sent << " files and " << messages << " messages, no read");
  CHECK(sent >= 80);
  CHECK(messages >= 30);
}

TEST_CASE("studio escapes: a message cannot name a file, not even one of the gallery") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  const std::string mesh = R"({"bodies": [{"name": "b", "shape": {"mesh": {"obj": "PATH"}}}]})";
  for (const std::string& path :
       std::vector<std::string>{"table.obj", "scenes/table.obj", "../scenes/table.obj",
                                source_dir() + "/scenes/table.obj"}) {
    CAPTURE(path);
    std::string scene = mesh;
    scene.replace(scene.find("PATH"), 4, path);
    CHECK(visitor.error(load_message(scene)).find("no other files can be read here") !=
          std::string::npos);
  }
}

TEST_CASE(
    "studio escapes: a file that is sent names those of the gallery, what it has open stays") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  const auto open_sent = [&](const std::string& name, const std::string& text) {
    const std::string answer = http(studio, "POST", "/upload?name=" + name, text);
    return visitor.ask(open_message(parse_json(body_of(answer), "answer").root.find("file")->text));
  };
  const auto scene = [](const std::string& path) {
    return R"({"bodies": [{"name": "b", "shape": {"mesh": {"obj": ")" + path + "\"}}}]}";
  };
  CHECK(open_sent("mine.json", scene("../table.obj")).find("ok"));
  const JsonValue outside = open_sent("mine.json", scene("../../scenes/table.obj"));
  REQUIRE(outside.find("error"));
  CHECK(outside.find("error")->text.find("lies outside of what may be read here") !=
        std::string::npos);
  // where things lie on this machine is nobody's business
  CHECK(outside.find("error")->text.find("/molejo-") == std::string::npos);
  CHECK(outside.find("error")->text.find(source_dir()) == std::string::npos);
  // another's upload is not his
  CHECK(open_sent("mine.json", scene("../1/mine.json")).find("error"));
}

TEST_CASE("studio escapes: links and hidden files of the gallery lead nowhere") {
  namespace fs = std::filesystem;
  Canary canary(binary_dir() + "/tests/gallery_canary");
  const fs::path folder = fs::path(binary_dir()) / "tests" / "gallery_with_links";
  fs::remove_all(folder);
  fs::create_directories(folder / ".secret");
  const std::string good = read_file(source_dir() + "/scenes/pendulum.json");
  write_file((folder / "good.json").string(), good);
  write_file((folder / ".secret/a.json").string(), good);
  fs::create_symlink(canary.folder() + "/canary.json", folder / "link.json");
  fs::create_symlink(canary.folder(), folder / "out");
  fs::create_symlink("good.json", folder / "same.json");
  write_file((folder / "named.json").string(),
             R"({"bodies": [{"name": "b", "shape": {"mesh": {"obj": "out/canary.obj"}}}]})");
  Studio studio({.page = {}, .scenes = folder.string(), .history = {}}, {});
  studio.start("scenes/good.json");
  canary.opened();
  Visitor visitor(studio);
  for (const char* file : {"scenes/link.json", "scenes/out/canary.json", "scenes/.secret/a.json",
                           "scenes/named.json"}) {
    CAPTURE(file);
    CHECK(told(visitor, open_message(file)).find("\"error\"") != std::string::npos);
  }
  CHECK(canary.opened() == 0);
  visitor.must(open_message("scenes/same.json"));
}

TEST_CASE("studio escapes: a file of the gallery that is not Molejo's is not quoted") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(binary_dir()) / "tests" / "gallery_of_others";
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_file((folder / "good.json").string(), read_file(source_dir() + "/scenes/pendulum.json"));
  const std::pair<const char*, const char*> files[] = {
      {"a.json", R"({"password": "hunter2"})"},
      {"b.json", "hunter2 {"},
      {"c.json", R"(["hunter2"])"},
      {"d.json", R"({"hunter2": 1, "hunter2": 2})"},
      {"e.dat", "password hunter2\n"},
      {"f.cfg", "hunter2\n"},
      {"g.xml", "<settings><password value=\"hunter2\"/></settings>"},
      {"h.xml", "<hunter2>"},
      {"i.urdf", "<robot name=\"r\"><link name=\"hunter2\"/><joint name=\"hunter2\"/></robot>"},
      {"j.pn", "hunter2\n"},
      {"k.pnml", "<pnml><net hunter2=\"1\"></pnml>"},
      {"l.bvh", "hunter2\n"},
      {"m.gltf", R"({"password": "hunter2"})"},
      {"n.glb", "hunter2"},
      {"o.show.json", R"({"hunter2": 1})"},
      {"p.walk.json", R"({"parameters": {"hunter2": "hunter2"}, "password": "hunter2"})"},
      {"q.motion.json", R"({"hunter2": 1})"},
      {"r.gait.json", R"({"hunter2": 1})"},
      {"s.net.json", R"({"hunter2": 1})"},
      {"t.ani", "ACTOR a\nINCLUDE e.dat\nhunter2\n"},
  };
  for (const auto& [name, text] : files) write_file((folder / name).string(), text);
  Studio studio({.page = {}, .scenes = folder.string(), .history = {}}, {});
  studio.start("scenes/good.json");
  Visitor visitor(studio);
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    const std::string error = visitor.error(open_message(std::string("scenes/") + name));
    CHECK(error.starts_with(std::string("scenes/") + name));
    CHECK(error.find("expected") != std::string::npos);
    CHECK(error.find("hunter2") == std::string::npos);
    CHECK(error.find("password") == std::string::npos);
  }
  // who sends it has it already, and is told what is wrong
  const std::string sent = http(studio, "POST", "/upload?name=a.json", files[0].second);
  CHECK(visitor.error(open_message(parse_json(body_of(sent), "answer").root.find("file")->text))
            .find("unknown key 'password'") != std::string::npos);
}

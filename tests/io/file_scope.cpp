#include "molejo/io/file_scope.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

namespace fs = std::filesystem;

// A folder of its own that is in no project, as this one is; gone at the end.
struct Folder : fs::path {
  Folder() {
    std::string name = (fs::temp_directory_path() / "molejo-scope-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    fs::create_directory(name + "/top");
    assign(name + "/top");
  }
  ~Folder() { fs::remove_all(parent_path()); }
  Folder(const Folder&) = delete;
};

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_file(path.string(), text);
}

bool tells(const std::string& error, const std::string& part) {
  CAPTURE(error);
  CAPTURE(part);
  const bool found = error.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("file scope: files below a root are read, others are outside") {
  const Folder top;
  put(top / "in/a.txt", "a");
  put(top / "in/deep/b.txt", "b");
  put(top / "out.txt", "out");
  put(top / "inside_out/c.txt", "c");
  const FileScope scope({{"scenes", (top / "in").string()}});
  CHECK(scope.read("scenes/a.txt") == "a");
  CHECK(scope.read("scenes/deep/b.txt") == "b");
  CHECK(scope.read("scenes/./deep//../a.txt") == "a");
  CHECK(scope.has("scenes/a.txt"));
  const auto error = [&](const std::string& name) {
    CHECK_FALSE(scope.has(name));
    return error_text([&] { scope.read(name); });
  };
  for (const std::string name :
       {"a.txt", "in/a.txt", "scenes/../out.txt", "scenes/../../top/in/a.txt", "..", "",
        "scenes/deep/../../out.txt", "../top/in/a.txt", "scenesx/a.txt", "/etc/passwd"}) {
    CAPTURE(name);
    tells(error(name), "lies outside of what may be read here");
  }
  tells(error((top / "in/a.txt").string()), "outside");
  tells(error("scenes/../inside_out/c.txt"), "outside");
  CHECK_FALSE(scope.has(std::string("scenes/a.txt\0.obj", 17)));
  tells(error("scenes/none.txt"), "scenes/none.txt: no such file");
  tells(error("scenes/a.txt/x"), "no such file");
  tells(error("scenes/deep"), "is a folder");
  tells(error("scenes"), "is a folder");
  CHECK(error_text([&] { scope.read("scenes/a.txt", 0); }) == "scenes/a.txt: larger than 0 bytes");

  const FileScope nothing;
  CHECK_FALSE(nothing.has("scenes/a.txt"));
  tells(error_text([&] { nothing.read("/etc/passwd"); }), "no other files can be read here");
  const FileScope whole({{"", (top / "in").string()}});
  CHECK(whole.read("deep/b.txt") == "b");
  CHECK_FALSE(whole.has("../out.txt"));
  CHECK_FALSE(whole.has((top / "in/a.txt").string()));
  CHECK_THROWS_AS(FileScope({{"", (top / "none").string()}}), InputError);
  CHECK_THROWS_AS(FileScope({{"", (top / "out.txt").string()}}), InputError);
}

TEST_CASE("file scope: a link is followed where it stays within the roots") {
  const Folder top;
  put(top / "in/real/a.txt", "a");
  put(top / "other/b.txt", "b");
  put(top / "out/secret.txt", "secret");
  const auto link = [&](const std::string& name, const fs::path& target) {
    fs::create_symlink(target, top / "in" / name);
  };
  link("near.txt", "real/a.txt");
  link("near", "real");
  link("round.txt", "../in/real/a.txt");
  link("absolute.txt", top / "in/real/a.txt");
  link("other.txt", "../other/b.txt");
  link("out.txt", "../out/secret.txt");
  link("out", top / "out");
  link("out_by_two", "out");
  link("root", "/");
  link("loop", "loop");
  link("a", "b");
  link("b", "a");
  link("dangling", "nowhere");
  link("process", "/proc/self/root");
  const FileScope one({{"", (top / "in").string()}});
  const FileScope two({{"", (top / "in").string()}, {"o", (top / "other").string()}});
  for (const char* name :
       {"near.txt", "near/a.txt", "round.txt", "absolute.txt", "near/../real/a.txt"}) {
    CAPTURE(name);
    CHECK(one.read(name) == "a");
  }
  CHECK_FALSE(one.has("other.txt"));
  CHECK(two.read("other.txt") == "b");
  for (const std::string& name :
       {std::string("out.txt"), std::string("out/secret.txt"), std::string("out_by_two/secret.txt"),
        "root" + (top / "out/secret.txt").string(),
        "process" + (top / "out/secret.txt").string()}) {
    CAPTURE(name);
    CHECK_FALSE(one.has(name));
    tells(error_text([&] { two.read(name); }), "outside");
  }
  for (const char* name : {"loop", "a", "loop/x", "dangling"}) {
    CAPTURE(name);
    tells(error_text([&] { one.read(name); }), "no such file");
  }
}

TEST_CASE("file scope: only regular files are read, hidden ones where that is allowed") {
  const Folder top;
  put(top / ".hidden/a.txt", "a");
  put(top / ".b.txt", "b");
  REQUIRE(::mkfifo((top / "pipe.txt").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", top / "zero");
  const FileScope plain({{"", top.string()}}), all({{"", top.string(), true}});
  // whoever opened it would wait for a writer
  tells(error_text([&] { plain.read("pipe.txt"); }), "is not a regular file");
  tells(error_text([&] { plain.read("zero"); }), "outside");
  const FileScope devices({FileScope::Root{"", "/dev"}});
  tells(error_text([&] { devices.read("zero"); }), "is not a regular file");
  CHECK_FALSE(plain.has(".hidden/a.txt"));
  CHECK_FALSE(plain.has(".b.txt"));
  CHECK(all.read(".hidden/a.txt") == "a");
  CHECK(all.read(".b.txt") == "b");
}

TEST_CASE("file scope: what the user gave may name files around it") {
  const Folder top;
  const auto reach = [&](const std::string& file, const std::string& name,
                         const std::vector<std::string>& roots = {}) {
    put(top / file, "");
    return SourceFile::given((top / file).string(), roots).beside(name).exists();
  };
  put(top / "far.txt", "far");
  put(top / "robots/near.txt", "near");
  put(top / "robots/x/meshes/a.stl", "a");
  // its folder, what is below, and the folder above
  CHECK(reach("robots/x/urdf/x.urdf", "../meshes/a.stl"));
  CHECK(reach("robots/x/x.urdf", "meshes/a.stl"));
  CHECK(reach("robots/x/x.urdf", (top / "robots/x/meshes/a.stl").string()));
  CHECK(reach("robots/x/x.urdf", "../near.txt"));
  CHECK_FALSE(reach("robots/x/urdf/x.urdf", "../../near.txt"));
  CHECK_FALSE(reach("robots/x/urdf/x.urdf", "/etc/passwd"));
  CHECK(reach("robots/x/urdf/x.urdf", "../../near.txt", {(top / "robots").string()}));
  tells(
      error_text([&] {
        SourceFile::given((top / "robots/x/urdf/x.urdf").string()).beside("../../near.txt").read();
      }),
      "near.txt: lies outside of what may be read here; --root FOLDER allows more");
  // the packages beside its own, and its project
  put(top / "robots/x/package.xml", "");
  CHECK(reach("robots/x/urdf/v1/x.urdf", "../../../near.txt"));
  CHECK_FALSE(reach("robots/x/urdf/v1/x.urdf", "../../../../far.txt"));
  put(top / "package.json", "");
  CHECK(reach("robots/x/urdf/v1/x.urdf", "../../../../far.txt"));
  fs::remove(top / "package.json");
  fs::create_directory(top / ".git");
  CHECK(reach("robots/x/urdf/v1/x.urdf", "../../../../far.txt"));

  // neither all of the user's files nor those of others
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", (top / "robots").c_str(), 1);
  CHECK_FALSE(reach("robots/x/urdf/v1/x.urdf", "../../../../far.txt"));
  CHECK_FALSE(reach("robots/x/urdf/v1/x.urdf", "../../../near.txt"));
  CHECK(reach("robots/x/urdf/v1/x.urdf", "../../meshes/a.stl"));
  CHECK(reach("robots/mine.urdf", "near.txt"));
  CHECK_FALSE(reach("robots/mine.urdf", "../far.txt"));
  ::setenv("HOME", home.c_str(), 1);
}

TEST_CASE("file scope: a source names others beside it, a text names none") {
  const Folder top;
  put(top / "a/b.txt", "b");
  put(top / "c.txt", "c");
  const FileScope scope({{"s", top.string()}});
  const SourceFile c("s/c.txt", scope);
  CHECK(c.read() == "c");
  CHECK(c.beside("a/b.txt").name() == "s/a/b.txt");
  CHECK(c.beside("a/b.txt").beside("../c.txt").read() == "c");
  CHECK(c.part("/scene").name() == "s/c.txt: /scene");
  CHECK(c.part("/scene").beside("a/b.txt").read() == "b");
  CHECK_FALSE(c.is_quotable());
  CHECK(SourceFile::sent("s/c.txt", scope).is_quotable());
  CHECK_FALSE(SourceFile::sent("s/c.txt", scope).beside("a/b.txt").is_quotable());
  CHECK_THROWS_AS(c.beside(""), InputError);
  CHECK_THROWS_AS(c.beside(std::string("a\0b", 3)), InputError);
  const SourceFile text = "message";
  CHECK(text.is_quotable());
  CHECK_FALSE(text.beside((top / "c.txt").string()).exists());
  CHECK_THROWS_AS(text.beside((top / "c.txt").string()).read(), InputError);
  CHECK_THROWS_AS(text.read(), InputError);
}

TEST_CASE("file scope: an error in a file of another kind keeps the line, and nothing else of it") {
  const SourceFile file = SourceFile::given("other.txt");
  const auto told = [&](const std::string& message) {
    return error_text([&] { fail_unquoted(file, "a script", message); });
  };
  CHECK(told("other.txt:12: 'secret' is no number") == "other.txt:12: expected a script");
  CHECK(told("other.txt: 'secret' is no number") == "other.txt: expected a script");
  CHECK(told("other.txt:secret: what is this") == "other.txt: expected a script");
  CHECK(told("other.txt:12") == "other.txt: expected a script");
  CHECK(told("secret") == "other.txt: expected a script");
}

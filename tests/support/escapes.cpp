#include "tests/support/escapes.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <stdexcept>

#include "molejo/io/file.h"

namespace molejo::test {

namespace {

namespace fs = std::filesystem;

// What each reader takes, with the secret in it.
const std::map<std::string, std::string>& contents() {
  static const std::map<std::string, std::string> all{
      {"canary", "CANARY8251 1 2\n"},
      {"canary.txt", "CANARY8251 1 2\n"},
      {"canary.obj", "o CANARY8251\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"},
      {"canary.stl",
       "solid CANARY8251\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"},
      {"canary.png", "CANARY8251"},
      {"canary.out", "0 CANARY8251 1 2 3 4 5\n"},
      {"canary.json", R"({"CANARY8251": 1})"},
      {"canary.terrain.json",
       R"({"name": "CANARY8251", "elevation": "0", "from": [0, 0], "to": [1, 1]})"},
      {"canary.walk.json", R"({"CANARY8251": 1})"},
      {"canary.gait.json", R"({"CANARY8251": 1})"},
      {"canary.net.json", R"({"places": [{"name": "CANARY8251"}]})"},
      {"canary.pn", "CANARY8251 1\n"},
      {"canary.bvh", "HIERARCHY\nROOT CANARY8251\n"},
      {"canary.gltf", R"({"asset": {"version": "2.0"}, "scene": "CANARY8251"})"},
      {"canary.bin", "CANARY8251CANARY8251"},
      {"canary.shp", "begin CANARY8251\n"},
      {"canary.act", "ACTOR CANARY8251\n"},
      {"canary.xml", R"(<mujoco><worldbody><body name="CANARY8251"/></worldbody></mujoco>)"},
      {"canary.urdf", R"(<robot name="CANARY8251"><link name="a"/></robot>)"},
  };
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// From however deep a folder, up to the root of all and down again.
std::string climbing(const std::string& path) {
  std::string up;
  for (int i = 0; i < 24; ++i) up += "../";
  return up + path.substr(1);
}

std::string following(const std::string& path) {
  return R"({"bodies": [{"name": "b", "shape": {"sphere": 1}, "follow": ")" + path + "\"}]}";
}

}  // namespace

Canary::Canary(const std::string& folder) : folder_(fs::absolute(folder).lexically_normal()) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  for (const auto& [name, text] : contents()) write_file(folder_ + "/" + name, text);
  watch_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watch_ < 0 || ::inotify_add_watch(watch_, folder_.c_str(), IN_OPEN | IN_ACCESS) < 0) {
    throw std::runtime_error("the canary cannot be watched");
  }
}

Canary::~Canary() {
  ::close(watch_);
  fs::remove_all(folder_);
}

int Canary::opened() {
  alignas(inotify_event) char events[4096];
  int count = 0;
  while (::read(watch_, events, sizeof events) > 0) ++count;
  return count;
}

std::vector<Escape> spelled_escapes(const Canary& canary) {
  const std::string path = canary.folder() + "/canary.out";
  const std::string up = climbing(path);
  std::vector<Escape> all;
  const auto add = [&](const std::string& what, const std::string& spelled, bool reaches = true) {
    all.push_back({what, "scene.json", following(spelled), reaches});
  };
  add("an absolute path", path);
  add("up and down again", up);
  add("slashes escaped as \\/", replaced(path, "/", "\\/"));
  add("up with slashes escaped as \\/", replaced(up, "/", "\\/"));
  add("slashes as \\u002f", replaced(path, "/", "\\u002f"));
  add("slashes as \\u002F", replaced(up, "/", "\\u002F"));
  add("dots as \\u002e", replaced(up, "..", "\\u002e\\u002e"));
  add("one dot of two as \\u002E", replaced(up, "..", ".\\u002E"));
  add("all as \\u escapes", replaced(replaced(up, "..", "\\u002e\\u002e"), "/", "\\u002f"));
  add("doubled slashes", replaced(path, "/", "//"));
  add("up with doubled slashes", replaced(up, "/", "//"));
  add("folders that stay here", replaced(path, "/", "/./"));
  add("up from a folder that is not there", "nowhere/../" + up);
  add("up after here", "./" + up);
  add("backslashes", replaced(up, "/", "\\\\"), false);
  add("slashes and backslashes", replaced(up, "../", "..\\\\../"), false);
  add("percent encoding", replaced(replaced(up, "..", "%2e%2e"), "/", "%2f"), false);
  add("double percent encoding", replaced(up, "../", "%252e%252e%252f"), false);
  add("file://", "file://" + path, false);
  add("file:", "file:" + path, false);
  add("file:// and up", "file://" + up);
  add("package://", "package://" + up);
  add("a NUL behind it", path + "\\u0000.obj", false);
  add("a NUL before it", "a\\u0000/../" + up, false);
  add("full-width dots", replaced(up, "..", "\\uff0e\\uff0e"), false);
  add("a slash of another alphabet", replaced(up, "/", "\\u2215"), false);
  add("the process's root", "/proc/self/root" + path);
  add("the process's folder", "/proc/self/cwd/" + up);
  add("a slash at its end", path + "/");
  add("a dot at its end", path + "/.");
  add("blanks around it", " " + path + " ", false);
  add("the home folder", "~/" + up);
  add("a variable", "$PWD/" + up);
  add("a drive", "C:" + path, false);
  // put together from parameters
  all.push_back({"parameters", "scene.json",
                 R"({"parameters": {"d": "..", "p": ")" + path.substr(1) + R"("},)" +
                     following(replaced(climbing("/"), "../", "{d}/") + "{p}").substr(1)});
  all.push_back({"a parameter that is all of it", "scene.json",
                 R"({"parameters": {"p": ")" + path + R"("},)" + following("{p}").substr(1)});
  return all;
}

namespace {

std::string scene_with(const std::string& shape) {
  return R"({"bodies": [{"name": "b", "shape": )" + shape + "}]}";
}

std::string mjcf(const std::string& head, const std::string& geom = R"(type="sphere" size="1")") {
  return "<mujoco>" + head + "<worldbody><body name=\"b\"><freejoint/><geom " + geom +
         "/></body></worldbody></mujoco>";
}

std::string urdf(const std::string& mesh) {
  return R"(<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" )"
         R"(izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename=")" +
         mesh + R"("/></geometry></visual></link></robot>)";
}

// @path stands for an absolute path to the canary without the ending of its file, @up for one that
// goes up and down again, @folder and @above for the same of its folder.
std::vector<Escape> patterns() {
  const std::string mesh = R"(<asset><mesh name="m" file="{}"/></asset>)";
  const std::string as_mesh = R"(type="mesh" mesh="m")";
  const std::string field = R"(<asset><hfield name="f" file="{}" size="1 1 1 1"/></asset>)";
  const std::string as_field = R"(type="hfield" hfield="f")";
  const auto with = [](const std::string& text, const std::string& path) {
    return replaced(text, "{}", path);
  };
  const std::string ground = R"("terrains": [{"elevation": "0", "from": [0, 0], "to": [1, 1]}])";
  const std::string net = R"("net": {"places": [{"name": "p", "delay": 1, "tokens": 1}]})";
  const std::string stick = R"({"name": "a", "character": "../characters/stick_figure.json"})";
  const std::string scene = R"("scene": {"bodies": [{"name": "b", "shape": {"sphere": 1}}]})";
  return {
      {"the hull of an OBJ", "a.json", scene_with(R"({"polyhedron": {"obj": "@up.obj"}})")},
      {"the parts of an OBJ", "a.json", scene_with(R"({"mesh": {"obj": "@path.obj"}})")},
      {"a height map", "a.json",
       scene_with(R"({"height_field": {"image": "@up.png", "height": 1, "size": 1}})")},
      {"a table to follow", "a.json", following("@up.out")},
      {"URDF, a mesh", "a.urdf", urdf("@up.stl")},
      {"URDF, an absolute mesh", "a.urdf", urdf("@path.stl")},
      {"URDF, file://", "a.urdf", urdf("file://@path.stl")},
      {"URDF, package:// and up", "a.urdf", urdf("package://@up.stl")},
      {"URDF, package://x/ and up", "a.urdf", urdf("package://x/@up.stl")},
      {"URDF, package:// and an absolute path", "a.urdf", urdf("package://@path.stl")},
      {"URDF, slashes as numbers", "a.urdf", urdf("@entities.stl")},
      {"URDF as .xml", "a.xml", urdf("@up.obj")},
      {"an entity of a document type", "a.xml",
       "<!DOCTYPE mujoco [<!ENTITY e SYSTEM \"file://@path.xml\">]>" + mjcf("<a>&e;</a>"), false},
      {"an entity that is a path", "a.xml",
       "<!DOCTYPE mujoco [<!ENTITY e \"@up\">]>" + mjcf(with(mesh, "&e;.stl"), as_mesh), false},
      {"an external document type", "a.xml", "<!DOCTYPE mujoco SYSTEM \"@path.xml\">" + mjcf(""),
       false},
      {"XInclude", "a.xml",
       mjcf("<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"@path.xml\"/>"),
       false},
      {"MJCF, a mesh", "a.xml", mjcf(with(mesh, "@up.stl"), as_mesh)},
      {"MJCF, an absolute mesh", "a.xml", mjcf(with(mesh, "@path.obj"), as_mesh)},
      {"MJCF, slashes as numbers", "a.xml", mjcf(with(mesh, "@entities.stl"), as_mesh)},
      {"MJCF, meshdir", "a.xml",
       mjcf("<compiler meshdir=\"@folder\"/>" + with(mesh, "canary.stl"), as_mesh)},
      {"MJCF, meshdir that goes up", "a.xml",
       mjcf("<compiler meshdir=\"@above\"/>" + with(mesh, "canary.stl"), as_mesh)},
      {"MJCF, assetdir", "a.xml",
       mjcf("<compiler assetdir=\"@folder/\"/>" + with(mesh, "canary.obj"), as_mesh)},
      {"MJCF, strippath", "a.xml",
       mjcf("<compiler strippath=\"true\" meshdir=\"@folder\"/>" + with(mesh, "/x/canary.stl"),
            as_mesh)},
      {"MJCF, a height field", "a.xml", mjcf(with(field, "@up.png"), as_field)},
      {"MJCF, a texture", "a.xml",
       mjcf(R"(<asset><texture name="t" type="2d" file="@path.png"/></asset>)"), false},
      {"MJCF, an include", "a.xml", mjcf("<include file=\"@up.xml\"/>")},
      {"MJCF, an absolute include", "a.xml", mjcf("<include file=\"@path.xml\"/>")},
      {"Bacin, a shape", "a.cfg",
       "begin animation (format of 95-01-09)\nduration = 1\nframes = 2\ntolerance = 1e-4\nmin_step "
       "= 1e-6\n"
       "max_step = 0.1\nend animation\n",
       true, "a.bds", "begin bodies (format of 95-01-09)\nbodies = 1\nb @up 1 1 1 1\nend bodies\n"},
      {"ANIMADO, INCLUDE", "a.dat", "INCLUDE @up.act\ntime_end 1\ntime_step 0.1\n"},
      {"ANIMADO, an absolute INCLUDE", "a.ani", "INCLUDE @path.act\ntime_end 1\ntime_step 0.1\n"},
      {"ANIMADO, FOLLOW", "a.dat",
       "time_end 1\ntime_step 0.1\nACTOR a\nradius 1\nFOLLOW @up.out\n"},
      {"ANIMADO, FILE", "a.dat",
       "time_end 1\ntime_step 0.1\nACTOR a\nradius 1\nm 1\nFILE @path.out\n", false},
      {"glTF, a buffer", "a.gltf",
       R"({"asset": {"version": "2.0"}, "buffers": [{"uri": "@up.bin", "byteLength": 4}],
           "bufferViews": [{"buffer": 0, "byteLength": 4}],
           "accessors": [{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 1}],
           "nodes": [{"name": "a"}], "scenes": [{"nodes": [0]}],
           "animations": [{"samplers": [{"input": 0, "output": 0}],
             "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]})"},
      {"glTF, a picture", "a.gltf",
       R"({"asset": {"version": "2.0"}, "images": [{"uri": "@path.png"}], "nodes": [{"name": "a"}],
           "scenes": [{"nodes": [0]}]})"},
      {"glTF, percent encoding", "a.gltf",
       R"({"asset": {"version": "2.0"}, "images": [{"uri": "@percent.png"}], "nodes": [{"name": "a"}],
           "scenes": [{"nodes": [0]}]})"},
      {"a walk, its character", "a.walk.json",
       "{" + ground + R"(, "characters": [{"name": "a", "file": "@up.bvh"}]})"},
      {"a walk, its glTF", "a.walk.json",
       "{" + ground + R"(, "characters": [{"name": "a", "file": "@path.gltf"}]})"},
      {"a walk, a clip", "a.walk.json",
       "{" + ground + R"(, "characters": [{"name": "a", "file": "../walks/stick_walk.bvh",
           "clips": {"walk": "@up.bvh"}}]})"},
      {"a walk, an idle", "a.walk.json",
       "{" + ground + R"(, "characters": [{"name": "a", "file": "../walks/stick_walk.bvh",
           "clips": {"walk": "../walks/stick_walk.bvh", "idle": {"file": "@path.bvh"}}}]})"},
      {"a walk, a terrain", "a.walk.json",
       R"({"terrains": "@up.terrain.json", "characters": [{"name": "a", "file": "x.bvh"}]})"},
      {"a walk, a height map", "a.walk.json",
       R"({"terrains": [{"image": "@path.png", "size": 1, "height": 1}], "characters": []})"},
      {"a show, its scene", "a.show.json", R"({"scene": "@up.json", )" + net + "}"},
      {"a show, its scene as URDF", "a.show.json", R"({"scene": "@path.urdf", )" + net + "}"},
      {"a show, an OBJ of its scene", "a.show.json",
       R"({"scene": )" + scene_with(R"({"mesh": {"obj": "@up.obj"}})") + ", " + net + "}"},
      {"a show, its net", "a.show.json", "{" + scene + R"(, "net": "@up.net.json"})"},
      {"a show, its net as text", "a.show.json", "{" + scene + R"(, "net": "@path.pn"})"},
      {"a show, a character", "a.show.json",
       R"({"actors": [{"name": "a", "character": "@up.json"}], )" + net + "}"},
      {"a show, the character of a gait", "a.show.json",
       R"({"actors": [{"name": "a", "character": "@path.gait.json"}], )" + net + "}"},
      {"a show, a walker", "a.show.json",
       R"({"actors": [{"name": "a", "walker": "@up.walk.json"}], )" + net + "}"},
      {"a show, the walker of an own walk", "a.show.json",
       R"({"actors": [{"name": "a", "walker": {)" + ground +
           R"(, "characters": [{"name": "a", "file": "@up.bvh"}]}}], )" + net + "}"},
      {"a show, a clip", "a.show.json",
       R"({"actors": [)" + stick + "], " + net +
           R"(, "places": {"p": {"do": "clip", "file": "@up.bvh"}}})"},
      {"a show, a gait", "a.show.json",
       R"({"actors": [)" + stick + "], " + net +
           R"(, "places": {"p": {"do": "gait", "file": "@up.gait.json"}}})"},
      {"a motion, its character", "a.motion.json",
       R"({"character": "@up.json", "steps": [@step]})"},
      {"a motion, an OBJ of its character", "a.motion.json",
       R"({"steps": [@step], "scene": )" + scene_with(R"({"mesh": {"obj": "@path.obj"}})") + "}"},
      {"a gait, an OBJ of its character", "a.gait.json",
       R"({"steps": [@step], "found": {}, "scene": )" +
           scene_with(R"({"mesh": {"obj": "@up.obj"}})") + "}"},
  };
}

}  // namespace

std::vector<Escape> file_escapes(const Canary& canary) {
  const std::string path = canary.folder() + "/canary", up = climbing(path);
  const std::pair<const char*, std::string> words[] = {
      {"@path", path},
      {"@up", up},
      {"@percent", replaced(replaced(up, "..", "%2e%2e"), "/", "%2F")},
      {"@entities", replaced(up, "/", "&#47;")},
      {"@folder", canary.folder()},
      {"@step", R"({"feet": ["f"], "air": {"priority": {"2": 0.2}, "others": []},
                    "ground": {"priority": {"2": 0.2}, "others": []}})"},
      {"@above", climbing(canary.folder())},
  };
  std::vector<Escape> all = patterns();
  for (Escape& e : all) {
    for (const auto& [word, meaning] : words) {
      e.text = replaced(e.text, word, meaning);
      e.part_text = replaced(e.part_text, word, meaning);
    }
  }
  return all;
}

}  // namespace molejo::test

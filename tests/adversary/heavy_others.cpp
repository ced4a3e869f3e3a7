// Nets, walks, characters, motions and robots that are small to write and heavy to open or to play.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "molejo/io/base64.h"
#include "tests/adversary/attack.h"

namespace molejo::test {

namespace {

// Texts in a row, as many as fit.
std::string row_of(int count, const std::function<std::string(int)>& item) {
  std::string out;
  for (int i = 0; i < count && out.size() < largest_attack - 8192; ++i) out += item(i);
  return out;
}

Attack net_text(Random& random) {
  const int places = some_size(2, 300'000, random), transitions = some_size(1, 300'000, random);
  const bool unbounded = one_of(2, random) == 0;
  std::string out = fmt::format("{} {}\n", places, transitions);
  out += row_of(places, [&](int i) {
    return fmt::format("P p{} {} {}\n", i, one_of(3, random) == 0 ? "1e-9" : "0",
                       one_of(4, random) == 0 ? 1'000'000'000 : one_of(3, random));
  });
  out +=
      row_of(transitions, [&](int i) { return fmt::format("T t{} {}\n", i, one_of(9, random)); });
  out += row_of(2 * transitions, [&](int i) {
    return fmt::format("{} p{} t{} {}\n", i % 2 == 0 ? "I" : "O", one_of(places, random), i / 2,
                       unbounded && i % 2 == 1 ? 2 : 1);
  });
  return {fmt::format("a net of {} places", places), "large.pn", std::move(out)};
}

// Independent switches: two to the power of n markings.
Attack net_of_switches(Random& random) {
  const int n = some_size(2, 2'000, random);
  const bool timed = one_of(2, random) == 0;
  std::string places, transitions;
  for (int i = 0; i < n; ++i) {
    const char* comma = i > 0 ? "," : "";
    places += fmt::format(R"({0}{{"name":"a{1}","tokens":{2}{3}}},{{"name":"b{1}"}})", comma, i,
                          one_of(3, random) + 1, timed ? ",\"delay\":1e-9" : "");
    transitions += fmt::format(R"({0}{{"name":"s{1}","in":["a{1}"],"out":["b{1}"]}},)"
                               R"({{"name":"r{1}","in":["b{1}"],"out":["a{1}"]}})",
                               comma, i);
  }
  return {fmt::format("{} switches", n), "switches.net.json",
          fmt::format(R"({{"places":[{}],"transitions":[{}]}})", places, transitions)};
}

Attack pnml(Random& random) {
  const int n = some_size(10, 200'000, random);
  const std::string inside = row_of(n, [&](int i) {
    return fmt::format(
        "<place id=\"p{0}\"><initialMarking><text>{1}</text></initialMarking></place>"
        "<transition id=\"t{0}\"/><arc id=\"a{0}\" source=\"p{2}\" target=\"t{0}\"/>",
        i, one_of(1000, random), one_of(i + 1, random));
  });
  return {fmt::format("PNML of {} places", n), "large.pnml",
          "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" "
          "type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">" +
              inside + "</page></net></pnml>"};
}

Attack urdf(Random& random) {
  const int n = some_size(10, 19'000, random);
  const bool star = one_of(2, random) == 0;
  const std::string inside = row_of(n, [&](int i) {
    return fmt::format(
        "<link name=\"l{0}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
        "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><sphere radius=\"1\"/>"
        "</geometry></collision></link>{1}",
        i,
        i == 0 ? ""
               : fmt::format("<joint name=\"j{0}\" type=\"continuous\"><parent link=\"l{1}\"/>"
                             "<child link=\"l{0}\"/></joint>",
                             i, star ? 0 : i - 1));
  });
  return {fmt::format("a robot of {} links", n), "robot.urdf",
          "<robot name=\"r\">" + inside + "</robot>"};
}

Attack mjcf(Random& random) {
  const int n = some_size(10, 15'000, random), deep = some_size(1, 120, random);
  std::string body = row_of(
      deep, [](int) { return std::string("<body><joint type=\"ball\"/><geom size=\"0.1\"/>"); });
  body +=
      row_of(n, [](int) { return std::string("<body><freejoint/><geom size=\"0.1\"/></body>"); });
  for (int i = 0; i < deep; ++i) body += "</body>";
  if (one_of(4, random) == 0) body += "<include file=\"robot.xml\"/>";
  return {fmt::format("{} bodies in one point, {} deep", n, deep), "robot.xml",
          "<mujoco><option timestep=\"1e-9\"/><worldbody>" + body + "</worldbody></mujoco>"};
}

Attack bvh(Random& random) {
  const int joints = some_size(1, 60'000, random), frames = some_size(1, 2'000'000, random);
  const bool deep = joints < 900 && one_of(2, random) == 0;
  std::string out =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n";
  for (int i = 1; i < joints; ++i) {
    out += "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n";
    if (!deep) out += "End Site\n{\nOFFSET 0 1 0\n}\n}\n";
  }
  out += deep || joints == 1 ? "End Site\n{\nOFFSET 0 1 0\n}\n" : "";
  for (int i = 0; i < (deep ? joints : 1); ++i) out += "}\n";
  out += fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", frames,
                     one_of(2, random) == 0 ? "1e-9" : "0.01");
  while (out.size() < std::min<std::size_t>(largest_attack - 8192,
                                            std::size_t(joints) * std::size_t(frames) * 6)) {
    out += "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0\n";
  }
  return {fmt::format("{} joints, {} frames", joints, frames), "large.bvh", std::move(out)};
}

// Few bytes that many accessors read, or that one reads far beyond its end.
Attack gltf(Random& random) {
  const int accessors = some_size(1, 60'000, random), bytes = some_size(100, 20'000'000, random);
  const bool sparse = one_of(3, random) == 0;
  const std::string data = base64(std::string(std::size_t(bytes), '\0'));
  const auto count = one_of(3, random) == 0 ? std::int64_t{4'000'000'000} : bytes / 12;
  const std::string list = row_of(accessors, [&](int i) {
    return fmt::format(
        R"({}{{"bufferView":0,"componentType":5126,"type":"VEC3","count":{}{}}})", i > 0 ? "," : "",
        count,
        sparse ? R"(,"sparse":{"count":4000000000,"indices":{"bufferView":0,"componentType":5125},)"
                 R"("values":{"bufferView":0}})"
               : "");
  });
  const int nodes = some_size(1, 60'000, random);
  const bool chain = one_of(2, random) == 0;
  const std::string tree = row_of(nodes, [&](int i) {
    return fmt::format(R"({}{{"name":"n","mesh":0{}}})", i > 0 ? "," : "",
                       chain && i + 1 < nodes ? fmt::format(",\"children\":[{}]", i + 1) : "");
  });
  const std::string primitives = row_of(accessors, [&](int i) {
    return fmt::format(R"({}{{"attributes":{{"POSITION":{}}}}})", i > 0 ? "," : "", i);
  });
  return {fmt::format("{} accessors of {} bytes, {} nodes", accessors, bytes, nodes), "large.gltf",
          fmt::format(R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{0},)"
                      R"("uri":"data:application/octet-stream;base64,{1}"}}],)"
                      R"("bufferViews":[{{"buffer":0,"byteLength":{0}}}],"accessors":[{2}],)"
                      R"("meshes":[{{"primitives":[{3}]}}],"nodes":[{4}]}})",
                      bytes, data, list, primitives, tree)
              .substr(0, largest_attack)};
}

// A crowd on a rough ground.
Attack walk(Random& random) {
  const int crowd = some_size(1, 2'000, random), bumps = some_size(1, 10'000, random);
  static const char* const grounds[] = {
      R"({"bumps":{"count":%d,"height":[-1,1],"width":[0.1,9],"seed":1},"from":[-9,-9],"to":[9,9],"cells":500})",
      R"({"elevation":"sin(x)*cos(y)*sin(x*y)^3","from":[-9,-9],"to":[9,9],"cells":500})",
      R"({"noise":{"amplitude":1,"feature":0.001,"octaves":12},"from":[-1000,-1000],"to":[1000,1000],"cells":500})",
      R"({"steps":[{"length":0.01,"rise":0.1,"count":10000}],"from":[-9,-9],"width":18,"repeat":1})"};
  std::string ground = grounds[one_of(std::size(grounds), random)];
  if (const std::size_t at = ground.find("%d"); at != std::string::npos) {
    ground.replace(at, 2, std::to_string(bumps));
  }
  return {fmt::format("{} walkers", crowd), "crowd.walk.json",
          fmt::format(
              R"({{"terrains":[{}],"characters":[{{"name":"c{{i}}","count":{},)"
              R"("file":"../walks/stick_walk.bvh","clips":{{"walk":"../walks/stick_walk.bvh"}},)"
              R"("position":[0,0],"scale":{},"solver":"{}","plan":{{"turn_deg":{}}}}}],)"
              R"("duration":3600,"fps":240}})",
              ground, crowd, one_of(2, random) == 0 ? "1" : "1e-4",
              one_of(2, random) == 0 ? "adaptive" : "thesis", one_of(720, random))};
}

// A character of many joints that shall learn to move.
Attack motion(Random& random) {
  const int n = some_size(2, 3'000, random);
  std::string bodies, joints;
  for (int i = 0; i < n; ++i) {
    bodies += fmt::format(R"({}{{"name":"b{}","position":[0,0,{:.2f}],"shape":{{"sphere":0.1}}}})",
                          i > 0 ? "," : "", i, 1 + 0.2 * i);
    if (i == 0) continue;
    joints += fmt::format(
        R"({}{{"name":"j{}","type":"spherical","parent":"b{}","child":"b{}","spring":{{"hertz":3}}}})",
        i > 1 ? "," : "", i, i - 1, i);
  }
  return {
      fmt::format("a character of {} bodies", n), "long.motion.json",
      fmt::format(R"({{"scene":{{"bodies":[{}],"joints":[{}],"character":{{"torso":"b0","feet":)"
                  R"([{{"body":"b0","toe":[0.1,0,0],"heel":[-0.1,0,0]}}]}}}},)"
                  R"("simulation":{{"time_step":1e-5}},"range":{{"period":100,"most_period":100}},)"
                  R"("steps":[{{"feet":["b0"],"air":{{"priority":{{"1":0.1}},"others":"auto"}},)"
                  R"("ground":{{"priority":{{"1":0.1}},"others":"auto"}}}}]}})",
                  bodies, joints)};
}

}  // namespace

Attack heavy_other(Random& random) {
  constexpr Attack (*makers[])(Random&) = {net_text, net_of_switches, pnml, urdf, mjcf, bvh, gltf,
                                           walk,     motion};
  return makers[one_of(std::size(makers), random)](random);
}

}  // namespace molejo::test

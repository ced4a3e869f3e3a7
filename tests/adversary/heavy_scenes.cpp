// Scenes that are small to write and heavy to build or to simulate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/adversary/attack.h"

namespace molejo::test {

namespace {

// `count` items of a list, each written by a function of its number.
std::string list_of(int count, const std::function<std::string(int)>& item) {
  std::string out = "[";
  for (int i = 0; i < count && out.size() < largest_attack - 4096; ++i) {
    out += (i > 0 ? "," : "") + item(i);
  }
  return out + "]";
}

std::string settings(Random& random) {
  static const char* const choices[] = {
      R"("duration": 10)",
      R"("integrator": "semi_implicit_euler", "contact": {"sleep": false})",
      R"("integrator": "rk4", "duration": 100)",
      R"("integrator": {"method": "rkf45", "tolerance": 1e-15, "min_step": 1e-12})",
      R"("integrator": {"method": "rkf45", "min_step": 1e-12, "max_step": 1e-9})",
      R"("integrator": {"time_step": 1e-9})",
      R"("integrator": {"time_step": 1e-9}, "fps": 0.001, "duration": 1e6)",
      R"("integrator": {"time_step": 1e-300})",
      R"("fps": 1e5, "duration": 100)",
      R"("contact": {"iterations": 1000000, "tolerance": 1e-15})",
      R"("formulation": "maximal")",
      R"("start_time": 1e9, "integrator": {"time_step": 1e-9})"};
  return choices[one_of(std::size(choices), random)];
}

std::string shape(int which) {
  static const char* const shapes[] = {R"({"sphere": 0.1})", R"({"box": [0.2, 0.2, 0.2]})",
                                       R"({"capsule": {"radius": 0.1, "length": 0.3}})",
                                       R"({"cylinder": {"radius": 0.1, "length": 0.3}})"};
  return shapes[which % 4];
}

// Bodies that overlap as much as `spread` lets them.
Attack heap(Random& random) {
  const int n = some_size(100, 99'999, random), kind = one_of(5, random);
  const double spread = one_of(3, random) == 0 ? 0 : std::pow(10, 4 * random.uniform() - 2);
  const std::string bodies = list_of(n, [&](int i) {
    return fmt::format(R"({{"name":"b{}","position":[{:.3f},{:.3f},{:.3f}],"shape":{}}})", i,
                       spread * random.uniform(), spread * random.uniform(),
                       1 + spread * random.uniform(), shape(kind == 4 ? i : kind));
  });
  return {fmt::format("{} bodies within {:g} m", n, spread), "heap.json",
          fmt::format(R"({{{}, "bodies": {}}})", settings(random), bodies)};
}

// One long limb, or a brush of short ones, on the ground.
Attack limb(Random& random) {
  const int n = some_size(10, 60'000, random);
  const bool star = one_of(2, random) == 0;
  std::string bodies = list_of(n, [&](int i) {
    return fmt::format(R"({{"name":"b{}","position":[{:.2f},0,0.05],"shape":{{"sphere":0.1}}}})", i,
                       star ? 0.0 : 0.15 * i);
  });
  bodies.back() = ',';
  bodies += R"({"name":"ground","immobile":true,"shape":{"plane":{}}}])";
  const std::string joints = list_of(n - 1, [&](int i) {
    return fmt::format(
        R"({{"name":"j{0}","type":"revolute","parent":"b{1}","child":"b{2}","axis":[0,1,0],)"
        R"("limits":[-1,1],"spring":{{"hertz":3}}}})",
        i, star ? 0 : i, i + 1);
  });
  return {fmt::format("a {} of {} bodies", star ? "brush" : "limb", n), "limb.json",
          fmt::format(R"({{{}, "bodies": {}, "joints": {}}})", settings(random), bodies, joints)};
}

// Closures that all feel each other.
Attack loops(Random& random) {
  const int n = some_size(10, 20'000, random);
  const std::string bodies = list_of(n, [&](int i) {
    return fmt::format(R"({{"name":"b{}","mass":1,"shape":{{"sphere":0.1}},"collides":false}})", i);
  });
  const std::string joints = list_of(n - 1, [&](int i) {
    return fmt::format(
        R"({{"name":"j{}","type":"spherical","parent":"b0","child":"b{}","loop":true}})", i, i + 1);
  });
  return {fmt::format("{} closures on one body", n - 1), "loops.json",
          fmt::format(R"({{{}, "bodies": {}, "joints": {}}})", settings(random), bodies, joints)};
}

// Assemblies within each other: ten of ten of ten ...
Attack doubling(Random& random) {
  const int depth = some_size(2, 40, random), each = some_size(2, 1000, random);
  std::string assemblies;
  for (int i = 0; i < depth; ++i) {
    assemblies += fmt::format(
        R"("a{}":{{"parameters":{{"w":"x"}},"bodies":[{{"name":"b","shape":{{"sphere":0.1}}}}],)"
        R"("instances":[{{"assembly":"a{}","name":"i{{i}}","count":{},)"
        R"("parameters":{{"w":"{{w}}{{w}}"}}}}]}},)",
        i, i + 1, each);
  }
  assemblies += fmt::format(
      R"("a{}":{{"parameters":{{"w":"x"}},"bodies":[{{"name":"b","shape":{{"sphere":0.1}}}}]}})",
      depth);
  return {fmt::format("{} copies, {} deep", each, depth), "copies.json",
          fmt::format(R"({{"assemblies":{{{}}},"instances":[{{"assembly":"a0","name":"top"}}]}})",
                      assemblies)};
}

// Formulas: many, long, or of definitions that double.
Attack formulas(Random& random) {
  const int n = some_size(10, 60'000, random);
  std::string body = R"("bodies":[{"name":"b","shape":{"sphere":0.1}}])", text;
  switch (one_of(4, random)) {
    case 0: {
      std::string variables;
      for (int i = 1; i < std::min(n, 390); ++i) {
        variables += fmt::format(R"j(,"v{0}":"v{1}*v{1}+sin(v{1})")j", i, i - 1);
      }
      text = fmt::format(R"("variables":{{"v0":1{}}},"probes":{{"p":"v{}"}})", variables,
                         std::min(n, 390) - 1);
      break;
    }
    case 1:
      text = R"("forces":)" + list_of(n, [](int i) {
               return fmt::format(R"({{"body":"b","force":["sin(t*{})*t",0,0]}})", i);
             });
      break;
    case 2: {
      std::string probes;
      for (int i = 0; i < n && probes.size() < largest_attack - 9000; ++i) {
        probes += fmt::format(R"({}"p{}":"{}")", i > 0 ? "," : "", i,
                              std::string(std::size_t(some_size(1, 2000, random)), '-') + "t");
      }
      text = R"("probes":{)" + probes + "}";
      break;
    }
    default: {
      std::string deep(std::size_t(some_size(1, 60, random)), '(');
      text = R"("probes":{"p":")" + deep + "t^t^t^t" + std::string(deep.size(), ')') + "\"}";
    }
  }
  return {fmt::format("{} formulas", n), "formulas.json",
          "{" + settings(random) + "," + body + "," + text + "}"};
}

// Hulls of many points, and grounds of many cells.
Attack surfaces(Random& random) {
  const int n = some_size(10, 400'000, random);
  const auto point = [&](int) {
    const double x = random.normal(), y = random.normal(), z = random.normal();
    const double r = std::sqrt(x * x + y * y + z * z) + 1e-9;
    return fmt::format("[{:.6f},{:.6f},{:.6f}]", x / r, y / r, z / r);
  };
  std::string text;
  switch (one_of(3, random)) {
    case 0:
      text = R"({"name":"m","shape":{"mesh":{"vertices":)" + list_of(n, point) + "}}}";
      break;
    case 1: {
      const int side = static_cast<int>(std::sqrt(n));
      const std::string heights = list_of(side, [&](int) {
        return list_of(side, [&](int) { return fmt::format("{:.2f}", random.uniform()); });
      });
      text = fmt::format(
          R"({{"name":"g","immobile":true,"shape":{{"height_field":{{"size":[{0},{0}],"heights":{1}}}}}}},)"
          R"({{"name":"ball","position":[0,0,9],"shape":{{"sphere":5}}}})",
          side, heights);
      break;
    }
    default:
      text = fmt::format(
          R"({{"name":"g","immobile":true,"shape":{{"height_field":{{"size":[9,9],"cells":{},)"
          R"j("heights":"sin(x)*cos(y)"}}}}}})j",
          n);
  }
  return {fmt::format("a surface of {} points", n), "surface.json",
          "{" + settings(random) + ",\"bodies\":[" + text + "]}"};
}

// Rules and springs between all.
Attack pairs(Random& random) {
  const int n = some_size(10, 2'000, random), m = some_size(10, 60'000, random);
  const std::string bodies = list_of(n, [&](int i) {
    return fmt::format(
        R"({{"name":"b{0}","group":"g{0}","position":[{0},0,0],"shape":{{"sphere":0.1}}}})", i);
  });
  const std::string rules = list_of(1000, [&](int i) {
    return fmt::format(R"({{"between":["g{}","*"],"response":"penalty","stiffness":1e{}}})", i % n,
                       one_of(12, random));
  });
  const std::string springs = list_of(m, [&](int) {
    return fmt::format(R"({{"a":"b{}","b":"b{}","stiffness":1e{}}})", one_of(n, random),
                       one_of(n, random), one_of(9, random));
  });
  return {fmt::format("{} rules and springs among {} bodies", m, n), "pairs.json",
          fmt::format(R"({{{}, "bodies": {}, "springs": {}, "contact": {{"pairs": {}}}}})",
                      R"("duration": 10)", bodies, springs, rules)};
}

}  // namespace

int one_of(int count, Random& random) {
  return static_cast<int>(random.uniform() * static_cast<double>(count));
}

int some_size(int least, int most, Random& random) {
  return static_cast<int>(std::lround(least * std::pow(most / double(least), random.uniform())));
}

Attack heavy_scene(Random& random) {
  constexpr Attack (*makers[])(Random&) = {heap,     heap,     limb,  loops,
                                           doubling, formulas, pairs, surfaces};
  return makers[one_of(std::size(makers), random)](random);
}

}  // namespace molejo::test

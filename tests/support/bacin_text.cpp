#include "tests/support/bacin_text.h"

#include <doctest/doctest.h>

#include "tests/support/error_text.h"

namespace molejo {

TextFiles bacin_sample() {
  return {{"s.cfg", R"(begin animation (format of 95-01-09)
  duration = 2
  frames = 60
  tolerance = 1e-5
  min_step = 1e-7
  max_step = 0.01
  collision_test = off
  gravity = on
  correct_link_violation = off
  gravity_accel = 9.5
  restitution = 0.25
  collision_tolerance = 0.002
  constraint_tolerance = 1e-6
  mass_properties = exact
end animation
)"},
          {"s.bds", R"(begin bodies (format of 95-01-09)
  bodies = 3
  hung tet 1 2 3 0.5
  tip tet 1 1 1 1
  ground tet 1 1 1 1
end bodies
)"},
          // corners of a cube, every second one: a regular tetrahedron about the origin
          {"tet.shp", R"(begin shape (format of 95-01-09)
  mass = 3
  moments = 1.2 1.2 1.2
  vertices = 4
  faces = 4
  a 1 1 1
  b 1 -1 -1
  c -1 1 -1
  d -1 -1 1
  one a b c
  two a b d
  three a c d
  four b c d
end shape
)"},
          {"s.ste", R"(begin state (format of 95-01-09)
  bodies = 3
  time = 0.5
  tip
    0 0 8  1 0 0 0
    0 0 0  0 0 0 0
  hung
    0 0 10  1 0 0 0
    0 0 0  0 0 0 0
  ground
    5 0 0  1 0 0 0
    0 0 0  0 0 0 0
end state
)"},
          {"s.ctr", R"(begin constraints (format of 95-01-09)
  constraints = 7
  elbow Universal hung 0 0 -1  tip 0 0 1
  hook Fixed hung 0 0 2
  floor Plane tip 0 0 -1  world 0 0 2 -14
  pin Revolute tip 0 0 0  0 0 1  ground -5 0 8  0 0 1
  slide Prismatic tip 0 0 0  0 0 1  ground -5 0 0  0 0 2
  tube Cylindrical hung 0 0 0  0 0 1  world 0 0 0  0 0 1
  rest Immobile ground
end constraints
)"},
          {"s.for", R"(begin forces (format of 95-01-09)
  forces = 2
  coil Spring 20 1.5  hung 0 1 0  world 0 3 10
  push Interpolated tip 0 0 -1 3
    0.5  1 0 0  0 0 0
    1    2 0 0  0 0.5 0
    2    0 3 0  0 0 0
end forces
)"}};
}

TextFiles with(TextFiles files, const std::string& file, const std::string& from,
               const std::string& to) {
  std::string& text = files.at(file);
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
  return files;
}

BacinSource source_of(const TextFiles& files) {
  return [files](const std::string& file) -> std::optional<std::string> {
    const auto found = files.find(file);
    if (found == files.end()) return std::nullopt;
    return found->second;
  };
}

Scene parse(const TextFiles& files, const std::string& base) {
  return parse_bacin(source_of(files), base);
}

std::string error_of(const TextFiles& files, const std::string& base) {
  return test::error_text([&] { parse(files, base); });
}

}  // namespace molejo

#include <doctest/doctest.h>
#include <cstdio>
#include "molejo/io/scene.h"
#include "molejo/locomotion/modes.h"
#include "tests/support/places.h"
using namespace molejo;
TEST_CASE("probe") {
  const Scene s = read_scene(test::source_dir() + "/scenes/characters/humanoid.json");
  const Character c = make_character(s, {.stiffness = 100});
  std::printf("sym %d %s\n", c.mirror.symmetric, c.mirror.asymmetry.c_str());
  const auto names = freedom_names(c);
  for (int ph = 0; ph < 2; ++ph) {
    const Modes m = ph ? ground_modes(c, 1) : air_modes(c);
    std::printf("rigid %d count %d\n", m.rigid, m.count());
    for (int i = 0; i < m.count(); ++i) {
      std::printf("%d %.4f xi %.3f:", i + 1, m.hertz[i], m.damping_ratio[i]);
      if (i < 13) for (int r = 0; r < 30; ++r) if (std::abs(m.phi(r, i)) > 0.15) std::printf(" %s %.2f", names[r].c_str(), m.phi(r, i));
      std::printf("\n");
    }
  }
}

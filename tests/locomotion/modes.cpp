#include <doctest/doctest.h>
#include <cstdio>
#include "molejo/io/scene.h"
#include "molejo/locomotion/modes_words.h"
#include "tests/support/places.h"
using namespace molejo;
TEST_CASE("probe") {
  for (const char* n : {"humanoid", "monster", "kangaroo", "quadruped"}) {
  const Scene s = read_scene(test::source_dir() + "/scenes/characters/" + n + ".json");
  const Character c = make_character(s);
  std::printf("%s sym %d %s\n", n, c.mirror.symmetric, c.mirror.asymmetry.c_str());
  for (int ph = 0; ph < 2; ++ph) {
    const Modes m = ph ? ground_modes(c, (int)c.feet.size() - 1) : air_modes(c);
    std::printf("rigid %d count %d\n", m.rigid, m.count());
    for (int i = 0; i < m.count(); ++i) {
      std::printf("%d %.4f xi %.3f: %s\n", i + 1, m.hertz[i], m.damping_ratio[i], mode_words(c, m.phi.col(i), ph ? (int)c.feet.size() - 1 : -1).text().c_str());
    }
  }
  }
}

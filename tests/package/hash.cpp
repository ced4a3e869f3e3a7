// hash FILE SECONDS: what libmolejo.so makes of a scene.
#include <cstdio>
#include <cstdlib>

#include "molejo/io/load.h"
#include "molejo/model/error.h"
#include "molejo/physics/world.h"

int main(int count, char** arguments) try {
  if (count != 3) return 3;
  molejo::Scene scene = molejo::load_scene(molejo::SourceFile::given(arguments[1]));
  scene.settings.duration = std::atof(arguments[2]);
  const molejo::Recording recording = molejo::simulate(molejo::build(scene), scene.settings);
  std::printf("%016llx\n", static_cast<unsigned long long>(recording.summary.hash));
  return 0;
} catch (const molejo::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

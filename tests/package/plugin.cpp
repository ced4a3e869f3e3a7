// A plugin that contains the library: g++ -shared -fPIC plugin.cpp libmolejo.a
#include "molejo/io/load.h"
#include "molejo/physics/world.h"

extern "C" unsigned long long hash_of_scene(const char* file, double seconds) {
  molejo::Scene scene = molejo::load_scene(molejo::SourceFile::given(file));
  scene.settings.duration = seconds;
  return molejo::simulate(molejo::build(scene), scene.settings).summary.hash;
}

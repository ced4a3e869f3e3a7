// Any scene that builds can be run for a few steps in both ways of contact: what is recorded is
// finite, whether the run ends well or early.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/scene.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "molejo/physics/world.h"

namespace {

using namespace molejo;

bool is_finite(const Vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

bool is_small(const Scene& scene) {
  constexpr std::size_t most_bodies = 8, most_shapes = 4;
  if (scene.bodies.size() > most_bodies || scene.joints.size() > most_bodies) return false;
  for (const SceneBody& body : scene.bodies) {
    if (body.shapes.size() > most_shapes) return false;
  }
  return true;
}

void run(const Built& built, Settings settings, Integrator integrator) {
  settings.integrator = integrator;
  settings.time_step = 2e-3;
  settings.duration = 10e-3;
  settings.fps = 500;
  settings.min_step = 1e-4;
  settings.max_step = 2e-3;
  settings.contact.iterations = std::min(settings.contact.iterations, 100);
  const Recording recording = simulate(built, settings);
  if (recording.frames.empty()) std::abort();
  for (const Frame& frame : recording.frames) {
    if (!frame.state.q.allFinite() || !frame.state.v.allFinite()) std::abort();
    for (const TouchPoint& touch : frame.contacts) {
      if (!is_finite(touch.point) || !is_finite(touch.force)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Scene scene = parse_scene(text, "fuzz.json");
    if (!is_small(scene)) return 0;
    const Built built = build(scene);
    run(built, scene.settings, Integrator::midpoint);
    run(built, scene.settings, Integrator::rkf45);
  } catch (const InputError&) {
  }
  return 0;
}

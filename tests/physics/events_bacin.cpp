// E4 and E5 of Bacin's thesis: bodies bounce without loss on one that does not move.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/collision/distance.h"
#include "molejo/io/load.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Least distance of any moving body from the immobile one, over all frames.
double least_distance(const Shown& shown) {
  std::deque<ConvexMesh> meshes;
  const Model& model = shown.built.model;
  double least = 1e9;
  std::vector<Convex> solids;
  std::vector<std::size_t> bodies;
  for (const Collider& c : model.colliders) {
    solids.push_back(make_convex(model.shape(c).geometry, meshes));
    bodies.push_back(static_cast<std::size_t>(c.body.index));
  }
  for (const Frame& frame : shown.frames()) {
    for (std::size_t i = 0; i < solids.size(); ++i) {
      for (std::size_t j = 0; j < solids.size(); ++j) {
        if (!model.bodies[bodies[j]].immobile || model.bodies[bodies[i]].immobile) continue;
        const auto pose = [&](std::size_t n) {
          return frame.X_WB[bodies[n]] * model.shape(model.colliders[n]).X_BS;
        };
        least = std::min(least, separation(solids[i], pose(i), solids[j], pose(j)).distance);
      }
    }
  }
  return least;
}

double moved(const Shown& shown, const std::string& body) {
  double most = 0;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    const Pose &a = shown.pose(body, 0), &b = shown.pose(body, i);
    most = std::max({most, norm(b.p - a.p), max_abs(b.R.r0 - a.R.r0), max_abs(b.R.r1 - a.R.r1)});
  }
  return most;
}

}  // namespace

TEST_CASE("bacin: E4 and E5 bounce with the energy of the thesis, and never touch") {
  const struct {
    const char* scene;
    double energy, deviation;  // J; the thesis' standard deviation over the frames
    int impacts;
  } cases[] = {{"e4.json", 58.8, 7.81e-7, 6},
               {"e5.json", 1955.1, 1.41e-3, 10},
               {"bacin/e4/e4.cfg", 58.8, 7.81e-7, 6},
               {"bacin/e5/e5.cfg", 1955.1, 1.41e-3, 10}};
  for (const auto& c : cases) {
    const auto& [file, energy, deviation, impacts] = c;
    CAPTURE(c.scene);
    const Scene scene = load_scene(SourceFile::given(source_dir() + "/scenes/" + file));
    const Shown shown(scene);
    const Summary& summary = shown.recording.summary;
    CHECK(summary.failure == "");
    CHECK(summary.energy_initial == doctest::Approx(energy).epsilon(1e-5));
    CHECK(summary.energy_deviation <= deviation);
    CHECK(summary.impacts >= impacts);
    CHECK(summary.impacts < 100);
    CHECK(least_distance(shown) > 0);
    CHECK(moved(shown, "slab") < 1e-9);
    CHECK(summary.constraint_error < 1e-4);
  }
}

TEST_CASE("bacin: bodies that part are no collision, however near they are") {
  // within the contact distance, but on its way up
  for (const double speed : {0.5, 0.0}) {
    Scene scene = on_ground(contact_settings(Integrator::rkf45, 0.2, 100), {0, 1});
    scene.settings.gravity = {};
    scene.settings.contact.distance = 1e-3;
    SceneBody& ball =
        add_solid(scene, "ball", Sphere{0.1}, 1, {Mat3::identity(), {0, 0, 0.1 + 5e-4}}, {0, 1});
    ball.velocity = SceneBody::Velocity{{0, 0, speed}, {}};
    const Shown shown(scene);
    CAPTURE(speed);
    CHECK(shown.recording.summary.impacts == 0);
    CHECK(shown.recording.contacts.empty());
    CHECK(shown.velocity("ball").linear.z == doctest::Approx(speed));
  }
}

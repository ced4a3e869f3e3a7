// Every shipped scene whose joints close loops, turned and moved at random.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "molejo/io/load.h"
#include "molejo/physics/world.h"
#include "tests/support/error_text.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double seconds = 0.2;

// By file, with settings under which both formulations are accurate, and free of contact.
std::map<std::string, Scene> scenes_with_loops() {
  std::map<std::string, Scene> found;
  const std::filesystem::path folder = source_dir() + "/scenes";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension().string();
    const bool is_scene =
        kind == ".json" || kind == ".cfg" || kind == ".urdf" || kind == ".xml" || kind == ".dat";
    if (!is_scene || entry.path().stem().has_extension()) continue;
    Scene scene = load_scene(SourceFile::given(entry.path().string()));
    scene.settings.formulation = Formulation::reduced;
    if (scene.bodies.size() > 50 || build(scene).model.loops.empty()) continue;
    scene.settings.contact.enabled = false;
    scene.settings.integrator = Integrator::rk4;
    scene.settings.time_step = 5e-4;
    scene.settings.duration = seconds;
    scene.settings.fps = 1 / seconds;
    scene.settings.constraint_tolerance = 1e-11;
    found[entry.path().lexically_relative(folder).generic_string()] = scene;
  }
  return found;
}

Pose random_pose(std::mt19937& random) {
  return {random_rotation(random), random_vector(random) * 5};
}

// Where each body is after the time, and how fast.
struct End {
  std::vector<Pose> X_WB;
  double kinetic = 0;
};
End end_of(Scene scene, Formulation formulation) {
  scene.settings.formulation = formulation;
  const Recording recording = simulate(build(scene), scene.settings);
  CHECK(recording.summary.failure == "");
  CHECK(recording.summary.warnings.empty());
  return {recording.frames.back().X_WB, recording.frames.back().energy.kinetic};
}

double apart(const End& a, const End& b, const Pose& X) {
  double worst = std::fabs(a.kinetic - b.kinetic) / (1 + a.kinetic);
  for (std::size_t i = 0; i < a.X_WB.size(); ++i) {
    const Pose Y = X * a.X_WB[i];
    worst = std::max(worst, norm(Y.p - b.X_WB[i].p));
    for (int r = 0; r < 3; ++r) worst = std::max(worst, max_abs(Y.R[r] - b.X_WB[i].R[r]));
  }
  return worst;
}

// Freedoms that the closures leave.
int freedoms_of(Scene scene, Formulation formulation) {
  scene.settings.formulation = formulation;
  const Built built = build(scene);
  return built.model.nv - built.model.rows + redundant_rows(built.model, built.initial);
}

}  // namespace

TEST_CASE("shipped loops: in a hundred poses each moves as it does unturned") {
  const auto scenes = scenes_with_loops();
  REQUIRE(scenes.size() >= 5);
  for (const auto& [name, scene] : scenes) {
    const std::string& file = name;
    CAPTURE(file);
    const End still = end_of(scene, Formulation::reduced);
    const int freedoms = freedoms_of(scene, Formulation::reduced);
    std::mt19937 random(21);
    double worst = 0;
    for (int n = 0; n < 100; ++n) {
      CAPTURE(n);
      const Pose X = random_pose(random);
      const Scene there = moved(scene, X);
      worst = std::max(worst, apart(still, end_of(there, Formulation::reduced), X));
      CHECK(freedoms_of(there, Formulation::reduced) == freedoms);
    }
    MESSAGE(file, ": ", worst);
    CHECK(worst < 1e-7);
  }
}

TEST_CASE(
    "shipped loops: in a hundred poses under gravity reduced coordinates equal maximal ones") {
  for (const auto& [name, scene] : scenes_with_loops()) {
    const std::string& file = name;
    CAPTURE(file);
    std::mt19937 random(22);
    double worst = 0;
    for (int n = 0; n < 100; ++n) {
      CAPTURE(n);
      const Scene there = moved_under_gravity(scene, random_pose(random));
      worst = std::max(worst, apart(end_of(there, Formulation::reduced),
                                    end_of(there, Formulation::maximal), {}));
      CHECK(freedoms_of(there, Formulation::reduced) == freedoms_of(there, Formulation::maximal));
    }
    MESSAGE(file, ": ", worst);
    CHECK(worst < 1e-7);
  }
}

TEST_CASE("shipped loops: each moves alike in any size of length and mass") {
  for (auto [name, scene] : scenes_with_loops()) {
    CAPTURE(name);
    scene.settings.constraint_tolerance = Settings{}.constraint_tolerance;
    for (const Integrator method : {Integrator::rk4, Integrator::midpoint}) {
      scene.settings.integrator = method;
      const End known = end_of(scene, Formulation::reduced);
      const int freedoms = freedoms_of(scene, Formulation::reduced);
      double worst = 0;
      for (const double length : {1e-5, 1e-3, 1e-2, 10.0, 100.0}) {
        for (const double mass : {length * length * length, 1.0}) {
          CAPTURE(length);
          CAPTURE(mass);
          const Scene likeness = scaled(scene, {length, mass});
          for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
            if (method == Integrator::midpoint && formulation == Formulation::maximal) continue;
            CHECK(freedoms_of(likeness, formulation) == freedoms);
            End end = end_of(likeness, formulation);
            for (Pose& pose : end.X_WB) pose.p = pose.p / length;
            end.kinetic /= length * length * mass;
            worst = std::max(worst, apart(known, end, {}));
          }
        }
      }
      MESSAGE(name, ", ", to_string(method), ": ", worst);
      CHECK(worst < 1e-7);
    }
  }
}

TEST_CASE("shipped loops: a small one that is open is refused as its likeness is") {
  for (const double length : {1.0, 1e-2, 1e-5}) {
    CAPTURE(length);
    for (const double open : {0.9e-3, 1.1e-3}) {
      // the longest bar of the four has 0.9 m
      Scene scene = shipped_scene("four_bar");
      scene.joints.back().X_BM.p.x += open * std::min(1.0, 0.9 * length / 0.05) / length;
      const std::string told = error_text([&] { build(scaled(scene, {length, 1})); });
      CHECK((told.find("does not close") != std::string::npos) == (open > 1e-3));
    }
  }
}

TEST_CASE("shipped loops: turned by a hair each has the freedoms that it has unturned") {
  for (const auto& [name, scene] : scenes_with_loops()) {
    const std::string& file = name;
    CAPTURE(file);
    const int freedoms = freedoms_of(scene, Formulation::reduced);
    CHECK(freedoms > 0);
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{0.6, 0, 0.8}}) {
      for (double degrees = 1e-12; degrees < 1; degrees *= 10) {
        CAPTURE(degrees);
        const Pose X{axis_rotation(axis, degrees * std::acos(-1.0) / 180), {}};
        CHECK(freedoms_of(moved(scene, X), Formulation::reduced) == freedoms);
        CHECK(freedoms_of(moved(scene, X), Formulation::maximal) == freedoms);
      }
    }
  }
}

TEST_CASE("loops: a gripper of any size, mass and pose has one freedom and moves alike") {
  std::mt19937 random(23);
  const auto at_rest = [](Scene scene, double unit) {
    scene.settings.integrator = Integrator::rk4;
    scene.settings.time_step = 2.5e-4 * unit;
    scene.settings.duration = 0.1 * unit;
    scene.settings.fps = 10 / unit;
    return scene;
  };
  const Scene plain = at_rest(gripper_scene(0.3), 1);
  const End known = end_of(plain, Formulation::reduced);
  CHECK(apart(known, end_of(plain, Formulation::maximal), {}) < 1e-7);
  for (int n = 0; n < 50; ++n) {
    CAPTURE(n);
    const double length = std::pow(10, 3 * symmetric_unit(random));
    const double mass = std::pow(10, 3 * symmetric_unit(random));
    const double unit = std::sqrt(length);  // of time
    const Pose X{random_rotation(random), random_vector(random) * length};
    Scene scene = at_rest(gripper_scene(0.3 * unit, {length, mass}), unit);
    scene.settings.constraint_tolerance = 1e-11 * std::min(1.0, length);
    const Scene there = moved(scene, X);
    for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
      CHECK(freedoms_of(there, formulation) == 1);
      End end = end_of(there, formulation);
      for (Pose& pose : end.X_WB) pose.p = (pose.p - X.p) / length;
      end.kinetic /= length * mass;
      CHECK(apart(known, end, {X.R, {}}) < 1e-7);
    }
  }
}

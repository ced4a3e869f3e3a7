// The shipped scenes show what they say they show.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "molejo/io/columns.h"
#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"
#include "molejo/physics/formula_forces.h"
#include "molejo/physics/world.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::vector<std::string> scene_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenes")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The state of a scene at a time, by the accurate integrator.
Frame frame_at(Scene scene, double t, double time_step) {
  scene.settings.integrator = Integrator::rk4;
  scene.settings.time_step = time_step;
  scene.settings.duration = t;
  scene.settings.fps = 1 / t;
  return simulate(build(scene), scene.settings).frames.back();
}

}  // namespace

TEST_CASE("shipped scenes: each has a name, a description, plots and colours, and starts well") {
  REQUIRE(scene_files().size() >= 14);
  for (const std::string& file : scene_files()) {
    CAPTURE(file);
    const Scene scene = read_scene(SourceFile::given(file));
    CHECK_FALSE(scene.name.empty());
    CHECK_FALSE(scene.description.empty());
    CHECK_FALSE(scene.plot.empty());
    const Built built = build(scene);
    const std::vector<RecordedProbe> probes =
        built.formulas ? recorded_probes(*built.formulas) : std::vector<RecordedProbe>{};
    CHECK_NOTHROW(find_columns(columns(built.model, probes), scene.plot));
    CHECK(scene.settings.duration * scene.settings.fps >= 95);  // something to look at
    for (const SceneBody& body : scene.bodies) {
      CHECK_FALSE(body.shapes.empty());
      for (const Shape& shape : body.shapes) CHECK_FALSE(shape.color == Color{});
    }
  }
}

TEST_CASE("shipped scenes: each runs in both formulations, and both move alike") {
  for (const std::string& file : scene_files()) {
    CAPTURE(file);
    Scene scene = read_scene(SourceFile::given(file));
    constexpr std::size_t many = 200;  // bodies: equations for each freedom of each would take long
    if (scene.bodies.size() > many) continue;
    scene.settings.integrator = Integrator::rk4;
    scene.settings.time_step = 2.5e-4;
    scene.settings.duration = 0.1;
    scene.settings.fps = 10;
    const Recording reduced = simulate(build(scene), scene.settings);
    CHECK(reduced.summary.failure == "");
    scene.settings.formulation = Formulation::maximal;
    const Recording maximal = simulate(build(scene), scene.settings);
    CHECK(maximal.summary.failure == "");
    REQUIRE(reduced.frames.size() == maximal.frames.size());
    for (std::size_t i = 0; i < reduced.frames.back().X_WB.size(); ++i) {
      const Vec3 apart = reduced.frames.back().X_WB[i].p - maximal.frames.back().X_WB[i].p;
      CHECK(norm(apart) < 1e-5);
    }
    // nothing here stands still but the stack
    if (scene.name == "Stack") continue;
    double moved = 0;
    for (std::size_t i = 0; i < reduced.frames.back().X_WB.size(); ++i) {
      const Pose &a = reduced.frames.front().X_WB[i], &b = reduced.frames.back().X_WB[i];
      const Mat3 turn = b.R - a.R;
      moved =
          std::max({moved, norm(b.p - a.p), max_abs(turn.r0), max_abs(turn.r1), max_abs(turn.r2)});
    }
    CHECK(moved > 5e-4);
  }
}

TEST_CASE("shipped scenes: the drift of energy is the same wherever a scene stands, and how") {
  std::mt19937 random(31);
  const Pose places[] = {{Mat3::identity(), {0, 0, 1000}},
                         {Mat3::identity(), {0, 0, -1000}},
                         {random_rotation(random), {}},
                         {random_rotation(random), {-300, 500, 800}}};
  int compared = 0;
  for (const std::string& file : scene_files()) {
    CAPTURE(file);
    Scene scene = read_scene(SourceFile::given(file));
    // formulas speak of the places and axes of the world
    const bool has_formulas = !scene.definitions.empty() || !scene.probes.empty() ||
                              std::any_of(scene.forces.begin(), scene.forces.end(),
                                          [](const SceneForce& f) { return f.samples.empty(); });
    constexpr std::size_t many = 60;  // bodies
    if (has_formulas || scene.bodies.size() > many) continue;
    scene.settings.duration = 0.4;
    const Summary known = simulate(build(scene), scene.settings).summary;
    for (const Pose& X : places) {
      const Scene there = moved(scene, X);
      const Summary summary = simulate(build(there), there.settings).summary;
      CAPTURE(X.p.z);
      CAPTURE(known.energy_drift);
      CAPTURE(summary.energy_drift);
      CHECK(std::fabs(summary.energy_drift - known.energy_drift) < 1e-8 + 0.1 * known.energy_drift);
      CHECK(summary.warnings.size() == known.warnings.size());
    }
    ++compared;
  }
  CHECK(compared >= 20);
}

TEST_CASE("shipped scenes: the chain of four is work A of the reference values") {
  std::string text = read_file(source_dir() + "/scenes/chain.json");
  text.replace(text.find("\"links\": 16"), 11, "\"links\": 4");
  text.replace(text.find(", \"link7.hinge\", \"link15.hinge\""), 31, "");
  const Scene scene = parse_scene(text, "chain4.json");
  REQUIRE(scene.bodies.size() == 4);
  const double L = 0.2, w = 0.04;
  const MassProperties& m = *scene.bodies[3].given;
  CHECK(m.mass == 1);
  CHECK(m.I_BC.xx == doctest::Approx((w * w + L * L) / 12).epsilon(1e-14));
  CHECK(m.I_BC.zz == doctest::Approx(w * w / 6).epsilon(1e-14));
  const struct {
    double t, x, z;
  } reference[] = {{0.5, 0.418658836, -0.620743864},
                   {1, 0.633622619, -0.046691821},
                   {2, -0.225501923, -0.617194792}};
  for (const auto& [t, x, z] : reference) {
    const Vec3 tip = frame_at(scene, t, 1e-4).X_WB[3] * Vec3{0, 0, -L / 2};
    CHECK(tip.x == doctest::Approx(x).epsilon(1e-7));
    CHECK(tip.z == doctest::Approx(z).epsilon(1e-7));
  }
}

TEST_CASE("shipped scenes: Dzhanibekov's handle has the reference angular velocity") {
  const Frame frame = frame_at(shipped_scene("dzhanibekov"), 1, 1e-4);
  const VecX& v = frame.state.v;
  CHECK(v[3] == doctest::Approx(-0.6466447957).epsilon(1e-9));
  CHECK(v[4] == doctest::Approx(4.9590170909).epsilon(1e-9));
  CHECK(v[5] == doctest::Approx(0.3821646642).epsilon(1e-9));
}

TEST_CASE("shipped scenes: the heavy top has the reference path") {
  const Frame frame = frame_at(shipped_scene("heavy_top"), 0.1, 2e-5);
  const Vec3 centre = frame.X_WB[1].p;
  CHECK(centre.x == doctest::Approx(0.421296659).epsilon(1e-7));
  CHECK(centre.y == doctest::Approx(0.894571974).epsilon(1e-7));
  CHECK(centre.z == doctest::Approx(-0.149164701).epsilon(1e-7));
}

TEST_CASE("shipped scenes: the pendulum has the period of the elliptic integral") {
  const double period = 2.367841947576;
  const Frame half = frame_at(shipped_scene("pendulum"), period / 2, 1e-4);
  CHECK(half.state.q[0] == doctest::Approx(-std::acos(-1.0) / 2).epsilon(1e-6));
  CHECK(std::fabs(half.state.v[0]) < 1e-4);
}

TEST_CASE("shipped scenes: the Bricard linkage obeys its closure equation all the time") {
  // threefold-symmetric, twist 90 degrees: cos a + cos b + cos a cos b = 0, with the angles of
  // alternate hinges, 90 degrees in the cube configuration
  Scene scene = shipped_scene("bricard");
  scene.settings.duration = 3;
  const Recording recording = simulate(build(scene), scene.settings);
  double largest = 0;
  for (const Frame& frame : recording.frames) {
    const auto joint = [&](const std::string& child) {
      for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const Model model = build(scene).model;
        if (model.bodies[i].name == child) return frame.state.q[model.links[i].q];
      }
      return 0.0;
    };
    const double half_turn = std::acos(-1.0);
    const double a = half_turn / 2 + joint("a"), b = half_turn / 2 + joint("b");
    CHECK(std::fabs(std::cos(a) + std::cos(b) + std::cos(a) * std::cos(b)) < 1e-8);
    largest = std::max(largest, std::fabs(joint("a")));
  }
  CHECK(largest > 3);
}

TEST_CASE("shipped scenes: both ends of the Cardan shaft turn alike") {
  Scene scene = shipped_scene("cardan_shaft");
  const Built built = build(scene);
  const Frame frame = frame_at(scene, 1, 2.5e-4);
  const auto pose = [&](const char* name) {
    return frame.X_WB[static_cast<std::size_t>(built.model.body(name).index)];
  };
  const Mat3 apart = pose("input").R - pose("output").R;
  CHECK(std::max({max_abs(apart.r0), max_abs(apart.r1), max_abs(apart.r2)}) < 1e-8);
  const Vec3 y = pose("input").R.column(1);
  CHECK(std::fabs(std::atan2(y.z, y.y)) > 0.1);
}

TEST_CASE("shipped scenes: the ragdoll is work B of the reference values") {
  const Scene scene = shipped_scene("ragdoll");
  const Built built = build(scene);
  CHECK(built.model.body_count() == 13);
  CHECK(built.model.nv == 42);
  double mass = 0;
  for (const Link& link : built.model.links) mass += link.mass;
  CHECK(mass == doctest::Approx(12 + 26 + 5 + 2 * (2.2 + 1.6 + 8 + 4 + 1.1)).epsilon(1e-14));
}

TEST_CASE("shipped scenes: Earth has the ellipse of Kepler under the sun's pull") {
  // a = 1/(2/r - v^2/GM), T = 2 pi sqrt(a^3/GM), in the units of ANIMADO's script
  const double GM = 1.32944e5, r = 149.5, v = 31;
  const double a = 1 / (2 / r - v * v / GM),
               period = 2 * std::acos(-1.0) * std::sqrt(a * a * a / GM);
  CHECK(std::fabs(period - 35.74) < 0.005);
  const Scene scene = shipped_scene("planets");
  const auto earth = static_cast<std::size_t>(build(scene).model.body("earth").index);
  const Vec3 aphelion = frame_at(scene, period / 2, 0.005).X_WB[earth].p;
  CHECK((-aphelion.x - r) / (-aphelion.x + r) == doctest::Approx(0.0807).epsilon(1e-3));
  CHECK(-aphelion.x == doctest::Approx(2 * a - r).epsilon(1e-9));
  CHECK(std::fabs(aphelion.y) < 1e-6);
  CHECK(norm(frame_at(scene, period, 0.005).X_WB[earth].p - Vec3{r, 0, 0}) < 1e-5);
}

TEST_CASE("shipped scenes: the magnetic pendulum ends over one magnet, and works add up") {
  const Scene scene = shipped_scene("magnetic_pendulum");
  const Built built = build(scene);
  const Recording recording = simulate(built, scene.settings);
  const Frame &first = recording.frames.front(), &last = recording.frames.back();
  const auto place = [&](const char* body) {
    return last.X_WB[static_cast<std::size_t>(built.model.body(body).index)].p;
  };
  int near = 0;
  for (const char* magnet : {"red", "green", "blue"}) {
    near += norm(place(magnet) - place("bob")) < 0.12 ? 1 : 0;
  }
  CHECK(near == 1);
  CHECK(last.energy.kinetic < 1e-4);
  double done = 0;
  for (std::size_t i = 0; i < recording.probes.size(); ++i) {
    if (recording.probes[i].name.ends_with(".work")) done += last.probes[i];
  }
  CHECK(last.energy.total() - first.energy.total() == doctest::Approx(done).epsilon(1e-3));
}

TEST_CASE("shipped scenes: the cart swings its pole up, holds it, and does so again when pushed") {
  for (const double shove : {1.0, 2.0}) {
    CAPTURE(shove);
    Scene scene = shipped_scene("cart_pole");
    for (SceneDefinition& d : scene.definitions) {
      if (d.name == "shove") d.value = shove;
    }
    const Recording recording = simulate(build(scene), scene.settings);
    const auto upright = [](const Frame& frame) {
      return std::fabs(std::sin(frame.state.q[1])) < 0.01 && std::cos(frame.state.q[1]) > 0.99;
    };
    double tilted = 1;
    for (const Frame& frame : recording.frames) {
      const double t = frame.state.t;
      if (t > 5 && t < 7) CHECK(upright(frame));
      if (t > 7) tilted = std::min(tilted, std::cos(frame.state.q[1]));
      if (t < 7 || shove == 1) CHECK(std::fabs(frame.state.q[0]) < 1.45);  // on its track
    }
    CHECK(recording.frames.front().state.q[1] > 3);
    CHECK(upright(recording.frames.back()));
    CHECK(std::fabs(recording.frames.back().state.q[0]) < 0.05);
    // the small push is withstood, the other one makes it fall
    CHECK((tilted > 0.9) == (shove == 1));
  }
}

TEST_CASE("shipped scenes: in still air the leaves of the mobile only lose energy") {
  Scene scene = shipped_scene("mobile_in_wind");
  const auto leaf_works = [&] {
    const Recording recording = simulate(build(scene), scene.settings);
    std::vector<double> all;
    for (std::size_t i = 0; i < recording.probes.size(); ++i) {
      if (!recording.probes[i].name.ends_with(".wind.work")) continue;
      all.push_back(recording.frames.back().probes[i]);
    }
    return all;
  };
  const std::vector<double> windy = leaf_works();
  REQUIRE(windy.size() == 4);
  CHECK(*std::max_element(windy.begin(), windy.end()) > 0.01);
  for (SceneDefinition& d : scene.definitions) {
    if (d.name == "strength") d.value = 0;
  }
  for (const double work : leaf_works()) CHECK(work <= 0);
}

TEST_CASE("shipped scenes: all that falls on the dunes stays in their bowl") {
  const Scene scene = shipped_scene("dunes");
  const Recording recording = simulate(build(scene), scene.settings);
  const auto& field = std::get<HeightField>(scene.bodies[0].shapes[0].geometry);
  CHECK(field.columns == 73);
  const double x = 4.5, y = -4.5;  // a corner, where the noise is not 0
  const double plain = 0.05 * (x * x + y * y) + 0.22 * std::sin(1.3 * x + 0.4) * std::cos(1.1 * y);
  CHECK(std::fabs(field.heights[72] - plain) <= 0.12);
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    const Vec3 p = recording.frames.back().X_WB[i].p;
    CHECK(std::fabs(p.x) < 4.5);
    CHECK(std::fabs(p.y) < 4.5);
    CHECK(p.z > -0.4);
    CHECK(p.z < 1.2);
  }
}

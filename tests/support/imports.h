// Shared by the tests of the URDF and MJCF readers.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "molejo/io/file.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/integrate.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

namespace molejo::test {

inline std::string import_path(const std::string& name) {
  return source_dir() + "/scenes/imports/" + name;
}

inline const SceneBody& body_of(const Scene& scene, const std::string& name) {
  for (const SceneBody& body : scene.bodies) {
    if (body.name == name) return body;
  }
  FAIL("no body " << name);
  return scene.bodies.front();
}

inline const SceneJoint& joint_of(const Scene& scene, const std::string& name) {
  for (const SceneJoint& joint : scene.joints) {
    if (joint.name == name) return joint;
  }
  FAIL("no joint " << name);
  return scene.joints.front();
}

inline bool has_warning(const Scene& scene, const std::string& part) {
  for (const std::string& warning : scene.warnings) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

// One line that holds `part` says why the content cannot be read.
template <class Parse>
void check_refused(const std::string& content, const std::string& part, Parse&& parse) {
  CAPTURE(content);
  const std::string error = error_text(parse);
  CAPTURE(error);
  CHECK(error.find(part) != std::string::npos);
  CHECK(error.find('\n') == std::string::npos);
}

inline void check_near(const Vec3& a, const Vec3& b, double tolerance = 1e-12) {
  CHECK(a.x == doctest::Approx(b.x).scale(1).epsilon(tolerance));
  CHECK(a.y == doctest::Approx(b.y).scale(1).epsilon(tolerance));
  CHECK(a.z == doctest::Approx(b.z).scale(1).epsilon(tolerance));
}

// A folder of its own for files that a test writes; removed with what is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) : path_(binary_dir() + "/test_files_" + name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << content;
  }

 private:
  std::string path_;
};

// What MuJoCo 2.2.2 says about a model in one state, contacts and limits switched off.
struct Reference {
  double mass;
  Vec3 com;                          // of all bodies, in the world
  std::vector<double> diagonal;      // of the mass matrix, armatures included
  double squared_norm;               // sum of squares of all its entries
  std::vector<double> acceleration;  // with gravity, springs, dampers, motors and closures
};

// Tolerances are relative: of masses, and of accelerations to the largest one.
inline void check_reference(Built built, const Reference& reference, double mass_tolerance = 1e-10,
                            double tolerance = 1e-9) {
  Model& model = built.model;
  for (Drive& drive : model.drives) drive.lower.reset(), drive.upper.reset();
  REQUIRE(model.nv == static_cast<int>(reference.diagonal.size()));

  Dynamics<double> d(model);
  update_poses(model, built.initial.q.data(), d.kinematics);
  update_velocities(model, built.initial.v.data(), d.kinematics);
  const Totals sum = totals(model, d.kinematics);
  CHECK(sum.mass == doctest::Approx(reference.mass).epsilon(1e-12));
  check_near(sum.com, reference.com, 1e-11);

  MatX M = mass_matrix(model, d);
  for (int i = 0; i < model.nv; ++i) {
    CAPTURE(i);
    const auto n = static_cast<std::size_t>(i);
    M(i, i) += model.drives[n].armature;
    CHECK(M(i, i) == doctest::Approx(reference.diagonal[n]).epsilon(mass_tolerance));
  }
  CHECK(M.squaredNorm() == doctest::Approx(reference.squared_norm).epsilon(mass_tolerance));

  Scratch scratch(model);
  VecX a(model.nv);
  acceleration(model, 0, built.initial.q.data(), built.initial.v.data(), a.data(), scratch);
  double largest = 1;
  for (const double x : reference.acceleration) largest = std::max(largest, std::fabs(x));
  for (int i = 0; i < model.nv; ++i) {
    CAPTURE(i);
    CHECK(std::fabs(a[i] - reference.acceleration[static_cast<std::size_t>(i)]) <
          tolerance * largest);
  }
}

}  // namespace molejo::test

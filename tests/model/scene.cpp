// The words of the scene file and the freedoms of the joints.
#include "molejo/model/scene.h"

#include <doctest/doctest.h>

using namespace molejo;

TEST_CASE("scene: each joint type leaves its freedoms") {
  struct Row {
    JointType type;
    const char* word;
    int translations, rotations, coordinates;
  };
  const Row rows[] = {{JointType::fixed, "fixed", 0, 0, 0},
                      {JointType::revolute, "revolute", 0, 1, 1},
                      {JointType::prismatic, "prismatic", 1, 0, 1},
                      {JointType::cylindrical, "cylindrical", 1, 1, 2},
                      {JointType::universal, "universal", 0, 2, 2},
                      {JointType::spherical, "spherical", 0, 3, 4},
                      {JointType::planar, "planar", 2, 1, 3},
                      {JointType::point_in_plane, "point_in_plane", 2, 3, 6},
                      {JointType::free, "free", 3, 3, 7}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    const Freedoms f = freedoms(row.type);
    CHECK(f.translations == row.translations);
    CHECK(f.rotations == row.rotations);
    CHECK(f.count() == row.translations + row.rotations);
    CHECK(f.coordinates() == row.coordinates);
    CHECK(to_string(row.type) == row.word);
    CHECK(parse_joint_type(row.word) == row.type);
  }
}

TEST_CASE("scene: words of settings are read back, others are not") {
  using enum Integrator;
  for (const Integrator i : {semi_implicit_euler, midpoint, rk4, rkf45}) {
    CHECK(parse_integrator(to_string(i)) == i);
  }
  CHECK(to_string(semi_implicit_euler) == "semi_implicit_euler");
  for (const Formulation f : {Formulation::reduced, Formulation::maximal}) {
    CHECK(parse_formulation(to_string(f)) == f);
  }
  CHECK(to_string(Formulation::maximal) == "maximal");
  CHECK_FALSE(parse_joint_type("hinge"));
  CHECK_FALSE(parse_joint_type(""));
  CHECK_FALSE(parse_integrator("RK4"));
  CHECK_FALSE(parse_formulation("minimal"));
}

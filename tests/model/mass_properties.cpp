// Closed forms against integration over triangles, and the laws that tie the operations together.
#include "molejo/model/mass_properties.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace molejo;

namespace {

constexpr double pi = std::numbers::pi;

double difference(const Sym3& a, const Sym3& b) {
  const Sym3 d = a + b * -1.0;
  return std::sqrt(d.xx * d.xx + d.yy * d.yy + d.zz * d.zz + d.xy * d.xy + d.xz * d.xz +
                   d.yz * d.yz);
}

void check_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  CHECK(std::fabs(a.mass - b.mass) <= tolerance * b.mass);
  CHECK(norm(a.p_BC - b.p_BC) <= tolerance * (1 + norm(b.p_BC)));
  CHECK(difference(a.I_BC, b.I_BC) <= tolerance * difference(b.I_BC, {}));
}

std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  }
  return corners;
}

const Pose some_pose{matrix(exp_quat(Vec3{0.3, -1.1, 0.7})), {1.5, -0.4, 2.25}};

}  // namespace

TEST_CASE("mass: a box of 10 x 4 x 2 m and 10 kg, by formula and by triangles") {
  const double density = 10.0 / 80;
  const MassProperties formula = mass_properties({Box{{5, 2, 1}}, {}, {}}, density);
  const MassProperties integral =
      mass_properties({convex_hull(box_corners({5, 2, 1})), {}, {}}, density);
  const Sym3 expected = Sym3::diagonal(50.0 / 3, 260.0 / 3, 290.0 / 3);
  for (const MassProperties& m : {formula, integral}) {
    CHECK(m.mass == doctest::Approx(10).epsilon(1e-14));
    CHECK(norm(m.p_BC) < 1e-14);
    CHECK(difference(m.I_BC, expected) < 1e-12 * 290 / 3);
  }
}

TEST_CASE("mass: what is flat has none, rather than none by none") {
  Polyhedron sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 1}};
  const MassProperties m = mass_properties({sheet, {}, {}}, 700);
  CHECK(m.mass == 0);
  CHECK(m.p_BC == Vec3{});
  CHECK(difference(m.I_BC, {}) == 0);
}

TEST_CASE("mass: closed forms of the round solids") {
  const double r = 0.3, h = 0.8, rho = 700;
  const MassProperties ball = mass_properties({Sphere{r}, {}, {}}, rho);
  CHECK(ball.mass == doctest::Approx(rho * 4 / 3 * pi * r * r * r));
  CHECK(ball.I_BC.xx == doctest::Approx(0.4 * ball.mass * r * r));
  CHECK(ball.I_BC.xx == ball.I_BC.zz);

  const MassProperties rod = mass_properties({Cylinder{r, h}, {}, {}}, rho);
  CHECK(rod.mass == doctest::Approx(rho * pi * r * r * 2 * h));
  CHECK(rod.I_BC.zz == doctest::Approx(rod.mass * r * r / 2));
  CHECK(rod.I_BC.xx == doctest::Approx(rod.mass * (3 * r * r + 4 * h * h) / 12));
}

// The integral over a mesh of 8n segments has the error c/n^2 + O(1/n^4): Richardson removes it.
TEST_CASE("mass: a fine mesh of each round solid converges to its closed form") {
  for (const Geometry& g :
       {Geometry{Sphere{0.3}}, Geometry{Cylinder{0.3, 0.8}}, Geometry{Capsule{0.3, 0.8}}}) {
    CAPTURE(g.index());
    const auto integral = [&](int segments) {
      const Mesh m = tessellate(g, segments);
      return mass_properties({Polyhedron{m.positions, m.triangles}, {}, {}}, 700);
    };
    const MassProperties exact = mass_properties({g, {}, {}}, 700);
    const MassProperties a = integral(64), b = integral(128);
    const Sym3 limit = b.I_BC * (4.0 / 3) + a.I_BC * (-1.0 / 3);
    CHECK((4 * b.mass - a.mass) / 3 == doctest::Approx(exact.mass).epsilon(1e-5));
    CHECK(difference(limit, exact.I_BC) < 1e-5 * exact.I_BC.xx);
    CHECK(difference(a.I_BC, exact.I_BC) / difference(b.I_BC, exact.I_BC) ==
          doctest::Approx(4).epsilon(0.01));
  }
}

TEST_CASE("mass: a capsule without a straight part is a ball, a plane has no mass") {
  check_same(mass_properties({Capsule{0.4, 0}, {}, {}}, 900),
             mass_properties({Sphere{0.4}, {}, {}}, 900), 1e-14);
  CHECK(mass_properties({Plane{}, {}, {}}, 900) == MassProperties{});
}

TEST_CASE("mass: placing a shape equals placing its vertices") {
  std::vector<Vec3> corners = box_corners({0.5, 0.2, 0.1});
  for (Vec3& c : corners) c = some_pose * c;
  check_same(mass_properties({Box{{0.5, 0.2, 0.1}}, some_pose, {}}, 300),
             mass_properties({convex_hull(corners), {}, {}}, 300), 1e-12);
}

TEST_CASE("mass: a far polyhedron keeps its inertia") {
  std::vector<Vec3> corners = box_corners({0.5, 0.25, 0.125});
  for (Vec3& c : corners) c += Vec3{1024, -2048, 4096};
  const MassProperties m = mass_properties({convex_hull(corners), {}, {}}, 300);
  const MassProperties box = mass_properties({Box{{0.5, 0.25, 0.125}}, {}, {}}, 300);
  CHECK(difference(m.I_BC, box.I_BC) < 1e-13 * box.I_BC.zz);
}

TEST_CASE("mass: two halves make the whole, in either order and from any frame") {
  const Pose left{Mat3::identity(), {-0.5, 0, 0}}, right{Mat3::identity(), {0.5, 0, 0}};
  const MassProperties a = mass_properties({Box{{0.5, 0.3, 0.2}}, left, {}}, 500);
  const MassProperties b = mass_properties({Box{{0.5, 0.3, 0.2}}, right, {}}, 500);
  const MassProperties whole = mass_properties({Box{{1, 0.3, 0.2}}, {}, {}}, 500);
  check_same(a + b, whole, 1e-14);
  check_same(b + a, whole, 1e-14);
  check_same(transformed(some_pose, a) + transformed(some_pose, b), transformed(some_pose, whole),
             1e-13);
  check_same(transformed(inverse(some_pose), transformed(some_pose, a)), a, 1e-14);
  CHECK(a + MassProperties{} == a);
  CHECK(MassProperties{} + MassProperties{} == MassProperties{});
}

TEST_CASE("mass: two point-like masses have the inertia of a dumbbell") {
  const MassProperties a{3, {0, 0, 0}, {}}, b{1, {0, 2, 0}, {}};
  const MassProperties sum = a + b;
  CHECK(sum.p_BC == Vec3{0, 0.5, 0});
  // reduced mass 3/4 at distance 2
  CHECK(sum.I_BC == Sym3::diagonal(3, 0, 3));
}

TEST_CASE("mass: principal moments ascend and the axes turn the tensor into them") {
  for (const Vec3 moments :
       {Vec3{1, 2, 2.5}, Vec3{1, 1, 1}, Vec3{2, 2, 3}, Vec3{1e-9, 1, 1}, Vec3{3e8, 4e8, 5e8}}) {
    for (const Vec3 turn :
         {Vec3{0, 0, 0}, Vec3{0.3, -1.1, 0.7}, Vec3{0, 0, pi / 2}, Vec3{1e-9, 0, 0}}) {
      const Sym3 I =
          rotated(matrix(exp_quat(turn)), Sym3::diagonal(moments.z, moments.x, moments.y));
      const PrincipalInertia p = principal_inertia(I);
      CHECK(max_abs(p.moments - moments) < 1e-14 * moments.z);
      CHECK(determinant(p.axes) == doctest::Approx(1).epsilon(1e-14));
      const Mat3 unit = transpose(p.axes) * p.axes - Mat3::identity();
      CHECK(max_abs(unit.r0) + max_abs(unit.r1) + max_abs(unit.r2) < 1e-14);
      const Sym3 again = rotated(p.axes, Sym3::diagonal(p.moments.x, p.moments.y, p.moments.z));
      CHECK(difference(again, I) < 1e-14 * moments.z);
    }
  }
}

TEST_CASE("mass: only inertias of solids are physical") {
  CHECK(is_physical_inertia(Sym3::diagonal(1, 1, 1)));
  CHECK(is_physical_inertia(Sym3::diagonal(1, 2, 3)));  // a flat plate
  CHECK(is_physical_inertia(rotated(some_pose.R, Sym3::diagonal(1, 2, 3))));
  CHECK_FALSE(is_physical_inertia(Sym3::diagonal(1, 2, 3.001)));
  CHECK(is_physical_inertia(Sym3::diagonal(1, 2, 3.001), 1e-3));
  CHECK_FALSE(is_physical_inertia(Sym3::diagonal(0, 1, 1)));
  CHECK_FALSE(is_physical_inertia(Sym3::diagonal(-1, 2, 2)));
  CHECK_FALSE(is_physical_inertia({1, 1, 1, 1.5, 0, 0}));
  CHECK_FALSE(is_physical_inertia(Sym3::diagonal(1, NAN, 1)));
  CHECK_FALSE(is_physical_inertia(Sym3::diagonal(1, INFINITY, INFINITY)));
}

// Impulses on the tree's factor against dense algebra: J M^-1 J^T from Jacobians and the composite
// rigid-body mass matrix.
#include "molejo/model/scene.h"
#include "molejo/physics/contact_solve.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Setting {
  Built built;
  Dynamics<double> d;
  ContactSystem<double> system;

  Setting(const Scene& scene, unsigned seed)
      : built(build(scene)), d(built.model), system(built.model) {
    std::mt19937 random(seed);
    built.initial = random_state(built.model, random);
    update_poses(built.model, built.initial.q.data(), d.kinematics);
    update_velocities(built.model, built.initial.v.data(), d.kinematics);
    factorize(built.model, d);
    start_contacts(built.model, d, system);
  }
  MatX mass_inverse() {
    MatX M = mass_matrix(built.model, d);
    for (int i = 0; i < built.model.nv; ++i)
      M(i, i) += built.model.drives[static_cast<std::size_t>(i)].armature;
    return M.inverse();
  }
  // Rows along the axes of a contact.
  MatX jacobian(const ContactBlock<double>& c, int a, int b, const Vec3& p) const {
    const MatX J = point_jacobian(built.model, d.kinematics, {a}, p) -
                   point_jacobian(built.model, d.kinematics, {b}, p);
    MatX axes(3, 3);
    for (int k = 0; k < 3; ++k) axes.row(k) << c.axis[k].x, c.axis[k].y, c.axis[k].z;
    return axes * J;
  }
};

// Several trees in one model, so that contacts join them.
Scene forest(unsigned seed) {
  Scene scene = random_tree_scene({.bodies = 11, .floating = true, .rotors = true, .seed = seed});
  const Scene other = random_tree_scene({.bodies = 9, .floating = false, .seed = seed + 50});
  for (SceneBody body : other.bodies) {
    body.name += "_2";
    scene.bodies.push_back(body);
  }
  for (SceneJoint joint : other.joints) {
    joint.name += "_2";
    if (!joint.parent.empty()) joint.parent += "_2";
    joint.child += "_2";
    scene.joints.push_back(joint);
  }
  return scene;
}

}  // namespace

TEST_CASE("contact system: a contact's block is J M^-1 J^T, within a tree and between two") {
  std::mt19937 random(7);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Setting s(forest(seed), seed);
    const MatX inverse = s.mass_inverse();
    const int count = s.built.model.body_count();
    for (int n = 0; n < 40; ++n) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(count));
      const int b = static_cast<int>(random() % static_cast<unsigned>(count));
      if (a == b) continue;
      const Vec3 p = random_vector(random), normal = normalized(random_vector(random));
      const ContactBlock<double> c = add_contact(s.built.model, s.d, a, b, p, p, normal, s.system);
      const MatX J = s.jacobian(c, a, b, p);
      const MatX A = J * inverse * J.transpose();
      const double scale = A.norm() + 1e-12;
      CAPTURE(a);
      CAPTURE(b);
      CHECK(std::fabs(c.t11 - A(0, 0)) < 1e-10 * scale);
      CHECK(std::fabs(c.t12 - A(0, 1)) < 1e-10 * scale);
      CHECK(std::fabs(c.t22 - A(1, 1)) < 1e-10 * scale);
      CHECK(std::fabs(c.t1n - A(0, 2)) < 1e-10 * scale);
      CHECK(std::fabs(c.t2n - A(1, 2)) < 1e-10 * scale);
      CHECK(std::fabs(c.nn - A(2, 2)) < 1e-10 * scale);
    }
  }
}

TEST_CASE("contact system: the solution obeys Signorini's and Coulomb's laws at every contact") {
  std::mt19937 random(3);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Setting s(forest(seed), seed);
    const Model& model = s.built.model;
    struct Place {
      int a, b;
      Vec3 p;
    };
    std::vector<Place> places;
    for (int n = 0; n < 6; ++n) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(model.body_count()));
      const int b = (a + 3) % model.body_count();
      const Vec3 p = random_vector(random), normal = normalized(random_vector(random));
      ContactBlock<double>& c = add_contact(model, s.d, a, b, p, p, normal, s.system);
      const Vec3 v =
          point_velocity(s.d.kinematics, {a}, p) - point_velocity(s.d.kinematics, {b}, p);
      c.free = {dot(c.axis[0], v), dot(c.axis[1], v), dot(c.axis[2], v)};
      c.target = 0.1 * symmetric_unit(random);
      c.friction = 0.3;
      places.push_back({a, b, p});
    }
    const int count = static_cast<int>(places.size());
    const ContactEffort effort = solve_contacts(s.system, 0, count, 20000, 1e-13);
    CAPTURE(effort.iterations);
    REQUIRE(effort.change <= 1e-13);

    VecX dv(model.nv);
    contact_response(model, s.d, s.system.s, s.system, dv.data());
    VecX impulse = VecX::Zero(model.nv);
    const VecX v = s.built.initial.v + dv;
    int acting = 0, sliding = 0;
    for (int i = 0; i < count; ++i) {
      const ContactBlock<double>& c = s.system.contacts[static_cast<std::size_t>(i)];
      const Place& place = places[static_cast<std::size_t>(i)];
      const MatX J = s.jacobian(c, place.a, place.b, place.p);
      const Eigen::Vector3d u = J * v;
      const Eigen::Vector3d lambda(c.impulse.x, c.impulse.y, c.impulse.z);
      impulse += J.transpose() * lambda;
      CHECK(c.impulse.z >= 0);
      if (c.inverse_nn == 0) {  // two bodies that a fixed joint makes one
        CHECK(J.row(2).norm() < 1e-6);
        continue;
      }
      CHECK(u[2] - c.target > -1e-8);
      CHECK(std::fabs(c.impulse.z * (u[2] - c.target)) < 1e-8 * (1 + c.impulse.z));
      const double limit = c.friction * c.impulse.z, t = std::hypot(lambda[0], lambda[1]);
      CHECK(t <= limit * (1 + 1e-12) + 1e-14);
      const double slip = std::hypot(u[0], u[1]);
      if (c.impulse.z > 1e-9) ++acting;
      if (slip > 1e-6 && c.impulse.z > 1e-9) {
        // at the rim of the cone, against the slip
        ++sliding;
        CHECK(t == doctest::Approx(limit).epsilon(1e-6));
        CHECK(lambda[0] * u[0] + lambda[1] * u[1] == doctest::Approx(-t * slip).epsilon(1e-6));
      }
    }
    // the change of velocity is that of these impulses
    CHECK((dv - s.mass_inverse() * impulse).norm() < 1e-9 * (1 + dv.norm()));
    CHECK(acting > 0);
  }
}

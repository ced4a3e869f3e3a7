// Impacts against dense algebra and the laws they must obey.
#include "molejo/physics/impact.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "tests/support/contact_scenes.h"
#include "tests/support/impact_setting.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// The jointed pair of E5 in some motion.
Scene jointed_pair(Formulation formulation, std::mt19937& random) {
  Scene scene = shipped_scene("e5");
  scene.settings.formulation = formulation;
  set_in_motion(scene, random);
  return scene;
}

Scene moving_tree(unsigned seed, bool floating, Formulation formulation, std::mt19937& random) {
  Scene scene = random_tree_scene({.bodies = 9, .floating = floating, .seed = seed});
  scene.settings.formulation = formulation;
  add_wall(scene, "wall", Sphere{0.1}, {});
  set_in_motion(scene, random);
  return scene;
}

int some_body(const Model& model, std::mt19937& random) {
  while (true) {
    const auto i = random() % static_cast<unsigned>(model.body_count());
    if (model.parts[i].moves) return static_cast<int>(i);
  }
}

// A contact at which two bodies approach, anywhere.
Contact some_contact(const ImpactSetting& s, double restitution, std::mt19937& random) {
  const Model& model = s.model();
  while (true) {
    const int a = some_body(model, random), b = some_body(model, random);
    if (model.parts[static_cast<std::size_t>(a)].id == model.parts[static_cast<std::size_t>(b)].id)
      continue;
    Contact c =
        s.contact(a, b, random_vector(random), normalized(random_vector(random)), 0, restitution);
    const double u = dot(s.velocity(c, s.v), c.normal);
    if (u > 0) c.normal = -c.normal;
    if (std::fabs(u) > 0.1) return c;
  }
}

// A vertex of a body that hits something immobile.
Contact some_hit(const ImpactSetting& s, double friction, double restitution,
                 std::mt19937& random) {
  const Model& model = s.model();
  while (true) {
    const BodyId a = model.body("b" + std::to_string(random() % 9));
    const Shape& shape = model.bodies[static_cast<std::size_t>(a.index)].shapes[0];
    const Vec3 half = std::get<Box>(shape.geometry).half;
    const auto side = [&](double x) { return random() % 2 == 0 ? x : -x; };
    const Vec3 corner{side(half.x), side(half.y), side(half.z)};
    const Vec3 p = body_pose(model, s.d.kinematics, a) * (shape.X_BS * corner);
    Contact c = s.contact(a.index, model.body("wall").index, p, normalized(random_vector(random)),
                          friction, restitution);
    const double u = dot(s.velocity(c, s.v), c.normal);
    if (u > 0) c.normal = -c.normal;
    if (std::fabs(u) > 0.1) return c;
  }
}

struct Case {
  const char* name;
  Scene scene;
};
std::vector<Case> cases(std::mt19937& random) {
  std::vector<Case> list;
  for (const Formulation f : {Formulation::reduced, Formulation::maximal}) {
    for (int n = 0; n < 3; ++n) list.push_back({"pair of E5", jointed_pair(f, random)});
    for (unsigned seed = 1; seed <= 9; ++seed) {
      list.push_back({"tree", moving_tree(seed, seed % 2 == 0, f, random)});
    }
  }
  return list;
}

}  // namespace

TEST_CASE("impact: the elastic bound of the impulse is twice the plastic one") {
  std::mt19937 random(1);
  for (const Case& c : cases(random)) {
    CAPTURE(c.name);
    CAPTURE(to_string(c.scene.settings.formulation));
    ImpactSetting setting(c.scene);
    for (int n = 0; n < 10; ++n) {
      const Contact contact = some_contact(setting, 0, random);
      const ImpulseBounds bounds = impulse_bounds(setting, contact);
      CHECK(bounds.plastic > 0);
      CHECK(std::fabs(bounds.elastic / bounds.plastic - 2) < 1e-8);
    }
  }
}

TEST_CASE("impact: one contact without friction gets Bacin's impulse, and the joints hold") {
  std::mt19937 random(2);
  for (const Case& c : cases(random)) {
    CAPTURE(c.name);
    CAPTURE(to_string(c.scene.settings.formulation));
    for (int n = 0; n < 10; ++n) {
      ImpactSetting setting(c.scene);
      Contact contact = some_contact(setting, 0, random);
      const ImpulseBounds bounds = impulse_bounds(setting, contact);
      const VecX before = setting.v, row = setting.normal_row(contact);
      const double T = setting.kinetic(before);
      double last = -1;
      for (const double e : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        CAPTURE(e);
        setting.v = before;
        contact.restitution = e;
        std::vector<Contact> list{contact};
        const ImpactReport report = setting.hit(list);
        CHECK(report.solved);
        CHECK_FALSE(report.exhausted);
        CHECK(report.rounds == 1);
        const double kappa = dot(list[0].impulse, contact.normal);
        CHECK(kappa == doctest::Approx((1 + e) * bounds.plastic).epsilon(1e-8));
        CHECK(norm(list[0].impulse - contact.normal * kappa) < 1e-12 * kappa);
        CHECK(row.dot(setting.v) == doctest::Approx(-e * row.dot(before)).epsilon(1e-9));
        if (setting.model().rows > 0) {
          CHECK((setting.closures() * setting.v).lpNorm<Eigen::Infinity>() < 1e-9);
        }
        // the energy: less is lost the more it bounces, nothing at e = 1
        const double after = setting.kinetic(setting.v);
        CHECK(after > last);
        last = after;
        const double lost = T - after;
        CHECK(lost >= -1e-9 * T);
        const double expected = 0.5 * (1 - e * e) * bounds.plastic * -row.dot(before);
        CHECK(lost == doctest::Approx(expected).epsilon(1e-7).scale(T));
      }
      CHECK(std::fabs(last - T) < 1e-9 * T);
    }
  }
}

TEST_CASE("impact: free bodies keep their momentum, linear and angular") {
  std::mt19937 random(3);
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      CAPTURE(to_string(formulation));
      CAPTURE(seed);
      ImpactSetting setting(moving_tree(seed, true, formulation, random));
      const Totals before = totals(setting.model(), setting.d.kinematics);
      std::vector<Contact> list;
      for (int n = 0; n < 4; ++n) list.push_back(some_contact(setting, 0.5, random));
      const VecX v = setting.v;
      setting.hit(list);
      update_velocities(setting.model(), setting.v.data(), setting.d.kinematics);
      const Totals after = totals(setting.model(), setting.d.kinematics);
      const double scale = before.mass;
      CHECK((setting.v - v).norm() > 0.1);
      CHECK(norm(after.momentum - before.momentum) < 1e-10 * scale);
      CHECK(norm(after.angular_momentum - before.angular_momentum) < 1e-10 * scale);
    }
  }
}

TEST_CASE("impact: both formulations change the velocities alike") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    std::vector<Vec3> velocities[2];
    for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
      std::mt19937 random(100 + seed);
      ImpactSetting setting(moving_tree(seed, seed % 2 == 0, formulation, random));
      std::vector<Contact> list;
      for (int n = 0; n < 3; ++n) list.push_back(some_hit(setting, 0.4, 0.5, random));
      setting.hit(list);
      update_velocities(setting.model(), setting.v.data(), setting.d.kinematics);
      for (int i = 0; i < 9; ++i) {
        velocities[static_cast<int>(formulation)].push_back(point_velocity(
            setting.d.kinematics, setting.model().body("b" + std::to_string(i)), {}));
      }
    }
    for (std::size_t i = 0; i < velocities[0].size(); ++i) {
      CHECK(norm(velocities[0][i] - velocities[1][i]) < 1e-6);
    }
  }
}

TEST_CASE("impact: one contact with friction obeys Coulomb's law, and never gains energy") {
  std::mt19937 random(4);
  int sticks = 0, slides = 0, weakened = 0;
  for (unsigned seed = 1; seed <= 9; ++seed) {
    const Formulation formulation = seed % 3 == 0 ? Formulation::maximal : Formulation::reduced;
    ImpactSetting setting(moving_tree(seed, true, formulation, random));
    const VecX before = setting.v;
    const double T = setting.kinetic(before);
    for (int n = 0; n < 200; ++n) {
      setting.v = before;
      const double e = n % 3 == 0 ? 0 : 0.5 + 0.5 * symmetric_unit(random);
      const double friction = 0.5 * (1 + symmetric_unit(random));
      const Contact contact = some_hit(setting, friction, e, random);
      std::vector<Contact> list{contact};
      setting.hit(list);
      CAPTURE(seed);
      CAPTURE(n);
      CAPTURE(e);
      CAPTURE(friction);
      const double after = setting.kinetic(setting.v);
      CHECK(after <= T * (1 + 1e-9));
      // Newton's restitution, or less where that would have gained energy
      const double u = -dot(setting.velocity(contact, before), contact.normal);
      const Vec3 v = setting.velocity(contact, setting.v);
      const double bounce = dot(v, contact.normal) / u;
      if (std::fabs(bounce - e) > 1e-7) {
        ++weakened;
        CHECK(bounce > -1e-9);
        CHECK(bounce < e);
        CHECK(after == doctest::Approx(T).epsilon(1e-3));
      }
      const double normal = dot(list[0].impulse, contact.normal);
      const Vec3 tangential = list[0].impulse - contact.normal * normal;
      const Vec3 slip = v - contact.normal * dot(v, contact.normal);
      CHECK(normal > 0);
      CHECK(norm(tangential) <= friction * normal * (1 + 1e-9));
      if (norm(slip) < 1e-7) {
        ++sticks;
      } else if (std::fabs(bounce - e) < 1e-7) {
        ++slides;
        CHECK(norm(tangential) == doctest::Approx(friction * normal).epsilon(1e-8));
        const Vec3 against = slip * (norm(tangential) / norm(slip));
        CHECK(norm(tangential + against) < 1e-5 * norm(tangential) + 1e-12);
      }
    }
  }
  CHECK(sticks > 100);
  CHECK(slides > 100);
  CHECK(weakened > 2);
  CHECK(weakened < 40);
}

TEST_CASE("impact: a rod for which Newton's law and friction would make energy") {
  // Kane's paradox: a rod of 1 m, 0.9 rad off the vertical, slides and falls on its lower end. The
  // impulse (P_t, P_n) of one slide, normal velocity -e u, by hand: friction 1/2, no stick.
  Scene scene;
  add_solid(scene, "rod", Box{{0.5, 0.01, 0.01}}, 1, {axis_rotation({0, 1, 0}, 0.7), {}});
  add_wall(scene, "wall", Sphere{0.1}, {});
  scene.settings.contact.rest_speed = 1e-9;
  std::mt19937 random(11);
  int gained = 0;
  for (int n = 0; n < 2000; ++n) {
    scene.bodies[0].velocity =
        SceneBody::Velocity{random_vector(random), random_vector(random) * 4};
    ImpactSetting setting(scene);
    const int rod = setting.model().body("rod").index, wall = setting.model().body("wall").index;
    const Vec3 end = scene.bodies[0].X_WB * Vec3{0.5, 0, -0.01};
    std::vector<Contact> list{setting.contact(rod, wall, end, {0, 0, 1}, 0.6, 0.9)};
    const Vec3 u = setting.velocity(list[0], setting.v);
    if (u.z > -0.05) continue;
    const double T = setting.kinetic(setting.v);
    setting.hit(list);
    const double bounce = -setting.velocity(list[0], setting.v).z / u.z;
    CHECK(setting.kinetic(setting.v) <= T * (1 + 1e-9));
    CHECK(bounce <= 0.9 + 1e-7);
    if (bounce < 0.9 - 1e-6) ++gained;
  }
  CHECK(gained > 5);
}

TEST_CASE("impact: many contacts at once: none approaches afterwards, no energy is gained") {
  std::mt19937 random(5);
  for (unsigned seed = 1; seed <= 9; ++seed) {
    const Formulation formulation = seed % 3 == 0 ? Formulation::maximal : Formulation::reduced;
    ImpactSetting setting(moving_tree(seed, seed % 2 == 0, formulation, random));
    const VecX before = setting.v;
    const double T = setting.kinetic(before);
    for (int n = 0; n < 100; ++n) {
      setting.v = before;
      std::vector<Contact> list;
      for (int k = 0; k < 2 + n % 5; ++k) {
        const double e = n % 3 == 0 ? 0 : 0.5 + 0.5 * symmetric_unit(random);
        list.push_back(some_hit(setting, 0.5 * (1 + symmetric_unit(random)), e, random));
      }
      const ImpactReport report = setting.hit(list);
      CAPTURE(seed);
      CAPTURE(n);
      CHECK(report.solved);
      for (const Contact& contact : list) {
        CHECK(dot(setting.velocity(contact, setting.v), contact.normal) > -1e-6);
        CHECK(dot(contact.impulse, contact.normal) >= 0);
      }
      CHECK(setting.kinetic(setting.v) <= T * (1 + 1e-9));
    }
  }
}

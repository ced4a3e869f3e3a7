// A model in some motion that obeys its joints, impacts on it, and the same impacts by dense
// algebra: mass matrix, Jacobian of the closures, formulas of Bacin (1999), chapter 8.
#pragma once

#include <random>

#include "molejo/physics/impact.h"
#include "tests/support/models.h"

namespace molejo::test {

// Random positions and velocities for all joints and all free bodies of a scene.
void set_in_motion(Scene& scene, std::mt19937& random);

struct ImpactSetting {
  Built built;
  VecX v;
  Dynamics<double> d;
  Loops loops;
  ContactSystem<double> system;

  // At the initial state of the scene.
  explicit ImpactSetting(const Scene& scene);

  const Model& model() const { return built.model; }
  // A contact at p; a body of the model each.
  Contact contact(int a, int b, const Vec3& p, const Vec3& normal, double friction,
                  double restitution) const;
  // Changes v.
  ImpactReport hit(std::vector<Contact>& contacts);

  MatX mass();                                            // with armatures
  MatX closures();                                        // G: d/dt C = G v
  VecX normal_row(const Contact& c) const;                // v_n = row . v
  Vec3 velocity(const Contact& c, const VecX& at) const;  // of a against b, world
  double kinetic(const VecX& at);
};

// Bacin's bounds of the contact impulse.
struct ImpulseBounds {
  double plastic = 0, elastic = 0;  // kappa_inf, kappa_sup
};
ImpulseBounds impulse_bounds(ImpactSetting& setting, const Contact& c);

}  // namespace molejo::test

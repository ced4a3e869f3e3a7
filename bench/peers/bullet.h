// What both simulations with Bullet share. Link frames sit at the centres of mass.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

#include "bench/peer.h"

namespace bench {

inline btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
inline Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

// Part i of the work becomes link `link` of the tree, on the link `parent` (-1: the base).
void add_link(btMultiBody& tree, int link, int parent, const Work& work, int i);
// The links in order, after the base where `with_base`.
std::vector<BodyState> read_tree(const btMultiBody& tree, bool with_base);

// Trees as btMultiBody and single parts as btRigidBody, or all parts as btRigidBody with
// constraints for joints. Nothing falls asleep.
inline constexpr const char *bullet_multibody = "multibody", *bullet_rigid = "rigid bodies";
std::unique_ptr<Simulation> make_bullet_contact(const Work& work, const char* solver,
                                                double time_step);

}  // namespace bench

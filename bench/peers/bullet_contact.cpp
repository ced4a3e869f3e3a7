// Bullet with contact, each of its two kinds of bodies.
#include "bench/peers/bullet.h"

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstring>

namespace bench {

void add_link(btMultiBody& tree, int link, int parent, const Work& work, int i) {
  const Part& part = work.parts[static_cast<std::size_t>(i)];
  const btVector3 inertia = to_bullet(part.inertia), pivot = to_bullet(work.parent_to_anchor(i)),
                  center = to_bullet(work.anchor_to_center(i)), axis = to_bullet(part.axis);
  const btScalar mass = static_cast<btScalar>(part.mass);
  const btQuaternion straight = btQuaternion::getIdentity();
  if (part.joint == Joint::hinge)
    tree.setupRevolute(link, mass, inertia, parent, straight, axis, pivot, center, true);
  else if (part.joint == Joint::slide)
    tree.setupPrismatic(link, mass, inertia, parent, straight, axis, pivot, center, true);
  else
    tree.setupSpherical(link, mass, inertia, parent, straight, pivot, center, true);
}

std::vector<BodyState> read_tree(const btMultiBody& tree, bool with_base) {
  const auto count = static_cast<std::size_t>(tree.getNumLinks() + 1);
  std::vector<btVector3> omega(count), velocity(count);
  tree.compTreeLinkVelocities(omega.data(), velocity.data());
  std::vector<BodyState> bodies;
  for (int link = with_base ? -1 : 0; link < tree.getNumLinks(); ++link) {
    const auto direction = [&](const btVector3& local) {
      return from_bullet(link < 0 ? quatRotate(tree.getWorldToBaseRot().inverse(), local)
                                  : tree.localDirToWorld(link, local));
    };
    bodies.push_back(
        {direction({1, 0, 0}), direction({0, 1, 0}), direction({0, 0, 1}),
         from_bullet(link < 0 ? tree.getBasePos() : tree.localPosToWorld(link, btVector3(0, 0, 0))),
         direction(velocity[static_cast<std::size_t>(link + 1)]),
         direction(omega[static_cast<std::size_t>(link + 1)])});
  }
  return bodies;
}

namespace {

btTransform pose(const BodyState& body) {
  const Vec3 &x = body.x_axis, &y = body.y_axis, &z = body.z_axis;
  const auto f = [](double value) { return static_cast<btScalar>(value); };
  return btTransform(
      btMatrix3x3(f(x.x), f(y.x), f(z.x), f(x.y), f(y.y), f(z.y), f(x.z), f(y.z), f(z.z)),
      to_bullet(body.center));
}

class BulletContact : public Simulation {
 public:
  BulletContact(const Work& work, bool trees, double time_step)
      : work_(work),
        start_(initial_state(work)),
        time_step_(static_cast<btScalar>(time_step)),
        dispatcher_(&configuration_),
        placed_(work.parts.size()) {
    if (trees) {
      auto solver = std::make_unique<btMultiBodyConstraintSolver>();
      auto world = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher_, &broadphase_,
                                                              solver.get(), &configuration_);
      tree_world_ = world.get();
      solver_ = std::move(solver);
      world_ = std::move(world);
    } else {
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
      world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broadphase_, solver_.get(),
                                                         &configuration_);
    }
    world_->setGravity(btVector3(0, 0, static_cast<btScalar>(-work.gravity)));
    if (work.ground) add_ground();
    for (std::size_t i = 0; i < work.parts.size(); ++i)
      if (trees && begins_tree(i)) add_tree(i);
    for (std::size_t i = 0; i < work.parts.size(); ++i)
      if (placed_[i].tree == nullptr) add_body(i);
    for (std::size_t i = 0; i < work.parts.size(); ++i)
      if (placed_[i].tree == nullptr && work.parts[i].joint != Joint::free) add_joint(i);
    reset();
  }

  ~BulletContact() override {
    for (const auto& joint : joints_) world_->removeConstraint(joint.get());
    for (const auto& collider : colliders_) world_->removeCollisionObject(collider.get());
    for (const auto& tree : trees_) tree_world_->removeMultiBody(tree.get());
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }

  void reset() override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i].body != nullptr) {
        btRigidBody& body = *placed_[i].body;
        body.clearForces();
        body.setCenterOfMassTransform(pose(start_[i]));
        body.setInterpolationWorldTransform(body.getWorldTransform());
        body.setLinearVelocity(to_bullet(start_[i].velocity));
        body.setAngularVelocity(to_bullet(start_[i].spin));
      } else {
        reset_in_tree(i);
      }
    }
    for (const auto& tree : trees_) {
      tree->clearForcesAndTorques();
      btAlignedObjectArray<btQuaternion> turns;
      btAlignedObjectArray<btVector3> origins;
      tree->forwardKinematics(turns, origins);
      tree->updateCollisionObjectWorldTransforms(turns, origins);
    }
    // forget contacts of the last run, which would be solved first
    for (int i = 0; i < world_->getNumCollisionObjects(); ++i)
      broadphase_.getOverlappingPairCache()->cleanProxyFromPairs(
          world_->getCollisionObjectArray()[i]->getBroadphaseHandle(), &dispatcher_);
    broadphase_.resetPool(&dispatcher_);
    solver_->reset();
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) {
      for (const std::size_t i : pushed_) push(i);
      world_->stepSimulation(time_step_, 0);
    }
  }

  void read(BodyState* out) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i].body == nullptr) continue;
      const btRigidBody& body = *placed_[i].body;
      const btMatrix3x3& turn = body.getCenterOfMassTransform().getBasis();
      out[i] = {from_bullet(turn.getColumn(0)),        from_bullet(turn.getColumn(1)),
                from_bullet(turn.getColumn(2)),        from_bullet(body.getCenterOfMassPosition()),
                from_bullet(body.getLinearVelocity()), from_bullet(body.getAngularVelocity())};
    }
    for (const auto& tree : trees_) {
      const std::vector<BodyState> links = read_tree(*tree, true);
      for (std::size_t i = 0; i < placed_.size(); ++i)
        if (placed_[i].tree == tree.get())
          out[i] = links[static_cast<std::size_t>(placed_[i].link + 1)];
    }
  }

 private:
  // Where a part is: a link (-1: the base) of a tree, or a body of its own.
  struct Placed {
    btMultiBody* tree = nullptr;
    int link = -1;
    btRigidBody* body = nullptr;
  };

  bool begins_tree(std::size_t i) const {
    if (work_.parts[i].parent >= 0) return false;
    if (work_.parts[i].joint != Joint::free) return true;
    for (const Part& part : work_.parts)
      if (part.parent == static_cast<int>(i)) return true;
    return false;
  }

  void add_tree(std::size_t root) {
    // the parts of this tree in order; of a free root the root itself is the base
    std::vector<std::size_t> members{root};
    std::vector<bool> in_tree(work_.parts.size(), false);
    in_tree[root] = true;
    for (std::size_t i = root + 1; i < work_.parts.size(); ++i) {
      const int parent = work_.parts[i].parent;
      if (parent < 0 || !in_tree[static_cast<std::size_t>(parent)]) continue;
      in_tree[i] = true;
      members.push_back(i);
    }
    const Part& base = work_.parts[root];
    const bool floating = base.joint == Joint::free;
    const int links = static_cast<int>(members.size()) - (floating ? 1 : 0);
    trees_.push_back(std::make_unique<btMultiBody>(
        links, floating ? static_cast<btScalar>(base.mass) : btScalar(0),
        floating ? to_bullet(base.inertia) : btVector3(0, 0, 0), !floating, false));
    btMultiBody& tree = *trees_.back();
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::size_t i = members[m];
      const int link = static_cast<int>(m) - (floating ? 1 : 0);
      placed_[i].tree = &tree;
      placed_[i].link = link;
      const int parent = work_.parts[i].parent;
      if (link >= 0)
        add_link(tree, link, parent < 0 ? -1 : placed_[static_cast<std::size_t>(parent)].link,
                 work_, static_cast<int>(i));
      if (work_.parts[i].force != 0) pushed_.push_back(i);
    }
    tree.finalizeMultiDof();
    tree.setLinearDamping(0);
    tree.setAngularDamping(0);
    tree.setMaxCoordinateVelocity(btScalar(1e9));
    tree.setHasSelfCollision(false);
    tree_world_->addMultiBody(&tree);
    for (const std::size_t i : members) add_collider(i);
  }

  void add_collider(std::size_t i) {
    if (!work_.touches()) return;
    const Placed& placed = placed_[i];
    colliders_.push_back(std::make_unique<btMultiBodyLinkCollider>(placed.tree, placed.link));
    btMultiBodyLinkCollider& collider = *colliders_.back();
    collider.setCollisionShape(add_shape(work_.parts[i].shape));
    set_surface(collider);
    if (placed.link < 0)
      placed.tree->setBaseCollider(&collider);
    else
      placed.tree->getLink(placed.link).m_collider = &collider;
    world_->addCollisionObject(&collider, part_group, part_mask());
  }

  void add_body(std::size_t i) {
    const Part& part = work_.parts[i];
    btCollisionShape* shape = add_shape(work_.touches() ? part.shape : Shape{});
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(part.mass), nullptr, shape,
                                                  to_bullet(part.inertia));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setDamping(0, 0);
    body.setActivationState(DISABLE_DEACTIVATION);
    set_surface(body);
    world_->addRigidBody(&body, part_group, part_mask());
    placed_[i].body = &body;
    if (part.force != 0) pushed_.push_back(i);
  }

  void add_joint(std::size_t i) {
    const Part& part = work_.parts[i];
    const int n = static_cast<int>(i);
    btRigidBody& child = *placed_[i].body;
    btRigidBody& parent = part.parent < 0 ? btTypedConstraint::getFixedBody()
                                          : *placed_[static_cast<std::size_t>(part.parent)].body;
    const btVector3 in_child = -to_bullet(work_.anchor_to_center(n)),
                    in_parent = to_bullet(work_.parent_to_anchor(n)), axis = to_bullet(part.axis);
    if (part.joint == Joint::ball) {
      joints_.push_back(
          std::make_unique<btPoint2PointConstraint>(child, parent, in_child, in_parent));
    } else if (part.joint == Joint::hinge) {
      joints_.push_back(
          std::make_unique<btHingeConstraint>(child, parent, in_child, in_parent, axis, axis));
    } else {
      // slides along the x axis of its frames
      const btQuaternion turn = shortestArcQuat(btVector3(1, 0, 0), axis);
      joints_.push_back(std::make_unique<btSliderConstraint>(
          parent, child, btTransform(turn, in_parent), btTransform(turn, in_child), true));
    }
    world_->addConstraint(joints_.back().get(), true);
  }

  void add_ground() {
    shapes_.push_back(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)));
    bodies_.push_back(std::make_unique<btRigidBody>(
        btRigidBody::btRigidBodyConstructionInfo(0, nullptr, shapes_.back().get())));
    set_surface(*bodies_.back());
    world_->addRigidBody(bodies_.back().get(), ground_group, part_group);
  }

  btCollisionShape* add_shape(const Shape& shape) {
    const auto radius = static_cast<btScalar>(shape.radius),
               length = static_cast<btScalar>(2 * shape.half_length);
    if (shape.solid == Solid::box)
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(shape.half)));
    else if (shape.solid == Solid::sphere)
      shapes_.push_back(std::make_unique<btSphereShape>(radius));
    else if (shape.solid == Solid::capsule && shape.along == 1)
      shapes_.push_back(std::make_unique<btCapsuleShape>(radius, length));
    else if (shape.solid == Solid::capsule)
      shapes_.push_back(std::make_unique<btCapsuleShapeZ>(radius, length));
    else
      shapes_.push_back(std::make_unique<btEmptyShape>());
    return shapes_.back().get();
  }

  // Bullet multiplies the coefficients of two surfaces.
  void set_surface(btCollisionObject& object) const {
    object.setFriction(static_cast<btScalar>(std::sqrt(work_.friction)));
    object.setRestitution(static_cast<btScalar>(std::sqrt(work_.restitution)));
  }

  void reset_in_tree(std::size_t i) {
    const Part& part = work_.parts[i];
    btMultiBody& tree = *placed_[i].tree;
    const int link = placed_[i].link;
    if (link < 0) {
      const btTransform X = pose(start_[i]);
      tree.setBasePos(X.getOrigin());
      tree.setWorldToBaseRot(X.getRotation().inverse());
      tree.setBaseVel(to_bullet(part.velocity));
      tree.setBaseOmega(to_bullet(part.spin));
    } else if (part.joint == Joint::ball) {
      const btScalar identity[4] = {0, 0, 0, 1}, rest[3] = {0, 0, 0};
      tree.setJointPosMultiDof(link, identity);
      tree.setJointVelMultiDof(link, rest);
    } else {
      tree.setJointPos(link, static_cast<btScalar>(part.angle));
      tree.setJointVel(link, static_cast<btScalar>(part.rate));
    }
  }

  void push(std::size_t i) {
    const Part& part = work_.parts[i];
    if (placed_[i].body != nullptr)
      placed_[i].body->applyCentralForce(to_bullet(part.axis * part.force));
    else
      placed_[i].tree->addJointTorque(placed_[i].link, static_cast<btScalar>(part.force));
  }

  static constexpr int part_group = 1, ground_group = 2;
  int part_mask() const { return ground_group | (work_.parts_touch ? part_group : 0); }

  Work work_;
  std::vector<BodyState> start_;
  btScalar time_step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  btMultiBodyDynamicsWorld* tree_world_ = nullptr;
  std::vector<std::unique_ptr<btMultiBody>> trees_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> pushed_;  // parts with a force
};

}  // namespace

std::unique_ptr<Simulation> make_bullet_contact(const Work& work, const char* solver,
                                                double time_step) {
  return std::make_unique<BulletContact>(work, std::strcmp(solver, bullet_multibody) == 0,
                                         time_step);
}

}  // namespace bench

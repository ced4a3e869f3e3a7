// DART: skeletons in generalised coordinates; body frames sit at the centres of mass. Contact: its
// default solver (Dantzig's, projected Gauss-Seidel where that fails) and its own detector, since
// the default one (FCL) makes planes thin sheets and capsules spheres. Its own one knows spheres
// and boxes: the ground is a large box, a capsule the spheres at its ends, which on a plane is the
// same.
#include <algorithm>
#include <cmath>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/config.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

Eigen::Vector3d to_dart(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_dart(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

class DartSimulation : public Simulation {
 public:
  DartSimulation(const Work& work, double time_step)
      : work_(work), world_(dart::simulation::World::create()) {
    for (int i = 0; i < static_cast<int>(work.parts.size()); ++i) add(i);
    world_->setGravity(Eigen::Vector3d(0, 0, -work.gravity));
    world_->setTimeStep(time_step);
    for (const auto& skeleton : skeletons_) world_->addSkeleton(skeleton);
    if (work.ground) add_ground();
    if (work.touches()) {
      world_->getConstraintSolver()->setCollisionDetector(
          dart::collision::DARTCollisionDetector::create());
      // as many contacts as there are: the default stops at 1000
      world_->getConstraintSolver()->getCollisionOption().maxNumContacts = 100000;
    }
    reset();
  }

  void reset() override {
    for (const auto& skeleton : skeletons_) {
      skeleton->resetPositions();
      skeleton->resetVelocities();
      skeleton->resetAccelerations();
      skeleton->clearConstraintImpulses();
    }
    world_->getConstraintSolver()->clearLastCollisionResult();
    const std::vector<BodyState> start = initial_state(work_);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Part& part = work_.parts[i];
      dart::dynamics::Joint* joint = nodes_[i]->getParentJoint();
      if (part.joint == Joint::hinge) {
        joint->setPosition(0, part.angle);
        joint->setVelocity(0, part.rate);
      } else if (part.joint == Joint::free) {
        // velocities of a free joint are in the axes of the body
        const BodyState& body = start[i];
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() << to_dart(body.x_axis), to_dart(body.y_axis), to_dart(body.z_axis);
        X.translation() = to_dart(part.center);
        joint->setPositions(dart::dynamics::FreeJoint::convertToPositions(X));
        Eigen::Vector6d velocity;
        velocity << X.linear().transpose() * to_dart(part.spin),
            X.linear().transpose() * to_dart(part.velocity);
        joint->setVelocities(velocity);
      }
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) {
      // a step clears the forces
      for (const auto& [joint, force] : pushed_) joint->setForce(0, force);
      world_->step();
    }
  }

  void read(BodyState* bodies) override {
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Eigen::Isometry3d& X = nodes_[i]->getWorldTransform();
      bodies[i] = {from_dart(X.linear().col(0)),
                   from_dart(X.linear().col(1)),
                   from_dart(X.linear().col(2)),
                   from_dart(X.translation()),
                   from_dart(nodes_[i]->getCOMLinearVelocity()),
                   from_dart(nodes_[i]->getAngularVelocity())};
    }
  }

  bool forward_dynamics(int count) override {
    dart::dynamics::Skeleton& skeleton = *skeletons_[0];
    const Eigen::VectorXd q = skeleton.getPositions(), v = skeleton.getVelocities();
    for (int k = 0; k < count; ++k) {
      skeleton.setPositions(q);
      skeleton.setVelocities(v);
      skeleton.computeForwardDynamics();
    }
    return true;
  }

  void hinge_accelerations(double* out) override {
    for (std::size_t i = 0; i < work_.parts.size(); ++i)
      if (work_.parts[i].joint == Joint::hinge)
        *out++ = nodes_[i]->getParentJoint()->getAcceleration(0);
  }

 private:
  template <class JointType>
  JointType* add_joint(dart::dynamics::BodyNode* parent, const std::string& name) {
    typename JointType::Properties joint_properties;
    joint_properties.mName = name;
    const dart::dynamics::BodyNode::AspectProperties body_properties(name);
    const auto [joint, node] = skeletons_.back()->createJointAndBodyNodePair<JointType>(
        parent, joint_properties, dart::dynamics::BodyNode::Properties(body_properties));
    nodes_.push_back(node);
    return joint;
  }

  void add(int i) {
    const Part& part = work_.parts[static_cast<std::size_t>(i)];
    dart::dynamics::BodyNode* parent =
        part.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(part.parent)];
    // every root begins a skeleton
    if (parent == nullptr) skeletons_.push_back(dart::dynamics::Skeleton::create(part.name));
    dart::dynamics::Joint* joint = nullptr;
    if (part.joint == Joint::hinge) {
      auto* hinge = add_joint<dart::dynamics::RevoluteJoint>(parent, part.name);
      hinge->setAxis(to_dart(part.axis));
      joint = hinge;
    } else if (part.joint == Joint::ball) {
      joint = add_joint<dart::dynamics::BallJoint>(parent, part.name);
    } else if (part.joint == Joint::slide) {
      auto* slide = add_joint<dart::dynamics::PrismaticJoint>(parent, part.name);
      slide->setAxis(to_dart(part.axis));
      pushed_.emplace_back(slide, part.force);
      joint = slide;
    } else {
      joint = add_joint<dart::dynamics::FreeJoint>(parent, part.name);
    }
    if (part.joint != Joint::free) {
      Eigen::Isometry3d in_parent = Eigen::Isometry3d::Identity(), in_child = in_parent;
      in_parent.translation() = to_dart(work_.parent_to_anchor(i));
      in_child.translation() = -to_dart(work_.anchor_to_center(i));
      joint->setTransformFromParentBodyNode(in_parent);
      joint->setTransformFromChildBodyNode(in_child);
    }
    dart::dynamics::Inertia inertia(part.mass, Eigen::Vector3d::Zero(),
                                    to_dart(part.inertia).asDiagonal());
    nodes_.back()->setInertia(inertia);
    if (work_.touches()) add_shape(part.shape, nodes_.back());
  }

  void add_shape(const Shape& shape, dart::dynamics::BodyNode* node) {
    if (shape.solid == Solid::box) {
      place(std::make_shared<dart::dynamics::BoxShape>(2 * to_dart(shape.half)), {}, node);
      return;
    }
    const auto ball = std::make_shared<dart::dynamics::SphereShape>(shape.radius);
    if (shape.solid == Solid::sphere) place(ball, {}, node);
    if (shape.solid == Solid::capsule)
      for (const double end : {-1, 1}) place(ball, shape.axis() * (end * shape.half_length), node);
  }

  void add_ground() {
    const auto ground = dart::dynamics::Skeleton::create("ground");
    dart::dynamics::BodyNode* node =
        ground->createJointAndBodyNodePair<dart::dynamics::WeldJoint>().second;
    place(std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(40, 40, 2)), {0, 0, -1}, node);
    ground->setMobile(false);
    world_->addSkeleton(ground);
  }

  // Of two that touch: the smaller friction, the product of the restitutions.
  void place(const dart::dynamics::ShapePtr& solid, const Vec3& p, dart::dynamics::BodyNode* node) {
    dart::dynamics::ShapeNode* placed =
        node->createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(
            solid);
    placed->setRelativeTranslation(to_dart(p));
    placed->getDynamicsAspect()->setFrictionCoeff(work_.friction);
    placed->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(work_.restitution));
  }

  Work work_;
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<std::pair<dart::dynamics::Joint*, double>> pushed_;  // slides and their forces
  std::vector<dart::dynamics::BodyNode*> nodes_;
  dart::simulation::WorldPtr world_;
};

class DartEngine : public Engine {
 public:
  const char* name() const override { return "DART"; }
  const char* version() const override { return DART_VERSION; }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", nullptr};
    return names;
  }
  const char* const* contact_solvers() const override {
    static const char* const names[] = {"Dantzig", nullptr};
    return names;
  }
  const char* declines(const Work& work, const char*) const override {
    if (work.parts.size() > 500) return "takes 0.1 s a step before anything touches";
    const bool capsules = std::any_of(work.parts.begin(), work.parts.end(), [](const Part& part) {
      return part.shape.solid == Solid::capsule;
    });
    return work.parts_touch && capsules ? "its detector knows no capsules" : nullptr;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char*, double time_step) const override {
    return std::make_unique<DartSimulation>(work, time_step);
  }
};

}  // namespace
}  // namespace bench

extern "C" const bench::Engine* bench_engine() {
  static const bench::DartEngine engine;
  return &engine;
}

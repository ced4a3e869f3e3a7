// DART: a skeleton in generalised coordinates; body frames sit at the centres of mass.
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

Eigen::Vector3d to_dart(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_dart(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

class DartSimulation : public Simulation {
 public:
  DartSimulation(const Work& work, double time_step)
      : work_(work), skeleton_(dart::dynamics::Skeleton::create("work")) {
    for (int i = 0; i < static_cast<int>(work.parts.size()); ++i) add(i);
    world_ = dart::simulation::World::create();
    world_->setGravity(Eigen::Vector3d(0, 0, -work.gravity));
    world_->setTimeStep(time_step);
    world_->addSkeleton(skeleton_);
    reset();
  }

  void reset() override {
    skeleton_->resetPositions();
    skeleton_->resetVelocities();
    skeleton_->resetAccelerations();
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Part& part = work_.parts[i];
      dart::dynamics::Joint* joint = nodes_[i]->getParentJoint();
      if (part.joint == Joint::hinge) {
        joint->setPosition(0, part.angle);
        joint->setVelocity(0, part.rate);
      } else if (part.joint == Joint::free) {
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.translation() = to_dart(part.center);
        joint->setPositions(dart::dynamics::FreeJoint::convertToPositions(X));
        Eigen::Vector6d velocity;
        velocity << to_dart(work_.spin), Eigen::Vector3d::Zero();
        joint->setVelocities(velocity);
      }
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) world_->step();
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
    const Eigen::VectorXd q = skeleton_->getPositions(), v = skeleton_->getVelocities();
    for (int k = 0; k < count; ++k) {
      skeleton_->setPositions(q);
      skeleton_->setVelocities(v);
      skeleton_->computeForwardDynamics();
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
    const auto [joint, node] = skeleton_->createJointAndBodyNodePair<JointType>(
        parent, joint_properties, dart::dynamics::BodyNode::Properties(body_properties));
    nodes_.push_back(node);
    return joint;
  }

  void add(int i) {
    const Part& part = work_.parts[static_cast<std::size_t>(i)];
    dart::dynamics::BodyNode* parent =
        part.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(part.parent)];
    dart::dynamics::Joint* joint = nullptr;
    if (part.joint == Joint::hinge) {
      auto* hinge = add_joint<dart::dynamics::RevoluteJoint>(parent, part.name);
      hinge->setAxis(to_dart(part.axis));
      joint = hinge;
    } else if (part.joint == Joint::ball) {
      joint = add_joint<dart::dynamics::BallJoint>(parent, part.name);
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
  }

  Work work_;
  dart::dynamics::SkeletonPtr skeleton_;
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

// Bullet's btMultiBody (Featherstone) without contact, compiled once per precision that Debian
// packages.
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bench/peers/bullet.h"

namespace bench {
namespace {

class BulletSimulation : public Simulation {
 public:
  BulletSimulation(const Work& work, const char* integrator, double time_step)
      : work_(work),
        time_step_(static_cast<btScalar>(time_step)),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        base_(work.floating() ? 1 : 0) {
    const Part& root = work.parts[0];
    const int links = static_cast<int>(work.parts.size()) - base_;
    body_ = std::make_unique<btMultiBody>(
        links, base_ == 1 ? static_cast<btScalar>(root.mass) : btScalar(0),
        base_ == 1 ? to_bullet(root.inertia) : btVector3(0, 0, 0), base_ == 0, false);
    for (int i = base_; i < base_ + links; ++i)
      add_link(*body_, i - base_,
               std::max(-1, work.parts[static_cast<std::size_t>(i)].parent - base_), work, i);
    body_->finalizeMultiDof();
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    body_->setMaxCoordinateVelocity(btScalar(1e9));
    body_->useRK4Integration(std::strcmp(integrator, "RK4") == 0);
    world_.setGravity(btVector3(0, 0, static_cast<btScalar>(-work.gravity)));
    world_.addMultiBody(body_.get());
    reset();
  }
  ~BulletSimulation() override { world_.removeMultiBody(body_.get()); }

  void reset() override {
    body_->clearVelocities();
    body_->clearForcesAndTorques();
    if (base_ == 1) {
      body_->setBasePos(to_bullet(work_.parts[0].center));
      body_->setWorldToBaseRot(btQuaternion::getIdentity());
      body_->setBaseOmega(to_bullet(work_.parts[0].spin));
    }
    for (int i = 0; i < body_->getNumLinks(); ++i) {
      const Part& part = work_.parts[static_cast<std::size_t>(i + base_)];
      if (part.joint == Joint::hinge) {
        body_->setJointPos(i, static_cast<btScalar>(part.angle));
        body_->setJointVel(i, static_cast<btScalar>(part.rate));
      } else {
        const btScalar identity[4] = {0, 0, 0, 1}, rest[3] = {0, 0, 0};
        body_->setJointPosMultiDof(i, identity);
        body_->setJointVelMultiDof(i, rest);
      }
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) world_.stepSimulation(time_step_, 0);
  }

  void read(BodyState* bodies) override {
    for (const BodyState& body : read_tree(*body_, base_ == 1)) *bodies++ = body;
  }

  // the articulated-body algorithm adds dt times the accelerations to the velocities; with dt = 1
  // their difference is the accelerations
  bool forward_dynamics(int count) override {
    save();
    for (int k = 0; k < count; ++k) {
      restore();
      body_->clearForcesAndTorques();
      world_.applyGravity();
      body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1, scratch_r_, scratch_v_,
                                                                  scratch_m_, false, false, false);
    }
    const btScalar* after = body_->getVelocityVector();
    acceleration_.assign(after, after + 6 + body_->getNumDofs());
    for (std::size_t i = 0; i < acceleration_.size(); ++i) acceleration_[i] -= saved_v_[i];
    restore();
    return true;
  }

  void hinge_accelerations(double* out) override {
    for (int i = 0; i < body_->getNumLinks(); ++i)
      if (body_->getLink(i).m_jointType == btMultibodyLink::eRevolute)
        *out++ = acceleration_[static_cast<std::size_t>(6 + body_->getLink(i).m_dofOffset)];
  }

 private:
  void save() {
    saved_q_.clear();
    for (int i = 0; i < body_->getNumLinks(); ++i) {
      const btMultibodyLink& link = body_->getLink(i);
      for (int k = 0; k < link.m_posVarCount; ++k) saved_q_.push_back(link.m_jointPos[k]);
    }
    saved_base_ = body_->getBasePos();
    saved_turn_ = body_->getWorldToBaseRot();
    const btScalar* v = body_->getVelocityVector();
    saved_v_.assign(v, v + 6 + body_->getNumDofs());
  }

  void restore() {
    body_->setBasePos(saved_base_);
    body_->setWorldToBaseRot(saved_turn_);
    body_->setBaseOmega({saved_v_[0], saved_v_[1], saved_v_[2]});
    body_->setBaseVel({saved_v_[3], saved_v_[4], saved_v_[5]});
    const btScalar *q = saved_q_.data(), *v = saved_v_.data() + 6;
    for (int i = 0; i < body_->getNumLinks(); ++i) {
      body_->setJointPosMultiDof(i, q);
      body_->setJointVelMultiDof(i, v);
      q += body_->getLink(i).m_posVarCount;
      v += body_->getLink(i).m_dofCount;
    }
  }

  Work work_;
  btScalar time_step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  int base_;  // 1 when part 0 is the floating base, else links and parts have the same numbers
  std::unique_ptr<btMultiBody> body_;
  std::vector<btScalar> saved_q_, saved_v_, acceleration_;
  btVector3 saved_base_;
  btQuaternion saved_turn_;
  btAlignedObjectArray<btScalar> scratch_r_;
  btAlignedObjectArray<btVector3> scratch_v_;
  btAlignedObjectArray<btMatrix3x3> scratch_m_;
};

class BulletEngine : public Engine {
 public:
  const char* name() const override { return single_precision() ? "Bullet f32" : "Bullet f64"; }
  const char* version() const override {
    static const std::string text =
        std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
    return text.c_str();
  }
  bool single_precision() const override { return sizeof(btScalar) == sizeof(float); }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", "RK4", nullptr};
    return names;
  }
  const char* const* contact_solvers() const override {
    static const char* const names[] = {bullet_multibody, bullet_rigid, nullptr};
    return names;
  }
  const char* declines(const Work& work, const char* solver) const override {
    return std::strcmp(solver, bullet_multibody) == 0 && !work.has_joints()
               ? "nothing is jointed: rigid bodies only"
               : nullptr;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    for (const char* solver : {bullet_multibody, bullet_rigid})
      if (std::strcmp(integrator, solver) == 0) return make_bullet_contact(work, solver, time_step);
    return std::make_unique<BulletSimulation>(work, integrator, time_step);
  }
};

}  // namespace
}  // namespace bench

extern "C" const bench::Engine* bench_engine() {
  static const bench::BulletEngine engine;
  return &engine;
}

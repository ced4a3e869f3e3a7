// ODE: six freedoms per body, joints as constraints, solved by iteration (QuickStep) or by
// factorisation (dWorldStep). It offers no forward dynamics apart from its step.
#include <ode/ode.h>
#include <ode/version.h>

#include <cstring>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

class OdeSimulation : public Simulation {
 public:
  OdeSimulation(const Work& work, const char* integrator, double time_step)
      : time_step_(time_step),
        quick_(std::strcmp(integrator, "QuickStep") == 0),
        start_(initial_state(work)),
        world_(dWorldCreate()) {
    dWorldSetGravity(world_, 0, 0, -work.gravity);
    for (const Part& part : work.parts) add_body(part);
    for (std::size_t i = 0; i < work.parts.size(); ++i) add_joint(work.parts[i], bodies_[i]);
    reset();
  }
  ~OdeSimulation() override { dWorldDestroy(world_); }

  void reset() override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const BodyState& body = start_[i];
      const Vec3 &x = body.x_axis, &y = body.y_axis, &z = body.z_axis;
      const dMatrix3 rotation = {x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0};
      dBodySetPosition(bodies_[i], body.center.x, body.center.y, body.center.z);
      dBodySetRotation(bodies_[i], rotation);
      dBodySetLinearVel(bodies_[i], body.velocity.x, body.velocity.y, body.velocity.z);
      dBodySetAngularVel(bodies_[i], body.spin.x, body.spin.y, body.spin.z);
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k)
      quick_ ? dWorldQuickStep(world_, time_step_) : dWorldStep(world_, time_step_);
  }

  void read(BodyState* bodies) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dReal *p = dBodyGetPosition(bodies_[i]), *R = dBodyGetRotation(bodies_[i]);
      const dReal *v = dBodyGetLinearVel(bodies_[i]), *w = dBodyGetAngularVel(bodies_[i]);
      bodies[i] = {{R[0], R[4], R[8]}, {R[1], R[5], R[9]}, {R[2], R[6], R[10]},
                   {p[0], p[1], p[2]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
    }
  }

 private:
  void add_body(const Part& part) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, part.mass, 0, 0, 0, part.inertia.x, part.inertia.y, part.inertia.z, 0,
                       0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, part.center.x, part.center.y, part.center.z);
    dBodySetAutoDisableFlag(body, 0);
    bodies_.push_back(body);
  }

  void add_joint(const Part& part, dBodyID body) {
    const dBodyID parent =
        part.parent < 0 ? nullptr : bodies_[static_cast<std::size_t>(part.parent)];
    if (part.joint == Joint::hinge) {
      const dJointID joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, body, parent);
      dJointSetHingeAnchor(joint, part.anchor.x, part.anchor.y, part.anchor.z);
      dJointSetHingeAxis(joint, part.axis.x, part.axis.y, part.axis.z);
    } else if (part.joint == Joint::ball) {
      const dJointID joint = dJointCreateBall(world_, nullptr);
      dJointAttach(joint, body, parent);
      dJointSetBallAnchor(joint, part.anchor.x, part.anchor.y, part.anchor.z);
    }
  }

  double time_step_;
  bool quick_;
  std::vector<BodyState> start_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
};

class OdeEngine : public Engine {
 public:
  OdeEngine() { dInitODE2(0); }
  const char* name() const override { return "ODE"; }
  const char* version() const override { return dODE_VERSION; }
  const char* const* integrators() const override {
    static const char* const names[] = {"QuickStep", "WorldStep", nullptr};
    return names;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    return std::make_unique<OdeSimulation>(work, integrator, time_step);
  }
};

}  // namespace
}  // namespace bench

extern "C" const bench::Engine* bench_engine() {
  static const bench::OdeEngine engine;
  return &engine;
}

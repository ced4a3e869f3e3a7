// ODE: six freedoms per body, joints as constraints, solved by iteration (QuickStep) or by
// factorisation (dWorldStep). It offers no forward dynamics apart from its step. Contacts are
// joints that live for one step, with a friction pyramid as high as the normal force of that step.
#include <ode/ode.h>
#include <ode/version.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

class OdeSimulation : public Simulation {
 public:
  OdeSimulation(const Work& work, const char* integrator, double time_step)
      : work_(work),
        time_step_(time_step),
        quick_(std::strcmp(integrator, "QuickStep") == 0),
        start_(initial_state(work)),
        world_(dWorldCreate()),
        space_(dHashSpaceCreate(nullptr)),
        contacts_(dJointGroupCreate(0)) {
    dWorldSetGravity(world_, 0, 0, -work.gravity);
    if (work.ground) {
      const dGeomID plane = dCreatePlane(space_, 0, 0, 1, 0);
      dGeomSetCategoryBits(plane, 2);
      dGeomSetCollideBits(plane, 1);
    }
    for (const Part& part : work.parts) add_body(part);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) add_joint(work_.parts[i], bodies_[i]);
    reset();
  }
  ~OdeSimulation() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void reset() override {
    dRandSetSeed(0);  // QuickStep shuffles its constraints
    time_ = 0;
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
    for (int k = 0; k < count; ++k) {
      if (work_.touches()) dSpaceCollide(space_, this, &touch);
      for (const Spring& spring : springs_) prepare(spring);
      for (const auto& [slide, force] : pushed_) dJointAddSliderForce(slide, force);
      quick_ ? dWorldQuickStep(world_, time_step_) : dWorldStep(world_, time_step_);
      if (work_.touches()) dJointGroupEmpty(contacts_);
      time_ += time_step_;
    }
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
  static void touch(void* self, dGeomID a, dGeomID b) {
    auto& simulation = *static_cast<OdeSimulation*>(self);
    constexpr int most = 8;
    dContact contacts[most];
    const int count = dCollide(a, b, most, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dSurfaceParameters& surface = contacts[i].surface;
      surface.mode = dContactApprox1 | (simulation.work_.restitution > 0 ? dContactBounce : 0);
      surface.mu = simulation.work_.friction;
      surface.bounce = simulation.work_.restitution;
      surface.bounce_vel = 0.02;
      const dJointID joint =
          dJointCreateContact(simulation.world_, simulation.contacts_, &contacts[i]);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  // Springs and dampers of a ball joint: an angular motor whose stops are soft, which ODE solves at
  // the end of the step. The pulse's torque is added to both bodies.
  struct Spring {
    dJointID motor;
    dBodyID child, parent;
    const Part* part;
  };

  void prepare(const Spring& spring) {
    const dReal *p = dBodyGetQuaternion(spring.parent), *c = dBodyGetQuaternion(spring.child);
    // conj(p) c
    const double w = p[0] * c[0] + p[1] * c[1] + p[2] * c[2] + p[3] * c[3];
    const Vec3 a{p[1], p[2], p[3]}, b{c[1], c[2], c[3]};
    const Vec3 v = b * p[0] - a * c[0] - cross(a, b);
    const double length = std::sqrt(dot(v, v)), sign = w < 0 ? -1 : 1;
    const double scale =
        length > 1e-12 ? 2 * std::atan2(length, sign * w) / length * sign : 2 * sign;
    dJointSetAMotorAngle(spring.motor, 0, scale * v.x);
    dJointSetAMotorAngle(spring.motor, 1, scale * v.y);
    dJointSetAMotorAngle(spring.motor, 2, scale * v.z);
    const int pulse = work_.pulse(time_ + 1e-9);
    if (pulse < 0) return;
    const Vec3& torque = spring.part->torque[pulse];
    dVector3 world;
    dBodyVectorToWorld(spring.parent, torque.x, torque.y, torque.z, world);
    dBodyAddTorque(spring.child, world[0], world[1], world[2]);
    dBodyAddTorque(spring.parent, -world[0], -world[1], -world[2]);
  }

  void add_spring(const Part& part, dBodyID body, dBodyID parent) {
    const dJointID motor = dJointCreateAMotor(world_, nullptr);
    dJointAttach(motor, body, parent);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, 3);
    const double push = time_step_ * part.stiffness + part.damping;
    for (int i = 0; i < 3; ++i) {
      dJointSetAMotorAxis(motor, i, 2, i == 0, i == 1, i == 2);  // goes with the parent
      const int group = i * dParamGroup;
      dJointSetAMotorParam(motor, group + dParamLoStop, 0);
      dJointSetAMotorParam(motor, group + dParamHiStop, 0);
      dJointSetAMotorParam(motor, group + dParamStopERP, time_step_ * part.stiffness / push);
      dJointSetAMotorParam(motor, group + dParamStopCFM, 1 / push);
    }
    springs_.push_back({motor, body, parent, &part});
  }

  void add_geom(const PlacedShape& placed, dBodyID body) {
    const Shape& shape = placed.shape;
    dGeomID geom = nullptr;
    if (shape.solid == Solid::box) {
      geom = dCreateBox(space_, 2 * shape.half.x, 2 * shape.half.y, 2 * shape.half.z);
    } else if (shape.solid == Solid::sphere) {
      geom = dCreateSphere(space_, shape.radius);
    } else {
      geom = dCreateCapsule(space_, shape.radius, 2 * shape.half_length);
    }
    dGeomSetBody(geom, body);
    // a capsule lies along z
    dMatrix3 rotation;
    dRFromZAxis(rotation, shape.axis().x, shape.axis().y, shape.axis().z);
    if (shape.solid == Solid::capsule) dGeomSetOffsetRotation(geom, rotation);
    if (placed.angle != 0) {
      dRFromAxisAndAngle(rotation, placed.axis.x, placed.axis.y, placed.axis.z, placed.angle);
      dGeomSetOffsetRotation(geom, rotation);
    }
    const Vec3& p = placed.position;
    if (dot(p, p) > 0) dGeomSetOffsetPosition(geom, p.x, p.y, p.z);
    dGeomSetCategoryBits(geom, 1);
    dGeomSetCollideBits(geom, work_.parts_touch ? 3 : 2);
  }

  void add_body(const Part& part) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, part.mass, 0, 0, 0, part.inertia.x, part.inertia.y, part.inertia.z,
                       part.products.x, part.products.y, part.products.z);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, part.center.x, part.center.y, part.center.z);
    dBodySetAutoDisableFlag(body, 0);
    bodies_.push_back(body);
    if (!work_.touches()) return;
    if (part.shape.solid != Solid::none) add_geom({part.shape, {}, {}, 0}, body);
    for (const PlacedShape& placed : part.more_shapes) add_geom(placed, body);
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
      if (part.stiffness > 0) add_spring(part, body, parent);
    } else if (part.joint == Joint::slide) {
      const dJointID joint = dJointCreateSlider(world_, nullptr);
      dJointAttach(joint, body, parent);
      dJointSetSliderAxis(joint, part.axis.x, part.axis.y, part.axis.z);
      pushed_.emplace_back(joint, part.force);
    }
  }

  Work work_;
  double time_step_;
  bool quick_;
  std::vector<BodyState> start_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<std::pair<dJointID, double>> pushed_;  // slides and their forces
  std::vector<dBodyID> bodies_;
  std::vector<Spring> springs_;
  double time_ = 0;
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
  const char* const* contact_solvers() const override {
    static const char* const names[] = {"QuickStep", nullptr};
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

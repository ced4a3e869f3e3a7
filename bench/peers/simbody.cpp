// Simbody: mobilised bodies in generalised coordinates; body frames sit at the centres of mass.
// Contact: its compliant kind (Hertz, Hunt and Crossley) against the plane, a capsule by the
// spheres at its ends. Its time stepper for rigid contact, as Debian builds it, prints all it does.
#include <Simbody.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

constexpr const char* compliant = "compliant contact";
// as stiff as 1 ms can bear for the lightest parts of the works
constexpr double sphere_modulus = 1e6, box_modulus = 4e4;  // Pa
constexpr double slip_speed = 0.05;  // m/s: friction grows with the speed up to here

// Hunt and Crossley bounce with about 1 - c v; the works with restitution fall from 1 m.
double dissipation(const Work& work) {
  return work.restitution > 0 ? (1 - work.restitution) / std::sqrt(2 * work.gravity) : 0.5;
}

SimTK::Vec3 to_simbody(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_simbody(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }

class SimbodySimulation : public Simulation {
 public:
  SimbodySimulation(const Work& work, const char* integrator, double time_step)
      : work_(work),
        matter_(system_),
        forces_(system_),
        clique_(SimTK::ContactSurface::createNewContactClique()) {
    SimTK::Force::UniformGravity(forces_, matter_, SimTK::Vec3(0, 0, -work.gravity));
    if (work.ground) add_ground();
    for (int i = 0; i < static_cast<int>(work.parts.size()); ++i) add(i);
    system_.realizeTopology();
    if (std::strcmp(integrator, "RK Merson 4") == 0) {
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
      integrator_->setFixedStepSize(time_step);
    } else {
      integrator_ = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system_, time_step);
    }
    integrator_->setAllowInterpolation(false);
    integrator_->setReturnEveryInternalStep(true);
    reset();
  }

  void reset() override {
    SimTK::State state = system_.getDefaultState();
    const std::vector<BodyState> start = initial_state(work_);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Part& part = work_.parts[i];
      if (part.joint == Joint::hinge) {
        bodies_[i].setOneQ(state, 0, part.angle);
        bodies_[i].setOneU(state, 0, part.rate);
      } else if (part.joint == Joint::free) {
        const BodyState& body = start[i];
        SimTK::Mat33 turn;
        turn.col(0) = to_simbody(body.x_axis);
        turn.col(1) = to_simbody(body.y_axis);
        turn.col(2) = to_simbody(body.z_axis);
        bodies_[i].setQToFitTransform(
            state, SimTK::Transform(SimTK::Rotation(turn), to_simbody(part.center)));
        bodies_[i].setUToFitVelocity(
            state, SimTK::SpatialVec(to_simbody(part.spin), to_simbody(part.velocity)));
      }
    }
    integrator_->initialize(state);
  }

  void step(int count) override {
    // one internal step of the fixed size per return; the very first return tells the start
    for (int k = 0; k < count;)
      if (integrator_->stepTo(SimTK::Infinity) == SimTK::Integrator::TimeHasAdvanced) ++k;
  }

  void read(BodyState* bodies) override {
    const SimTK::State& state = integrator_->getState();
    system_.realize(state, SimTK::Stage::Velocity);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const SimTK::Transform& X = bodies_[i].getBodyTransform(state);
      bodies[i] = {from_simbody(SimTK::Vec3(X.R().x())),
                   from_simbody(SimTK::Vec3(X.R().y())),
                   from_simbody(SimTK::Vec3(X.R().z())),
                   from_simbody(X.p()),
                   from_simbody(bodies_[i].getBodyOriginVelocity(state)),
                   from_simbody(bodies_[i].getBodyAngularVelocity(state))};
    }
  }

  bool forward_dynamics(int count) override {
    SimTK::State state = integrator_->getState();
    const SimTK::Vector q = state.getQ(), u = state.getU();
    for (int k = 0; k < count; ++k) {
      state.updQ() = q;
      state.updU() = u;
      system_.realize(state, SimTK::Stage::Acceleration);
    }
    acceleration_.clear();
    for (const SimTK::MobilizedBody& body : bodies_)
      acceleration_.push_back(body.getNumU(state) == 1 ? body.getOneUDot(state, 0) : 0);
    return true;
  }

  void hinge_accelerations(double* out) override {
    for (std::size_t i = 0; i < work_.parts.size(); ++i)
      if (work_.parts[i].joint == Joint::hinge) *out++ = acceleration_[i];
  }

 private:
  void add(int i) {
    const Part& part = work_.parts[static_cast<std::size_t>(i)];
    SimTK::MobilizedBody& parent =
        part.parent < 0 ? matter_.updGround() : bodies_[static_cast<std::size_t>(part.parent)];
    SimTK::Body::Rigid solid(SimTK::MassProperties(
        part.mass, SimTK::Vec3(0), SimTK::Inertia(part.inertia.x, part.inertia.y, part.inertia.z)));
    if (work_.ground) add_surfaces(part.shape, solid);
    const SimTK::Vec3 in_parent = to_simbody(work_.parent_to_anchor(i)),
                      in_child = -to_simbody(work_.anchor_to_center(i));
    if (part.joint == Joint::hinge) {
      // a pin turns about the z axis of its frames
      const SimTK::Rotation frame(SimTK::UnitVec3(to_simbody(part.axis)), SimTK::ZAxis);
      bodies_.push_back(SimTK::MobilizedBody::Pin(parent, SimTK::Transform(frame, in_parent), solid,
                                                  SimTK::Transform(frame, in_child)));
    } else if (part.joint == Joint::ball) {
      bodies_.push_back(SimTK::MobilizedBody::Ball(parent, SimTK::Transform(in_parent), solid,
                                                   SimTK::Transform(in_child)));
    } else {
      bodies_.push_back(SimTK::MobilizedBody::Free(parent, solid));
    }
  }

  void add_ground() {
    tracker_ = std::make_unique<SimTK::ContactTrackerSubsystem>(system_);
    contact_ = std::make_unique<SimTK::CompliantContactSubsystem>(system_, *tracker_);
    contact_->setTransitionVelocity(slip_speed);
    // a half space is solid towards its +x, which is turned to -z
    matter_.Ground().updBody().addContactSurface(
        SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis),
        SimTK::ContactSurface(SimTK::ContactGeometry::HalfSpace(), material(1e9)));
  }

  SimTK::ContactMaterial material(double modulus) const {
    return {modulus, dissipation(work_), work_.friction, work_.friction, 0};
  }

  // Surfaces of one clique pass through each other.
  void add_surfaces(const Shape& shape, SimTK::Body::Rigid& solid) const {
    const auto add_at = [&](const Vec3& p, const SimTK::ContactGeometry& geometry) {
      const double modulus = shape.solid == Solid::box ? box_modulus : sphere_modulus;
      solid.addContactSurface(
          to_simbody(p), SimTK::ContactSurface(geometry, material(modulus)).joinClique(clique_));
    };
    const SimTK::ContactGeometry::Sphere ball(shape.radius);
    if (shape.solid == Solid::sphere) add_at({}, ball);
    if (shape.solid == Solid::capsule)
      for (const double end : {-1, 1}) add_at(shape.axis() * (end * shape.half_length), ball);
    if (shape.solid == Solid::box)
      add_at({}, SimTK::ContactGeometry::Brick(to_simbody(shape.half)));
  }

  Work work_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  std::unique_ptr<SimTK::ContactTrackerSubsystem> tracker_;
  std::unique_ptr<SimTK::CompliantContactSubsystem> contact_;
  SimTK::ContactCliqueId clique_;
  std::vector<SimTK::MobilizedBody> bodies_;
  std::unique_ptr<SimTK::Integrator> integrator_;
  std::vector<double> acceleration_;
};

class SimbodyEngine : public Engine {
 public:
  const char* name() const override { return "Simbody"; }
  const char* version() const override {
    static const std::string text = [] {
      int major = 0, minor = 0, patch = 0;
      SimTK_version_simbody(&major, &minor, &patch);
      return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    }();
    return text.c_str();
  }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", "RK Merson 4", nullptr};
    return names;
  }
  const char* const* contact_solvers() const override {
    static const char* const names[] = {compliant, nullptr};
    return names;
  }
  const char* declines(const Work& work, const char*) const override {
    return work.parts_touch ? "no contact of a box with a box or a capsule" : nullptr;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    return std::make_unique<SimbodySimulation>(work, integrator, time_step);
  }
};

}  // namespace
}  // namespace bench

extern "C" const bench::Engine* bench_engine() {
  static const bench::SimbodyEngine engine;
  return &engine;
}

// Molejo itself, one world a step and four.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engines.h"
#include "molejo/math/pack.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/ground_pack.h"

namespace bench {
namespace {

molejo::Vec3 to_molejo(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_molejo(const molejo::Vec3& v) { return {v.x, v.y, v.z}; }

molejo::Shape shape_of(const Shape& shape, const molejo::Surface& surface) {
  molejo::Shape out;
  out.surface = surface;
  if (shape.solid == Solid::box) out.geometry = molejo::Box{to_molejo(shape.half)};
  if (shape.solid == Solid::sphere) out.geometry = molejo::Sphere{shape.radius};
  if (shape.solid == Solid::capsule) {
    out.geometry = molejo::Capsule{shape.radius, shape.half_length};
    out.X_BS.R = molejo::frame_from_z(to_molejo(shape.axis()));
  }
  return out;
}

// The ground, what may touch, and nobody asleep.
void describe_contact(const Work& work, molejo::Scene& scene) {
  const molejo::Surface surface{work.friction, work.restitution};
  scene.settings.contact.sleep = false;
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    scene.bodies[i].group = "parts";
    if (work.touches()) scene.bodies[i].shapes = {shape_of(work.parts[i].shape, surface)};
  }
  if (work.ground) {
    molejo::SceneBody ground;
    ground.name = "ground";
    ground.immobile = true;
    ground.shapes = {{.geometry = molejo::Plane{}, .X_BS = {}, .color = {}, .surface = surface}};
    scene.bodies.push_back(ground);
  }
  if (!work.parts_touch)
    scene.contact_pairs.push_back({.a = "parts",
                                   .b = "parts",
                                   .response = molejo::Response::none,
                                   .friction = {},
                                   .restitution = {}});
}

molejo::Scene describe(const Work& work) {
  molejo::Scene scene;
  scene.name = work.name;
  scene.settings.gravity = {0, 0, -work.gravity};
  const std::vector<BodyState> start = initial_state(work);
  for (int i = 0; i < static_cast<int>(work.parts.size()); ++i) {
    const Part& part = work.parts[static_cast<std::size_t>(i)];
    molejo::SceneBody body;
    body.name = part.name;
    body.X_WB.p = to_molejo(part.center);
    body.given = {
        part.mass, {}, molejo::Sym3::diagonal(part.inertia.x, part.inertia.y, part.inertia.z)};
    if (part.joint == Joint::free) body.velocity = {to_molejo(part.velocity), to_molejo(part.spin)};
    if (part.joint == Joint::free) {
      const BodyState& state = start[static_cast<std::size_t>(i)];
      for (int row = 0; row < 3; ++row)
        body.X_WB.R[row] = {to_molejo(state.x_axis)[row], to_molejo(state.y_axis)[row],
                            to_molejo(state.z_axis)[row]};
    }
    scene.bodies.push_back(body);
    if (part.joint == Joint::free) continue;

    molejo::SceneJoint joint;
    joint.name = part.name + " joint";
    if (part.parent >= 0) joint.parent = work.parts[static_cast<std::size_t>(part.parent)].name;
    joint.child = part.name;
    joint.X_PF.p = to_molejo(work.parent_to_anchor(i));
    joint.X_BM.p = -to_molejo(work.anchor_to_center(i));
    joint.type = molejo::JointType::spherical;
    if (part.joint == Joint::hinge) {
      joint.type = molejo::JointType::revolute;
      joint.X_PF.R = joint.X_BM.R = molejo::frame_from_z(to_molejo(part.axis));
      joint.position = {part.angle};
      joint.velocity = {part.rate};
    }
    if (part.joint == Joint::slide) {
      joint.type = molejo::JointType::prismatic;
      joint.X_PF.R = joint.X_BM.R = molejo::frame_from_z(to_molejo(part.axis));
      joint.drives = {{}};
      joint.drives[0].force = part.force;
    }
    scene.joints.push_back(joint);
  }
  describe_contact(work, scene);
  return scene;
}

molejo::Integrator integrator_of(std::string_view name) {
  if (name == "semi-implicit Euler") return molejo::Integrator::semi_implicit_euler;
  if (name == "midpoint") return molejo::Integrator::midpoint;
  return molejo::Integrator::rk4;
}

void read_bodies(const Work& work, const molejo::Built& built, const molejo::VecX& q,
                 const molejo::VecX& v, BodyState* bodies) {
  molejo::Kinematics<double> kinematics(built.model);
  molejo::update_poses(built.model, q.data(), kinematics);
  molejo::update_velocities(built.model, v.data(), kinematics);
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    const auto n = static_cast<std::size_t>(built.model.body(work.parts[i].name).index);
    const molejo::BodyMotion<double>& motion = kinematics.bodies[n];
    bodies[i] = {from_molejo(motion.R.column(0)),
                 from_molejo(motion.R.column(1)),
                 from_molejo(motion.R.column(2)),
                 from_molejo(motion.p + motion.com),
                 from_molejo(motion.v + cross(motion.w, motion.com)),
                 from_molejo(motion.w)};
  }
}

class OneWorld : public Simulation {
 public:
  OneWorld(const Work& work, const char* integrator, double time_step)
      : work_(work),
        built_(molejo::build(describe(work))),
        integrator_(integrator_of(integrator)),
        time_step_(time_step),
        state_(built_.initial),
        scratch_(built_.model) {}

  void reset() override {
    state_ = built_.initial;
    if (scratch_.contact) molejo::forget(built_.model, scratch_.tree.dynamics, *scratch_.contact);
  }
  void step(int count) override {
    for (int k = 0; k < count; ++k)
      molejo::step(built_.model, integrator_, time_step_, state_, scratch_);
  }
  void read(BodyState* bodies) override { read_bodies(work_, built_, state_.q, state_.v, bodies); }

  bool forward_dynamics(int count) override {
    molejo::Dynamics<double>& d = scratch_.tree.dynamics;
    const molejo::State saved = state_;
    std::fill(d.tau.begin(), d.tau.end(), 0.0);
    for (int k = 0; k < count; ++k) {
      state_.q = saved.q;
      state_.v = saved.v;
      molejo::forward_dynamics(built_.model, state_.q.data(), state_.v.data(), d);
    }
    return true;
  }
  void hinge_accelerations(double* out) override {
    for (const Part& part : work_.parts)
      if (part.joint == Joint::hinge) {
        const auto body = static_cast<std::size_t>(built_.model.body(part.name).index);
        const auto freedom = static_cast<std::size_t>(built_.model.links[body].v);
        *out++ = scratch_.tree.dynamics.a[freedom];
      }
  }

 private:
  Work work_;
  molejo::Built built_;
  molejo::Integrator integrator_;
  double time_step_;
  molejo::State state_;
  molejo::Scratch scratch_;
};

// Four worlds of one model; the first is the work itself, the others start a little faster.
class FourWorlds : public Simulation {
 public:
  FourWorlds(const Work& work, const char* integrator, double time_step)
      : work_(work),
        built_(molejo::build(describe(work))),
        integrator_(integrator_of(integrator)),
        time_step_(time_step),
        q_(static_cast<std::size_t>(built_.model.nq)),
        v_(static_cast<std::size_t>(built_.model.nv)),
        scratch_(built_.model) {
    if (work.ground) ground_ = std::make_unique<molejo::GroundPack>(built_.model);
    reset();
  }

  void reset() override {
    for (int world = 0; world < 4; ++world) {
      for (std::size_t i = 0; i < q_.size(); ++i)
        q_[i].set(world, built_.initial.q[static_cast<Eigen::Index>(i)]);
      for (std::size_t i = 0; i < v_.size(); ++i)
        v_[i].set(world, built_.initial.v[static_cast<Eigen::Index>(i)] + 0.01 * world);
    }
    time_ = 0;
    if (ground_) molejo::forget(*ground_);
  }
  void step(int count) override {
    for (int k = 0; k < count; ++k, time_ += time_step_) {
      if (ground_) {
        molejo::step_on_ground(built_.model, integrator_, time_, time_step_, q_.data(), v_.data(),
                               scratch_, *ground_);
      } else {
        molejo::step_tree(built_.model, integrator_, time_, time_step_, q_.data(), v_.data(),
                          scratch_);
      }
    }
  }
  void read(BodyState* bodies) override {
    molejo::VecX q(built_.model.nq), v(built_.model.nv);
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = q_[static_cast<std::size_t>(i)][0];
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = v_[static_cast<std::size_t>(i)][0];
    read_bodies(work_, built_, q, v, bodies);
  }
  bool forward_dynamics(int count) override {
    molejo::Dynamics<molejo::Pack4>& d = scratch_.dynamics;
    const std::vector<molejo::Pack4> q = q_, v = v_;
    std::fill(d.tau.begin(), d.tau.end(), molejo::Pack4(0));
    for (int k = 0; k < count; ++k) {
      q_ = q;
      v_ = v;
      molejo::forward_dynamics(built_.model, q_.data(), v_.data(), d);
    }
    return true;
  }
  int worlds() const override { return 4; }

 private:
  Work work_;
  molejo::Built built_;
  molejo::Integrator integrator_;
  double time_step_, time_ = 0;
  std::vector<molejo::Pack4> q_, v_;
  molejo::StepScratch<molejo::Pack4> scratch_;
  std::unique_ptr<molejo::GroundPack> ground_;  // when there is something to touch
};

class MolejoEngine : public Engine {
 public:
  const char* name() const override { return "Molejo"; }
  const char* version() const override { return BENCH_MOLEJO_VERSION; }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", "midpoint", "rk4", nullptr};
    return names;
  }
  const char* const* contact_solvers() const override {
    static const char* const names[] = {"semi-implicit Euler", "midpoint", nullptr};
    return names;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    return std::make_unique<OneWorld>(work, integrator, time_step);
  }
};

class FourWorldsEngine : public MolejoEngine {
 public:
  const char* name() const override { return "Molejo, four worlds"; }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", "midpoint", nullptr};
    return names;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    return std::make_unique<FourWorlds>(work, integrator, time_step);
  }
};

}  // namespace

const Engine* molejo_engine() {
  static const MolejoEngine engine;
  return &engine;
}
const Engine* molejo_four_worlds_engine() {
  static const FourWorldsEngine engine;
  return &engine;
}

}  // namespace bench

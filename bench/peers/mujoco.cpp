// MuJoCo: the model is an MJCF text, with geoms only where something touches; body frames sit at
// the joints.
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

constexpr const char *pyramidal = "Newton, pyramidal cone", *elliptic = "Newton, elliptic cone";

std::string triple(const Vec3& v) {
  char text[128];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x, v.y, v.z);
  return text;
}

// Damping ratio with which a spring and a damper that only push bounce with the coefficient e
// (Schwager and Poschel 2007, equation 21).
double damping_ratio(double e) {
  const double pi = 3.14159265358979323846;
  double least = 0, most = 0.7;
  for (int i = 0; i < 60; ++i) {
    const double z = 0.5 * (least + most), root = std::sqrt(1 - z * z);
    const double bounce = std::exp(-z / root * (pi - std::atan2(2 * z * root, 1 - 2 * z * z)));
    (bounce > e ? least : most) = z;
  }
  return least;
}

// MuJoCo has no coefficient of restitution: its contact is a spring and a damper. At 200 rad/s one
// bounce lasts 16 steps.
std::string contact_attributes(const Work& work) {
  char text[200];
  std::snprintf(text, sizeof text, " friction='%.17g 0 0'", work.friction);
  std::string out = text;
  if (work.restitution > 0) {
    const double frequency = 200;
    std::snprintf(text, sizeof text, " solref='%.17g %.17g'", -frequency * frequency,
                  -2 * damping_ratio(work.restitution) * frequency - 1e-9);
    out += text;
  }
  return out;
}

void write_geom(const Work& work, int i, const PlacedShape& placed, std::string& xml) {
  const Shape& shape = placed.shape;
  if (!work.touches() || shape.solid == Solid::none) return;
  xml += "<geom pos='" + triple(work.anchor_to_center(i) + placed.position) +
         "' contype='1' conaffinity='" + (work.parts_touch ? "1'" : "0'") +
         contact_attributes(work);
  if (placed.angle != 0)
    xml += " axisangle='" + triple(placed.axis) + " " + std::to_string(placed.angle) + "'";
  if (shape.solid == Solid::box)
    xml += " type='box' size='" + triple(shape.half) + "'/>";
  else if (shape.solid == Solid::sphere)
    xml += " type='sphere' size='" + triple({shape.radius, 0, 0}) + "'/>";
  else
    xml += " type='capsule' size='" + triple({shape.radius, shape.half_length, 0}) + "' zaxis='" +
           triple(shape.axis()) + "'/>";
}

void write_body(const Work& work, int i, std::string& xml) {
  const Part& part = work.parts[static_cast<std::size_t>(i)];
  const Vec3 origin =
      part.parent < 0 ? Vec3{} : work.parts[static_cast<std::size_t>(part.parent)].anchor;
  xml += "<body pos='" + triple(part.anchor - origin) + "'><inertial pos='" +
         triple(work.anchor_to_center(i)) + "' mass='" + std::to_string(part.mass) +
         (dot(part.products, part.products) > 0
              ? "' fullinertia='" + triple(part.inertia) + " " + triple(part.products)
              : "' diaginertia='" + triple(part.inertia)) +
         "'/>";
  const std::string spring = " stiffness='" + std::to_string(part.stiffness) + "' damping='" +
                             std::to_string(part.damping) + "'/>";
  xml += part.joint == Joint::free ? "<freejoint/>"
         : part.joint == Joint::ball
             ? "<joint type='ball'" + spring
             : std::string("<joint type='") + (part.joint == Joint::slide ? "slide" : "hinge") +
                   "' axis='" + triple(part.axis) + "'/>";
  write_geom(work, i, {part.shape, {}, {}, 0}, xml);
  for (const PlacedShape& placed : part.more_shapes) write_geom(work, i, placed, xml);
  for (int child = i + 1; child < static_cast<int>(work.parts.size()); ++child)
    if (work.parts[static_cast<std::size_t>(child)].parent == i) write_body(work, child, xml);
  xml += "</body>";
}

mjModel* compile(const Work& work, const char* integrator, double time_step) {
  char option[300];
  std::snprintf(option, sizeof option,
                "<option timestep='%.17g' gravity='0 0 %.17g' integrator='%s' cone='%s'/>",
                time_step, -work.gravity, std::strcmp(integrator, "RK4") == 0 ? "RK4" : "Euler",
                std::strcmp(integrator, elliptic) == 0 ? "elliptic" : "pyramidal");
  std::string xml =
      std::string("<mujoco><compiler angle='radian' inertiafromgeom='false'/>") + option;
  // room for the contacts of a pile
  if (work.parts.size() > 50) {
    std::snprintf(option, sizeof option, "<size nconmax='%zu' njmax='%zu' nstack='%zu'/>",
                  20 * work.parts.size(), 80 * work.parts.size(), 60000 * work.parts.size());
    xml += option;
  }
  xml += "<worldbody>";
  if (work.ground)
    xml += "<geom type='plane' size='0 0 1' contype='0' conaffinity='1'" +
           contact_attributes(work) + "/>";
  for (int i = 0; i < static_cast<int>(work.parts.size()); ++i)
    if (work.parts[static_cast<std::size_t>(i)].parent < 0) write_body(work, i, xml);
  xml += "</worldbody></mujoco>";

  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "work.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "work.xml")], xml.data(), xml.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("work.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

// MuJoCo orders bodies depth first; `body` maps our parts to its bodies.
void number_bodies(const Work& work, int i, int& next, std::vector<int>& body) {
  body[static_cast<std::size_t>(i)] = next++;
  for (int child = i + 1; child < static_cast<int>(work.parts.size()); ++child)
    if (work.parts[static_cast<std::size_t>(child)].parent == i)
      number_bodies(work, child, next, body);
}

class MujocoSimulation : public Simulation {
 public:
  MujocoSimulation(const Work& work, const char* integrator, double time_step)
      : work_(work),
        model_(compile(work, integrator, time_step)),
        data_(mj_makeData(model_)),
        body_(work.parts.size()) {
    int next = 1;
    for (int i = 0; i < static_cast<int>(work.parts.size()); ++i)
      if (work.parts[static_cast<std::size_t>(i)].parent < 0) number_bodies(work, i, next, body_);
    reset();
  }
  ~MujocoSimulation() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void reset() override {
    mj_resetData(model_, data_);
    const std::vector<BodyState> start = initial_state(work_);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Part& part = work_.parts[i];
      const int joint = model_->body_jntadr[body_[i]];
      double* q = data_->qpos + model_->jnt_qposadr[joint];
      double* v = data_->qvel + model_->jnt_dofadr[joint];
      if (part.joint == Joint::hinge) {
        q[0] = part.angle;
        v[0] = part.rate;
      } else if (part.joint == Joint::slide) {
        data_->qfrc_applied[model_->jnt_dofadr[joint]] = part.force;
      } else if (part.joint == Joint::free) {
        // the velocity is in world axes, the angular velocity in those of the body
        const BodyState& body = start[i];
        const double axis[3] = {part.axis.x, part.axis.y, part.axis.z};
        mju_axisAngle2Quat(q + 3, axis, part.angle);
        const double velocity[6] = {part.velocity.x,
                                    part.velocity.y,
                                    part.velocity.z,
                                    dot(body.x_axis, part.spin),
                                    dot(body.y_axis, part.spin),
                                    dot(body.z_axis, part.spin)};
        std::memcpy(v, velocity, sizeof velocity);
      }
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) {
      if (work_.pulses[0].until > 0) apply_torques();
      mj_step(model_, data_);
    }
  }

  void read(BodyState* bodies) override {
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const double* p = data_->xipos + 3 * body_[i];
      const double* R = data_->xmat + 9 * body_[i];
      double velocity[6];  // angular, then linear
      mj_objectVelocity(model_, data_, mjOBJ_BODY, body_[i], velocity, 0);
      bodies[i] = {{R[0], R[3], R[6]},
                   {R[1], R[4], R[7]},
                   {R[2], R[5], R[8]},
                   {p[0], p[1], p[2]},
                   {velocity[3], velocity[4], velocity[5]},
                   {velocity[0], velocity[1], velocity[2]}};
    }
  }

  // the pipeline of mj_forward without collision, constraints, actuators and sensors
  bool forward_dynamics(int count) override {
    const std::vector<double> q(data_->qpos, data_->qpos + model_->nq);
    const std::vector<double> v(data_->qvel, data_->qvel + model_->nv);
    for (int k = 0; k < count; ++k) {
      std::memcpy(data_->qpos, q.data(), q.size() * sizeof(double));
      std::memcpy(data_->qvel, v.data(), v.size() * sizeof(double));
      mj_kinematics(model_, data_);
      mj_comPos(model_, data_);
      mj_crb(model_, data_);
      mj_factorM(model_, data_);
      mj_comVel(model_, data_);
      mj_rne(model_, data_, 0, data_->qfrc_bias);
      mju_scl(data_->qfrc_smooth, data_->qfrc_bias, -1, model_->nv);
      mj_solveM(model_, data_, data_->qacc, data_->qfrc_smooth, 1);
    }
    return true;
  }

  void hinge_accelerations(double* out) override {
    for (std::size_t i = 0; i < work_.parts.size(); ++i)
      if (work_.parts[i].joint == Joint::hinge)
        *out++ = data_->qacc[model_->jnt_dofadr[model_->body_jntadr[body_[i]]]];
  }

 private:
  // of ball joints, in axes of the child
  void apply_torques() {
    const int pulse = work_.pulse(data_->time + 1e-9);
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      const Part& part = work_.parts[i];
      if (part.joint != Joint::ball) continue;
      const int joint = model_->body_jntadr[body_[i]];
      double* force = data_->qfrc_applied + model_->jnt_dofadr[joint];
      if (pulse < 0) {
        mju_zero3(force);
        continue;
      }
      const Vec3& torque = part.torque[pulse];
      const double in_parent[3] = {torque.x, torque.y, torque.z};
      double inverse[4];
      mju_negQuat(inverse, data_->qpos + model_->jnt_qposadr[joint]);
      mju_rotVecQuat(force, in_parent, inverse);
    }
  }

  Work work_;
  mjModel* model_;
  mjData* data_;
  std::vector<int> body_;
};

class MujocoEngine : public Engine {
 public:
  const char* name() const override { return "MuJoCo"; }
  const char* version() const override { return mj_versionString(); }
  const char* const* integrators() const override {
    static const char* const names[] = {"semi-implicit Euler", "RK4", nullptr};
    return names;
  }
  const char* const* contact_solvers() const override {
    static const char* const names[] = {pyramidal, elliptic, nullptr};
    return names;
  }
  const char* declines(const Work& work, const char* solver) const override {
    if (work.parts.size() > 500)
      return "cannot make its data: constraint rows times freedoms are too many";
    return work.parts.size() > 50 && std::strcmp(solver, elliptic) == 0
               ? "slow: the pyramidal cone stands for both"
               : nullptr;
  }
  std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                   double time_step) const override {
    return std::make_unique<MujocoSimulation>(work, integrator, time_step);
  }
};

}  // namespace
}  // namespace bench

extern "C" const bench::Engine* bench_engine() {
  static const bench::MujocoEngine engine;
  return &engine;
}

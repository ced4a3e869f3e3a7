// MuJoCo: the model is an MJCF text without geoms; body frames sit at the joints.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace bench {
namespace {

std::string triple(const Vec3& v) {
  char text[128];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x, v.y, v.z);
  return text;
}

void write_body(const Work& work, int i, std::string& xml) {
  const Part& part = work.parts[static_cast<std::size_t>(i)];
  const Vec3 origin =
      part.parent < 0 ? Vec3{} : work.parts[static_cast<std::size_t>(part.parent)].anchor;
  xml += "<body pos='" + triple(part.anchor - origin) + "'><inertial pos='" +
         triple(work.anchor_to_center(i)) + "' mass='" + std::to_string(part.mass) +
         "' diaginertia='" + triple(part.inertia) + "'/>";
  xml += part.joint == Joint::free   ? "<freejoint/>"
         : part.joint == Joint::ball ? "<joint type='ball'/>"
                                     : "<joint type='hinge' axis='" + triple(part.axis) + "'/>";
  for (int child = i + 1; child < static_cast<int>(work.parts.size()); ++child)
    if (work.parts[static_cast<std::size_t>(child)].parent == i) write_body(work, child, xml);
  xml += "</body>";
}

mjModel* compile(const Work& work, const char* integrator, double time_step) {
  char option[200];
  std::snprintf(option, sizeof option,
                "<option timestep='%.17g' gravity='0 0 %.17g' integrator='%s'/>", time_step,
                -work.gravity, std::strcmp(integrator, "RK4") == 0 ? "RK4" : "Euler");
  std::string xml = std::string("<mujoco><compiler angle='radian' inertiafromgeom='false'/>") +
                    option + "<worldbody>";
  write_body(work, 0, xml);
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
    number_bodies(work, 0, next, body_);
    reset();
  }
  ~MujocoSimulation() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void reset() override {
    mj_resetData(model_, data_);
    if (work_.floating()) {
      const double spin[3] = {work_.spin.x, work_.spin.y, work_.spin.z};
      std::memcpy(data_->qvel + 3, spin, sizeof spin);
    }
    for (std::size_t i = 0; i < work_.parts.size(); ++i) {
      if (work_.parts[i].joint != Joint::hinge) continue;
      const int joint = model_->body_jntadr[body_[i]];
      data_->qpos[model_->jnt_qposadr[joint]] = work_.parts[i].angle;
      data_->qvel[model_->jnt_dofadr[joint]] = work_.parts[i].rate;
    }
  }

  void step(int count) override {
    for (int k = 0; k < count; ++k) mj_step(model_, data_);
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

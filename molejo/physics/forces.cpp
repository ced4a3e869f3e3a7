#include "molejo/physics/forces.h"

#include <algorithm>

#include "molejo/math/thread_kept.h"
#include "molejo/model/closure.h"
#include "molejo/physics/forces_kernel.h"
#include "molejo/physics/penalty.h"

namespace molejo {

template void apply_drives(const Model&, const double*, const double*, const ImplicitDrive&,
                           Dynamics<double>&, const Acting<double>&);
template void apply_body_forces(const Model&, double, Dynamics<double>&, const Acting<double>&);

bool has_body_forces(const Model& model) {
  return !model.springs.empty() || !model.forces.empty() || has_penalty(model) ||
         std::any_of(model.loops.begin(), model.loops.end(),
                     [](const LoopJoint& loop) { return !loop.drives.empty(); });
}

namespace {

using Sample = ForceSample;

// Point of the Bezier curve at parameter s (de Casteljau).
Sample bezier(const std::vector<Sample>& control, double s) {
  static const ThreadKept<std::vector<Sample>> kept;  // so that stepping does not allocate
  std::vector<Sample>& p = kept.of_this_thread();
  p.assign(control.begin(), control.end());
  for (std::size_t level = p.size() - 1; level > 0; --level) {
    for (std::size_t i = 0; i < level; ++i) {
      p[i].t += s * (p[i + 1].t - p[i].t);
      p[i].force += (p[i + 1].force - p[i].force) * s;
      p[i].torque += (p[i + 1].torque - p[i].torque) * s;
    }
  }
  return p[0];
}

double drive_energy(const Drive& d, double x) {
  double e = 0.5 * d.stiffness * (x - d.rest) * (x - d.rest);
  if (!d.by_formula) e += 0.5 * d.kp * (x - d.target) * (x - d.target);
  if (d.lower && x < *d.lower) e += 0.5 * d.limit_stiffness * (*d.lower - x) * (*d.lower - x);
  if (d.upper && x > *d.upper) e += 0.5 * d.limit_stiffness * (x - *d.upper) * (x - *d.upper);
  return e;
}

// Of all freedoms of a joint whose coordinates stand at q.
double joint_energy(const Freedoms& f, const Drive* drives, const double* q) {
  double e = 0;
  const int straight = f.rotations == 3 ? f.translations : f.count();
  for (int j = 0; j < straight; ++j) e += drive_energy(drives[j], q[j]);
  if (f.rotations == 3) {
    const Vec3 phi = log_quat(Quat{q[straight], q[straight + 1], q[straight + 2], q[straight + 3]});
    for (int j = 0; j < 3; ++j) e += drive_energy(drives[straight + j], phi[j]);
  }
  return e;
}

}  // namespace

ForceSample force_at(const std::vector<Sample>& samples, double t) {
  if (samples.size() == 1) return samples[0];
  if (t < samples.front().t || t > samples.back().t) return {t, {}, {}};
  // control times increase, so t(s) does too: bisect to the last bit
  double low = 0, high = 1;
  while (true) {
    const double s = 0.5 * (low + high);
    if (s <= low || s >= high) break;
    (bezier(samples, s).t < t ? low : high) = s;
  }
  // the ends are attained exactly
  if (t == samples.front().t) return samples.front();
  if (t == samples.back().t) return samples.back();
  return bezier(samples, 0.5 * (low + high));
}

void apply_loop_drives(const Model& model, const Acting<double>& command, Dynamics<double>& d) {
  static constexpr Drive no_drives[6] = {};
  for (const LoopJoint& loop : model.loops) {
    if (loop.drives.empty() && !command.forces && !command.motors) continue;
    const JointCoordinates c = measure(model, d.kinematics, loop);
    const Freedoms f = freedoms(loop.type);
    const Drive* drives = loop.drives.empty() ? no_drives : loop.drives.data();
    const MotorTarget<double>* targets =
        command.motors ? command.motors + loop.first_motor : nullptr;
    const Vec3 p = body_pose(model, d.kinematics, loop.body_2) * loop.X_2M.p;
    double force[6] = {}, unused[6] = {};
    const MotorInput<double>* motors = &d.motors[static_cast<std::size_t>(loop.first_motor)];
    const int straight = f.rotations == 3 ? f.translations : f.count();
    for (int j = 0; j < straight; ++j) {
      force[j] =
          drive_force(drives[j], motors[j], targets ? targets + j : nullptr, c.q[j], c.v[j]).force;
    }
    if (f.rotations == 3) {
      const double* q = c.q + straight;
      const double* v = c.v + straight;
      apply_ball_drives(drives + straight, motors + straight,
                        targets ? targets + straight : nullptr, q, v, v,
                        ImplicitDrive::explicit_force(), force + straight, unused);
    }
    for (int j = 0; command.forces && j < f.count(); ++j) {
      force[j] += command.forces[loop.first_motor + j];
    }
    for (int j = 0; j < f.count(); ++j) {
      const Vec3 along = c.axis[j] * force[j];
      if (j < f.translations) {
        push(loop.body_2, p, along, d);
        push(loop.body_1, p, -along, d);
      } else {
        const auto turn = [&](BodyId body, const Vec3& torque) {
          if (!body.is_world()) d.applied[static_cast<std::size_t>(body.index)].angular += torque;
        };
        turn(loop.body_2, along);
        turn(loop.body_1, -along);
      }
    }
  }
}

double rotor_energy(const Model& model, const Kinematics<double>& k, const VecX& v) {
  double e = 0;
  for (int i = 0; i < model.nv; ++i) {
    e += 0.5 * model.drives[static_cast<std::size_t>(i)].armature * v[i] * v[i];
  }
  for (const LoopJoint& loop : model.loops) {
    if (loop.rotors.empty()) continue;
    const JointCoordinates c = measure(model, k, loop);
    for (int j : loop.rotors) {
      e += 0.5 * loop.drives[static_cast<std::size_t>(j)].armature * c.v[j] * c.v[j];
    }
  }
  return e;
}

double elastic_energy(const Model& model, const Kinematics<double>& k, const VecX& q) {
  double e = 0;
  for (const PointSpring& s : model.springs) {
    const Vec3 a = point_motion(model, k, s.body_1, s.p_1).p;
    const Vec3 b = point_motion(model, k, s.body_2, s.p_2).p;
    const double stretch = norm(b - a) - s.rest_length;
    e += 0.5 * s.stiffness * stretch * stretch;
  }
  if (model.has_drives) {
    for (const Link& link : model.links) {
      e += joint_energy({link.translations, link.rotations}, model.drives.data() + link.v,
                        q.data() + link.q);
    }
  }
  for (const LoopJoint& loop : model.loops) {
    if (loop.drives.empty()) continue;
    const JointCoordinates c = measure(model, k, loop);
    e += joint_energy(freedoms(loop.type), loop.drives.data(), c.q);
  }
  return e;
}

}  // namespace molejo

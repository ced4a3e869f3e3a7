#include "molejo/director/figure.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

Mat3 turn(double heading) {
  const SinCos<double> sc = sincos(heading);
  return {{sc.cos, -sc.sin, 0}, {sc.sin, sc.cos, 0}, {0, 0, 1}};
}

void set_quaternion(const Mat3& R, double* q) {
  const Quat x = normalized(quaternion(R));
  q[0] = x.w, q[1] = x.x, q[2] = x.y, q[3] = x.z;
}

// Where the joint point of the root is and how it is turned.
Pose root_pose(const Figure& f, const Posture& p, double lowered) {
  const Vec3 M = p.place + Vec3{0, 0, f.height + p.lift - lowered};
  return {turn(p.heading) * f.R_rest, M};
}

Vec3 hip(const Model& model, const FigureLimb& leg, const Pose& root) {
  return root * model.links[at(leg.upper)].p_LF;
}

Vec3 ground_point(const Posture& p, const Vec3& local) { return p.place + turn(p.heading) * local; }

double angle_about(const Mat3& R, const Vec3& axis) {
  // R = exp(angle axis): the skew part has the sine, the trace the cosine
  const Vec3 s{R.r2.y - R.r1.z, R.r0.z - R.r2.x, R.r1.x - R.r0.y};
  return arc_tangent(dot(s, axis), R.r0.x + R.r1.y + R.r2.z - 1);
}

}  // namespace

int Figure::find_limb(const std::string& limb) const {
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (limbs[i].name == limb) return static_cast<int>(i);
  }
  return -1;
}

Figure make_figure(const Built& built, const std::string& name, int body, double heading,
                   const Vec3& place, const std::vector<int>& feet, int torso) {
  const Model& model = built.model;
  Figure f;
  f.name = name;
  f.root = body;
  while (model.links[at(f.root)].parent >= 0) f.root = model.links[at(f.root)].parent;
  const Link& root = model.links[at(f.root)];
  if (root.translations != 3 || root.rotations != 3) {
    throw InputError("actor '" + name + "': its root '" + model.bodies[at(f.root)].name +
                     "' is held to the world; an actor must be free to move");
  }
  for (int i = f.root; i < model.body_count(); ++i) {
    int top = i;
    while (model.links[at(top)].parent >= 0) top = model.links[at(top)].parent;
    if (top == f.root) f.links.push_back(i);
  }
  State zero = zero_state(model);
  zero.q.segment(root.q, 7) = built.initial.q.segment(root.q, 7);
  Kinematics<double> k(model);
  update_poses(model, zero.q.data(), k);
  const Vec3 M = k.bodies[at(f.root)].p;
  f.R_rest = transpose(turn(heading)) * k.bodies[at(f.root)].R;
  f.height = M.z - place.z;
  f.rest.place = {M.x, M.y, place.z};
  f.rest.heading = heading;
  for (const int link : f.links) {
    const std::optional<Limb> found = find_limb(model, link);
    if (!found) continue;
    FigureLimb limb{*found, false, {}};
    std::string full = model.bodies[at(link)].name;
    if (!name.empty() && full.rfind(name + ".", 0) == 0) full = full.substr(name.size() + 1);
    const std::size_t dot = full.rfind('.');
    limb.name = dot == std::string::npos ? full : full.substr(0, dot);
    const bool is_foot = std::find(feet.begin(), feet.end(), limb.end) != feet.end();
    limb.is_leg = is_foot && model.links[at(link)].parent == f.root;
    const Vec3 end = k.bodies[at(limb.end)].p;
    limb.stand = transpose_times(turn(heading), end - f.rest.place);
    f.rest.limbs.push_back(limb.is_leg ? LimbGoal{Hold::world, end}
                                       : LimbGoal{Hold::body, limb.rest});
    f.limbs.push_back(std::move(limb));
  }
  // a torso on a hinge across may tilt
  if (torso >= 0 && model.links[at(torso)].parent == f.root) {
    const Link& link = model.links[at(torso)];
    const Vec3 axis = transpose_times(turn(heading), k.bodies[at(torso)].R * link.axis[0]);
    if (link.translations == 0 && link.rotations == 1 && std::fabs(axis.y) > 0.99) {
      f.waist = torso;
      f.tilt_sign = axis.y > 0 ? 1 : -1;
    }
  }
  return f;
}

double sink(const Model& model, const Figure& f, const Posture& p) {
  const Pose root = root_pose(f, p, 0);
  double lowered = 0;
  for (std::size_t i = 0; i < f.limbs.size(); ++i) {
    const FigureLimb& leg = f.limbs[i];
    if (!leg.is_leg || p.limbs[i].hold == Hold::body) continue;
    const Vec3 goal = p.limbs[i].hold == Hold::world ? p.limbs[i].p : ground_point(p, p.limbs[i].p);
    const Vec3 h = hip(model, leg, root) - goal;
    const double left = leg.reach() * leg.reach() - h.x * h.x - h.y * h.y;
    lowered = std::max(lowered, h.z - std::sqrt(std::max(0.0, left)));
  }
  return lowered;
}

Vec3 goal_in_world(const Model& model, const Figure& f, const Posture& p, int limb) {
  const LimbGoal& goal = p.limbs[at(limb)];
  if (goal.hold == Hold::world) return goal.p;
  if (goal.hold == Hold::ground) return ground_point(p, goal.p);
  Pose parent = root_pose(f, p, sink(model, f, p));
  const Link& upper = model.links[at(f.limbs[at(limb)].upper)];
  if (upper.parent == f.waist && f.waist >= 0) {
    const Link& torso = model.links[at(f.waist)];
    const Mat3 R = parent.R * torso.R_PB0 * axis_rotation(torso.axis[0], f.tilt_sign * p.tilt);
    parent = {R, parent * torso.p_LF};
  }
  return parent * (upper.p_LF + goal.p);
}

void hold(const Model& model, const Figure& f, Hold how, int limb, Posture& p) {
  LimbGoal& goal = p.limbs[at(limb)];
  if (goal.hold == how) return;
  const Vec3 world = goal_in_world(model, f, p, limb);
  if (how == Hold::world) {
    goal.p = world;
  } else if (how == Hold::ground) {
    goal.p = transpose_times(turn(p.heading), world - p.place);
  } else {
    // as if it were at the shoulder, the goal is nothing: the difference is what is asked for
    Posture at_shoulder = p;
    at_shoulder.limbs[at(limb)] = {Hold::body, {}, 0};
    // the body keeps the height that it has with this limb on the ground
    at_shoulder.lift -= sink(model, f, p) - sink(model, f, at_shoulder);
    const Vec3 shoulder = goal_in_world(model, f, at_shoulder, limb);
    Mat3 R = turn(p.heading) * f.R_rest;
    const Link& upper = model.links[at(f.limbs[at(limb)].upper)];
    if (upper.parent == f.waist && f.waist >= 0) {
      const Link& torso = model.links[at(f.waist)];
      R = R * torso.R_PB0 * axis_rotation(torso.axis[0], f.tilt_sign * p.tilt);
    }
    goal.p = transpose_times(R, world - shoulder);
  }
  goal.hold = how;
}

SolveReport pose_figure(const Model& model, const Figure& f, const Posture& p,
                        Kinematics<double>& k, VecX& q) {
  SolveReport report;
  const Link& root = model.links[at(f.root)];
  const Pose X = root_pose(f, p, sink(model, f, p));
  const Vec3 moved = X.p - root.p_LF;
  for (int i = 0; i < 3; ++i) q[root.q + i] = dot(root.t_P[i], moved);
  set_quaternion(transpose(root.R_PB0) * X.R, q.data() + root.q + 3);
  if (f.waist >= 0) q[model.links[at(f.waist)].q] = f.tilt_sign * p.tilt;
  update_poses(model, q.data(), k);
  for (std::size_t i = 0; i < f.limbs.size(); ++i) {
    const FigureLimb& limb = f.limbs[i];
    const LimbGoal& goal = p.limbs[i];
    const Link &U = model.links[at(limb.upper)], &L = model.links[at(limb.lower)],
               &E = model.links[at(limb.end)];
    const BodyMotion<double>& parent = k.bodies[at(U.parent)];
    const Vec3 shoulder = parent.p + parent.R * U.p_LF;
    const Vec3 wanted =
        goal.hold == Hold::body
            ? goal.p
            : transpose_times(
                  parent.R,
                  (goal.hold == Hold::world ? goal.p : ground_point(p, goal.p)) - shoulder);
    const LimbPose pose = solve(limb, wanted, goal.swivel);
    report.out_of_reach = std::max(report.out_of_reach, norm(pose.wrist - wanted));
    report.beyond_limits = std::max(report.beyond_limits, pose.beyond_limits);
    set_quaternion(transpose(U.R_PB0) * pose.R_PU, q.data() + U.q);
    q[L.q] = pose.hinge;
    // feet stay level, hands go with the forearm
    Mat3 R_LE = E.R_PB0;
    if (limb.is_leg) {
      const Mat3 R_WL = parent.R * pose.R_PU * L.R_PB0 * axis_rotation(L.axis[0], pose.hinge);
      const Mat3 level = f.R_rest * U.R_PB0 * L.R_PB0 * E.R_PB0;
      R_LE = transpose(R_WL) * (turn(p.heading) * level);
    }
    set_quaternion(transpose(E.R_PB0) * R_LE, q.data() + E.q);
  }
  update_poses(model, q.data(), k);
  return report;
}

Posture read_posture(const Model& model, const Figure& f, const VecX& q, Kinematics<double>& k) {
  update_poses(model, q.data(), k);
  Posture p;
  p.limbs.resize(f.limbs.size());
  const BodyMotion<double>& root = k.bodies[at(f.root)];
  const Mat3 R = root.R * transpose(f.R_rest);
  p.heading = arc_tangent(R.r1.x, R.r0.x);
  p.place = {root.p.x, root.p.y, f.rest.place.z};
  p.lift = root.p.z - p.place.z - f.height;
  if (f.waist >= 0) p.tilt = f.tilt_sign * q[model.links[at(f.waist)].q];
  for (std::size_t i = 0; i < f.limbs.size(); ++i) {
    const FigureLimb& limb = f.limbs[i];
    const Vec3 end = k.bodies[at(limb.end)].p;
    const BodyMotion<double>& parent = k.bodies[at(model.links[at(limb.upper)].parent)];
    const Vec3 shoulder = parent.p + parent.R * model.links[at(limb.upper)].p_LF;
    const bool stands = limb.is_leg && end.z - p.place.z < limb.stand.z + 1e-6;
    p.limbs[i] = stands ? LimbGoal{Hold::world, end}
                        : LimbGoal{Hold::body, transpose_times(parent.R, end - shoulder)};
    // from the axis of the hinge, which a straight limb has too
    const Mat3 R_PU = transpose(parent.R) * k.bodies[at(limb.upper)].R;
    const Vec3 wrist = transpose_times(parent.R, end - shoulder);
    p.limbs[i].swivel = swivel_of(limb, cross(wrist, R_PU * limb.hinge_U) * limb.side, wrist);
  }
  return p;
}

void set_joint(const Model& model, int index, const Pose& X_WB, const Kinematics<double>& k,
               VecX& q) {
  const Link& link = model.links[at(index)];
  Mat3 R_WP = Mat3::identity();
  Vec3 p_WL;
  if (link.parent >= 0) R_WP = k.bodies[at(link.parent)].R, p_WL = k.bodies[at(link.parent)].p;
  const Vec3 moved = transpose_times(R_WP, X_WB * link.p_BM - p_WL) - link.p_LF;
  for (int i = 0; i < link.translations; ++i) q[link.q + i] = dot(link.t_P[i], moved);
  const Mat3 R = transpose(link.R_PB0) * (transpose(R_WP) * X_WB.R);
  double* angles = q.data() + link.q + link.translations;
  if (link.rotations == 3) set_quaternion(R, angles);
  if (link.rotations == 1) angles[0] = angle_about(R, link.axis[0]);
}

}  // namespace molejo

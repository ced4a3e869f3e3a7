#include "molejo/locomotion/choose_modes.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/decompositions.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

using Balance = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// A unit force on a unit mass since t = 0, with spring w^2 and damper 2 xi w: place and velocity.
struct Answer {
  double x = 0, v = 0;
};
Answer step_answer(double w, double xi, double t) {
  if (t <= 0) return {};
  const double decay = xi * w, square = w * w - decay * decay;
  const double still = 1 / (w * w);
  if (std::fabs(square) < 1e-9 * w * w) {
    const double e = std::exp(-w * t);
    return {still * (1 - e * (1 + w * t)), t * e};
  }
  if (square > 0) {
    const double wd = std::sqrt(square), e = std::exp(-decay * t);
    const double c = std::cos(wd * t), s = std::sin(wd * t);
    return {still * (1 - e * (c + decay / wd * s)), e * s / wd};
  }
  // overdamped: a fast and a slow decay
  const double r = std::sqrt(-square), slow = w * w / (decay + r), fast = decay + r;
  const double es = std::exp(-slow * t), ef = std::exp(-fast * t);
  return {still * (1 - (fast * es - slow * ef) / (fast - slow)), (es - ef) / (fast - slow)};
}

// Six numbers of a small motion of the whole figure, x as a displacement or as a velocity.
class BalanceOf {
 public:
  BalanceOf(const Character& c, const Motion& motion, const std::vector<int>& feet)
      : c_(c), feet_(feet), tolerance_(motion.tolerance), k_(c.model) {
    update_poses(c.model, c.rest.q.data(), k_);
    const int root = c.model.links[at(c.root.index)].v;
    Eigen::Matrix3d inertia;
    for (int i = 0; i < 3; ++i) {
      const Vec3 L = spin_momentum(VecX::Unit(c.model.nv, root + 3 + i));
      for (int j = 0; j < 3; ++j) inertia(j, i) = L[j];
    }
    inverse_inertia_ = inverse(inertia);
  }

  Balance momenta(const VecX& v) {
    const Vec3 L = spin_momentum(v);  // leaves velocities up to date
    const Eigen::Vector3d spin = inverse_inertia_ * Eigen::Vector3d(L.x, L.y, L.z);
    const Vec3 com = totals(c_.model, k_).com_velocity;
    return both(com, tolerance_.speed, {spin[0], spin[1], spin[2]}, tolerance_.spin);
  }
  Balance landing(const VecX& x) {
    update_velocities(c_.model, x.data(), k_);
    const Vec3 com = totals(c_.model, k_).com_velocity;
    Vec3 place;
    for (const int f : feet_) {
      const Foot& foot = c_.feet[at(f)];
      const Vec3 toe = body_pose(c_.model, k_, foot.body) * foot.toe;
      place += (point_velocity(k_, foot.body, toe) - com) * (1 / static_cast<double>(feet_.size()));
    }
    return both(place, tolerance_.position, k_.bodies[at(c_.torso.index)].w, tolerance_.angle);
  }

 private:
  Vec3 spin_momentum(const VecX& v) {
    update_velocities(c_.model, v.data(), k_);
    const Totals t = totals(c_.model, k_);
    return t.angular_momentum - cross(t.com, t.momentum);
  }
  // along forward, left, up
  Balance both(const Vec3& a, double tol_a, const Vec3& b, double tol_b) const {
    Balance e;
    int i = 0;
    for (const Vec3& axis : {c_.forward, c_.left, c_.up}) {
      e[i] = dot(a, axis) / tol_a;
      e[3 + i++] = dot(b, axis) / tol_b;
    }
    return e;
  }

  const Character& c_;
  const std::vector<int>& feet_;
  CycleTolerance tolerance_;
  Kinematics<double> k_;
  Eigen::Matrix3d inverse_inertia_;
};

}  // namespace

MatX balance_effects(const Character& character, const Motion& motion, const std::vector<int>& feet,
                     bool ground, const Modes& modes) {
  const SearchRange& range = motion.range;
  const double step_time =
      range.period / (motion.mirrored ? 2.0 : 1.0) / static_cast<double>(motion.steps.size());
  const double phase = (ground ? 1 - range.air_share : range.air_share) * step_time;
  const double pulse = phase / 2;
  const MatX M = modal_matrices(character.model, character.rest, {}).M;
  BalanceOf balance(character, motion, feet);
  // what a unit of each mode's own force does
  MatX of_mode(modes.count(), 6);
  for (int j = 0; j < modes.count(); ++j) {
    const double w = std::sqrt(modes.eigenvalue[j]), xi = modes.damping_ratio[j];
    const VecX shape = modes.shapes.col(j);
    const double mass = shape.dot(M * shape);
    const Answer on = step_answer(w, xi, ground ? pulse : phase);
    const Answer off = step_answer(w, xi, ground ? 0 : phase - pulse);
    of_mode.row(j) = ground ? balance.momenta(shape * (on.v / mass)).transpose()
                            : balance.landing(shape * ((on.x - off.x) / mass)).transpose();
  }
  const int count = mode_count(character, motion, modes);
  MatX effects(count, 6);
  for (int i = 0; i < count; ++i) {
    const VecX force = modes.phi.transpose() * mode_torque(character, motion, modes, i);
    effects.row(i) = force.transpose() * of_mode;
  }
  return effects;
}

std::vector<int> choose_modes(const Motion& motion, const PhaseMarks& marks, const MatX& effects) {
  constexpr double worth_it = 0.005, tie = 1e-9;
  const int count = static_cast<int>(effects.rows());
  const int candidates = motion.basis == Basis::joints ? count : (count + 1) / 2;
  std::vector<bool> marked(at(count));
  const auto effect = [&](int mode) { return Balance(effects.row(mode - 1).transpose()); };
  const auto exists = [&](int mode) { return mode >= 1 && mode <= count; };

  // what is to be undone, and how strong others may be
  Matrix6 S = Matrix6::Identity();
  double strength = 0;
  for (const MarkedMode& m : marks.priority) {
    strength += std::fabs(m.amplitude);
    if (!exists(m.mode)) continue;
    marked[at(m.mode - 1)] = true;
    Balance e = m.amplitude * effect(m.mode);
    e[0] = e[2] = 0;
    if (motion.mirrored) e[1] = e[3] = e[5] = 0;
    S += e * e.transpose();
  }
  strength *= motion.others;
  if (marks.priority.empty()) strength = motion.range.amplitude;

  Matrix6 H = Matrix6::Identity();
  const auto with = [&](int mode) {
    const Balance e = strength * effect(mode);
    return Matrix6(H + e * e.transpose());
  };
  std::vector<int> chosen = marks.others;
  for (const int mode : chosen) {
    if (!exists(mode)) continue;
    marked[at(mode - 1)] = true;
    H = with(mode);
  }
  double left = (inverse(H) * S).trace();
  while (static_cast<int>(chosen.size()) < most_others) {
    int best = 0;
    double least = left - worth_it * S.trace();
    for (int mode = 1; mode <= candidates; ++mode) {
      if (marked[at(mode - 1)]) continue;
      const double leaves = (inverse(with(mode)) * S).trace();
      // of equal ones the lower
      if (leaves < least - (best > 0 ? tie * least : 0)) best = mode, least = leaves;
    }
    if (best == 0) break;
    marked[at(best - 1)] = true;
    H = with(best);
    left = least;
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Motion with_chosen_modes(const Character& character, Motion motion) {
  for (MotionStep& step : motion.steps) {
    if (!step.air.choose_others && !step.ground.choose_others) continue;
    std::vector<int> feet;
    for (const std::string& name : step.feet) feet.push_back(foot_of(character, name));
    for (PhaseMarks* marks : {&step.air, &step.ground}) {
      if (!marks->choose_others) continue;
      const bool ground = marks == &step.ground;
      const Modes modes = ground ? ground_modes(character, feet) : air_modes(character);
      marks->others =
          choose_modes(motion, *marks, balance_effects(character, motion, feet, ground, modes));
      marks->choose_others = false;
    }
  }
  return motion;
}

}  // namespace molejo

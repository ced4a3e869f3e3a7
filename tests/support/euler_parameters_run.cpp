// Forces, energies, stabilisation and the integrator of the oracle.
#include "tests/support/euler_parameters.h"

#include <Eigen/Dense>

namespace molejo::euler {

namespace {

Vec3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }

// A point of a body in the world, and its velocity.
struct PointMotion {
  Vec3d p, v;
};
PointMotion point_motion(const EulerParameterSystem& s, const End& end) {
  if (end.body < 0) return {end.p, Vec3d::Zero()};
  const Vec4d theta = s.theta(end.body);
  return {s.r(end.body) + rotation(theta) * end.p,
          s.q_dot.segment<3>(7 * end.body) + d_matrix(theta, end.p) * s.theta_dot(end.body)};
}

// f and a free torque at a point: Q_R = f, Q_theta = Gbar^T A^T ((A p) x f + torque).
void apply(const EulerParameterSystem& s, const End& at, const Vec3d& f, const Vec3d& torque,
           VecX& Q) {
  if (at.body < 0) return;
  const Vec4d theta = s.theta(at.body);
  const Eigen::Matrix3d A = rotation(theta);
  const Vec3d tau = (A * at.p).cross(f) + torque;
  Q.segment<3>(7 * at.body) += f;
  Q.segment<4>(7 * at.body + 3) += g_bar(theta).transpose() * (A.transpose() * tau);
}

// Force on end 1: -k (|d| - L) d / |d| - c (d' . d) d / |d|^2, and -k d - c d' along d when L = 0.
Vec3d spring_force(const EulerParameterSystem& s, const Spring& spring) {
  const PointMotion a = point_motion(s, spring.end_1), b = point_motion(s, spring.end_2);
  const Vec3d d = a.p - b.p;
  const double length = d.norm();
  if (length == 0) return Vec3d::Zero();
  const Vec3d n = d / length;
  const double stretch = length - spring.rest_length;
  return -(spring.stiffness * stretch + spring.damping * n.dot(a.v - b.v)) * n;
}

}  // namespace

Wrench interpolated(const std::vector<ForceSample>& samples, double t) {
  if (samples.empty()) return {};
  if (samples.size() == 1) return {eigen(samples[0].force), eigen(samples[0].torque)};
  if (t < samples.front().t || t > samples.back().t) return {};
  // de Casteljau on (t, F, T)
  const auto at = [&](double x) {
    std::vector<Eigen::Matrix<double, 7, 1>> c;
    for (const ForceSample& sample : samples) {
      c.emplace_back();
      c.back() << sample.t, eigen(sample.force), eigen(sample.torque);
    }
    for (std::size_t level = c.size() - 1; level > 0; --level) {
      for (std::size_t i = 0; i < level; ++i) c[i] = (1 - x) * c[i] + x * c[i + 1];
    }
    return c[0];
  };
  // t(x) increases: bisect
  double low = 0, high = 1;
  if (t <= samples.front().t) high = 0;
  if (t >= samples.back().t) low = 1;
  for (int i = 0; i < 60 && low < high; ++i) {
    const double middle = (low + high) / 2;
    (at(middle)[0] < t ? low : high) = middle;
  }
  const Eigen::Matrix<double, 7, 1> value = at((low + high) / 2);
  return {value.segment<3>(1), value.segment<3>(4)};
}

VecX external_forces(const EulerParameterSystem& s) {
  VecX Q = VecX::Zero(7 * s.size());
  for (int i = 0; i < s.size(); ++i) {
    Q.segment<3>(7 * i) = s.bodies[static_cast<std::size_t>(i)].mass * s.gravity;
  }
  for (const Spring& spring : s.springs) {
    const Vec3d f = spring_force(s, spring);
    apply(s, spring.end_1, f, Vec3d::Zero(), Q);
    apply(s, spring.end_2, -f, Vec3d::Zero(), Q);
  }
  for (const Force& force : s.forces) {
    const Wrench wrench = interpolated(force.samples, s.t);
    apply(s, force.at, wrench.force, wrench.torque, Q);
  }
  return Q;
}

Energies energies(const EulerParameterSystem& s) {
  Energies e;
  for (int i = 0; i < s.size(); ++i) {
    const Body& body = s.bodies[static_cast<std::size_t>(i)];
    const Vec3d w_bar = g_bar(s.theta(i)) * s.theta_dot(i);
    e.kinetic += 0.5 * body.mass * s.q_dot.segment<3>(7 * i).squaredNorm() +
                 0.5 * w_bar.dot(body.J.cwiseProduct(w_bar));
    e.gravity -= body.mass * s.gravity.dot(s.r(i));
  }
  for (const Spring& spring : s.springs) {
    const double length =
        (point_motion(s, spring.end_1).p - point_motion(s, spring.end_2).p).norm();
    e.elastic +=
        0.5 * spring.stiffness * (length - spring.rest_length) * (length - spring.rest_length);
  }
  return e;
}

Vec3d angular_momentum(const EulerParameterSystem& s) {
  Vec3d L = Vec3d::Zero();
  for (int i = 0; i < s.size(); ++i) {
    const Body& body = s.bodies[static_cast<std::size_t>(i)];
    const Vec3d w_bar = g_bar(s.theta(i)) * s.theta_dot(i);
    const Vec3d v = s.q_dot.segment<3>(7 * i);
    L += body.mass * s.r(i).cross(v) + rotation(s.theta(i)) * body.J.cwiseProduct(w_bar);
  }
  return L;
}

namespace {

// C and H of all joints and of |theta|^2 = 1.
struct AllConstraints {
  VecX C;
  MatX H;
};
AllConstraints all_constraints(const EulerParameterSystem& s) {
  const Constraints c = constraints(s);
  const Eigen::Index l = c.C.size(), n = s.size();
  AllConstraints all{VecX(l + n), MatX::Zero(l + n, 7 * n)};
  all.C.head(l) = c.C;
  all.H.topRows(l) = c.H;
  for (int i = 0; i < s.size(); ++i) {
    all.C[l + i] = s.theta(i).squaredNorm() - 1;
    all.H.block<1, 4>(l + i, 7 * i + 3) = 2 * s.theta(i).transpose();
  }
  return all;
}

VecX least(const MatX& H, const VecX& right) {
  return H.transpose() * (H * H.transpose()).completeOrthogonalDecomposition().solve(right);
}

}  // namespace

double constraint_error(const EulerParameterSystem& s) {
  return all_constraints(s).C.cwiseAbs().maxCoeff();
}

void project(EulerParameterSystem& s) {
  const AllConstraints before = all_constraints(s);
  s.q += least(before.H, -before.C);
  const MatX H = all_constraints(s).H;
  s.q_dot += least(H, -H * s.q_dot);
}

namespace {

// Fehlberg's tableau.
constexpr double c_[6] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
constexpr double a_[6][5] = {{},
                             {1.0 / 4},
                             {3.0 / 32, 9.0 / 32},
                             {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                             {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                             {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
constexpr double b4[6] = {25.0 / 216, 0, 1408.0 / 2565, 2197.0 / 4104, -1.0 / 5, 0};
constexpr double b5[6] = {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50., 2.0 / 55};

VecX state(const EulerParameterSystem& s) {
  VecX y(s.q.size() + s.q_dot.size());
  y << s.q, s.q_dot;
  return y;
}
void set_state(EulerParameterSystem& s, double t, const VecX& y) {
  s.t = t;
  s.q = y.head(s.q.size());
  s.q_dot = y.tail(s.q_dot.size());
}

struct Trial {
  VecX y;
  double error = 0;
};
Trial try_step(EulerParameterSystem s, double h) {
  const double t = s.t;
  const VecX y = state(s);
  VecX k[6];
  for (int i = 0; i < 6; ++i) {
    VecX at = y;
    for (int j = 0; j < i; ++j) at += h * a_[i][j] * k[j];
    set_state(s, t + c_[i] * h, at);
    k[i].resize(y.size());
    k[i] << s.q_dot, solve_blocks(s).q_ddot;
  }
  Trial trial{y, 0};
  VecX difference = VecX::Zero(y.size());
  for (int i = 0; i < 6; ++i) {
    trial.y += h * b5[i] * k[i];
    difference += h * (b5[i] - b4[i]) * k[i];
  }
  trial.error = difference.cwiseAbs().maxCoeff();
  return trial;
}

}  // namespace

void Run::advance(double t_end) {
  while (system.t < t_end) {
    if (!options.adaptive) step = options.max_step;
    const bool last = system.t + step >= t_end - 1e-12;
    const double h = last ? t_end - system.t : step;
    const Trial trial = try_step(system, h);
    const bool accept =
        !options.adaptive || trial.error <= options.tolerance || h <= options.min_step;
    const double factor =
        0.9 * std::pow(options.tolerance / std::max(trial.error, 1e-300), 1.0 / 5);
    // a step cut short by the target says nothing against the longer one planned
    const double next = std::min(
        std::max(h * std::min(std::max(factor, 0.1), 4.0), options.min_step), options.max_step);
    if (!accept) {
      ++rejected;
      step = next;
      continue;
    }
    if (!last) {
      shortest = std::min(shortest, h);
      longest = std::max(longest, h);
    }
    step = last ? std::max(step, next) : next;
    set_state(system, last ? t_end : system.t + h, trial.y);
    ++steps;
    largest_error = std::max(largest_error, trial.error);
    if (options.stabilise && euler::constraint_error(system) >= options.constraint_tolerance) {
      project(system);
      ++projections;
    }
    constraint_error = std::max(constraint_error, euler::constraint_error(system));
  }
}

}  // namespace molejo::euler

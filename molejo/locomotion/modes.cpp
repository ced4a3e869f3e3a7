#include "molejo/locomotion/modes.h"

#include <cassert>
#include <cmath>
#include <numbers>

#include "molejo/math/decompositions.h"
#include "molejo/math/eigenvalues.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/matrix.h"
#include "molejo/model/error.h"
#include "molejo/physics/dynamics.h"
#include "molejo/physics/forces.h"

namespace molejo {

namespace {

// relative to the largest eigenvalue: below it there is no stiffness
constexpr double no_stiffness = 1e-10;
// of the four-point difference: its error is of the order step^4, and rounding 1e-16 / step
constexpr double difference_step = 1e-3;

bool is_free_root(const Link& link) {
  return link.parent < 0 && link.translations == 3 && link.rotations == 3;
}

// d f / d x at x = 0 for a function of freedoms, column by column.
template <class Function>
MatX derivative(int freedoms, Function&& f) {
  const double h = difference_step;
  MatX J;
  for (int i = 0; i < freedoms; ++i) {
    check_interrupt();
    const auto value = [&](double x) -> VecX { return f(VecX(VecX::Unit(freedoms, i) * x)); };
    const VecX near = value(h) - value(-h), far = value(2 * h) - value(-2 * h);
    if (J.size() == 0) J.resize(near.size(), freedoms);
    J.col(i) = (8 * near - far) / (12 * h);
  }
  return J;
}

// Springs and dampers of joints. Three rotations: energy 1/2 e^T k e with e = phi - rest, so that
// the torque is -J^T k e, J = J_r^-1(phi), and K = J^T k J + (change of J^T) k e.
void add_drives(const Model& model, const State& rest, ModalMatrices& m) {
  for (const Link& link : model.links) {
    const int straight =
        link.rotations == 3 ? link.translations : link.translations + link.rotations;
    for (int v = link.v; v < link.v + straight; ++v) {
      m.K(v, v) += model.drives[at(v)].stiffness;
      m.D(v, v) += model.drives[at(v)].damping;
    }
    if (link.rotations != 3) continue;
    const int v = link.v + straight, q = link.q + straight;
    const Vec3 phi = log_quat(Quat{rest.q[q], rest.q[q + 1], rest.q[q + 2], rest.q[q + 3]});
    Eigen::Vector3d k, b, e;
    for (int j = 0; j < 3; ++j) {
      const Drive& d = model.drives[at(v + j)];
      k[j] = d.stiffness, b[j] = d.damping, e[j] = phi[j] - d.rest;
    }
    const Eigen::Matrix3d J = dense(inverse_right_jacobian(phi));
    m.K.block<3, 3>(v, v) += J.transpose() * k.asDiagonal() * J;
    m.D.block<3, 3>(v, v) += J.transpose() * b.asDiagonal() * J;
    const Eigen::Vector3d pull = k.cwiseProduct(e);
    if (pull.isZero(0)) continue;
    const Quat start = exp_quat(phi);
    m.K.block<3, 3>(v, v) += derivative(3, [&](const VecX& x) -> VecX {
      const Vec3 turned_phi = log_quat(turned(start, Vec3{x[0], x[1], x[2]}));
      return dense(inverse_right_jacobian(turned_phi)).transpose() * pull;
    });
  }
}

// The static force of gravity, of springs between points and of given reactions at fixed points.
class StaticForce {
 public:
  StaticForce(const Model& model, const State& rest, const ModalOptions& options)
      : model_(model), rest_(rest), options_(options), dynamics_(model) {
    model_.forces.clear();
    if (!options.springs) model_.springs.clear();
    if (!options.gravity) model_.gravity = {};
  }
  bool is_none() const { return model_.springs.empty() && model_.gravity == Vec3{}; }

  VecX operator()(const VecX& dq) {
    VecX q = rest_.q;
    move(model_, dq.data(), 1.0, q.data());
    const VecX zero = VecX::Zero(model_.nv);
    Kinematics<double>& k = dynamics_.kinematics;
    update_poses(model_, q.data(), k);
    update_velocities(model_, zero.data(), k);
    apply_body_forces(model_, rest_.t, dynamics_);
    for (const Load& load : loads_) {
      if (load.at.body.is_world()) continue;
      const auto body = at(load.at.body.index);
      const Vec3 p = body_pose(model_, k, load.at.body) * load.at.p;
      dynamics_.applied[body].linear += load.force;
      dynamics_.applied[body].angular += cross(p - k.bodies[body].p, load.force);
    }
    return -inverse_dynamics(model_, zero, zero, dynamics_);
  }

  // What the fixed points bear, so that forces balance; then moments, as far as they can. `C` has
  // the rows of the points first. False: a free root falls, and nothing is felt of gravity.
  bool find_reactions(const MatX& C) {
    const std::size_t count = options_.fixed_points.size();
    const auto rows = 3 * static_cast<Eigen::Index>(count);
    const VecX load = (*this)(VecX::Zero(model_.nv));
    const int body = free_root();
    VecX lambda;
    if (body >= 0 && rows == 0) {
      model_.gravity = {};
      return !model_.springs.empty();
    }
    if (rows == 0) return true;
    const int root = body < 0 ? -1 : model_.links[at(body)].v;
    if (root < 0) {
      lambda = -solve_least_norm(C.topRows(rows).transpose(), load);
    } else {
      const auto points = static_cast<double>(count);
      const MatX force = C.block(0, root, rows, 3).transpose();
      const MatX moment = C.block(0, root + 3, rows, 3).transpose();
      lambda = -force.transpose() * load.segment(root, 3) / points;
      // pairs of forces that cancel: what is left to turn with
      const MatX spare = MatX::Identity(rows, rows) - force.transpose() * force / points;
      const VecX left = load.segment(root + 3, 3) + moment * lambda;
      lambda -= spare * solve_least_norm(moment * spare, left);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto r = 3 * static_cast<Eigen::Index>(i);
      loads_.push_back({options_.fixed_points[i], {lambda[r], lambda[r + 1], lambda[r + 2]}});
    }
    if (body >= 0) hold_upright(body);
    return true;
  }

 private:
  // A force that keeps its direction, at a point of a body.
  struct Load {
    FixedPoint at;
    Vec3 force;
  };

  // A pose whose weight is not above its support would topple: two vertical forces on the root body
  // hold it, an equilibrium that still may turn about the vertical.
  void hold_upright(int body) {
    const double g = norm(model_.gravity);
    if (!(g > 0)) return;
    const VecX load = (*this)(VecX::Zero(model_.nv));
    const int root = model_.links[at(body)].v;
    const Mat3& R = dynamics_.kinematics.bodies[at(body)].R;
    const Vec3 up = -model_.gravity / g;
    const Vec3 moment = R * Vec3{load[root + 3], load[root + 4], load[root + 5]};
    const double size = norm(moment);
    if (!(size > 0)) return;
    // arm x up = -moment / (2 size), for a moment across the vertical
    const Vec3 arm = transpose_times(R, cross(up, moment)) * (-0.5 / size);
    const Vec3& M = model_.links[at(body)].p_BM;
    loads_.push_back({{{body}, M + arm}, up * size});
    loads_.push_back({{{body}, M - arm}, up * -size});
  }

  // The free body from which all hangs that is held, or the first tree; -1: it is joined to the
  // world.
  int free_root() const {
    int body = 0;
    if (!options_.fixed_points.empty()) {
      body = options_.fixed_points[0].body.index;
    } else {
      while (body < model_.body_count() && model_.bodies[at(body)].immobile) ++body;
    }
    if (body < 0 || body >= model_.body_count()) return -1;
    while (model_.links[at(body)].parent >= 0) body = model_.links[at(body)].parent;
    return is_free_root(model_.links[at(body)]) ? body : -1;
  }

  Model model_;
  const State& rest_;
  const ModalOptions& options_;
  Dynamics<double> dynamics_;
  std::vector<Load> loads_;
};

MatX fixed_rows(const Model& model, const Kinematics<double>& k, const ModalOptions& options) {
  const auto count =
      3 * (options.fixed_points.size() + options.fixed_orientations.size()) + options.locked.size();
  MatX C = MatX::Zero(static_cast<Eigen::Index>(count), model.nv);
  Eigen::Index row = 0;
  for (const FixedPoint& point : options.fixed_points) {
    C.middleRows(row, 3) =
        point_jacobian(model, k, point.body, body_pose(model, k, point.body) * point.p);
    row += 3;
  }
  for (const BodyId body : options.fixed_orientations) {
    C.middleRows(row, 3) = rotation_jacobian(model, k, body);
    row += 3;
  }
  for (const int freedom : options.locked) {
    assert(freedom >= 0 && freedom < model.nv);
    C(row++, freedom) = 1;
  }
  return C;
}

// The first of the largest entries, so that rounding does not choose between equal ones.
double largest_entry(const VecX& x) {
  const double largest = x.cwiseAbs().maxCoeff();
  for (const double e : x) {
    if (std::fabs(e) >= (1 - 1e-6) * largest) return e;
  }
  return 0;
}

}  // namespace

ModalMatrices modal_matrices(const Model& model, const State& rest, const ModalOptions& options) {
  if (!model.loops.empty()) {
    throw InputError("joint '" + model.loops[0].name + "' closes a loop: modes are those of trees");
  }
  ModalMatrices m;
  Dynamics<double> d(model);
  update_poses(model, rest.q.data(), d.kinematics);
  m.M = mass_matrix(model, d);
  for (int v = 0; v < model.nv; ++v) m.M(v, v) += model.drives[at(v)].armature;
  m.D = m.K = MatX::Zero(model.nv, model.nv);
  m.C = fixed_rows(model, d.kinematics, options);
  m.null_space = null_space(m.C);
  add_drives(model, rest, m);
  StaticForce force(model, rest, options);
  if (!force.is_none() && force.find_reactions(m.C)) {
    const MatX K = -derivative(model.nv, force);
    m.K += 0.5 * (K + K.transpose());
  }
  return m;
}

Modes modal_analysis(const Model& model, const State& rest, const ModalOptions& options) {
  const ModalMatrices m = modal_matrices(model, rest, options);
  if (m.null_space.cols() == 0) throw InputError("no freedom is left: all is fixed or locked");
  const MatX& N = m.null_space;
  const MatX mass = N.transpose() * m.M * N, stiffness = N.transpose() * m.K * N;
  const GeneralisedEigen solved = generalised_eigen(stiffness, mass);
  const VecX& all = solved.values;

  Modes modes;
  for (const Link& link : model.links) {
    if (is_free_root(link)) continue;
    for (int k = 0; k < link.translations + link.rotations; ++k) {
      modes.internal.push_back(link.v + k);
    }
  }
  // rigid motions have no stiffness, those that fall a negative one
  const double threshold = no_stiffness * std::fmax(all.cwiseAbs().maxCoeff(), 1e-300);
  Eigen::Index first = 0, falling = 0;
  while (falling < all.size() && all[falling] < -threshold) ++falling;
  for (first = falling; first < all.size() && all[first] < threshold; ++first) ++modes.rigid;
  modes.falling = (-all.head(falling)).cwiseSqrt();
  const Eigen::Index count = all.size() - first;
  modes.eigenvalue = all.tail(count);
  modes.hertz = modes.eigenvalue.cwiseSqrt() / (2 * std::numbers::pi);
  modes.damping_ratio.resize(count);
  modes.shapes = N * solved.vectors.rightCols(count);
  modes.phi.resize(static_cast<Eigen::Index>(modes.internal.size()), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    // eigenvectors have x^T M x = 1, and D -> 2 xi w
    auto shape = modes.shapes.col(i);
    modes.damping_ratio[i] = shape.dot(m.D * shape) / (2 * std::sqrt(modes.eigenvalue[i])) + 0.0;
    VecX phi(modes.phi.rows());
    for (Eigen::Index r = 0; r < phi.size(); ++r) {
      phi[r] = shape[modes.internal[static_cast<std::size_t>(r)]];
    }
    const bool moves_joints = phi.size() > 0 && phi.norm() > 1e-12 * shape.norm();
    const VecX& measure = moves_joints ? phi : VecX(shape);
    const double scale = std::copysign(1 / measure.norm(), largest_entry(measure));
    shape *= scale;
    modes.phi.col(i) = phi * scale;
  }
  return modes;
}

namespace {

// What else is in the scene does not move, and has no row in phi.
Modes character_modes(const Character& c, ModalOptions options) {
  const int first = c.first_internal - (c.free_root ? 6 : 0), last = c.first_internal + c.internal;
  for (int v = 0; v < c.model.nv; ++v) {
    if (v < first || v >= last) options.locked.push_back(v);
  }
  Modes modes = modal_analysis(c.model, c.rest, options);
  modes.phi = MatX(modes.shapes.middleRows(c.first_internal, c.internal));
  modes.internal.clear();
  for (int v = c.first_internal; v < last; ++v) modes.internal.push_back(v);
  return modes;
}

}  // namespace

Modes air_modes(const Character& character, ModalOptions options) {
  return character_modes(character, std::move(options));
}

Modes ground_modes(const Character& character, int foot, ModalOptions options) {
  const Foot& f = character.feet.at(static_cast<std::size_t>(foot));
  options.fixed_points.insert(options.fixed_points.begin(), {f.body, f.toe});
  return character_modes(character, std::move(options));
}

State deflected(const Model& model, const State& rest, const VecX& shape, double amplitude) {
  State state = rest;
  move(model, shape.data(), amplitude, state.q.data());
  return state;
}

Recording mode_clip(const Character& character, const Modes& modes, int mode) {
  constexpr double widest = 35 * std::numbers::pi / 180, slowest = 0.4, fastest = 1.25;
  constexpr int frames = 33;  // the last is the first
  const Model& model = character.model;
  const VecX shape = modes.shapes.col(mode);
  double largest = 0;
  for (const int v : modes.internal) largest = std::fmax(largest, std::fabs(shape[v]));
  if (!(largest > 0)) largest = shape.cwiseAbs().maxCoeff();
  const double period = 1 / std::fmin(std::fmax(modes.hertz[mode], slowest), fastest);
  Recording recording;
  Kinematics<double> k(model);
  for (int i = 0; i < frames; ++i) {
    const double s = static_cast<double>(i) / (frames - 1);
    const double turn = i == frames - 1 ? 0 : std::sin(2 * std::numbers::pi * s);
    Frame& frame = recording.frames.emplace_back();
    frame.state = deflected(model, character.rest, shape, widest / largest * turn);
    frame.state.t = s * period;
    update_poses(model, frame.state.q.data(), k);
    for (int b = 0; b < model.body_count(); ++b) frame.X_WB.push_back(body_pose(model, k, {b}));
  }
  return recording;
}

}  // namespace molejo

#include "molejo/physics/implicit_forces.h"

#include <algorithm>
#include <cmath>

#include "molejo/physics/index.h"

namespace molejo {

namespace {

bool moves_with_velocity(Quantity q) {
  return q == Quantity::velocity || q == Quantity::angular_velocity || q == Quantity::rate ||
         q == Quantity::rotation_rate;
}

bool has_row(const Signal& s) {
  if (s.is_loop) return false;
  switch (s.quantity) {
    case Quantity::position:
    case Quantity::com:
    case Quantity::velocity:
    case Quantity::angular_velocity:
    case Quantity::x_axis:
    case Quantity::y_axis:
    case Quantity::z_axis:
    case Quantity::coordinate:
    case Quantity::rate:
    case Quantity::rotation:
    case Quantity::rotation_rate:
      return true;
    default:
      return false;
  }
}

Vec3 unit(int axis) { return {axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0}; }

// A = L U in place with row exchanges, and b -> A^-1 b.
void factorize_rows(std::vector<double>& A, std::vector<std::size_t>& pivots) {
  const std::size_t n = pivots.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::fabs(A[i * n + k]) > std::fabs(A[best * n + k])) best = i;
    }
    pivots[k] = best;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[best * n + j]);
    for (std::size_t i = k + 1; i < n; ++i) {
      A[i * n + k] /= A[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) A[i * n + j] -= A[i * n + k] * A[k * n + j];
    }
  }
}

void solve_rows(const std::vector<double>& A, const std::vector<std::size_t>& pivots,
                std::vector<double>& b) {
  const std::size_t n = pivots.size();
  for (std::size_t k = 0; k < n; ++k) std::swap(b[k], b[pivots[k]]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= A[i * n + j] * b[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

}  // namespace

ImplicitForces::ImplicitForces(const Model& model, const FormulaSet& set) : nv_(index(model.nv)) {
  std::vector<std::size_t> outputs;
  const auto add = [&](int force, const FormulaSet::Three& three, bool is_torque) {
    if (three.first < 0) return;
    if (three.is_vector) outputs.push_back(index(three.first));
    for (int axis = 0; axis < 3; ++axis) {
      if (!three.is_vector) outputs.push_back(index(three.first + axis));
      parts_.push_back({force, is_torque, axis, outputs.size() - 1,
                        three.is_vector ? index(axis) : std::size_t{0}});
    }
  };
  for (std::size_t i = 0; i < set.forces.size(); ++i) {
    if (!set.forces[i].implicit) continue;
    add(static_cast<int>(i), set.forces[i].force, false);
    add(static_cast<int>(i), set.forces[i].torque, true);
  }
  if (parts_.empty()) return;
  program_ = part_of(set.program, outputs);
  for (const ExpressionProgram::Input& input : program_.inputs) {
    Input row;
    for (std::size_t n = 0; n < set.signals.size(); ++n) {
      const Signal& s = set.signals[n];
      if (!has_row(s) || input.slot < s.slot || input.slot >= s.slot + s.numbers()) continue;
      row = {static_cast<int>(n), static_cast<int>(input.slot - s.slot),
             moves_with_velocity(s.quantity)};
    }
    inputs_.push_back(row);
  }
  const std::size_t rows = parts_.size();
  G_.resize(rows * nv_);
  B_.resize(rows * nv_);
  Z_.resize(rows * nv_);
  system_.resize(rows * rows);
  r_.resize(rows);
  lambda_.resize(rows);
  row_.resize(nv_);
  pivots_.resize(rows);
}

// Of a point p moved along `linear` and a body turned about `angular`, times scale.
void ImplicitForces::add_row(const Model& model, const Kinematics<double>& k, int body,
                             const Vec3& p, const Vec3& linear, const Vec3& angular, double scale,
                             double* row) const {
  for (int i = body; i >= 0; i = model.links[index(i)].parent) {
    const Link& link = model.links[index(i)];
    const Vec3 turn = angular + cross(p - k.bodies[index(i)].p, linear);
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      const Vec3& axis = k.axes[index(link.v + j)];
      row[link.v + j] += scale * dot(axis, j < link.translations ? linear : turn);
    }
  }
}

void ImplicitForces::add_signal_row(const Model& model, const Kinematics<double>& k,
                                    const Signal& s, const Input& input, const FormulaRun& run,
                                    double scale, double* row) const {
  const Vec3 e = unit(input.component);
  if (s.quantity == Quantity::coordinate || s.quantity == Quantity::rate) {
    row[model.links[index(s.index)].v + s.part] += scale;
    return;
  }
  if (s.quantity == Quantity::rotation || s.quantity == Quantity::rotation_rate) {
    const int first = model.links[index(s.index)].v + s.part;
    Vec3 weights = e;
    if (s.quantity == Quantity::rotation) {
      const double* phi = run.inputs.data() + s.slot;
      weights = inverse_right_jacobian({phi[0], phi[1], phi[2]})[input.component];
    }
    for (int j = 0; j < 3; ++j) row[first + j] += scale * weights[j];
    return;
  }
  const BodyMotion<double>& b = k.bodies[index(s.index)];
  const Vec3 origin = b.p - b.R * model.links[index(s.index)].p_BM;
  switch (s.quantity) {
    case Quantity::position:
    case Quantity::velocity:
      return add_row(model, k, s.index, origin, e, {}, scale, row);
    case Quantity::com:
      return add_row(model, k, s.index, b.p + b.com, e, {}, scale, row);
    case Quantity::angular_velocity:
      return add_row(model, k, s.index, {}, {}, e, scale, row);
    case Quantity::x_axis:
      return add_row(model, k, s.index, {}, {}, cross(b.R.column(0), e), scale, row);
    case Quantity::y_axis:
      return add_row(model, k, s.index, {}, {}, cross(b.R.column(1), e), scale, row);
    default:
      return add_row(model, k, s.index, {}, {}, cross(b.R.column(2), e), scale, row);
  }
}

void ImplicitForces::linearize(const Model& model, const double* v, const ImplicitDrive& implicit,
                               Dynamics<double>& d, FormulaRun& run) {
  const FormulaSet& set = *run.set;
  const Kinematics<double>& k = d.kinematics;
  std::fill(G_.begin(), G_.end(), 0);
  std::fill(B_.begin(), B_.end(), 0);
  std::fill(r_.begin(), r_.end(), 0);
  const std::size_t rows = parts_.size();
  for (std::size_t c = 0; c < rows; ++c) {
    const Part& part = parts_[c];
    const FormulaSet::Force& f = set.forces[index(part.force)];
    const BodyMotion<double>& b = k.bodies[index(f.body.index)];
    const Vec3 direction = f.in_body_axes ? b.R.column(part.axis) : unit(part.axis);
    const Vec3 at = b.p + b.R * (f.p - model.links[index(f.body.index)].p_BM);
    add_row(model, k, f.body.index, at, part.is_torque ? Vec3{} : direction,
            part.is_torque ? direction : Vec3{}, 1, &G_[c * nv_]);
    solve_mass(model, d, &G_[c * nv_], &Z_[c * nv_]);

    const std::span<const double> slopes =
        gradient(program_, part.output, part.component, run.work);
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
      const Input& input = inputs_[n];
      if (input.signal < 0 || slopes[n] == 0) continue;
      const Signal& s = set.signals[index(input.signal)];
      std::fill(row_.begin(), row_.end(), 0);
      add_signal_row(model, k, s, input, run, slopes[n], row_.data());
      const double by = input.is_rate ? implicit.by_damping : implicit.by_stiffness;
      for (std::size_t j = 0; j < nv_; ++j) {
        B_[c * nv_ + j] += by * row_[j];
        if (!input.is_rate) r_[c] += implicit.ahead * row_[j] * v[j];
      }
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      double sum = i == j ? 1 : 0;
      for (std::size_t n = 0; n < nv_; ++n) sum -= B_[i * nv_ + n] * Z_[j * nv_ + n];
      system_[i * rows + j] = sum;
    }
  }
  factorize_rows(system_, pivots_);
}

void ImplicitForces::correct(Dynamics<double>& d) {
  lambda_ = r_;
  const std::size_t rows = parts_.size();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t n = 0; n < nv_; ++n) lambda_[i] += B_[i * nv_ + n] * d.a[n];
  }
  solve_rows(system_, pivots_, lambda_);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t n = 0; n < nv_; ++n) d.a[n] += Z_[i * nv_ + n] * lambda_[i];
  }
}

}  // namespace molejo

#include "molejo/locomotion/modes_by_constraints.h"

#include <cmath>
#include <numbers>

#include "molejo/math/decompositions.h"
#include "molejo/math/eigenvalues.h"
#include "molejo/math/index.h"
#include "molejo/math/matrix.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics.h"

namespace molejo {

namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;

// Ad(b<-a) for velocities (w, v): [R 0; [t] R  R] with X_BA = (R, t).
Mat6 adjoint(const Pose& X_BA) {
  Mat6 ad = Mat6::Zero();
  ad.block<3, 3>(0, 0) = ad.block<3, 3>(3, 3) = dense(X_BA.R);
  ad.block<3, 3>(3, 0) = dense(skew(X_BA.p) * X_BA.R);
  return ad;
}

class Assembly {
 public:
  Assembly(const Model& model, const State& rest) : model_(model), k_(model) {
    update_poses(model, rest.q.data(), k_);
    const auto n = 6 * static_cast<Eigen::Index>(model.body_count());
    r_.mass = MatX::Zero(n, n);
    G_.resize(0, n), theta_.resize(0, n);
  }

  ConstraintModes run(const ModalOptions& options) {
    for (int i = 0; i < model_.body_count(); ++i) add_body(i);
    for (int i = 0; i < model_.body_count(); ++i) add_joint(i);
    for (const FixedPoint& point : options.fixed_points) fix_point(point);
    for (const BodyId body : options.fixed_orientations) {
      MatX rows = MatX::Zero(3, G_.cols());
      rows.block<3, 3>(0, 6 * body.index) = Eigen::Matrix3d::Identity();
      append(G_, rows);
    }
    for (const int freedom : options.locked) lock(freedom);
    drop_immobile();
    solve();
    return std::move(r_);
  }

 private:
  // centre of mass, axes of the body
  Pose com_pose(int i) const {
    const BodyMotion<double>& b = k_.bodies[at(i)];
    return {b.R, b.p + b.com};
  }

  static void append(MatX& m, const MatX& rows) {
    m.conservativeResize(m.rows() + rows.rows(), Eigen::NoChange);
    m.bottomRows(rows.rows()) = rows;
  }

  void add_body(int i) {
    const Link& link = model_.links[at(i)];
    r_.mass.block<3, 3>(6 * i, 6 * i) = dense(full(link.I_BC));
    r_.mass.block<3, 3>(6 * i + 3, 6 * i + 3) = link.mass * Eigen::Matrix3d::Identity();
  }

  // Relative velocity in the joint frame J at the joint point, with the axes of the world.
  MatX relative_velocity(int i) const {
    const Link& link = model_.links[at(i)];
    const Pose X_WJ{Mat3::identity(), k_.bodies[at(i)].p};
    MatX rows = MatX::Zero(6, G_.cols());
    rows.middleCols(6 * i, 6) = adjoint(inverse(X_WJ) * com_pose(i));
    if (link.parent >= 0) {
      rows.middleCols(6 * link.parent, 6) = -adjoint(inverse(X_WJ) * com_pose(link.parent));
    }
    return rows;
  }

  void add_joint(int i) {
    if (model_.bodies[at(i)].immobile) return;
    const Link& link = model_.links[at(i)];
    const int count = link.translations + link.rotations;
    const bool is_root = link.parent < 0 && link.translations == 3 && link.rotations == 3;
    const MatX relative = relative_velocity(i);
    // the freedoms are orthonormal directions of the six; what is left is forbidden
    MatX S = MatX::Zero(6, count);
    for (int k = 0; k < count; ++k) {
      const Vec3& a = k_.axes[at(link.v + k)];
      const int first = k < link.translations ? 3 : 0;
      for (int c = 0; c < 3; ++c) S(first + c, k) = a[c];
    }
    freedom_rows_[link.v] = S.transpose() * relative;
    if (is_root) return;
    append(theta_, S.transpose() * relative);
    for (int k = 0; k < count; ++k) stiffness_.push_back(model_.drives[at(link.v + k)].stiffness);
    append(G_, completed_basis(S).rightCols(6 - count).transpose() * relative);
  }

  // [-[p] 1] of the body's velocity, p from its centre of mass in its axes
  void fix_point(const FixedPoint& point) {
    const int i = point.body.index;
    const Vec3 p = inverse(com_pose(i)) * (body_pose(model_, k_, point.body) * point.p);
    MatX rows = MatX::Zero(3, G_.cols());
    rows.block<3, 3>(0, 6 * i) = -dense(skew(p));
    rows.block<3, 3>(0, 6 * i + 3) = Eigen::Matrix3d::Identity();
    append(G_, rows);
  }

  void lock(int freedom) {
    for (const auto& [first, rows] : freedom_rows_) {
      if (freedom >= first && freedom < first + rows.rows()) {
        append(G_, rows.row(freedom - first));
      }
    }
  }

  // Bodies of the world have no mass and no velocity.
  void drop_immobile() {
    std::vector<Eigen::Index> kept;
    for (int i = 0; i < model_.body_count(); ++i) {
      if (model_.bodies[at(i)].immobile) continue;
      for (int c = 0; c < 6; ++c) kept.push_back(6 * i + c);
    }
    r_.mass = MatX(r_.mass(kept, kept));
    theta_ = MatX(theta_(Eigen::all, kept));
    G_ = MatX(G_(Eigen::all, kept));
  }

  void solve() {
    r_.null_space = null_space(G_);
    r_.G = G_, r_.theta = theta_;
    r_.stiffness =
        Eigen::Map<const VecX>(stiffness_.data(), static_cast<Eigen::Index>(stiffness_.size()))
            .asDiagonal();
    const MatX TN = r_.theta * r_.null_space;
    GeneralisedEigen modes = generalised_eigen(TN.transpose() * r_.stiffness * TN,
                                               r_.null_space.transpose() * r_.mass * r_.null_space);
    r_.all_eigenvalues = std::move(modes.values);
    r_.eigenvectors = std::move(modes.vectors);
    const double threshold = 1e-10 * r_.all_eigenvalues.cwiseAbs().maxCoeff();
    for (const double e : r_.all_eigenvalues) r_.rigid += std::fabs(e) < threshold ? 1 : 0;
    const Eigen::Index count = r_.all_eigenvalues.size() - r_.rigid;
    r_.eigenvalue = r_.all_eigenvalues.tail(count);
    r_.hertz = r_.eigenvalue.cwiseSqrt() / (2 * std::numbers::pi);
    r_.phi = TN * r_.eigenvectors.rightCols(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      Eigen::Index largest = 0;
      r_.phi.col(i).cwiseAbs().maxCoeff(&largest);
      r_.phi.col(i) *= std::copysign(1 / r_.phi.col(i).norm(), r_.phi(largest, i));
    }
  }

  const Model& model_;
  Kinematics<double> k_;
  ConstraintModes r_;
  MatX G_, theta_;
  std::vector<double> stiffness_;
  std::map<int, MatX> freedom_rows_;  // by first freedom of the joint
};

}  // namespace

ConstraintModes modes_by_constraints(const Model& model, const State& rest,
                                     const ModalOptions& options) {
  if (!model.loops.empty()) {
    throw InputError("joint '" + model.loops[0].name + "' closes a loop: modes are those of trees");
  }
  return Assembly(model, rest).run(options);
}

}  // namespace molejo

#include "molejo/physics/dynamics.h"

#include "molejo/math/thread_kept.h"
#include "molejo/physics/dynamics_kernel.h"

namespace molejo {

template struct Dynamics<double>;
template void factorize(const Model&, Dynamics<double>&);
template void solve_acceleration(const Model&, const double*, Dynamics<double>&);
template void forward_dynamics(const Model&, const double*, const double*, Dynamics<double>&);
template void respond(const Model&, const Dynamics<double>&, const double*, double*,
                      Spatial<double>*);

void solve_mass(const Model& model, Dynamics<double>& d, const double* y, double* x) {
  // the inward and outward passes with no velocity, gravity or applied force
  const std::size_t count = model.links.size();
  for (BodyDynamics<double>& body : d.bodies) body.bias = {};
  for (std::size_t i = count; i-- > 0;) {
    const Link& link = model.links[i];
    Spatial<double>& p = d.bodies[i].bias;
    for (int j = link.v; j < link.v + link.translations + link.rotations; ++j) {
      FreedomFactor<double>& f = d.freedoms[static_cast<std::size_t>(j)];
      const bool translation = j < link.v + link.translations;
      const Vec3& axis = d.kinematics.axes[static_cast<std::size_t>(j)];
      f.u = y[j] - dot(axis, translation ? p.linear : p.angular);
      p.angular += f.U_angular * (f.u * f.d_inverse);
      p.linear += f.U_linear * (f.u * f.d_inverse);
    }
    if (link.parent < 0) continue;
    Spatial<double>& parent = d.bodies[static_cast<std::size_t>(link.parent)].bias;
    parent.angular += p.angular + cross(d.kinematics.bodies[i].r, p.linear);
    parent.linear += p.linear;
  }
  struct Kept {
    std::vector<double> u;
    std::vector<Spatial<double>> motion;
  };
  static const ThreadKept<Kept> kept;  // so that stepping does not allocate
  auto& [u, motion] = kept.of_this_thread();
  u.resize(d.freedoms.size());
  motion.resize(count);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = d.freedoms[i].u;
  respond(model, d, u.data(), x, motion.data());
}

VecX inverse_dynamics(const Model& model, const VecX& v, const VecX& a, Dynamics<double>& d) {
  const std::size_t count = model.links.size();
  const Kinematics<double>& k = d.kinematics;
  std::vector<Spatial<double>> acceleration(count), force(count);

  // outward: accelerations and the forces that they take
  for (std::size_t i = 0; i < count; ++i) {
    const Link& link = model.links[i];
    const BodyMotion<double>& b = k.bodies[i];
    const JointBias<double> bias = joint_bias(model, v.data(), k, i);
    Spatial<double> A{bias.angular, bias.linear};
    if (link.parent < 0) {
      A.linear -= model.gravity;
    } else {
      const Spatial<double>& parent = acceleration[static_cast<std::size_t>(link.parent)];
      A.angular += parent.angular;
      A.linear += parent.linear + cross(parent.angular, b.r);
    }
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      Vec3& target = j < link.translations ? A.linear : A.angular;
      target += k.axes[static_cast<std::size_t>(link.v + j)] * a[link.v + j];
    }
    acceleration[i] = A;

    const Sym3 I = rotated(b.R, link.I_BC);
    const Vec3 com = A.linear + cross(A.angular, b.com) + cross(b.w, cross(b.w, b.com));
    const Vec3 f = com * link.mass;
    force[i].linear = f - d.applied[i].linear;
    force[i].angular = I * A.angular + cross(b.w, I * b.w) + cross(b.com, f) - d.applied[i].angular;
  }

  // inward: what each joint has to carry
  VecX tau(model.nv);
  for (std::size_t i = count; i-- > 0;) {
    const Link& link = model.links[i];
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      const Vec3& axis = k.axes[static_cast<std::size_t>(link.v + j)];
      tau[link.v + j] = dot(axis, j < link.translations ? force[i].linear : force[i].angular);
    }
    if (link.parent < 0) continue;
    Spatial<double>& parent = force[static_cast<std::size_t>(link.parent)];
    parent.linear += force[i].linear;
    parent.angular += force[i].angular + cross(k.bodies[i].r, force[i].linear);
  }
  return tau;
}

MatX mass_matrix(const Model& model, Dynamics<double>& d) {
  const Kinematics<double>& k = d.kinematics;
  const std::size_t count = model.links.size();
  for (std::size_t i = 0; i < count; ++i) {
    set_rigid_inertia(model.links[i], k.bodies[i], d.bodies[i]);
  }
  MatX M = MatX::Zero(model.nv, model.nv);
  for (std::size_t i = count; i-- > 0;) {
    const Link& link = model.links[i];
    const BodyDynamics<double>& composite = d.bodies[i];
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      // the force that accelerates the composite body along freedom j alone
      const Vec3& axis = k.axes[static_cast<std::size_t>(link.v + j)];
      Spatial<double> f =
          j < link.translations
              ? Spatial<double>{composite.B * axis, composite.M * axis}
              : Spatial<double>{composite.J * axis, transpose_times(composite.B, axis)};
      // felt by every freedom from here to the root
      for (int b = static_cast<int>(i); b >= 0;) {
        const Link& above = model.links[static_cast<std::size_t>(b)];
        for (int n = 0; n < above.translations + above.rotations; ++n) {
          const Vec3& s = k.axes[static_cast<std::size_t>(above.v + n)];
          const double m = dot(s, n < above.translations ? f.linear : f.angular);
          M(link.v + j, above.v + n) = M(above.v + n, link.v + j) = m;
        }
        f.angular += cross(k.bodies[static_cast<std::size_t>(b)].r, f.linear);
        b = above.parent;
      }
    }
    if (link.parent >= 0) {
      add_moved(composite, k.bodies[i].r, d.bodies[static_cast<std::size_t>(link.parent)]);
    }
  }
  return M;
}

TreeFactor factorize_mass_matrix(const Model& model, const MatX& M) {
  TreeFactor factor;
  factor.parent.assign(static_cast<std::size_t>(model.nv), -1);
  for (const Link& link : model.links) {
    // the last freedom above this body
    int above = -1;
    for (int b = link.parent; b >= 0 && above < 0;
         b = model.links[static_cast<std::size_t>(b)].parent) {
      const Link& l = model.links[static_cast<std::size_t>(b)];
      if (l.translations + l.rotations > 0) above = l.v + l.translations + l.rotations - 1;
    }
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      factor.parent[static_cast<std::size_t>(link.v + j)] = above;
      above = link.v + j;
    }
  }
  const auto up = [&](int i) { return factor.parent[static_cast<std::size_t>(i)]; };

  MatX H = M;
  for (int k = model.nv - 1; k >= 0; --k) {
    for (int i = up(k); i >= 0; i = up(i)) {
      const double a = H(k, i) / H(k, k);
      for (int j = i; j >= 0; j = up(j)) H(i, j) -= a * H(k, j);
      H(k, i) = a;
    }
  }
  factor.D = H.diagonal();
  factor.L = std::move(H);
  return factor;
}

VecX solve(const TreeFactor& factor, VecX y) {
  const auto up = [&](Eigen::Index i) { return factor.parent[static_cast<std::size_t>(i)]; };
  // L^T, D, L in turn
  for (Eigen::Index i = y.size() - 1; i >= 0; --i) {
    for (int j = up(i); j >= 0; j = up(j)) y[j] -= factor.L(i, j) * y[i];
  }
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] /= factor.D[i];
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    for (int j = up(i); j >= 0; j = up(j)) y[i] -= factor.L(i, j) * y[j];
  }
  return y;
}

}  // namespace molejo

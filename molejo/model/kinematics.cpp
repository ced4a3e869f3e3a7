#include "molejo/model/kinematics.h"

#include "molejo/model/kinematics_kernel.h"

namespace molejo {

template void move(const Model&, const double*, double, double*);
template void move(const Model&, const LinkRange&, const double*, const double&, double*);
template void update_poses(const Model&, const double*, Kinematics<double>&);
template void update_velocities(const Model&, const double*, Kinematics<double>&);

namespace {

std::size_t index_of(BodyId body) { return static_cast<std::size_t>(body.index); }

// Calls f(freedom, its world axis, is it a translation, joint point of its body) for every freedom
// between the world and the body.
template <class F>
void for_each_freedom_above(const Model& model, const Kinematics<double>& k, BodyId body, F&& f) {
  for (int i = body.index; i >= 0; i = model.links[static_cast<std::size_t>(i)].parent) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      f(link.v + j, k.axes[static_cast<std::size_t>(link.v + j)], j < link.translations,
        k.bodies[static_cast<std::size_t>(i)].p);
    }
  }
}

void set_column(MatX& J, int column, const Vec3& a) {
  J(0, column) = a.x, J(1, column) = a.y, J(2, column) = a.z;
}

}  // namespace

Pose body_pose(const Model& model, const Kinematics<double>& k, BodyId body) {
  if (body.is_world()) return {};
  const BodyMotion<double>& b = k.bodies[index_of(body)];
  return {b.R, b.p - b.R * model.links[index_of(body)].p_BM};
}

Vec3 point_velocity(const Kinematics<double>& k, BodyId body, const Vec3& p_W) {
  if (body.is_world()) return {};
  const BodyMotion<double>& b = k.bodies[index_of(body)];
  return b.v + cross(b.w, p_W - b.p);
}

MatX point_jacobian(const Model& model, const Kinematics<double>& k, BodyId body, const Vec3& p_W) {
  MatX J = MatX::Zero(3, model.nv);
  for_each_freedom_above(model, k, body,
                         [&](int i, const Vec3& axis, bool translation, const Vec3& p) {
                           set_column(J, i, translation ? axis : cross(axis, p_W - p));
                         });
  return J;
}

MatX rotation_jacobian(const Model& model, const Kinematics<double>& k, BodyId body) {
  MatX J = MatX::Zero(3, model.nv);
  for_each_freedom_above(model, k, body,
                         [&](int i, const Vec3& axis, bool translation, const Vec3&) {
                           if (!translation) set_column(J, i, axis);
                         });
  return J;
}

BiasAcceleration bias_acceleration(const Model& model, const Kinematics<double>& k, const VecX& v,
                                   BodyId body, const Vec3& p_W) {
  if (body.is_world()) return {};
  // from the root outward along the path, then to the point
  std::vector<std::size_t> path;
  for (int i = body.index; i >= 0; i = model.links[static_cast<std::size_t>(i)].parent) {
    path.push_back(static_cast<std::size_t>(i));
  }
  Vec3 angular, linear;
  for (std::size_t n = path.size(); n-- > 0;) {
    const std::size_t i = path[n];
    const JointBias<double> bias = joint_bias(model, v.data(), k, i);
    linear += cross(angular, k.bodies[i].r) + bias.linear;
    angular += bias.angular;
  }
  const BodyMotion<double>& b = k.bodies[index_of(body)];
  const Vec3 r = p_W - b.p;
  return {linear + cross(angular, r) + cross(b.w, cross(b.w, r)), angular};
}

Totals totals(const Model& model, const Kinematics<double>& k) {
  Totals sum;
  Vec3 first_moment;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    const BodyMotion<double>& b = k.bodies[i];
    const Vec3 com = b.p + b.com;
    const Vec3 velocity = b.v + cross(b.w, b.com);
    const Vec3 momentum = velocity * link.mass;
    const Vec3 spin = rotated(b.R, link.I_BC) * b.w;
    sum.mass += link.mass;
    first_moment += com * link.mass;
    sum.momentum += momentum;
    sum.angular_momentum += cross(com, momentum) + spin;
    sum.kinetic += 0.5 * (dot(momentum, velocity) + dot(spin, b.w));
    sum.gravity_potential -= link.mass * dot(model.gravity, com);
  }
  if (sum.mass > 0) {
    sum.com = first_moment / sum.mass;
    sum.com_velocity = sum.momentum / sum.mass;
  }
  return sum;
}

}  // namespace molejo

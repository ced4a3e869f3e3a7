#include "tests/support/impact_setting.h"

#include <Eigen/Dense>
#include <set>

#include "molejo/model/scene.h"

namespace molejo::test {

void set_in_motion(Scene& scene, std::mt19937& random) {
  std::set<std::string> jointed;
  for (SceneJoint& joint : scene.joints) {
    if (joint.loop) continue;
    jointed.insert(joint.child);
    const Freedoms f = freedoms(joint.type);
    joint.position.clear();
    joint.velocity.clear();
    for (int i = 0; i < f.translations; ++i) joint.position.push_back(symmetric_unit(random));
    if (f.rotations == 3) {
      const Quat q = quaternion(random_rotation(random));
      joint.position.insert(joint.position.end(), {q.w, q.x, q.y, q.z});
    } else {
      for (int i = 0; i < f.rotations; ++i) joint.position.push_back(symmetric_unit(random));
    }
    for (int i = 0; i < f.count(); ++i) joint.velocity.push_back(2 * symmetric_unit(random));
  }
  for (SceneBody& body : scene.bodies) {
    body.velocity.reset();
    if (body.immobile || jointed.contains(body.name)) continue;
    body.velocity = SceneBody::Velocity{random_vector(random) * 2, random_vector(random) * 2};
  }
}

ImpactSetting::ImpactSetting(const Scene& scene)
    : built(build(scene)),
      v(built.initial.v),
      d(built.model),
      loops(built.model),
      system(built.model) {
  update_poses(model(), built.initial.q.data(), d.kinematics);
  update_velocities(model(), v.data(), d.kinematics);
}

Contact ImpactSetting::contact(int a, int b, const Vec3& p, const Vec3& normal, double friction,
                               double restitution) const {
  Contact c;
  c.body_a = a, c.body_b = b;
  for (std::size_t i = 0; i < model().colliders.size(); ++i) {
    if (model().colliders[i].body.index == a) c.a = static_cast<int>(i);
    if (model().colliders[i].body.index == b) c.b = static_cast<int>(i);
  }
  c.p_a = c.p_b = p;
  c.normal = normal;
  c.friction = friction;
  c.restitution = restitution;
  return c;
}

ImpactReport ImpactSetting::hit(std::vector<Contact>& contacts) {
  update_poses(model(), built.initial.q.data(), d.kinematics);
  return resolve_impact(model(), contacts, v, d, loops, system);
}

MatX ImpactSetting::mass() {
  MatX M = mass_matrix(model(), d);
  for (int i = 0; i < model().nv; ++i) {
    M(i, i) += model().drives[static_cast<std::size_t>(i)].armature;
  }
  return M;
}

MatX ImpactSetting::closures() {
  MatX G = MatX::Zero(model().rows, model().nv);
  const auto along = [](const Vec3& x) { return Eigen::RowVector3d(x.x, x.y, x.z); };
  for (const LoopJoint& loop : model().loops) {
    std::vector<ClosureRow> rows(static_cast<std::size_t>(loop.rows));
    closure(model(), d.kinematics, loop, rows.data());
    for (int r = 0; r < loop.rows; ++r) {
      const ClosureRow& row = rows[static_cast<std::size_t>(r)];
      const auto add = [&](BodyId body, double sign) {
        if (body.is_world()) return;
        G.row(loop.first_row + r) +=
            sign * (along(row.f) * point_jacobian(model(), d.kinematics, body, row.p) +
                    along(row.n) * rotation_jacobian(model(), d.kinematics, body));
      };
      add(loop.body_2, 1), add(loop.body_1, -1);
    }
  }
  return G;
}

VecX ImpactSetting::normal_row(const Contact& c) const {
  const MatX J = point_jacobian(model(), d.kinematics, {c.body_a}, c.p_a) -
                 point_jacobian(model(), d.kinematics, {c.body_b}, c.p_b);
  return J.transpose() * Eigen::Vector3d(c.normal.x, c.normal.y, c.normal.z);
}

Vec3 ImpactSetting::velocity(const Contact& c, const VecX& at) const {
  const VecX u = (point_jacobian(model(), d.kinematics, {c.body_a}, c.p_a) -
                  point_jacobian(model(), d.kinematics, {c.body_b}, c.p_b)) *
                 at;
  return {u[0], u[1], u[2]};
}

double ImpactSetting::kinetic(const VecX& at) { return 0.5 * at.dot(mass() * at); }

ImpulseBounds impulse_bounds(ImpactSetting& setting, const Contact& c) {
  const Eigen::LDLT<MatX> M(setting.mass());
  const MatX G = setting.closures();
  const VecX I = setting.normal_row(c);
  VecX theta = I;
  if (G.rows() > 0) {
    const MatX A = G * M.solve(G.transpose());
    theta -= G.transpose() * Eigen::CompleteOrthogonalDecomposition<MatX>(A).solve(G * M.solve(I));
  }
  const VecX response = M.solve(theta);
  return {-I.dot(setting.v) / I.dot(response), -2 * setting.v.dot(theta) / response.dot(theta)};
}

}  // namespace molejo::test

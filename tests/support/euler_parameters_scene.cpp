// A scene for the oracle: bodies turned into principal axes, joints into Bacin's equations.
#include "tests/support/euler_parameters.h"

#include <Eigen/Dense>
#include <map>
#include <stdexcept>

namespace molejo::euler {

namespace {

Vec3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }
Eigen::Matrix3d eigen(const Mat3& m) {
  Eigen::Matrix3d e;
  e << eigen(m.r0).transpose(), eigen(m.r1).transpose(), eigen(m.r2).transpose();
  return e;
}
Mat3 rows_of(const Eigen::Matrix3d& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}

Body principal(const SceneBody& body) {
  MassProperties m;
  if (body.given) {
    m = *body.given;
  } else {
    for (const Shape& shape : body.shapes) m = m + mass_properties(shape, body.density);
  }
  const Eigen::Matrix3d I = eigen(full(m.I_BC));
  const Eigen::Vector3d diagonal = I.diagonal();
  const Eigen::Matrix3d rest = I - Eigen::Matrix3d(diagonal.asDiagonal());
  if (rest.norm() <= 1e-14 * I.norm()) {
    return {body.name, m.mass, diagonal, {Mat3::identity(), m.p_BC}};
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(I);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  return {body.name, m.mass, solver.eigenvalues(), {rows_of(axes), m.p_BC}};
}

// Where a body of the scene starts.
struct Start {
  Pose X;
  Vec3 v, w;  // of the origin, angular; world axes
};

// Displacement of M from F, velocity of M in F, angular velocity of M in F; three turns are taken
// in the axes of the child body, which R_BM brings to those of M.
struct JointMotion {
  Pose X_FM;
  Vec3 v_F, w_F;
};
JointMotion joint_motion(const SceneJoint& joint) {
  const Freedoms f = freedoms(joint.type);
  std::vector<double> q = joint.position, v = joint.velocity;
  if (q.empty()) {
    q.assign(static_cast<std::size_t>(f.coordinates()), 0.0);
    if (f.rotations == 3) q[static_cast<std::size_t>(f.translations)] = 1;
  }
  v.resize(static_cast<std::size_t>(f.count()), 0.0);
  JointMotion m;
  const int first = f.translations == 1 ? 2 : 0;  // one translation goes along z
  for (int k = 0; k < f.translations; ++k) {
    m.X_FM.p[first + k] = q[static_cast<std::size_t>(k)];
    m.v_F[first + k] = v[static_cast<std::size_t>(k)];
  }
  const double* angle = q.data() + f.translations;
  const double* rate = v.data() + f.translations;
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  if (f.rotations == 1) {
    m.X_FM.R = axis_rotation(z, angle[0]);
    m.w_F = z * rate[0];
  } else if (f.rotations == 2) {
    m.X_FM.R = axis_rotation(x, angle[0]) * axis_rotation(y, angle[1]);
    m.w_F = x * rate[0] + axis_rotation(x, angle[0]) * y * rate[1];
  } else if (f.rotations == 3) {
    const Mat3 turn = matrix(Quat{angle[0], angle[1], angle[2], angle[3]});
    m.X_FM.R = transpose(joint.X_BM.R) * turn * joint.X_BM.R;
    m.w_F = m.X_FM.R * transpose_times(joint.X_BM.R, Vec3{rate[0], rate[1], rate[2]});
  }
  return m;
}

class Starts {
 public:
  explicit Starts(const Scene& scene) {
    for (const SceneBody& body : scene.bodies) bodies_[body.name] = &body;
    for (const SceneJoint& joint : scene.joints) {
      if (!joint.loop) tree_[joint.child] = &joint;
    }
  }

  Start of(const std::string& name) {
    if (name.empty() || name == "world") return {};
    const auto known = starts_.find(name);
    if (known != starts_.end()) return known->second;
    const SceneBody& body = *bodies_.at(name);
    Start start{body.X_WB, {}, {}};
    if (const auto joint = tree_.find(name); joint != tree_.end()) {
      start = hung(*joint->second);
    }
    if (body.velocity) start.v = body.velocity->linear, start.w = body.velocity->angular;
    return starts_[name] = start;
  }

 private:
  Start hung(const SceneJoint& joint) {
    const Start parent = of(joint.parent);
    const JointMotion m = joint_motion(joint);
    const Pose X_WF = parent.X * joint.X_PF;
    const Pose X_WM = X_WF * m.X_FM;
    Start start;
    start.X = X_WM * inverse(joint.X_BM);
    start.w = parent.w + X_WF.R * m.w_F;
    const Vec3 v_M = parent.v + cross(parent.w, X_WM.p - parent.X.p) + X_WF.R * m.v_F;
    start.v = v_M + cross(start.w, start.X.p - X_WM.p);
    return start;
  }

  std::map<std::string, const SceneBody*> bodies_;
  std::map<std::string, const SceneJoint*> tree_;
  std::map<std::string, Start> starts_;
};

Kind kind_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return Kind::weld;
    case JointType::revolute:
      return Kind::revolute;
    case JointType::prismatic:
      return Kind::prismatic;
    case JointType::cylindrical:
      return Kind::cylindrical;
    case JointType::universal:
      return Kind::hooke;
    case JointType::spherical:
      return Kind::spherical;
    case JointType::planar:
      return Kind::planar;
    default:
      return Kind::plane;
  }
}

// Ends of joints, springs and forces. An immobile body is a part of the world.
class Ends {
 public:
  Ends(const Scene& scene, const EulerParameterSystem& s, Starts& starts) : s_(s) {
    for (const SceneBody& body : scene.bodies) {
      if (body.immobile) immobile_.insert({body.name, starts.of(body.name).X});
    }
  }
  End operator()(const std::string& body, const Pose& X_BF) const {
    Pose X = X_BF;
    int index = -1;
    if (const auto found = immobile_.find(body); found != immobile_.end()) {
      X = found->second * X_BF;
    } else if (!body.empty() && body != "world") {
      index = s_.body(body);
      X = inverse(s_.bodies[static_cast<std::size_t>(index)].X_BC) * X_BF;
    }
    return {index, eigen(X.p), eigen(X.R)};
  }

 private:
  const EulerParameterSystem& s_;
  std::map<std::string, Pose> immobile_;
};

void add_joint(const SceneJoint& joint, const Ends& end, EulerParameterSystem& s) {
  for (const Drive& drive : joint.drives) {
    if (!(drive == Drive{})) throw std::invalid_argument("joint " + joint.name + " has a drive");
  }
  if (joint.type == JointType::free) return;
  const End F = end(joint.parent, joint.X_PF), M = end(joint.child, joint.X_BM);
  if (joint.type == JointType::point_in_plane) {
    s.joints.push_back({Kind::plane, M, F, -F.axes.col(2).dot(F.p)});
  } else {
    s.joints.push_back({kind_of(joint.type), F, M, 0});
  }
}

}  // namespace

EulerParameterSystem from_scene(const Scene& scene) {
  EulerParameterSystem s;
  s.gravity = eigen(scene.settings.gravity);
  Starts starts(scene);
  for (const SceneBody& body : scene.bodies) {
    if (body.immobile) continue;
    const Body constants = principal(body);
    const Start start = starts.of(body.name);
    const Pose X_WC = start.X * constants.X_BC;
    const Quat th = quaternion(X_WC.R);
    const Vec3 w = transpose_times(X_WC.R, start.w);
    // theta' = theta (0, wbar / 2)
    const Quat rate = th * Quat{0, w.x / 2, w.y / 2, w.z / 2};
    s.add(constants, eigen(X_WC.p), {th.w, th.x, th.y, th.z},
          eigen(start.v + cross(start.w, X_WC.p - start.X.p)), {rate.w, rate.x, rate.y, rate.z});
  }
  const Ends end(scene, s, starts);
  for (const SceneJoint& joint : scene.joints) add_joint(joint, end, s);
  const auto point = [&](const Attachment& a) { return end(a.body, {Mat3::identity(), a.p}); };
  for (const SceneSpring& spring : scene.springs) {
    s.springs.push_back(
        {point(spring.a), point(spring.b), spring.stiffness, spring.rest_length, spring.damping});
  }
  for (const SceneForce& force : scene.forces) s.forces.push_back({point(force.at), force.samples});
  return s;
}

Pose EulerParameterSystem::pose(const std::string& name) const {
  const int i = body(name);
  const Pose X_WC{rows_of(rotation(theta(i))), {q[7 * i], q[7 * i + 1], q[7 * i + 2]}};
  return X_WC * inverse(bodies[static_cast<std::size_t>(i)].X_BC);
}

}  // namespace molejo::euler

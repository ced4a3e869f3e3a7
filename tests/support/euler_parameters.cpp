#include "tests/support/euler_parameters.h"

#include <Eigen/Dense>
#include <stdexcept>

namespace molejo::euler {

Eigen::Matrix3d rotation(const Vec4d& th) {
  Eigen::Matrix3d A;
  A << th[0] * th[0] + th[1] * th[1] - 0.5, th[1] * th[2] - th[0] * th[3],
      th[1] * th[3] + th[0] * th[2],  //
      th[1] * th[2] + th[0] * th[3], th[0] * th[0] + th[2] * th[2] - 0.5,
      th[2] * th[3] - th[0] * th[1],  //
      th[1] * th[3] - th[0] * th[2], th[2] * th[3] + th[0] * th[1],
      th[0] * th[0] + th[3] * th[3] - 0.5;
  return 2 * A;
}

Mat34 g_bar(const Vec4d& th) {
  Mat34 G;
  G << -th[1], th[0], th[3], -th[2],  //
      -th[2], -th[3], th[0], th[1],   //
      -th[3], th[2], -th[1], th[0];
  return 2 * G;
}

Mat34 d_matrix(const Vec4d& th, const Vec3d& a) {
  const double x = a[0], y = a[1], z = a[2];
  Mat34 D;
  D << 2 * th[0] * x - th[3] * y + th[2] * z, 2 * th[1] * x + th[2] * y + th[3] * z,
      th[1] * y + th[0] * z, -th[0] * y + th[1] * z,  //
      th[3] * x + 2 * th[0] * y - th[1] * z, th[2] * x - th[0] * z,
      th[1] * x + 2 * th[2] * y + th[3] * z, th[0] * x + th[2] * z,  //
      -th[2] * x + th[1] * y + 2 * th[0] * z, th[3] * x + th[0] * y, -th[0] * x + th[3] * y,
      th[1] * x + th[2] * y + 2 * th[3] * z;
  return 2 * D;
}

namespace {

// A vector that moves with two bodies: value, d/dq of each, rate, and the part of its second
// derivative that has no q''.
struct Moving {
  Vec3d value = Vec3d::Zero(), rate = Vec3d::Zero(), vv = Vec3d::Zero();
  Eigen::Matrix<double, 3, 7> d_1 = Eigen::Matrix<double, 3, 7>::Zero();
  Eigen::Matrix<double, 3, 7> d_2 = Eigen::Matrix<double, 3, 7>::Zero();
};
Moving operator-(const Moving& a, const Moving& b) {
  return {a.value - b.value, a.rate - b.rate, a.vv - b.vv, a.d_1 - b.d_1, a.d_2 - b.d_2};
}

// One scalar equation.
struct Row {
  double C = 0, rate = 0, Q_c = 0;
  Eigen::Matrix<double, 1, 7> h_1, h_2;
};
Row dot(const Moving& a, const Moving& b) {
  return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate),
          -(2 * a.rate.dot(b.rate) + b.value.dot(a.vv) + a.value.dot(b.vv)),
          b.value.transpose() * a.d_1 + a.value.transpose() * b.d_1,
          b.value.transpose() * a.d_2 + a.value.transpose() * b.d_2};
}
Row component(const Moving& a, int k) {
  return {a.value[k], a.rate[k], -a.vv[k], a.d_1.row(k), a.d_2.row(k)};
}

// Vectors and points of the two bodies of a joint.
class Pair {
 public:
  Pair(const EulerParameterSystem& s, const Joint& j) : s_(s), joint_(j) {}

  Moving vector(int end, const Vec3d& a) const {
    const int body = this->end(end).body;
    Moving m;
    if (body < 0) {
      m.value = a;
      return m;
    }
    const Vec4d theta = s_.theta(body), theta_dot = s_.theta_dot(body);
    const Mat34 D = d_matrix(theta, a);
    m.value = rotation(theta) * a;
    m.rate = D * theta_dot;
    m.vv = d_matrix(theta_dot, a) * theta_dot;
    (end == 1 ? m.d_1 : m.d_2).rightCols<4>() = D;
    return m;
  }
  Moving point(int end, const Vec3d& p) const {
    const int body = this->end(end).body;
    Moving m = vector(end, p);
    if (body < 0) return m;
    m.value += s_.r(body);
    m.rate += s_.q_dot.segment<3>(7 * body);
    (end == 1 ? m.d_1 : m.d_2).leftCols<3>().setIdentity();
    return m;
  }
  Moving point(int end) const { return point(end, this->end(end).p); }
  Moving axis(int end, int k) const { return vector(end, this->end(end).axes.col(k)); }

 private:
  const End& end(int i) const { return i == 1 ? joint_.end_1 : joint_.end_2; }

  const EulerParameterSystem& s_;
  const Joint& joint_;
};

std::vector<Row> rows(const EulerParameterSystem& s, const Joint& joint) {
  const Pair pair(s, joint);
  std::vector<Row> rows;
  if (joint.kind == Kind::plane) {
    rows.push_back(dot(pair.axis(2, 2), pair.point(1) - pair.point(2, Vec3d::Zero())));
    rows[0].C += joint.offset;
    return rows;
  }
  const Moving gap = pair.point(1) - pair.point(2);
  if (joint.kind == Kind::spherical || joint.kind == Kind::hooke) {
    for (int k = 0; k < 3; ++k) rows.push_back(component(gap, k));
    if (joint.kind == Kind::hooke) rows.push_back(dot(pair.axis(1, 0), pair.axis(2, 1)));
    return rows;
  }
  const Moving u_1 = pair.axis(1, 0), v_1 = pair.axis(1, 1), w_1 = pair.axis(1, 2);
  const Moving u_2 = pair.axis(2, 0), w_2 = pair.axis(2, 2);
  if (joint.kind == Kind::planar) {
    return {dot(gap, w_1), dot(w_2, u_1), dot(w_2, v_1)};
  }
  // cylindrical, and more
  rows = {dot(gap, u_1), dot(gap, v_1), dot(w_2, u_1), dot(w_2, v_1)};
  if (joint.kind == Kind::prismatic || joint.kind == Kind::weld) rows.push_back(dot(u_2, v_1));
  if (joint.kind == Kind::revolute || joint.kind == Kind::weld) rows.push_back(dot(gap, w_1));
  return rows;
}

// The 8x8 block of one body, unknowns (r'', theta'', lambda_theta).
Eigen::Matrix<double, 8, 8> block(const Body& body, const Vec4d& theta) {
  Eigen::Matrix<double, 8, 8> M = Eigen::Matrix<double, 8, 8>::Zero();
  const Mat34 G = g_bar(theta);
  M.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  M.block<4, 4>(3, 3) = G.transpose() * body.J.asDiagonal() * G;
  M.block<4, 1>(3, 7) = theta;
  M.block<1, 4>(7, 3) = theta.transpose();
  return M;
}

// (Q_e + Q_v, -theta' . theta') of all bodies, 8 each.
VecX right_side(const EulerParameterSystem& s) {
  const VecX Q = external_forces(s);
  VecX b(8 * s.size());
  for (int i = 0; i < s.size(); ++i) {
    b.segment<7>(8 * i) = Q.segment<7>(7 * i);
    b.segment<4>(8 * i + 3) +=
        quadratic_force(s.bodies[static_cast<std::size_t>(i)], s.theta(i), s.theta_dot(i));
    b[8 * i + 7] = -s.theta_dot(i).squaredNorm();
  }
  return b;
}

// H with a column of zeros for each lambda_theta.
MatX widened(const MatX& H) {
  const Eigen::Index n = H.cols() / 7;
  MatX W = MatX::Zero(H.rows(), 8 * n);
  for (Eigen::Index i = 0; i < n; ++i) W.middleCols(8 * i, 7) = H.middleCols(7 * i, 7);
  return W;
}

Accelerations split(const VecX& x, const VecX& lambda) {
  const Eigen::Index n = x.size() / 8;
  Accelerations a{VecX(7 * n), VecX(n), lambda};
  for (Eigen::Index i = 0; i < n; ++i) {
    a.q_ddot.segment<7>(7 * i) = x.segment<7>(8 * i);
    a.lambda_theta[i] = x[8 * i + 7];
  }
  return a;
}

}  // namespace

int equations(Kind kind) {
  switch (kind) {
    case Kind::plane:
      return 1;
    case Kind::cylindrical:
    case Kind::hooke:
      return 4;
    case Kind::prismatic:
    case Kind::revolute:
      return 5;
    case Kind::weld:
      return 6;
    default:
      return 3;
  }
}

std::vector<Joint> plane_built(const Joint& joint) {
  // planes Pi (normal u) and Sigma (normal v) of body 1 meet in the axis; two points of body 2
  // lie on both
  std::vector<Joint> planes;
  const auto add = [&](const Vec3d& point, int normal) {
    Joint plane{Kind::plane, joint.end_2, joint.end_1, 0};
    plane.end_1.p = point;
    // a permutation of the axes brings the normal to the third place
    const Eigen::Matrix3d& axes = joint.end_1.axes;
    plane.end_2.axes << axes.col((normal + 1) % 3), axes.col((normal + 2) % 3), axes.col(normal);
    plane.offset = -axes.col(normal).dot(joint.end_1.p);
    planes.push_back(plane);
  };
  const Vec3d p = joint.end_2.p, on_axis = p + joint.end_2.axes.col(2);
  for (const Vec3d& point : {p, on_axis}) {
    add(point, 0);
    add(point, 1);
  }
  // an off-axis point on Sigma, or a point on the plane orthogonal to both
  if (joint.kind == Kind::prismatic) add(p + joint.end_2.axes.col(0), 1);
  if (joint.kind == Kind::revolute) add(p, 2);
  return planes;
}

int EulerParameterSystem::body(const std::string& name) const {
  for (int i = 0; i < size(); ++i) {
    if (bodies[static_cast<std::size_t>(i)].name == name) return i;
  }
  throw std::invalid_argument("no body " + name);
}

void EulerParameterSystem::add(const Body& body, const Vec3d& r, const Vec4d& theta,
                               const Vec3d& r_dot, const Vec4d& theta_dot) {
  bodies.push_back(body);
  q.conservativeResize(7 * size());
  q_dot.conservativeResize(7 * size());
  q.tail<7>() << r, theta;
  q_dot.tail<7>() << r_dot, theta_dot;
}

Constraints constraints(const EulerParameterSystem& s) {
  int count = 0;
  for (const Joint& joint : s.joints) count += equations(joint.kind);
  Constraints c{VecX(count), VecX(count), VecX(count), MatX::Zero(count, 7 * s.size())};
  int k = 0;
  for (const Joint& joint : s.joints) {
    for (const Row& row : rows(s, joint)) {
      c.C[k] = row.C;
      c.rate[k] = row.rate;
      c.Q_c[k] = row.Q_c;
      if (joint.end_1.body >= 0) c.H.block<1, 7>(k, 7 * joint.end_1.body) = row.h_1;
      if (joint.end_2.body >= 0) c.H.block<1, 7>(k, 7 * joint.end_2.body) = row.h_2;
      ++k;
    }
  }
  return c;
}

Vec4d quadratic_force(const Body& body, const Vec4d& theta, const Vec4d& theta_dot) {
  const Vec3d w_bar = g_bar(theta) * theta_dot;
  return -2 * g_bar(theta_dot).transpose() * body.J.cwiseProduct(w_bar);
}

Vec4d closed_form(const Body& body, const Vec4d& theta, const Vec4d& theta_dot,
                  const Vec4d& Q_theta) {
  const Mat34 G = g_bar(theta);
  const Vec4d Q = Q_theta + quadratic_force(body, theta, theta_dot);
  return G.transpose() * body.J.cwiseInverse().asDiagonal() * G * Q / 16 -
         theta_dot.squaredNorm() * theta;
}

Accelerations solve_blocks(const EulerParameterSystem& s) {
  const Constraints c = constraints(s);
  const MatX H = widened(c.H);
  const VecX b = right_side(s);
  // (1), (2): each body's block with the rows of H and the forces as right sides
  MatX X(8 * s.size(), H.rows());
  VecX u(8 * s.size());
  std::vector<Eigen::PartialPivLU<Eigen::Matrix<double, 5, 5>>> factors;
  const auto solve = [&](int i, const Eigen::Ref<const MatX>& right) {
    MatX x(8, right.cols());
    x.topRows<3>() = right.topRows<3>() / s.bodies[static_cast<std::size_t>(i)].mass;
    x.bottomRows<5>() = factors[static_cast<std::size_t>(i)].solve(right.bottomRows<5>());
    return x;
  };
  for (int i = 0; i < s.size(); ++i) {
    const auto M = block(s.bodies[static_cast<std::size_t>(i)], s.theta(i));
    factors.emplace_back(M.bottomRightCorner<5, 5>());
    X.middleRows<8>(8 * i) = solve(i, H.middleCols<8>(8 * i).transpose());
    u.segment<8>(8 * i) = solve(i, b.segment<8>(8 * i));
  }
  // (3): the multipliers; a rank-revealing factor bears redundant constraints
  VecX lambda(H.rows());
  if (H.rows() > 0) lambda = (H * X).completeOrthogonalDecomposition().solve(H * u - c.Q_c);
  // (4): the accelerations
  const VecX force = b - H.transpose() * lambda;
  VecX x(8 * s.size());
  for (int i = 0; i < s.size(); ++i) x.segment<8>(8 * i) = solve(i, force.segment<8>(8 * i));
  return split(x, lambda);
}

Accelerations solve_dense(const EulerParameterSystem& s) {
  const Constraints c = constraints(s);
  const MatX H = widened(c.H);
  const Eigen::Index n = H.cols(), l = H.rows();
  MatX K = MatX::Zero(n + l, n + l);
  VecX b(n + l);
  for (int i = 0; i < s.size(); ++i) {
    K.block<8, 8>(8 * i, 8 * i) = block(s.bodies[static_cast<std::size_t>(i)], s.theta(i));
  }
  K.topRightCorner(n, l) = H.transpose();
  K.bottomLeftCorner(l, n) = H;
  b << right_side(s), c.Q_c;
  const VecX x = K.fullPivLu().solve(b);
  return split(x.head(n), x.tail(l));
}

}  // namespace molejo::euler

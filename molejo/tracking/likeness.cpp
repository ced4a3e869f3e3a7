#include "molejo/tracking/likeness.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/rotation.h"
#include "molejo/math/same_bits.h"

namespace molejo::tracking {

Vec3 turn_between(const Quat& a, const Quat& b) {
  Quat d = conjugate(a) * b;
  if (d.w < 0) d = {-d.w, -d.x, -d.y, -d.z};
  return log_quat(d);
}

void FeatureReader::read(const State& state, Features& f) {
  const Model& model = body_.model;
  update_poses(model, state.q.data(), kinematics_);
  update_velocities(model, state.v.data(), kinematics_);
  f.com = {}, f.com_velocity = {};
  double mass = 0;
  for (const int i : body_.links) {
    const BodyMotion<double>& b = kinematics_.bodies[at(i)];
    const double m = model.links[at(i)].mass;
    f.com += (b.p + b.com) * m;
    f.com_velocity += (b.v + cross(b.w, b.com)) * m;
    mass += m;
  }
  f.com = f.com / mass, f.com_velocity = f.com_velocity / mass;
  const BodyMotion<double>& root = kinematics_.bodies[at(body_.root)];
  f.root = quaternion(root.R);
  f.spin = root.w;
  // where the side of the pelvis points
  const Vec3 side = root.R.column(1);
  f.heading = arc_tangent(-side.x, side.y);
  f.joints.clear(), f.rates.clear(), f.feet.clear(), f.hands.clear();
  for (const int i : body_.links) {
    if (i == body_.root) continue;
    const Link& link = model.links[at(i)];
    const double* q = state.q.data() + link.q;
    f.joints.push_back({q[0], q[1], q[2], q[3]});
    f.rates.push_back({state.v[link.v], state.v[link.v + 1], state.v[link.v + 2]});
  }
  const auto place = [&](int i) {
    const BodyMotion<double>& b = kinematics_.bodies[at(i)];
    return b.p + b.com;
  };
  for (const int i : body_.feet) f.feet.push_back(place(i));
  for (const int i : body_.hands) f.hands.push_back(place(i));
}

double unlikeness(const Features& now, const Features& wanted, double leg_length,
                  const LikenessWeights& w) {
  const double metre = 0.87 / leg_length;  // of a man of 1.77 m
  double turns = 0, rates = 0;
  for (std::size_t i = 0; i < now.joints.size(); ++i) {
    const Vec3 d = turn_between(now.joints[i], wanted.joints[i]);
    const Vec3 r = now.rates[i] - wanted.rates[i];
    turns += dot(d, d), rates += dot(r, r);
  }
  const auto count = static_cast<double>(now.joints.size());
  const double pose = std::sqrt(turns / count) + 0.03 * std::sqrt(rates / count);
  const double root =
      norm(turn_between(now.root, wanted.root)) + 0.1 * norm(now.spin - wanted.spin);
  double ends = 0;
  for (std::size_t i = 0; i < now.feet.size(); ++i) {
    ends += std::fabs(now.feet[i].z - wanted.feet[i].z);
  }
  for (std::size_t i = 0; i < now.hands.size(); ++i) {
    ends += 0.3 * std::fabs(now.hands[i].z - wanted.hands[i].z);
  }
  ends = ends / 3 + 0.5 * std::fabs(now.com.z - wanted.com.z);
  double balance = 0;
  for (std::size_t i = 0; i < now.feet.size(); ++i) {
    const Vec3 d = (now.com - now.feet[i]) - (wanted.com - wanted.feet[i]);
    balance += std::sqrt(d.x * d.x + d.y * d.y);
  }
  balance = balance / 2 + 0.1 * norm(now.com_velocity - wanted.com_velocity);
  const Vec3 off = turned_by(-wanted.heading, now.com - wanted.com);
  const double drift = std::fabs(off.y) + 0.5 * std::fabs(off.x);
  return w.pose * pose + w.root * 0.7 * root +
         metre * (w.ends * ends + w.balance * balance + w.drift * drift);
}

Senses senses(const Features& now, const Features& wanted) {
  const auto seen = [&](const Vec3& x) { return turned_by(-wanted.heading, x); };
  Senses s{};
  std::size_t i = 0;
  // the turn in world axes, from the reference
  Quat d = now.root * conjugate(wanted.root);
  if (d.w < 0) d = {-d.w, -d.x, -d.y, -d.z};
  const Vec3 turn = seen(log_quat(d)), spin = seen(now.spin - wanted.spin);
  const Vec3 velocity = seen(now.com_velocity - wanted.com_velocity);
  for (int a = 0; a < 3; ++a) s[i++] = turn[a];
  for (int a = 0; a < 3; ++a) s[i++] = spin[a];
  for (int a = 0; a < 3; ++a) s[i++] = velocity[a];
  for (std::size_t e = 0; e < 2 && e < now.feet.size(); ++e) {
    const Vec3 way = seen((now.feet[e] - now.com) - (wanted.feet[e] - wanted.com));
    s[9 + 2 * e] = way.x, s[10 + 2 * e] = way.y;
  }
  const Vec3 off = seen(now.com - wanted.com);
  s[13] = off.z;
  s[14] = std::clamp(off.y, -0.3, 0.3);
  s[15] = std::clamp(off.x, -0.3, 0.3);
  s[16] = wanted.spin.z;
  return s;
}

}  // namespace molejo::tracking

#include "molejo/model/model.h"

#include <cstring>

#include "molejo/model/error.h"

namespace molejo {

BodyId Model::body(const std::string& name) const {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return {static_cast<int>(i)};
  }
  std::vector<std::string> names;
  for (const Body& b : bodies) names.push_back(b.name);
  throw InputError(unknown_word("body", name, names));
}

VecX difference(const Model& model, const VecX& q0, const VecX& q1) {
  VecX dq(model.nv);
  for (const Link& link : model.links) {
    const int straight =
        link.rotations == 3 ? link.translations : link.translations + link.rotations;
    for (int j = 0; j < straight; ++j) dq[link.v + j] = q1[link.q + j] - q0[link.q + j];
    if (link.rotations == 3) {
      const int n = link.q + straight;
      const Quat a{q0[n], q0[n + 1], q0[n + 2], q0[n + 3]},
          b{q1[n], q1[n + 1], q1[n + 2], q1[n + 3]};
      const Vec3 phi = log_quat(conjugate(a) * b);
      for (int j = 0; j < 3; ++j) dq[link.v + straight + j] = phi[j];
    }
  }
  return dq;
}

void put_on_paths(const Model& model, State& state) {
  if (model.paths.empty()) return;
  for (const Link& link : model.links) {
    if (link.follows < 0) continue;
    const MotionPath::Motion m = model.paths[static_cast<std::size_t>(link.follows)].at(state.t);
    const Quat& r = m.orientation;
    const double q[] = {m.p.x, m.p.y, m.p.z, r.w, r.x, r.y, r.z};
    const double v[] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z};
    for (int j = 0; j < 7; ++j) state.q[link.q + j] = q[j];
    for (int j = 0; j < 6; ++j) state.v[link.v + j] = v[j];
  }
}

State zero_state(const Model& model) {
  State state{0, VecX::Zero(model.nq), VecX::Zero(model.nv)};
  for (const Link& link : model.links) {
    if (link.rotations == 3) state.q[link.q + link.translations] = 1;
  }
  return state;
}

std::uint64_t hash(const State& state) {
  std::uint64_t h = 14695981039346656037u;
  const auto add = [&h](double x) {
    unsigned char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    for (unsigned char b : bytes) h = (h ^ b) * 1099511628211u;
  };
  add(state.t);
  for (double x : state.q) add(x);
  for (double x : state.v) add(x);
  return h;
}

}  // namespace molejo

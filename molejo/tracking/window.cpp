#include "molejo/tracking/window.h"

#include "molejo/math/index.h"
#include "molejo/math/rotation.h"

namespace molejo::tracking {

namespace {

Vec3 rotation_vector(const double* q) {
  Quat r{q[0], q[1], q[2], q[3]};
  if (r.w < 0) r = {-r.w, -r.x, -r.y, -r.z};
  return log_quat(r);
}

}  // namespace

void look_at(const TrackedBody& body, const Reference& reference, long number, const Policy* policy,
             const Anchor& anchor, FeatureReader& reader, Window& window) {
  const Model& model = body.model;
  const int steps = reference.steps_per_window();
  const long first = number * steps;
  VecX q, before, now, after;
  const auto rotation_vectors = [&](long n, VecX& phi) {
    reference.coordinates(n, q);
    phi = VecX::Zero(model.nv);
    for (const int i : body.links) {
      if (i == body.root) continue;
      const Link& link = model.links[at(i)];
      const Vec3 r = rotation_vector(q.data() + link.q);
      for (int a = 0; a < 3; ++a) phi[link.v + a] = r[a];
    }
  };
  window.policy = policy;
  window.phi.resize(at(steps)), window.rate.resize(at(steps));
  rotation_vectors(first, before);
  rotation_vectors(first + 1, now);
  for (int k = 0; k < steps; ++k) {
    rotation_vectors(first + k + 2, after);
    window.phi[at(k)] = now;
    window.rate[at(k)] = (after - before) / (2 * reference.step());
    before.swap(now), now.swap(after);
  }
  State state;
  window.wanted.resize(ticks_per_window + 1);
  for (int tick = 0; tick <= ticks_per_window; ++tick) {
    const long n = first + static_cast<long>(tick) * steps / ticks_per_window;
    if (tick < ticks_per_window) window.ticks[at(tick)] = reference.tick(n);
    state_of(body, reference, n, state);
    reader.read(state, window.wanted[at(tick)]);
    anchor.carry(window.wanted[at(tick)]);
  }
}

}  // namespace molejo::tracking

// Clips as coordinates of bodies: loops go on where they ended, feet stand on the ground.
#include "molejo/tracking/reference.h"

#include <doctest/doctest.h>

#include "molejo/math/index.h"
#include "molejo/model/kinematics.h"
#include "molejo/physics/point_contact.h"
#include "tests/tracking/walking_person.h"

using namespace molejo;
using namespace molejo::tracking;
using namespace molejo::test;

namespace {

struct Walked : WalkingPerson {
  Walked() {
    reference.emplace(body, *map, clips->rig, clips->walk.clip, 1.0,
                      ClipReferenceOptions{.speed = 1.1});
  }
  double lowest_sole(const VecX& q) const {
    Kinematics<double> k(body.model);
    update_poses(body.model, q.data(), k);
    double z = 1e9;
    for (const GroundPoint& p : ground_points(body.model)) {
      if (std::find(body.soles.begin(), body.soles.end(), p.body) == body.soles.end()) continue;
      const BodyMotion<double>& b = k.bodies[at(p.body)];
      z = std::min(z, (b.p + b.R * p.p).z - p.radius);
    }
    return z;
  }

  std::optional<ClipReference> reference;
};

}  // namespace

TEST_CASE("reference: a loop goes on where it ended, as far as its speed takes it") {
  const Walked w;
  const ClipReference& r = *w.reference;
  CHECK(r.speed() == doctest::Approx(1.1).epsilon(1e-9));
  State state;
  FeatureReader reader(w.body);
  Features a, b;
  for (const long n : {0L, 7L, r.steps() - 1}) {
    state_of(w.body, r, n, state);
    reader.read(state, a);
    state_of(w.body, r, n + 3 * r.steps(), state);
    reader.read(state, b);
    const Vec3 way = b.com - a.com;
    CHECK(norm(way - Vec3{3 * 1.1 * r.duration(), 0, 0}) < 1e-9);
    CHECK(norm(b.com_velocity - a.com_velocity) < 1e-9);
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
      CHECK(std::fabs((conjugate(a.joints[i]) * b.joints[i]).w) > 1 - 1e-12);
    }
  }
  // no jump at the seam
  VecX before, after;
  r.coordinates(r.steps() - 1, before);
  r.coordinates(r.steps(), after);
  CHECK(difference(w.body.model, before, after).cwiseAbs().maxCoeff() < 0.2);
}

TEST_CASE("reference: what does not loop keeps its speed to both ends, and stays there") {
  const Walked w;
  const ClipReference once(w.body, *w.map, w.clips->rig, w.clips->walk.clip, 1.0,
                           {.loops = false, .speed = 1.1});
  State state, beyond;
  FeatureReader reader(w.body);
  Features f;
  for (const long n : {0L, once.steps() / 2, once.steps()}) {
    state_of(w.body, once, n, state);
    reader.read(state, f);
    CHECK(f.com_velocity.x == doctest::Approx(1.1).epsilon(0.4));
  }
  state_of(w.body, once, once.steps() + 7, beyond);
  CHECK(beyond.q == state.q);
}

TEST_CASE("reference: its feet stand on the ground, and never far in it") {
  const Walked w;
  VecX q;
  double lowest = 1e9;
  int near = 0;
  for (long n = 0; n < w.reference->steps(); ++n) {
    w.reference->coordinates(n, q);
    const double z = w.lowest_sole(q);
    lowest = std::min(lowest, z);
    near += z < 0.02 ? 1 : 0;
  }
  CHECK(lowest > -0.012);
  CHECK(2 * near > w.reference->steps());
}

#include "tests/collision/ccd_oracle.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>

#include "tests/collision/brute_force.h"

using namespace molejo;

namespace {

struct Placed {
  const Convex* solid;
  const Pose* X_WS;
};

ccd_vec3_t ccd_vector(const Vec3& v) { return {{v.x, v.y, v.z}}; }

void support_of(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* result) {
  const Placed& placed = *static_cast<const Placed*>(object);
  const Vec3 d{direction->v[0], direction->v[1], direction->v[2]};
  Vec3 p = *placed.X_WS * farthest(*placed.solid, transpose_times(placed.X_WS->R, d));
  if (norm(d) > 0) p += normalized(d) * placed.solid->radius;
  *result = ccd_vector(p);
}

void centre_of(const void* object, ccd_vec3_t* centre) {
  const Placed& placed = *static_cast<const Placed*>(object);
  Vec3 c;
  if (placed.solid->mesh != nullptr) {
    for (const Vec3& v : placed.solid->mesh->vertices) c += v;
    c = c / static_cast<double>(placed.solid->mesh->vertices.size());
  }
  *centre = ccd_vector(*placed.X_WS * c);
}

ccd_t settings() {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support_of;
  ccd.center1 = ccd.center2 = centre_of;
  ccd.max_iterations = 200;
  ccd.epa_tolerance = 1e-5;
  return ccd;
}

}  // namespace

bool ccd_intersect(const PlacedPair& pair) {
  const Placed a{&pair.a, &pair.X_WA}, b{&pair.b, &pair.X_WB};
  const ccd_t ccd = settings();
  return ccdGJKIntersect(&a, &b, &ccd) != 0;
}

std::optional<CcdPenetration> ccd_penetration(const PlacedPair& pair) {
  const Placed a{&pair.a, &pair.X_WA}, b{&pair.b, &pair.X_WB};
  const ccd_t ccd = settings();
  ccd_real_t depth;
  ccd_vec3_t d, position;
  if (ccdGJKPenetration(&a, &b, &ccd, &depth, &d, &position) != 0) return {};
  return CcdPenetration{depth, Vec3{-d.v[0], -d.v[1], -d.v[2]}};
}

std::optional<double> ccd_mpr_depth(const PlacedPair& pair) {
  const Placed a{&pair.a, &pair.X_WA}, b{&pair.b, &pair.X_WB};
  const ccd_t ccd = settings();
  ccd_real_t depth;
  ccd_vec3_t direction, position;
  if (ccdMPRPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) return {};
  return depth;
}

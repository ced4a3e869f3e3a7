// What libccd (Fiser; Debian libccd2) says of two solids.
#pragma once

#include <optional>

#include "tests/collision/random_solids.h"

bool ccd_intersect(const PlacedPair& pair);

// GJK and EPA: moving a by `depth` along the unit `normal` should part them.
struct CcdPenetration {
  double depth;
  molejo::Vec3 normal;
};
std::optional<CcdPenetration> ccd_penetration(const PlacedPair& pair);
// MPR: a translation that parts them, not the least one.
std::optional<double> ccd_mpr_depth(const PlacedPair& pair);

// Which vertex, edge or face of a core holds a point of its surface.
#pragma once

#include "molejo/collision/distance.h"
#include "molejo/collision/simplex.h"

namespace molejo {

// Of the point that the simplex's weights make on one of its sides, &DifferencePoint::a or b.
Feature feature_at(const Convex& solid, const Simplex& simplex, Extreme DifferencePoint::*side);

}  // namespace molejo

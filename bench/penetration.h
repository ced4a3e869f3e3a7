// How deep bodies are in each other and in the ground, found from their states alone: one measure
// for all engines, none of which is asked.
#pragma once

#include "bench/works.h"

namespace bench {

// Height of the lowest point of a shape above z = 0; negative: penetration.
double lowest_point(const Shape& shape, const BodyState& body);

// Depth of two boxes in each other: the shortest translation that parts them, which is the least
// overlap over the 15 separating axes (Gottschalk, Lin, Manocha 1996). 0 when they are apart.
double box_depth(const Vec3& half_a, const BodyState& a, const Vec3& half_b, const BodyState& b);

struct Penetration {
  double ground = 0, parts = 0;  // the deepest, 0 when nothing touches
};
// Of a work at one moment. Between parts only where these touch, and then boxes only.
Penetration penetration(const Work& work, const std::vector<BodyState>& bodies);

// Largest distance between the two points of a joint that ought to be one; of a slide: across its
// axis.
double joint_error(const Work& work, const std::vector<BodyState>& bodies);

}  // namespace bench

// The works in which something touches, and the probes of what contact ought to do.
//
// Friction 0.8 and no restitution unless a work says otherwise; the plane z = 0; 1 ms. B and C are
// those of the project's page of reference values.
#pragma once

#include "bench/works.h"

namespace bench {

// Work B: the ragdoll falls from 0.5 m; its parts touch the plane only.
Work falling_ragdoll();
// Work C: 100 cubes of 0.2 m in four staggered layers, 25 a layer.
Work pile_of_100();
// The same arrangement with ten layers of 10 x 10.
Work pile_of_1000();
// The 16 links of work A, free instead of pinned: a straight rod that leans by 30 degrees from the
// level, its lower end 0.5 m above the plane, spinning like the ragdoll. Links touch the plane
// only.
Work dropped_chain();

// A solid that hangs by a ball joint from a free box, both turned by 30 degrees about x; it falls
// from 0.3 m or more and touches before the box does.
Work dangling(const Shape& shape);

// A cube of half side 0.25 m on the plane, 5 m/s at 30 degrees, friction 0.5.
constexpr double slide_speed = 5, slide_angle_deg = 30, slide_friction = 0.5;
Work sliding_block();
// A ball of radius 0.1 m whose lowest point is 1 m above the plane.
constexpr double ball_radius = 0.1, drop_height = 1;
Work bouncing_ball(double restitution);
// A capsule (part 2) of 45 g, radius 4 mm and half length 40 mm, upright between two fingers: boxes
// of 1 kg that slide along x and push with `force` each. Friction 0.7, no ground.
Work pinched_capsule(double force);
// Ten hinge links of 1 kg and 0.2 m and a ball of 100 kg hinged to the end, from 30 degrees.
Work heavy_end();

}  // namespace bench

// How small and how large a number that a person gives may be: the same in files, in messages of
// clients and in options of the program. Far outside of what is useful, near enough to keep work
// and memory finite.
#pragma once

#include <string>

namespace molejo {

struct Bounds {
  double least, most;  // both included
  const char* unit;

  bool hold(double x) const { return x >= least && x <= most; }  // not for a NaN
};

// "expected seconds from 1e-09 to 1"
std::string expectation(const Bounds& bounds);

namespace bounds_of {

inline constexpr Bounds duration{0, 1e6, "seconds"};
inline constexpr Bounds start_time{-1e9, 1e9, "seconds"};
inline constexpr Bounds fps{1e-3, 1e5, "frames per second"};
// Steps of the integrator, and of the adaptive one at most and at least.
inline constexpr Bounds time_step{1e-9, 1, "seconds"};
inline constexpr Bounds min_step{1e-12, 1, "seconds"};
inline constexpr Bounds tolerance{1e-15, 1e3, "an error"};

// Of contact.
inline constexpr Bounds iterations{1, 1e6, "a whole number"};
inline constexpr Bounds speed{1e-12, 1e6, "m/s"};
inline constexpr Bounds slop{0, 1e3, "metres"};
inline constexpr Bounds distance{1e-12, 1, "metres"};
inline constexpr Bounds sleep_time{1e-9, 1e6, "seconds"};

// Of gaits, their search and their replay.
inline constexpr Bounds gait_seconds{1e-3, 1e4, "seconds"};
inline constexpr Bounds stiffness{1e-6, 1e9, "newton metres per radian"};
inline constexpr Bounds evaluations{1, 2e9, "simulations"};
inline constexpr Bounds seed{0, 9e15, "a whole number"};

// Of walks.
inline constexpr Bounds walk_duration{0.1, 3600, "seconds"};
inline constexpr Bounds walk_fps{5, 240, "frames per second"};
inline constexpr Bounds heading{-1e4, 1e4, "degrees"};
inline constexpr Bounds figure_scale{1e-4, 1e4, "a factor"};

}  // namespace bounds_of

}  // namespace molejo

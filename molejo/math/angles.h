// Angles are in radians: 20 * degree is twenty degrees.
#pragma once

#include <cmath>

namespace molejo {

constexpr double pi = 3.141592653589793;
constexpr double degree = pi / 180;

// Of all equal ones, the one between -pi and pi.
inline double wrapped(double angle) { return angle - 2 * pi * std::floor((angle + pi) / (2 * pi)); }

}  // namespace molejo

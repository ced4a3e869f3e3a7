// Angles are in radians: 20 * degree is twenty degrees.
#pragma once

namespace molejo {

constexpr double pi = 3.141592653589793;
constexpr double degree = pi / 180;

}  // namespace molejo

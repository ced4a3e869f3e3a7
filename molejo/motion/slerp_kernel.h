// Spherical interpolation of unit quaternions without a branch, a root or a sine (private to this
// module), for one or four pairs at once:
//
//   slerp(a, b, u) = w_a a + w_b b      w_b = sin(u phi) / sin(phi) = u sinc(u phi) / sinc(phi)
//
// phi is the angle between a and b, cos(phi) = d = a.b in [0, 1] (the short way). phi^2 =
// (phi / sin(phi))^2 (1 - d^2) is analytic there, and so is sinc of its square: error below 1e-13.
// Method of weights: Shoemake, "Animating rotation with quaternion curves" (1985).
#pragma once

#include "molejo/math/rotation.h"

namespace molejo::motion {

template <class S>
struct SlerpWeights {
  S a, b;
};

// For d = a.b >= 0 and 0 <= u <= 1.
template <class S>
SlerpWeights<S> slerp_weights(const S& d, const S& u) {
  const S cosine = minimum(d, S(1.0));
  const S f = 0.5 * angle_per_sine(cosine);  // phi / sin(phi)
  const S z = f * f * (1.0 - cosine * cosine);
  const S v = 1.0 - u;
  return {v * f * (1.0 + sinc_minus_one(v * v * z)), u * f * (1.0 + sinc_minus_one(u * u * z))};
}

// Reads or writes four neighbouring numbers, wherever they stand.
inline Pack4 load_pack(const double* p) {
  Pack4 x;
  std::memcpy(&x.v, p, sizeof x.v);
  return x;
}
inline void store_pack(double* p, const Pack4& x) { std::memcpy(p, &x.v, sizeof x.v); }

}  // namespace molejo::motion

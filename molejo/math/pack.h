// Four doubles in one register: four worlds stepped by one core.
//
// A kernel written for a scalar type S runs for `double` and for `Pack4`. Lane i of the pack gives
// bit for bit what a single world gives: every operation is IEEE, nothing is contracted or
// reordered, and where lanes disagree on a branch both sides are computed and `select` picks.
//
// Packs have copy constructors of their own, so that functions pass them by address: sources that
// are compiled for different processors then call each other safely.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace molejo {

struct alignas(32) Pack4 {
  using Lanes = double __attribute__((vector_size(32)));
  using Bits = std::int64_t __attribute__((vector_size(32)));
  static constexpr int size = 4;

  Lanes v;

  Pack4() : v{} {}
  Pack4(double x) : v{x, x, x, x} {}  // NOLINT: a plain number stands for four equal ones
  explicit Pack4(const Lanes& lanes) : v(lanes) {}
  Pack4(const Pack4& b) : v(b.v) {}                            // NOLINT: not trivial, see above
  Pack4& operator=(const Pack4& b) { return v = b.v, *this; }  // NOLINT
  ~Pack4() = default;

  double operator[](int i) const { return v[i]; }
  void set(int i, double x) { v[i] = x; }

  Pack4& operator+=(const Pack4& b) { return v += b.v, *this; }
  Pack4& operator-=(const Pack4& b) { return v -= b.v, *this; }
  Pack4& operator*=(const Pack4& b) { return v *= b.v, *this; }

  friend Pack4 operator+(const Pack4& a, const Pack4& b) { return Pack4(Lanes(a.v + b.v)); }
  friend Pack4 operator-(const Pack4& a, const Pack4& b) { return Pack4(Lanes(a.v - b.v)); }
  friend Pack4 operator*(const Pack4& a, const Pack4& b) { return Pack4(Lanes(a.v * b.v)); }
  friend Pack4 operator/(const Pack4& a, const Pack4& b) { return Pack4(Lanes(a.v / b.v)); }
  friend Pack4 operator-(const Pack4& a) { return Pack4(Lanes(-a.v)); }

  // Per lane: all bits set where true.
  struct Mask {
    Bits bits;
    explicit Mask(const Bits& b) : bits(b) {}
    Mask(const Mask& b) : bits(b.bits) {}                            // NOLINT: like that of a pack
    Mask& operator=(const Mask& b) { return bits = b.bits, *this; }  // NOLINT
    ~Mask() = default;
  };
  friend Mask operator<(const Pack4& a, const Pack4& b) { return Mask(a.v < b.v); }
  friend Mask operator>(const Pack4& a, const Pack4& b) { return Mask(a.v > b.v); }
};

inline bool any(bool m) { return m; }
inline bool any(const Pack4::Mask& m) {
#ifdef __AVX2__
  return _mm256_movemask_pd((__m256d)m.bits) != 0;
#else
  return (m.bits[0] | m.bits[1] | m.bits[2] | m.bits[3]) != 0;
#endif
}
inline double select(bool m, double a, double b) { return m ? a : b; }
inline Pack4 select(const Pack4::Mask& m, const Pack4& a, const Pack4& b) {
  return Pack4(Pack4::Lanes(m.bits ? a.v : b.v));
}

inline double square_root(double x) { return std::sqrt(x); }
inline Pack4 square_root(const Pack4& x) {
#ifdef __AVX2__
  return Pack4(Pack4::Lanes(_mm256_sqrt_pd((__m256d)x.v)));
#else
  return Pack4(
      Pack4::Lanes{std::sqrt(x.v[0]), std::sqrt(x.v[1]), std::sqrt(x.v[2]), std::sqrt(x.v[3])});
#endif
}
inline double absolute(double x) { return std::fabs(x); }
inline Pack4 absolute(const Pack4& x) { return Pack4(Pack4::Lanes((Pack4::Bits)x.v & INT64_MAX)); }
template <class S>
S minimum(const S& a, const S& b) {
  return select(b < a, b, a);
}
template <class S>
S maximum(const S& a, const S& b) {
  return select(a < b, b, a);
}

// Lane i, and a scalar as its own only lane, so that generic code can read results.
inline double lane(double x, int) { return x; }
inline double lane(const Pack4& x, int i) { return x.v[i]; }
inline void set_lane(double& x, int, double value) { x = value; }
inline void set_lane(Pack4& x, int i, double value) { x.v[i] = value; }
template <class S>
inline constexpr int lanes = 1;
template <>
inline constexpr int lanes<Pack4> = Pack4::size;

// sin and cos together, the same bits in every lane, build and libc.
// Cody-Waite reduction by pi/2 in three parts, then the Taylor series on |r| <= pi/4, cut where
// the next term is below 1e-19. Error below 1 unit in the last place for |x| < 1e5; larger
// arguments are first reduced by fmod.
template <class S>
struct SinCos {
  S sin, cos;
};

namespace pack_bits {
inline std::int64_t of(double x) {
  std::int64_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
// Is the integer in the low bits of n odd?
inline bool odd(double n) { return (of(n) & 1) != 0; }
inline Pack4::Mask odd(const Pack4& n) { return Pack4::Mask(((Pack4::Bits)n.v & 1) != 0); }
// -x where bit 1 of that integer, plus `more`, is set.
inline double flip_sign(double x, double n, std::int64_t more) {
  const std::int64_t b = of(x) ^ ((of(n) + more) & 2) << 62;
  std::memcpy(&x, &b, sizeof x);
  return x;
}
inline Pack4 flip_sign(const Pack4& x, const Pack4& n, std::int64_t more) {
  return Pack4((Pack4::Lanes)((Pack4::Bits)x.v ^ (((Pack4::Bits)n.v + more) & 2) << 62));
}
inline double wrap(double x) { return std::fabs(x) < 1e5 ? x : std::fmod(x, 6.283185307179586); }
inline Pack4 wrap(const Pack4& x) {
  return Pack4(Pack4::Lanes{wrap(x.v[0]), wrap(x.v[1]), wrap(x.v[2]), wrap(x.v[3])});
}
}  // namespace pack_bits

// Taylor series in z = r^2 of (sin r)/r - 1 and of cos r, for z <= (pi/4)^2.
template <class S>
S sinc_minus_one(const S& z) {
  constexpr double a3 = -1.0 / 6, a5 = 1.0 / 120, a7 = -1.0 / 5040, a9 = 1.0 / 362880;
  constexpr double a11 = -1.0 / 39916800, a13 = 1.0 / 6227020800.0;
  constexpr double a15 = -1.0 / 1307674368000.0, a17 = 1.0 / 355687428096000.0;
  const S tail = a9 + z * (a11 + z * (a13 + z * (a15 + z * S(a17))));
  return z * (a3 + z * (a5 + z * (a7 + z * tail)));
}
template <class S>
S cos_series(const S& z) {
  constexpr double a4 = 1.0 / 24, a6 = -1.0 / 720, a8 = 1.0 / 40320, a10 = -1.0 / 3628800;
  constexpr double a12 = 1.0 / 479001600, a14 = -1.0 / 87178291200.0, a16 = 1.0 / 20922789888000.0;
  const S tail = a10 + z * (a12 + z * (a14 + z * S(a16)));
  const S half = 0.5 * z;
  return 1.0 - (half - z * z * (a4 + z * (a6 + z * (a8 + z * tail))));
}

template <class S>
SinCos<S> sincos(S x) {
  if (any(absolute(x) > S(1e5))) x = pack_bits::wrap(x);

  // x = n pi/2 + r; adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits
  constexpr double shifter = 6755399441055744.0;
  constexpr double half_pi_1 = 1.57079632673412561417e+00;  // first 33 bits of pi/2
  constexpr double half_pi_2 = 6.07710050630396597660e-11;  // next 33 bits
  constexpr double half_pi_3 = 2.02226624879595063154e-21;  // the rest
  const S shifted = x * 0.636619772367581343 + shifter;
  const S n = shifted - shifter;
  const S r = ((x - n * half_pi_1) - n * half_pi_2) - n * half_pi_3;
  const S z = r * r;
  const S s = r + r * sinc_minus_one(z);
  const S c = cos_series(z);

  // quadrant: odd n swaps, bit 1 of n and of n + 1 gives the signs
  const auto swap = pack_bits::odd(shifted);
  return {pack_bits::flip_sign(select(swap, c, s), shifted, 0),
          pack_bits::flip_sign(select(swap, s, c), shifted, 1)};
}

}  // namespace molejo

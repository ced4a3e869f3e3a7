// The small vectors and matrices of mechanics, for a scalar S that is `double` or a pack of four.
//
//   Vec3 x, y, z        Mat3 three rows        Sym3 the six numbers of a symmetric 3x3 matrix
//
// Every operation spells out its order of additions, so that one lane of a pack gives the same
// bits as a single world.
#pragma once

#include <cmath>

namespace molejo {

template <class S>
struct Vec3T {
  S x{}, y{}, z{};

  S& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  const S& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  Vec3T& operator+=(const Vec3T& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  Vec3T& operator-=(const Vec3T& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  bool operator==(const Vec3T&) const = default;
};

template <class S>
Vec3T<S> operator+(const Vec3T<S>& a, const Vec3T<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
Vec3T<S> operator-(const Vec3T<S>& a, const Vec3T<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
Vec3T<S> operator-(const Vec3T<S>& a) {
  return {-a.x, -a.y, -a.z};
}
// The scalar may be a plain double beside a pack, hence the second type.
template <class S, class F>
Vec3T<S> operator*(const Vec3T<S>& a, const F& f) {
  return {a.x * f, a.y * f, a.z * f};
}
inline Vec3T<double> operator*(double f, const Vec3T<double>& a) { return a * f; }
inline Vec3T<double> operator/(const Vec3T<double>& a, double f) { return a * (1 / f); }

template <class A, class B>
auto dot(const Vec3T<A>& a, const Vec3T<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
auto cross(const Vec3T<A>& a, const Vec3T<B>& b) {
  using S = decltype(a.x * b.x);
  return Vec3T<S>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3T<double>& a) { return std::sqrt(dot(a, a)); }
inline Vec3T<double> normalized(const Vec3T<double>& a) { return a / norm(a); }
// Largest absolute component.
inline double max_abs(const Vec3T<double>& a) {
  return std::fmax(std::fabs(a.x), std::fmax(std::fabs(a.y), std::fabs(a.z)));
}

// Rows r0, r1, r2.
template <class S>
struct Mat3T {
  Vec3T<S> r0, r1, r2;

  Vec3T<S>& operator[](int i) { return i == 0 ? r0 : i == 1 ? r1 : r2; }
  const Vec3T<S>& operator[](int i) const { return i == 0 ? r0 : i == 1 ? r1 : r2; }
  Vec3T<S> column(int j) const { return {r0[j], r1[j], r2[j]}; }

  static Mat3T identity() { return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}}; }
  bool operator==(const Mat3T&) const = default;
};

template <class A, class B>
auto operator*(const Mat3T<A>& m, const Vec3T<B>& v) {
  using S = decltype(m.r0.x * v.x);
  return Vec3T<S>{dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)};
}
// m^T v.
template <class A, class B>
auto transpose_times(const Mat3T<A>& m, const Vec3T<B>& v) {
  using S = decltype(m.r0.x * v.x);
  return Vec3T<S>{m.r0.x * v.x + m.r1.x * v.y + m.r2.x * v.z,
                  m.r0.y * v.x + m.r1.y * v.y + m.r2.y * v.z,
                  m.r0.z * v.x + m.r1.z * v.y + m.r2.z * v.z};
}
template <class A, class B>
auto operator*(const Mat3T<A>& a, const Mat3T<B>& b) {
  using S = decltype(a.r0.x * b.r0.x);
  return Mat3T<S>{transpose_times(b, a.r0), transpose_times(b, a.r1), transpose_times(b, a.r2)};
}
template <class S>
Mat3T<S> operator+(const Mat3T<S>& a, const Mat3T<S>& b) {
  return {a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2};
}
template <class S>
Mat3T<S> operator-(const Mat3T<S>& a, const Mat3T<S>& b) {
  return {a.r0 - b.r0, a.r1 - b.r1, a.r2 - b.r2};
}
template <class S, class F>
Mat3T<S> operator*(const Mat3T<S>& a, const F& f) {
  return {a.r0 * f, a.r1 * f, a.r2 * f};
}
template <class S>
Mat3T<S> transpose(const Mat3T<S>& m) {
  return {m.column(0), m.column(1), m.column(2)};
}
// The matrix with columns a, b, c.
template <class S>
Mat3T<S> from_columns(const Vec3T<S>& a, const Vec3T<S>& b, const Vec3T<S>& c) {
  return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
}
// The matrix of a x: skew(a) * b == cross(a, b).
template <class S>
Mat3T<S> skew(const Vec3T<S>& a) {
  return {{S(0), -a.z, a.y}, {a.z, S(0), -a.x}, {-a.y, a.x, S(0)}};
}
inline double determinant(const Mat3T<double>& m) { return dot(m.r0, cross(m.r1, m.r2)); }
// m^-1; m must be regular.
inline Mat3T<double> inverse(const Mat3T<double>& m) {
  const Vec3T<double> a = cross(m.r1, m.r2), b = cross(m.r2, m.r0), c = cross(m.r0, m.r1);
  return from_columns(a, b, c) * (1 / dot(m.r0, a));
}

// Symmetric 3x3 matrix [xx xy xz; xy yy yz; xz yz zz].
template <class S>
struct Sym3T {
  S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  static Sym3T diagonal(const S& a, const S& b, const S& c) { return {a, b, c, S(0), S(0), S(0)}; }
  Sym3T& operator+=(const Sym3T& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  bool operator==(const Sym3T&) const = default;
};

template <class S>
Sym3T<S> operator+(Sym3T<S> a, const Sym3T<S>& b) {
  return a += b;
}
template <class S, class F>
Sym3T<S> operator*(const Sym3T<S>& a, const F& f) {
  return {a.xx * f, a.yy * f, a.zz * f, a.xy * f, a.xz * f, a.yz * f};
}
template <class A, class B>
auto operator*(const Sym3T<A>& m, const Vec3T<B>& v) {
  using S = decltype(m.xx * v.x);
  return Vec3T<S>{m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                  m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class S>
Mat3T<S> full(const Sym3T<S>& m) {
  return {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
}
// The symmetric part of m is assumed: its upper triangle is taken.
template <class S>
Sym3T<S> upper(const Mat3T<S>& m) {
  return {m.r0.x, m.r1.y, m.r2.z, m.r0.y, m.r0.z, m.r1.z};
}
// R m R^T: the matrix in axes turned by R.
template <class A, class B>
auto rotated(const Mat3T<A>& R, const Sym3T<B>& m) {
  const Vec3T<A> a = m * R.r0, b = m * R.r1, c = m * R.r2;
  return Sym3T<A>{dot(R.r0, a), dot(R.r1, b), dot(R.r2, c),
                  dot(R.r0, b), dot(R.r0, c), dot(R.r1, c)};
}
// m (c.c 1 - c c^T): inertia about a point of a mass m at c from it.
template <class S, class F>
Sym3T<S> point_inertia(const F& m, const Vec3T<S>& c) {
  const S xx = c.x * c.x, yy = c.y * c.y, zz = c.z * c.z;
  return Sym3T<S>{yy + zz, xx + zz, xx + yy, -(c.x * c.y), -(c.x * c.z), -(c.y * c.z)} * m;
}

// The same number in every lane of S.
template <class S>
Vec3T<S> widen(const Vec3T<double>& a) {
  return {S(a.x), S(a.y), S(a.z)};
}
template <class S>
Mat3T<S> widen(const Mat3T<double>& m) {
  return {widen<S>(m.r0), widen<S>(m.r1), widen<S>(m.r2)};
}

using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using Sym3 = Sym3T<double>;

}  // namespace molejo

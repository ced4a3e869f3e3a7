// Numbers of 256 bits, from MPFR, for comparisons with doubles.
#pragma once

#include <mpfr.h>

#include <utility>

namespace exact {

class Real {
 public:
  Real(double x = 0) {
    mpfr_init2(v_, 256);
    mpfr_set_d(v_, x, MPFR_RNDN);
  }
  Real(const Real& other) {
    mpfr_init2(v_, 256);
    mpfr_set(v_, other.v_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    if (this != &other) mpfr_set(v_, other.v_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(v_); }

  mpfr_ptr raw() { return v_; }
  mpfr_srcptr raw() const { return v_; }
  double rounded() const { return mpfr_get_d(v_, MPFR_RNDN); }
  // |x|, rounded up
  double magnitude() const {
    const double x = mpfr_get_d(v_, MPFR_RNDA);
    return x < 0 ? -x : x;
  }
  bool is_finite() const { return mpfr_number_p(v_) != 0; }
  bool is_zero() const { return mpfr_zero_p(v_) != 0; }
  int sign() const { return mpfr_sgn(v_); }

 private:
  mpfr_t v_;
};

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
inline Real apply(Unary f, const Real& a) {
  Real r;
  f(r.raw(), a.raw(), MPFR_RNDN);
  return r;
}
inline Real apply(Binary f, const Real& a, const Real& b) {
  Real r;
  f(r.raw(), a.raw(), b.raw(), MPFR_RNDN);
  return r;
}

inline Real operator+(const Real& a, const Real& b) { return apply(mpfr_add, a, b); }
inline Real operator-(const Real& a, const Real& b) { return apply(mpfr_sub, a, b); }
inline Real operator*(const Real& a, const Real& b) { return apply(mpfr_mul, a, b); }
inline Real operator/(const Real& a, const Real& b) { return apply(mpfr_div, a, b); }
inline Real operator-(const Real& a) { return apply(mpfr_neg, a); }
inline bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.raw(), b.raw()) != 0; }
inline bool operator==(const Real& a, const Real& b) { return mpfr_equal_p(a.raw(), b.raw()) != 0; }

}  // namespace exact

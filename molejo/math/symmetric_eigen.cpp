#include "molejo/math/symmetric_eigen.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// four partial sums: their additions need not wait for each other
double dot(const double* a, const double* b, Eigen::Index n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Eigen::Index i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

void add_scaled(double* a, double f, const double* b, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i) a[i] += f * b[i];
}

// sqrt(a^2 + b^2) without overflow
double length(double a, double b) {
  a = std::fabs(a), b = std::fabs(b);
  if (a < b) std::swap(a, b);
  if (a == 0) return 0;
  const double ratio = b / a;
  return a * std::sqrt(1 + ratio * ratio);
}

}  // namespace

SymmetricEigen::SymmetricEigen(int size)
    : work_(size, size),
      vectors_(MatX::Identity(size, size)),
      values_(VecX::Ones(size)),
      beside_(size),
      factor_(size),
      product_(size) {}

bool SymmetricEigen::compute(const MatX& A) {
  assert(A.rows() == work_.rows() && A.cols() == work_.cols());
  const Eigen::Index n = A.rows();
  double largest = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      if (!std::isfinite(A(i, j))) return false;
      largest = std::max(largest, std::fabs(A(i, j)));
    }
  }
  // scaled to order one, so that squares neither overflow nor vanish
  const double scale = largest > 0 ? largest : 1;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) work_(i, j) = A(i, j) / scale;
  }
  reduce();
  collect_reflections();
  if (!iterate()) return false;
  sort();
  for (Eigen::Index i = 0; i < n; ++i) values_[i] *= scale;
  return true;
}

// Column k gets the vector v of the reflection 1 - factor v v^T that clears it below the
// subdiagonal.
void SymmetricEigen::reduce() {
  const Eigen::Index n = work_.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    values_[k] = work_(k, k);
    const Eigen::Index m = n - k - 1;  // rows below
    beside_[k] = m > 0 ? work_(k + 1, k) : 0;
    factor_[k] = 0;
    if (m < 2) continue;
    double* v = &work_(k + 1, k);
    const double size = std::sqrt(dot(v, v, m));
    if (size == 0) continue;
    beside_[k] = v[0] > 0 ? -size : size;
    v[0] -= beside_[k];
    const double factor = factor_[k] = 2 / dot(v, v, m);

    // product = factor A v over the rest of A, of which only the lower triangle is there
    double* p = product_.data();
    std::fill(p, p + m, 0.0);
    for (Eigen::Index j = 0; j < m; ++j) {
      const double* column = &work_(k + 1 + j, k + 1 + j);
      p[j] += dot(column, v + j, m - j);
      add_scaled(p + j + 1, v[j], column + 1, m - j - 1);
    }
    for (Eigen::Index i = 0; i < m; ++i) p[i] *= factor;
    add_scaled(p, -0.5 * factor * dot(p, v, m), v, m);
    // A -= v p^T + p v^T
    for (Eigen::Index j = 0; j < m; ++j) {
      double* column = &work_(k + 1 + j, k + 1 + j);
      add_scaled(column, -p[j], v + j, m - j);
      add_scaled(column, -v[j], p + j, m - j);
    }
  }
}

// The product of the reflections, last first, so that each acts on the part that is not identity.
void SymmetricEigen::collect_reflections() {
  const Eigen::Index n = work_.rows();
  vectors_.setIdentity();
  for (Eigen::Index k = n - 3; k >= 0; --k) {
    if (factor_[k] == 0) continue;
    const Eigen::Index m = n - k - 1;
    const double* v = &work_(k + 1, k);
    for (Eigen::Index j = k + 1; j < n; ++j) {
      double* column = &vectors_(k + 1, j);
      add_scaled(column, -factor_[k] * dot(v, column, m), v, m);
    }
  }
}

bool SymmetricEigen::iterate() {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr int most_steps = 60;  // a value; two are usual
  const Eigen::Index n = work_.rows();
  VecX &d = values_, &e = beside_;
  for (Eigen::Index l = 0; l < n; ++l) {
    for (int step = 0;; ++step) {
      check_interrupt();
      Eigen::Index m = l;  // the block l .. m that nothing couples to the rest
      while (m + 1 < n && std::fabs(e[m]) > epsilon * (std::fabs(d[m]) + std::fabs(d[m + 1]))) ++m;
      if (m == l) break;
      if (step == most_steps) return false;

      // shift towards the eigenvalue of the first two rows that is nearer to d[l]
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      g = d[m] - d[l] + e[l] / (g + std::copysign(length(g, 1), g));
      double s = 1, c = 1, p = 0;
      bool split = false;
      for (Eigen::Index i = m - 1; i >= l; --i) {
        const double f = s * e[i], b = c * e[i];
        const double r = length(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          split = true;
          break;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        double *left = &vectors_(0, i), *right = &vectors_(0, i + 1);
        for (Eigen::Index k = 0; k < n; ++k) {
          const double x = left[k], y = right[k];
          right[k] = s * x + c * y;
          left[k] = c * x - s * y;
        }
      }
      if (split) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  return true;
}

void SymmetricEigen::sort() {
  const Eigen::Index n = work_.rows();
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    Eigen::Index least = i;
    for (Eigen::Index j = i + 1; j < n; ++j) {
      if (values_[j] < values_[least]) least = j;
    }
    if (least == i) continue;
    std::swap(values_[i], values_[least]);
    vectors_.col(i).swap(vectors_.col(least));
  }
}

}  // namespace molejo

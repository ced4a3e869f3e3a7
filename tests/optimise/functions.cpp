#include "tests/optimise/functions.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "molejo/math/pack.h"

namespace molejo::test {

double sphere(const VecX& x) { return x.squaredNorm(); }

double ellipsoid(const VecX& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double exponent = 6 * static_cast<double>(i) / static_cast<double>(x.size() - 1);
    sum += std::pow(10, exponent) * x[i] * x[i];
  }
  return sum;
}

double rosenbrock(const VecX& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i] * x[i] - x[i + 1], b = x[i] - 1;
    sum += 100 * a * a + b * b;
  }
  return sum;
}

double rastrigin(const VecX& x) {
  double sum = 10 * static_cast<double>(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    sum += x[i] * x[i] - 10 * sincos(6.283185307179586 * x[i]).cos;
  }
  return sum;
}

MatX random_rotation(int n, unsigned seed) {
  Random random(seed);
  MatX Q(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) Q(i, j) = random.normal();
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (int k = 0; k < j; ++k) Q.col(j) -= Q.col(k).dot(Q.col(j)) * Q.col(k);
    }
    Q.col(j).normalize();
  }
  return Q;
}

Function rotated(const Function& f, const MatX& R) {
  return [f, R](const VecX& x) { return f(R * x); };
}

void run(CmaEs& cma, const Function& f) {
  const int n = cma.unknowns(), lambda = cma.population();
  MatX points(n, lambda);
  VecX values(lambda);
  while (cma.stop() == CmaStop::none) {
    cma.ask(points.data());
    for (int k = 0; k < lambda; ++k) values[k] = f(points.col(k));
    cma.tell(values.data());
  }
}

Problem problem(int unknowns, int outputs,
                const std::function<void(const VecX& x, double* outputs)>& f, int group) {
  return {unknowns, outputs, group, [=](int, int count, const double* points, double* results) {
            for (int k = 0; k < count; ++k) {
              const VecX x = Eigen::Map<const VecX>(points + k * unknowns, unknowns);
              f(x, results + k * outputs);
            }
          }};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::uint64_t hash(const double* values, std::size_t count) {
  std::uint64_t h = 14695981039346656037u;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned char bytes[sizeof(double)];
    std::memcpy(bytes, values + i, sizeof bytes);
    for (const unsigned char b : bytes) h = (h ^ b) * 1099511628211u;
  }
  return h;
}

}  // namespace molejo::test

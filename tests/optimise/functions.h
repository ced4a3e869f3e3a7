// Functions with known minima, and a short way to minimise them.
#pragma once

#include <functional>
#include <vector>

#include "molejo/math/types.h"
#include "molejo/optimise/cma.h"
#include "molejo/optimise/evaluate.h"

namespace molejo::test {

using Function = std::function<double(const VecX&)>;

double sphere(const VecX& x);      // sum x^2
double ellipsoid(const VecX& x);   // sum 10^(6 i/(n-1)) x_i^2
double rosenbrock(const VecX& x);  // sum 100 (x_i^2 - x_i+1)^2 + (x_i - 1)^2, minimum at ones
double rastrigin(const VecX& x);   // 10 n + sum x^2 - 10 cos 2 pi x

// An orthogonal matrix, the same for the same seed.
MatX random_rotation(int n, unsigned seed);
Function rotated(const Function& f, const MatX& R);

// Asks and tells until it stops.
void run(CmaEs& cma, const Function& f);

// A problem of scalar outputs, one point at a time: f writes `outputs` numbers.
Problem problem(int unknowns, int outputs,
                const std::function<void(const VecX& x, double* outputs)>& f, int group = 1);

double median(std::vector<double> values);

// Of the bits of all numbers, FNV-1a.
std::uint64_t hash(const double* values, std::size_t count);
inline std::uint64_t hash(const VecX& v) {
  return hash(v.data(), static_cast<std::size_t>(v.size()));
}
inline std::uint64_t hash(const std::vector<double>& v) { return hash(v.data(), v.size()); }

}  // namespace molejo::test

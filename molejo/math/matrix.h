// Vectors and matrices whose sizes are known when a program runs: Eigen's.
#pragma once

// One order of summation and one alignment of Eigen's types, whatever the instruction set.
#ifndef EIGEN_DONT_VECTORIZE
#error "compile with -DEIGEN_DONT_VECTORIZE, as the CMake target molejo::molejo does"
#endif
#include <Eigen/Core>

namespace molejo {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

}  // namespace molejo

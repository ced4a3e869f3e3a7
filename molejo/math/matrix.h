// Vectors and matrices whose sizes are known when a program runs: Eigen's.
#pragma once

// One order of summation and one alignment of Eigen's types, whatever the instruction set.
#ifndef EIGEN_DONT_VECTORIZE
#error "compile with -DEIGEN_DONT_VECTORIZE, as the CMake target molejo::molejo does"
#endif
#include <Eigen/Core>

#include "molejo/math/types.h"

namespace molejo {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

inline Eigen::Matrix3d dense(const Mat3& m) {
  Eigen::Matrix3d d;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) d(i, j) = m[i][j];
  }
  return d;
}

}  // namespace molejo

// A swing that clears the ground and keeps its velocities:
//
//   minimise  sum_i |lVel(T_i) - lVel(B_i)|^2 + |rVel(T_i) - rVel(B_i)|^2   with z_i >= lowest_i
//
// B: the curve as it was fitted, T: the corrected one, ends fixed. Source: Matthey (2022), 4.8.5.
// Summed over all points every segment counts twice; his gradient leaves out that factor, and so
// does ours.
//
// With u = T_z - B_z this is: sum (u_i+1 - u_i)^2 / dt_i^2 least, u >= lowest - B_z, u = 0 at the
// ends. Its solution is the least concave majorant of the obstacle over an abscissa that grows by
// dt_i^2, in O(n); the descent of the thesis finds the same.
#pragma once

#include "molejo/navigation/thesis/curve.h"
#include "molejo/navigation/thesis/descent.h"

namespace molejo::navigation::thesis {

class StrideCorrector {
 public:
  // Curves of at most so many points.
  explicit StrideCorrector(int points);

  // Exact. `lowest` has one height per point; those of the ends do not count.
  void correct(LinearCurve& curve, std::span<const double> lowest);

  // By descent with momentum 0.8, as the thesis: x and y too. rate = dt^2 / 8 for the smallest dt
  // (his 1e-3 is unstable above 47 frames a second); a point pushed up forgets its momentum by the
  // factor 1e-5. `height`: of the rig, in the world; it settles below height / 1e5.
  DescentReport descend(LinearCurve& curve, std::span<const double> lowest, double height,
                        int max_steps = 600);

 private:
  std::vector<double> x_, abscissa_, obstacle_;
  std::vector<int> hull_;
  std::vector<Vec3> base_;
  Descent descent_;
};

}  // namespace molejo::navigation::thesis

// What a gait looks like, in numbers that gaits and their sketches can be compared by.
//
// A cycle is seen at equal parts of each of its phases, so that gaits of other periods and of other
// shares of flight meet moment by moment. The second half of a mirrored gait is the image of the
// first.
#pragma once

#include "molejo/locomotion/gait_problem.h"

namespace molejo {

struct GaitStyle {
  MatX turns;  // of the joints, rad: a row a view, a column an internal freedom
  double roll = 0, pitch = 0, yaw = 0;  // rad: ranges of the torso's turn over a cycle
  double hip_height = 0;                // m, mean over feet and views
  double knee_separation = 0;           // m, sideways, mean; zero for less than two feet
  double foot_separation = 0;           // likewise, of the toes
  std::vector<bool> touches;            // by body: it meets the ground somewhere in the cycle
};

GaitStyle gait_style(const GaitProblem& problem, const std::vector<double>& unknowns);
// Of the sketch once it has settled: without gravity and ground, so heights mean nothing.
GaitStyle sketch_style(const GaitProblem& problem);

// The sketch in the coordinates of its priority modes; no columns where there are none.
StyleReference sketch_reference(const GaitProblem& problem);
// A rollout of the motion that tells the likeness to the sketch: over a cycle, the correlation of
// the coordinates of all priority modes, each with its mean taken out. 1 is the same movement, at
// any size and speed.
Rollout compared_rollout(const GaitProblem& problem);

// Root mean square of the differences of all turns of joints, rad. Of figures with the same joints.
double style_distance(const GaitStyle& a, const GaitStyle& b);
// Of the views of two freedoms, the part of a cycle by which the second follows the first in their
// first harmonic, from -1/2 to 1/2.
double phase_between(const GaitStyle& a, int first, int second);

}  // namespace molejo

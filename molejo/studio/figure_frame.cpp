#include "molejo/studio/figure_frame.h"

#include "molejo/physics/forces.h"

namespace molejo {

Frame figure_frame(const Model& model, const State& state, Kinematics<double>& k) {
  Frame frame;
  frame.state = state;
  update_poses(model, state.q.data(), k);
  update_velocities(model, state.v.data(), k);
  for (int b = 0; b < model.body_count(); ++b) frame.X_WB.push_back(body_pose(model, k, {b}));
  const Totals sum = totals(model, k);
  frame.energy = {sum.kinetic, sum.gravity_potential, elastic_energy(model, k, state.q)};
  frame.momentum = sum.momentum;
  frame.angular_momentum = sum.angular_momentum;
  return frame;
}

}  // namespace molejo

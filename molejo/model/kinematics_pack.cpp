#include "molejo/model/kinematics_kernel.h"

namespace molejo {

template void move(const Model&, const Pack4*, double, Pack4*);
template void move(const Model&, const LinkRange&, const Pack4*, const double&, Pack4*);
template void move(const Model&, const LinkRange&, const Pack4*, const Pack4&, Pack4*);
template void update_poses(const Model&, const Pack4*, Kinematics<Pack4>&);
template void update_velocities(const Model&, const Pack4*, Kinematics<Pack4>&);

}  // namespace molejo

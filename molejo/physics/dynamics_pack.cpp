#include "molejo/physics/dynamics_kernel.h"

namespace molejo {

template struct Dynamics<Pack4>;
template void factorize(const Model&, Dynamics<Pack4>&);
template void solve_acceleration(const Model&, const Pack4*, Dynamics<Pack4>&);
template void forward_dynamics(const Model&, const Pack4*, const Pack4*, Dynamics<Pack4>&);
template void respond(const Model&, const Dynamics<Pack4>&, const Pack4*, Pack4*, Spatial<Pack4>*);

}  // namespace molejo

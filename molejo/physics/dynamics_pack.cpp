#include "molejo/math/instructions.h"
#include "molejo/physics/dynamics_kernel.h"

namespace molejo {

template struct Dynamics<Pack4>;

namespace MOLEJO_SET {

void forward_dynamics(const Model& model, const Pack4* q, const Pack4* v, Dynamics<Pack4>& d) {
  molejo::forward_dynamics<Pack4>(model, q, v, d);
}

}  // namespace MOLEJO_SET

}  // namespace molejo

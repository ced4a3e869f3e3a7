#include "molejo/math/instructions.h"
#include "molejo/physics/point_contact_kernel.h"

namespace molejo {

template struct PointContact<Pack4>;
template void forget(PointContact<Pack4>&);

namespace MOLEJO_SET {

void meet_ground(const Model& model, const Pack4& h, Pack4* v, Dynamics<Pack4>& d,
                 PointContact<Pack4>& contact) {
  molejo::meet_ground<Pack4>(model, h, v, d, contact);
}

}  // namespace MOLEJO_SET

}  // namespace molejo

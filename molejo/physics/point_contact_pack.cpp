#include "molejo/physics/point_contact_kernel.h"

namespace molejo {

template struct PointContact<Pack4>;
template void forget(PointContact<Pack4>&);
template void meet_ground(const Model&, const Pack4&, Pack4*, Dynamics<Pack4>&,
                          PointContact<Pack4>&);

void forget_lane(PointContact<Pack4>& contact, int lane) {
  for (Vec3T<Pack4>& impulse : contact.impulse) {
    impulse.x.set(lane, 0), impulse.y.set(lane, 0), impulse.z.set(lane, 0);
  }
}

}  // namespace molejo

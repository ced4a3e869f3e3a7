#include "molejo/physics/point_contact_kernel.h"

namespace molejo {

template struct PointContact<Pack4>;
template void forget(PointContact<Pack4>&);
template void meet_ground(const Model&, const Pack4&, Pack4*, Dynamics<Pack4>&,
                          PointContact<Pack4>&);

}  // namespace molejo

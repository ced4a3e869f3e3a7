#include "molejo/physics/forces_kernel.h"

namespace molejo {

template void apply_drives(const Model&, const Pack4*, const Pack4*, const ImplicitDrive&,
                           Dynamics<Pack4>&, const Acting<Pack4>&);
template void apply_drives(const Model&, const Pack4*, const Pack4*, const ImplicitDriveT<Pack4>&,
                           Dynamics<Pack4>&, const Acting<Pack4>&);
template void apply_body_forces(const Model&, double, Dynamics<Pack4>&, const Acting<Pack4>&);

}  // namespace molejo

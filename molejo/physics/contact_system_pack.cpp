#include "molejo/physics/contact_system_kernel.h"

namespace molejo {

template struct ContactSystem<Pack4>;
template void start_contacts(const Model&, const Dynamics<Pack4>&, ContactSystem<Pack4>&);
template ContactBlock<Pack4>& add_contact(const Model&, const Dynamics<Pack4>&, int, int,
                                          const Vec3T<Pack4>&, const Vec3T<Pack4>&,
                                          const Vec3T<Pack4>&, ContactSystem<Pack4>&);
template ContactBlock<Pack4>& place_contact(const Model&, int, int, ContactSystem<Pack4>&);
template void fill_contact(const Model&, const Dynamics<Pack4>&, const Vec3T<Pack4>&,
                           const Vec3T<Pack4>&, const Vec3T<Pack4>&, ContactBlock<Pack4>&,
                           ContactSystem<Pack4>&);
template ContactEffort solve_contacts(ContactSystem<Pack4>&, int, int, int, double);
template void limit_bounces(ContactSystem<Pack4>&, int, int, int, double);
template ContactEffort solve_pushes(ContactSystem<Pack4>&, int, int, int, double);
template void contact_response(const Model&, const Dynamics<Pack4>&, const std::vector<Pack4>&,
                               ContactSystem<Pack4>&, Pack4*);

}  // namespace molejo

#include "molejo/physics/contact_system_kernel.h"

namespace molejo {

template struct ContactSystem<double>;
template void start_contacts(const Model&, const Dynamics<double>&, ContactSystem<double>&);
template ContactBlock<double>& add_contact(const Model&, const Dynamics<double>&, int, int,
                                           const Vec3T<double>&, const Vec3T<double>&,
                                           const Vec3T<double>&, ContactSystem<double>&);
template ContactEffort solve_contacts(ContactSystem<double>&, int, int, int, double);
template ContactEffort solve_pushes(ContactSystem<double>&, int, int, int, double);
template void contact_response(const Model&, const Dynamics<double>&, const std::vector<double>&,
                               ContactSystem<double>&, double*);

}  // namespace molejo

// The functions of contact_system.h for one world, by the instructions that the processor has: its
// rows stand four to a register as those of packs do.
#pragma once

#include "molejo/physics/contact_system.h"

namespace molejo {

void fill_contact(const Model& model, const Dynamics<double>& d, const Vec3& p_a, const Vec3& p_b,
                  const Vec3& normal, ContactBlock<double>& c, ContactSystem<double>& system);
ContactEffort solve_contacts(ContactSystem<double>& system, int first, int last, int iterations,
                             double tolerance);
void limit_bounces(ContactSystem<double>& system, int first, int last, int iterations,
                   double tolerance);
ContactEffort solve_pushes(ContactSystem<double>& system, int first, int last, int iterations,
                           double tolerance);

}  // namespace molejo

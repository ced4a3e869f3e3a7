#include "molejo/math/instructions.h"
#include "molejo/physics/contact_system_kernel.h"

namespace molejo::MOLEJO_SET {

void fill_contact(const Model& model, const Dynamics<double>& d, const Vec3& p_a, const Vec3& p_b,
                  const Vec3& normal, ContactBlock<double>& c, ContactSystem<double>& system) {
  molejo::fill_contact<double>(model, d, p_a, p_b, normal, c, system);
}

ContactEffort solve_contacts(ContactSystem<double>& system, int first, int last, int iterations,
                             double tolerance) {
  return molejo::solve_contacts<double>(system, first, last, iterations, tolerance);
}

void limit_bounces(ContactSystem<double>& system, int first, int last, int iterations,
                   double tolerance, std::vector<Vec3>& kept) {
  molejo::limit_bounces<double>(system, first, last, iterations, tolerance, kept);
}

ContactEffort solve_pushes(ContactSystem<double>& system, int first, int last, int iterations,
                           double tolerance) {
  return molejo::solve_pushes<double>(system, first, last, iterations, tolerance);
}

}  // namespace molejo::MOLEJO_SET

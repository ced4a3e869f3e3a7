#include "molejo/physics/contact_system_kernel.h"

#include "molejo/math/instructions.h"
#include "molejo/math/thread_kept.h"
#include "molejo/physics/contact_solve.h"
#include "molejo/physics/index.h"

namespace molejo {

template struct ContactSystem<double>;
template void start_contacts(const Model&, const Dynamics<double>&, ContactSystem<double>&);
template ContactBlock<double>& add_contact(const Model&, const Dynamics<double>&, int, int,
                                           const Vec3T<double>&, const Vec3T<double>&,
                                           const Vec3T<double>&, ContactSystem<double>&);
template ContactBlock<double>& place_contact(const Model&, int, int, ContactSystem<double>&);
template void contact_response(const Model&, const Dynamics<double>&, const std::vector<double>&,
                               ContactSystem<double>&, double*);

MOLEJO_IN_BOTH_SETS(void fill_contact(const Model&, const Dynamics<double>&, const Vec3& p_a,
                                      const Vec3& p_b, const Vec3& normal, ContactBlock<double>&,
                                      ContactSystem<double>&);
                    ContactEffort solve_contacts(ContactSystem<double>&, int first, int last,
                                                 int iterations, double tolerance);
                    void limit_bounces(ContactSystem<double>&, int first, int last, int iterations,
                                       double tolerance, std::vector<Vec3>& kept);
                    ContactEffort solve_pushes(ContactSystem<double>&, int first, int last,
                                               int iterations, double tolerance);)

void fill_contact(const Model& model, const Dynamics<double>& d, const Vec3& p_a, const Vec3& p_b,
                  const Vec3& normal, ContactBlock<double>& c, ContactSystem<double>& system) {
  MOLEJO_CHOSEN(fill_contact)(model, d, p_a, p_b, normal, c, system);
}
ContactEffort solve_contacts(ContactSystem<double>& system, int first, int last, int iterations,
                             double tolerance) {
  return MOLEJO_CHOSEN(solve_contacts)(system, first, last, iterations, tolerance);
}
void limit_bounces(ContactSystem<double>& system, int first, int last, int iterations,
                   double tolerance) {
  static const ThreadKept<std::vector<Vec3>> kept;  // so that stepping does not allocate
  MOLEJO_CHOSEN(limit_bounces)
  (system, first, last, iterations, tolerance, kept.of_this_thread());
}
ContactEffort solve_pushes(ContactSystem<double>& system, int first, int last, int iterations,
                           double tolerance) {
  return MOLEJO_CHOSEN(solve_pushes)(system, first, last, iterations, tolerance);
}

namespace {

// Calls f(row of the closures, slot, W_G there) for everything that a loop's rows feel.
template <class F>
void for_each_loop_entry(const LoopJoint& loop, const Loops::Support& support,
                         const ContactSystem<double>& system, F&& f) {
  const std::size_t width = support.freedoms.size();
  for (int r = 0; r < loop.all_rows(); ++r) {
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t slot = index(system.slot[index(support.freedoms[j])]);
      f(index(loop.first_row + r), slot, support.u[index(r) * width + j] * system.root[slot]);
    }
  }
}

}  // namespace

void keep_loops_closed(const Model& model, Loops& loops, ContactSystem<double>& system) {
  if (model.rows == 0) return;
  ContactBlock<double>& c = system.contacts.back();
  std::vector<double>* dense = system.dense;
  for (int k = 0; k < 3; ++k) dense[k].assign(system.s.size(), 0);
  for (int g = c.first_group; g < c.first_group + c.groups; ++g) {
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) {
        dense[k][index(system.group_slot[index(g)] + i)] = system.rows[index(g)].w[k][i];
      }
    }
  }

  bool coupled = false;
  for (int k = 0; k < 3; ++k) {
    std::fill(loops.lambda.begin(), loops.lambda.end(), 0);
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
      for_each_loop_entry(model.loops[l], loops.support[l], system,
                          [&](std::size_t row, std::size_t slot, double w) {
                            loops.lambda[row] += w * dense[k][slot];
                          });
    }
    if (std::all_of(loops.lambda.begin(), loops.lambda.end(), [](double x) { return x == 0; })) {
      continue;
    }
    coupled = true;
    loops.factor.solve(loops.lambda.data());
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
      for_each_loop_entry(model.loops[l], loops.support[l], system,
                          [&](std::size_t row, std::size_t slot, double w) {
                            dense[k][slot] -= w * loops.lambda[row];
                          });
    }
  }
  if (!coupled) return;

  // the ways now lead through all bodies of the loops
  system.group_slot.resize(index(c.first_group));
  for (int slot = static_cast<int>(system.s.size()) - 4; slot >= 0; slot -= 4) {
    RowGroup<double> group{};
    bool felt = false;
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) {
        group.w[k][i] = dense[k][index(slot + i)];
        felt = felt || group.w[k][i] != 0;
      }
    }
    if (!felt) continue;
    if (system.rows.size() == system.group_slot.size()) system.rows.emplace_back();
    system.rows[system.group_slot.size()] = group;
    system.group_slot.push_back(slot);
  }
  c.groups = static_cast<int>(system.group_slot.size()) - c.first_group;
  finish_contact(system, c);
}

}  // namespace molejo

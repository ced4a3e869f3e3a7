#include "molejo/math/instructions.h"
#include "molejo/physics/integrate_kernel.h"

namespace molejo {

template struct StepScratch<Pack4>;

namespace MOLEJO_SET {

void step_tree(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
               StepScratch<Pack4>& scratch) {
  molejo::step_tree<Pack4>(model, method, t, h, q, v, scratch);
}

void step_commanded_tree(const Model& model, Integrator method, double t, double h, Pack4* q,
                         Pack4* v, const Command<Pack4>& command, StepScratch<Pack4>& scratch) {
  molejo::step_tree<Pack4>(model, method, t, h, q, v, command, scratch);
}

}  // namespace MOLEJO_SET

}  // namespace molejo

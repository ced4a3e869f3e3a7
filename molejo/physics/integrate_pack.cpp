#include "molejo/physics/integrate_kernel.h"

namespace molejo {

template struct StepScratch<Pack4>;
template void step_tree(const Model&, Integrator, double, double, Pack4*, Pack4*,
                        StepScratch<Pack4>&);
template void step_tree(const Model&, Integrator, double, double, Pack4*, Pack4*,
                        const Command<Pack4>&, StepScratch<Pack4>&);

}  // namespace molejo

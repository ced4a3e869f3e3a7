// Steps of four worlds, by the instructions that the processor has.
#include "molejo/math/instructions.h"
#include "molejo/physics/ground_pack.h"
#include "molejo/physics/integrate.h"
#include "molejo/physics/point_contact.h"

namespace molejo {

MOLEJO_IN_BOTH_SETS(void forward_dynamics(const Model&, const Pack4* q, const Pack4* v,
                                          Dynamics<Pack4>&);
                    void step_tree(const Model&, Integrator, double t, double h, Pack4* q, Pack4* v,
                                   StepScratch<Pack4>&);
                    void step_commanded_tree(const Model&, Integrator, double t, double h, Pack4* q,
                                             Pack4* v, const Command<Pack4>&, StepScratch<Pack4>&);
                    void step_on_ground(const Model&, Integrator, double t, double h, Pack4* q,
                                        Pack4* v, StepScratch<Pack4>&, GroundPack&);
                    void step_commanded_on_ground(const Model&, Integrator, double t, double h,
                                                  Pack4* q, Pack4* v, const Command<Pack4>&,
                                                  StepScratch<Pack4>&, GroundPack&);
                    void meet_ground(const Model&, const Pack4& h, Pack4* v, Dynamics<Pack4>&,
                                     PointContact<Pack4>&);)

void forward_dynamics(const Model& model, const Pack4* q, const Pack4* v, Dynamics<Pack4>& d) {
  MOLEJO_CHOSEN(forward_dynamics)(model, q, v, d);
}

void step_tree(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
               StepScratch<Pack4>& scratch) {
  MOLEJO_CHOSEN(step_tree)(model, method, t, h, q, v, scratch);
}

void step_tree(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
               const Command<Pack4>& command, StepScratch<Pack4>& scratch) {
  MOLEJO_CHOSEN(step_commanded_tree)(model, method, t, h, q, v, command, scratch);
}

void step_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
                    StepScratch<Pack4>& scratch, GroundPack& ground) {
  MOLEJO_CHOSEN(step_on_ground)(model, method, t, h, q, v, scratch, ground);
}

void step_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
                    const Command<Pack4>& command, StepScratch<Pack4>& scratch,
                    GroundPack& ground) {
  MOLEJO_CHOSEN(step_commanded_on_ground)
  (model, method, t, h, q, v, command, scratch, ground);
}

void meet_ground(const Model& model, const Pack4& h, Pack4* v, Dynamics<Pack4>& d,
                 PointContact<Pack4>& contact) {
  MOLEJO_CHOSEN(meet_ground)(model, h, v, d, contact);
}

}  // namespace molejo

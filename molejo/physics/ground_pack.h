// Contact with the ground in packs of four worlds: what the bodies of a model meet that does not
// move (planes, height fields, walls). Geometry is searched world by world; impulses are solved
// for all four at once. Lane by lane the same bits as a single world that does not sleep.
#pragma once

#include "molejo/physics/integrate.h"

namespace molejo {

struct GroundPack {
  // Throws InputError for what packs do not carry: two bodies that both move and may touch, contact
  // by penalty, joints that close loops, bodies that follow paths.
  explicit GroundPack(const Model& model);

  bool meets;  // false: nothing can touch, and nothing is searched for
  std::vector<std::unique_ptr<Contacts>> worlds;
  std::vector<Kinematics<double>> kinematics;  // of each world
  ContactSystem<Pack4> system;
  std::vector<Vec3T<Pack4>> bounces;  // memory to limit them

  // the same features of two colliders, in some or all of the worlds
  struct Merged {
    int a, b;
    std::uint32_t feature;
    int in_list[4];  // place in each world's list, -1: not there
    int tree;
  };
  std::vector<Merged> merged;
  std::vector<int> order;  // merged contacts by trees
  struct Island {
    int first, last;
  };
  std::vector<Island> islands;
  bool deep[4] = {};  // has a world some penetration to take back?
  std::vector<Pack4> dv, q;
};

// After the states were changed by hand: the worlds start anew.
void forget(GroundPack& ground);

// One step of `method` (semi_implicit_euler or midpoint) of four worlds of a model without loops.
void step_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
                    StepScratch<Pack4>& scratch, GroundPack& ground);
// The same while a command acts, in each world its own lane (command.h).
void step_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
                    const Command<Pack4>& command, StepScratch<Pack4>& scratch, GroundPack& ground);

}  // namespace molejo

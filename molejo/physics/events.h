// Contact by events: the integrator runs to the time at which two bodies meet, impulses change the
// velocities, the integration goes on.
//
// The first meeting within a step is found along the way between its ends by conservative
// advancement: bodies whose points cannot be faster than V cannot close a gap before gap / V, and V
// is bounded for the whole step by the Bernstein coefficients of the joint rates. So no meeting is
// missed, however short or fast. It is told before bodies touch: 0 < gap <= contact.distance.
//
// Contacts that last (slower than the rest speed) are carried by the time-stepping solver in steps
// of `time_step`; meetings of others are still found exactly.
#pragma once

#include "molejo/physics/closed_step.h"
#include "molejo/physics/impact.h"

namespace molejo {

// What the next step depends on, and frames within the last one.
struct EventMemory {
  std::vector<Contact> impacts;              // of the last impact, with impulses
  std::vector<std::pair<int, int>> lasting;  // colliders that rest on each other, ascending
  bool started = false;                      // have those that touch at the start been found?
  StepPath path;                             // of the last step; it may lead beyond an impact
  int repeated = 0;                          // impacts in a row without a step between them
};

struct Events : EventMemory {
  explicit Events(const Model& model);

  EventMemory before;  // the step: to take it back
  ContactSystem<double> system;
  State start;
  VecX q;
  Kinematics<double> kinematics;
  std::vector<double> travel;  // of each collider: no point of it goes further within the step, m
  std::vector<double> margin;
  std::vector<Contact> memory;  // impulses of lasting contacts before the step
};

void begin_step(Events& events);
void take_back(Events& events);

struct EventStep : ClosedStep {
  bool impact = false;  // the step ended with one; its contacts are in events.impacts
  std::string failure;  // empty, or what could not be solved
};

// One step of at most h: smooth, or up to the first impact and through it.
EventStep event_step(const Model& model, const Settings& settings, double h, State& state,
                     Scratch& scratch, Events& events);

}  // namespace molejo

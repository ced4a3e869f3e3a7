// Contact by time-stepping: complementarity of velocities and impulses over a step h,
//
//   M (v+ - v_free) = J^T lambda        gap / h + v_n+ >= 0  complementary to  lambda_n >= 0
//
// with friction on the true cone, after Moreau (1988) and Stewart and Trinkle (1996), at the
// configuration where the integrator takes its forces: the middle of the step for `midpoint`, its
// start for `semi_implicit_euler`. A gap still open is closed by the end, not crossed. Two that
// meet faster than the rest speed leave with v_n+ = -restitution v_n-, v- being the velocity at the
// start of the step: under `midpoint` a fully elastic bounce keeps the energy exactly.
// Penetration is taken back by a displacement that leaves the velocities alone.
//
// Trees that touch make islands. Each is solved by itself; one that has been at rest for a while
// falls asleep and costs nothing until something meets it.
#pragma once

#include "molejo/physics/contact_system.h"
#include "molejo/physics/contacts.h"

namespace molejo {

// Least normal velocities of a contact: of the step, and of the displacement that takes back
// penetration. `ahead` is the time from the poses at which it was found to the end of the step.
struct ContactTargets {
  double velocity = 0, push = 0;
  double rest = 0;  // the velocity without a bounce
};
ContactTargets contact_targets(const Model& model, const Contact& c, double h, double ahead);
inline constexpr double never_reached = -1e30;  // a velocity that nothing falls below
inline constexpr int push_iterations = 20;
double push_tolerance(const Model& model, double h);

// Memory of the contact of one world. Holds the impulses of the last step, from which the solver
// starts, and who sleeps: `forget` after the state was changed by hand.
struct ContactStep {
  explicit ContactStep(const Model& model);

  Contacts contacts;
  std::vector<char> yields;  // can each body be pushed, and is it awake?
  ContactSystem<double> system;
  std::vector<int> order;  // contacts.list by islands
  struct Island {
    int first = 0, last = 0;  // in `order` and in system.contacts
    bool deep = false;        // some penetration is to be taken back
  };
  std::vector<Island> islands;
  std::vector<double> dv;
  std::vector<int> leader;     // union-find over the trees
  std::vector<int> island_of;  // of a leading tree
  std::vector<double> quiet;   // seconds for which each tree has been slow
  std::vector<double> island_quiet;
  std::vector<int> island_iterations;
  std::vector<int> slept_with;  // of each tree that sleeps: names its island; -1: awake
  std::vector<bool> may_sleep;  // of each tree
  std::vector<double> tree_size;
  int sleepers = 0;    // bodies asleep
  int iterations = 0;  // of the last step, largest of all islands
  // of the solver: those of the model unless changed
  int most_iterations;
  double tolerance;

  // What was there before a step (begin_step).
  struct Before {
    std::vector<double> quiet;
    std::vector<int> slept_with;
    struct Sleeper {
      int collider;
      Pose X_WS;
      Aabb box;
    };
    std::vector<Sleeper> woken;  // by the step
  };
  Before before;
};

// Is contact switched on, and is there any pair that could touch?
bool has_contact(const Model& model);

void forget(const Model& model, Dynamics<double>& d, ContactStep& step);
void wake_all(const Model& model, Dynamics<double>& d, ContactStep& step);
// Before a step of h: a tree does not sleep through it, nor fall asleep at its end.
void keep_awake(const Model& model, std::size_t tree, double h, Dynamics<double>& d,
                ContactStep& step);
// After a change of slept_with: what follows from it, in d.kinematics too.
void update_awake(const Model& model, Dynamics<double>& d, ContactStep& step);

// Those who sleep are at q and v, in d.kinematics.
void place_sleepers(const Model& model, const double* q, const double* v, Dynamics<double>& d,
                    const ContactStep& step);

// A step that began with begin_step is taken back, where it began at q and v.
void begin_step(ContactStep& step);
void take_back(const Model& model, const double* q, const double* v, Dynamics<double>& d,
               ContactStep& step);

// Finds what may touch within h of the poses of d.kinematics, and wakes who is met. Velocities
// of the start of the step must be up to date.
void find_step_contacts(const Model& model, double h, Dynamics<double>& d, ContactStep& step);

// From the velocities of free motion to those with contact. `ahead` is the time from the poses of d
// to the end of the step. False: the solution is not finite, v is left alone.
bool solve_step_contacts(const Model& model, double h, double ahead, double* v, Dynamics<double>& d,
                         Loops& loops, ContactStep& step);

// Takes back penetration after q has been moved.
void take_back_penetration(const Model& model, double h, double* q, Dynamics<double>& d,
                           ContactStep& step);

// Puts islands to sleep that have been slow for long enough; their velocities become zero.
void put_to_sleep(const Model& model, double h, const double* q, double* v, Dynamics<double>& d,
                  ContactStep& step);

}  // namespace molejo

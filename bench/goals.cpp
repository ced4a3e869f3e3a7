#include "bench/goals.h"

#include <algorithm>
#include <cmath>

#include "bench/contact_works.h"

namespace bench {

namespace {

std::size_t place(const Results& results, const std::string& engine,
                  const std::string& integrator) {
  for (std::size_t i = 0; i < results.entrants.size(); ++i)
    if (results.entrants[i].engine->name() == engine &&
        (integrator.empty() || results.entrants[i].integrator == integrator))
      return i;
  return results.entrants.size();
}

// Of motion without contact.
void judge_motion(const Results& results, const Engines& engines, std::vector<Goal>& goals) {
  const std::size_t euler = 0, mujoco = place(results, "MuJoCo", "");
  const std::string molejo = engines.all[0]->name();
  if (mujoco < results.entrants.size()) {
    const auto ratio = [&](std::size_t race) {
      return *results.steps[race].microseconds[euler] / *results.steps[race].microseconds[mujoco];
    };
    goals.push_back({"step of the 16-link chain, times MuJoCo's", 0.5, ratio(1)});
    goals.push_back({"step of the 64-link chain, times MuJoCo's", 0.25, ratio(2)});
  }
  double fastest = 0;
  const Race& doll = results.forward_dynamics[1];
  for (std::size_t i = 2; i < results.forward_entrants.size(); ++i)
    if (doll.microseconds[i])
      fastest = fastest == 0 ? *doll.microseconds[i] : std::min(fastest, *doll.microseconds[i]);
  if (fastest > 0)
    goals.push_back({"forward dynamics of the ragdoll, times the fastest peer's", 1,
                     *doll.microseconds[euler] / fastest});
  const std::size_t midpoint = place(results, molejo, "midpoint");
  for (const std::size_t race : {std::size_t{0}, std::size_t{1}, std::size_t{3}})
    goals.push_back(
        {"step by midpoint, times semi-implicit Euler: " + results.steps[race].work, 2,
         *results.steps[race].microseconds[midpoint] / *results.steps[race].microseconds[euler]});
  for (const DriftRow& row : results.drifts)
    if (row.entrant.engine == engines.all[0] && row.entrant.integrator == "midpoint")
      goals.push_back({"midpoint, energy error of work D (4 links, 90 degrees, 10 s)", 1e-2,
                       row.four_90.whole});
  for (std::size_t r = 0; r < 2 && r < results.four_worlds.size(); ++r)
    goals.push_back(
        {"four worlds at once, throughput: " + results.four_worlds[r].work, 3,
         *results.single_worlds[r].microseconds[0] / *results.four_worlds[r].microseconds[0],
         true});
}

// The engine's first solver that ran this work.
std::optional<double> time_of(const ContactResults& contact, const ContactRace& race,
                              const std::string& engine) {
  for (std::size_t i = 0; i < contact.entrants.size(); ++i)
    if (contact.entrants[i].engine->name() == engine && race.runs[i].complaint.empty())
      return race.runs[i].microseconds;
  return std::nullopt;
}

void judge_ragdoll(const ContactResults& contact, const ContactRace& race, std::size_t i,
                   const std::string& solver, std::vector<Goal>& goals) {
  const ContactRun& run = race.runs[i];
  if (const auto mujoco = time_of(contact, race, "MuJoCo"))
    goals.push_back(
        {"ragdoll falls, step times MuJoCo's" + solver, 0.35, run.microseconds / *mujoco});
  goals.push_back({"ragdoll falls, joint error in mm" + solver, 1e-6, 1e3 * run.joint_error});
  goals.push_back({"ragdoll falls, penetration in mm" + solver, 8, 1e3 * run.ground_depth});
}

void judge_pile(const ContactResults& contact, const ContactRace& race, std::size_t i,
                const std::string& solver, std::vector<Goal>& goals) {
  const ContactRun& run = race.runs[i];
  goals.push_back({"pile of 100, penetration in mm" + solver, 9,
                   1e3 * std::max(run.ground_depth, run.part_depth)});
  // a shorter run has no time to settle
  if (run.seconds > 4.9)
    goals.push_back(
        {"pile of 100, kinetic energy at the end in J" + solver, 1e-3, run.kinetic_at_end});
  for (const char* bullet : {"Bullet f32", "Bullet f64"})
    if (const auto time = time_of(contact, race, bullet))
      goals.push_back({std::string("pile of 100, step times that of ") + bullet + solver, 1,
                       run.microseconds / *time});
}

void judge_probes(const Probes& probes, const std::string& solver, std::vector<Goal>& goals) {
  if (probes.slide) {
    goals.push_back({"sliding distance, error in %" + solver, 0.5,
                     100 * std::abs(probes.slide->distance / exact_slide() - 1)});
    goals.push_back({"sliding direction, error in degrees" + solver, 0.1,
                     std::abs(probes.slide->direction_deg - slide_angle_deg)});
  }
  if (probes.bounce_energy)
    goals.push_back({"bounce energy (e = 1) after 5 s, error in %" + solver, 1,
                     100 * std::abs(*probes.bounce_energy)});
  if (probes.creep_12 && probes.creep_60)
    goals.push_back({"creep of the pinched capsule in um/s" + solver, 0.01,
                     1e6 * std::max(*probes.creep_12, *probes.creep_60)});
}

// Of contact, for each way of ours to solve it.
void judge_contact(const ContactResults& contact, const Engine* molejo, std::vector<Goal>& goals) {
  for (std::size_t i = 0; i < contact.entrants.size(); ++i) {
    if (contact.entrants[i].engine != molejo) continue;
    const std::string solver = ": " + contact.entrants[i].integrator;
    for (const ContactRace& race : contact.races) {
      if (!race.runs[i].complaint.empty()) continue;
      if (race.work == falling_ragdoll().name) judge_ragdoll(contact, race, i, solver, goals);
      if (race.work == pile_of_100().name) judge_pile(contact, race, i, solver, goals);
    }
    judge_probes(contact.probes[i], solver, goals);
  }
}

}  // namespace

std::vector<Goal> judge(const Results& results, const Engines& engines) {
  std::vector<Goal> goals;
  if (!results.steps.empty()) judge_motion(results, engines, goals);
  judge_contact(results.contact, engines.all[0], goals);
  for (const ExpressionRace& race : results.expressions) {
    if (!race.muparser) continue;
    goals.push_back({"formula, times muParser's: " + race.name, 1, race.molejo / *race.muparser});
  }
  for (const LocomotionEntry& entry : results.locomotion.peers) {
    if (entry.engine != "MuJoCo") continue;
    goals.push_back({"steps of the humanoid in a rollout on one core, times MuJoCo's", 6,
                     results.locomotion.steps_in_packs / entry.steps, true});
  }
  return goals;
}

}  // namespace bench

// make bench: the same works on Molejo and on every peer of this machine, in one process on one
// core (docs/benchmarks.md).
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <thread>

#include "bench/contact_works.h"
#include "bench/goals.h"
#include "molejo/io/file.h"

namespace {

using namespace bench;

constexpr double right_angle = std::numbers::pi / 2;

// Binds the process to the last core it may use: the first is the busiest on most machines.
int bind_to_one_core() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  int core = -1;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) core = i;
  CPU_ZERO(&allowed);
  CPU_SET(core, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
  return core;
}

Machine describe_machine() {
  Machine machine;
  machine.cores = static_cast<int>(std::thread::hardware_concurrency());
  machine.core = bind_to_one_core();
#if defined(__clang__)
  machine.compiler = "clang " __clang_version__ ", " BENCH_BUILD_TYPE;
#else
  machine.compiler = "g++ " __VERSION__ ", " BENCH_BUILD_TYPE;
#endif
  std::ifstream cpu("/proc/cpuinfo"), load("/proc/loadavg");
  for (std::string line; std::getline(cpu, line);)
    if (line.rfind("model name", 0) == 0 && machine.processor.empty())
      machine.processor = line.substr(line.find(':') + 2);
  load >> machine.load;
  return machine;
}

// Molejo with every integrator of a fixed step (or with the plain one alone), four worlds at once,
// then each peer's plain one.
std::vector<Entrant> race_entrants(const Engines& engines, bool all_of_molejo) {
  std::vector<Entrant> entrants = entrants_of(engines.all[0]);
  if (!all_of_molejo) entrants.resize(1);
  entrants.push_back(entrants_of(engines.four_worlds)[0]);
  for (std::size_t i = 1; i < engines.all.size(); ++i)
    entrants.push_back(entrants_of(engines.all[i])[0]);
  return entrants;
}

std::vector<DriftRow> measure_drifts(const Engines& engines, const Effort& effort) {
  std::vector<Entrant> entrants;
  for (const Engine* engine : engines.all)
    for (const Entrant& entrant : entrants_of(engine)) entrants.push_back(entrant);
  const Race cost = race_steps(chain(16, right_angle), 300, entrants, effort);

  std::vector<DriftRow> rows;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    DriftRow row{.entrant = entrants[i],
                 .cost = *cost.microseconds[i],
                 .cost_of_plain = 0,
                 .four_90 = energy_drift(entrants[i], 4, right_angle, 10),
                 .four_30 = energy_drift(entrants[i], 4, right_angle / 3, 10),
                 .sixteen_90 = energy_drift(entrants[i], 16, right_angle, 10),
                 .sixteen_30 = energy_drift(entrants[i], 16, right_angle / 3, 10)};
    const bool plain = rows.empty() || rows.back().entrant.engine != row.entrant.engine;
    row.cost_of_plain = plain ? row.cost : rows.back().cost_of_plain;
    rows.push_back(row);
  }
  return rows;
}

void measure_worlds(const Engines& engines, const Effort& effort, Results& results) {
  std::vector<Entrant> single, four = entrants_of(engines.four_worlds);
  for (const Entrant& entrant : four) {
    results.world_integrators.push_back(entrant.integrator);
    single.push_back({engines.all[0], entrant.integrator});
  }
  for (const Work& work :
       {chain(16, right_angle), ragdoll(), humanoid(), falling_ragdoll(), dropped_chain()}) {
    // one race, so that both are measured in turn
    std::vector<Entrant> both = single;
    both.insert(both.end(), four.begin(), four.end());
    const int steps = work.ground ? 1500 : 500;  // most of them on the ground
    Race race = race_steps(work, steps, both, effort), four_race = race;
    const auto middle = race.microseconds.begin() + static_cast<std::ptrdiff_t>(single.size());
    four_race.microseconds.assign(middle, race.microseconds.end());
    race.microseconds.erase(middle, race.microseconds.end());
    results.single_worlds.push_back(race);
    results.four_worlds.push_back(four_race);
  }
}

// Adds the race, or improves the one that is there.
void keep_best(std::vector<Race>& races, std::size_t place_of_race, const Race& race) {
  if (place_of_race == races.size()) {
    races.push_back(race);
    return;
  }
  std::vector<std::optional<double>>& best = races[place_of_race].microseconds;
  for (std::size_t i = 0; i < best.size(); ++i)
    if (best[i]) best[i] = std::min(*best[i], *race.microseconds[i]);
}

ContactResults measure_contact(const Engines& engines, ContactEffort effort) {
  ContactResults contact;
  std::fprintf(stderr, "verifying that all touch alike ...\n");
  contact.verifications = verify_contact(engines);
  contact.entrants = contact_entrants(engines);
  for (const Work& work : {falling_ragdoll(), dropped_chain(), pile_of_100(), pile_of_1000()}) {
    std::fprintf(stderr, "racing with contact: %s ...\n", work.name.c_str());
    ContactEffort for_this = effort;
    if (work.parts.size() > 500) {
      // the collapse, and half a second on the ground
      for_this.seconds = std::min(effort.seconds, 2.0);
      for_this.sampled_steps = 10;
    }
    contact.races.push_back(race_contact(work, contact.entrants, for_this));
  }
  std::fprintf(stderr, "contact: known answers ...\n");
  for (const Entrant& entrant : contact.entrants) contact.probes.push_back(probe(entrant));
  return contact;
}

void measure_motion(const Engines& engines, const Effort& effort, Results& results) {
  std::fprintf(stderr, "verifying that all do the same work ...\n");
  results.verifications = verify(engines);

  results.entrants = race_entrants(engines, true);
  results.forward_entrants = race_entrants(engines, false);
  const Work works[] = {chain(4, right_angle), chain(16, right_angle), chain(64, right_angle),
                        ragdoll(), humanoid()};
  // several rounds over all races: a machine that is busy for a second spoils none of them
  for (int round = 1; round <= effort.rounds; ++round) {
    std::fprintf(stderr, "racing, round %d of %d ...\n", round, effort.rounds);
    std::size_t race = 0;
    for (const Work& work : works)
      keep_best(results.steps, race++, race_steps(work, 500, results.entrants, effort));
    race = 0;
    for (const Work& work : {works[1], works[3], works[4]})
      keep_best(results.forward_dynamics, race++,
                race_forward_dynamics(work, 500, results.forward_entrants, effort));
  }
  std::fprintf(stderr, "energy drift over 10 s ...\n");
  results.drifts = measure_drifts(engines, effort);
  std::fprintf(stderr, "four worlds at once ...\n");
  measure_worlds(engines, effort, results);
}

// Leaves Molejo and the peers whose names begin with one of these.
void keep_engines(const std::vector<std::string>& names, Engines& engines) {
  const auto unwanted = [&](const Engine* engine) {
    return engine != molejo_engine() &&
           std::none_of(names.begin(), names.end(), [&](const std::string& name) {
             return std::string_view(engine->name()).substr(0, name.size()) == name;
           });
  };
  engines.all.erase(std::remove_if(engines.all.begin(), engines.all.end(), unwanted),
                    engines.all.end());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The same works on Molejo and its peers, in one process on one core."};
  bool quick = false;
  int seeds = 5;
  std::string json_path, part = "all";
  std::vector<std::string> names;
  app.add_flag("--quick", quick, "few short passes: a look, not a measurement");
  app.add_option("--json", json_path, "write all figures to this file as well");
  app.add_option("--part", part, "what to measure")
      ->check(CLI::IsMember({"all", "motion", "contact", "expression", "locomotion"}));
  app.add_option("--train", seeds, "with locomotion: train the basic run with seeds 1 to this")
      ->check(CLI::Range(0, 100));
  app.add_option("--engine", names,
                 "only Molejo and peers whose names begin like this; repeatable");
  CLI11_PARSE(app, argc, argv);
  try {
    Engines engines = load_engines();
    if (!names.empty()) keep_engines(names, engines);
    Results results;
    results.machine = describe_machine();
    for (const Engine* engine : engines.all)
      results.versions.push_back(std::string(engine->name()) + " " + engine->version());
    results.skipped = engines.skipped;
    const Effort effort = quick ? Effort{.rounds = 2, .passes = 4, .length = 0.4} : Effort{};
    const ContactEffort contact_effort =
        quick ? ContactEffort{.seconds = 1, .glance = 1, .limit = 6, .again = 0.5, .passes = 2}
              : ContactEffort{};
    const auto wanted = [&](const char* name) { return part == "all" || part == name; };
    if (wanted("motion")) measure_motion(engines, effort, results);
    if (wanted("contact")) results.contact = measure_contact(engines, contact_effort);
    if (wanted("expression")) {
      std::fprintf(stderr, "racing formulas ...\n");
      results.expressions = race_expressions(effort);
    }
    if (wanted("locomotion")) {
      std::fprintf(stderr, "racing gaits ...\n");
      results.locomotion = race_locomotion(engines, effort);
    }
    results.goals = judge(results, engines);
    std::fputs(text(results).c_str(), stdout);
    if (wanted("locomotion") && seeds > 0 && !quick) {
      std::fprintf(stderr, "training ...\n");
      std::fputs(training_text(time_training(seeds)).c_str(), stdout);
    }
    if (!json_path.empty()) molejo::write_file(json_path, json(results));
    // figures of engines that do different work must not be compared
    const auto fine = [](const auto& v) { return v.complaint.empty(); };
    const auto all_fine = [&](const auto& all) {
      return std::all_of(all.begin(), all.end(), fine);
    };
    return all_fine(results.verifications) && all_fine(results.contact.verifications) &&
                   all_fine(results.expressions) && all_fine(results.locomotion.peers)
               ? 0
               : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 2;
  }
}

#include "bench/report.h"

#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

std::optional<std::size_t> index_of(const std::vector<Entrant>& entrants, const std::string& name) {
  for (std::size_t i = 0; i < entrants.size(); ++i)
    if (entrants[i].engine->name() == name) return i;
  return std::nullopt;
}

// A row per entrant, a column per race; divided by the entrant `by` when there is one.
std::string race_table(const std::string& corner, const std::vector<Entrant>& entrants,
                       const std::vector<Race>& races, std::optional<std::size_t> by) {
  std::vector<Row> rows{{corner}};
  for (const Race& race : races) rows[0].push_back(race.work);
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    Row row{entrants[i].label()};
    bool any = false;
    for (const Race& race : races) {
      std::optional<double> value = race.microseconds[i];
      if (by && value) value = *value / *race.microseconds[*by];
      any = any || value.has_value();
      row.push_back(three_digits(value));
    }
    if (any) rows.push_back(row);
  }
  return table(rows);
}

// Times, then ratios to Molejo and to MuJoCo.
std::string three_tables(const std::string& what, const std::vector<Entrant>& entrants,
                         const std::vector<Race>& races) {
  std::string out = race_table("microseconds", entrants, races, std::nullopt);
  out += "\n" + race_table("times Molejo's " + what, entrants, races, 0);
  if (const auto mujoco = index_of(entrants, "MuJoCo"))
    out += "\n" + race_table("times MuJoCo's " + what, entrants, races, mujoco);
  return out;
}

std::string verification_table(const std::vector<Verification>& all) {
  std::vector<Row> rows{{"engine, integrator", "start", "acceleration", "tip, m", "energy 90",
                         "energy 30", "fall, m", "ragdoll, m", "humanoid, m", "verdict"}};
  for (const Verification& v : all)
    rows.push_back({v.engine + ", " + v.integrator, small(v.start),
                    v.accelerations ? small(*v.accelerations) : "-", small(v.tip),
                    fmt::format("{:.3e}", v.energy_90), fmt::format("{:.3e}", v.energy_30),
                    small(v.center), small(v.ragdoll), small(v.humanoid),
                    v.complaint.empty() ? "same work" : v.complaint});
  return table(rows);
}

std::string drift_table(const std::vector<DriftRow>& drifts) {
  std::vector<Row> rows{{"engine, integrator", "us/step", "cost", "N=4 90, 1 s", "10 s",
                         "N=4 30, 1 s", "10 s", "N=16 90, 1 s", "10 s", "N=16 30, 1 s", "10 s"}};
  for (const DriftRow& d : drifts) {
    Row row{d.entrant.label(), three_digits(d.cost), three_digits(d.cost / d.cost_of_plain)};
    for (const Drift& drift : {d.four_90, d.four_30, d.sixteen_90, d.sixteen_30})
      row.insert(row.end(), {small(drift.first_second), small(drift.whole)});
    rows.push_back(row);
  }
  return table(rows);
}

std::string worlds_table(const Results& results) {
  std::vector<Row> rows{{"work, integrator", "one world", "per world of four", "throughput"}};
  for (std::size_t r = 0; r < results.four_worlds.size(); ++r) {
    for (std::size_t i = 0; i < results.world_integrators.size(); ++i) {
      const auto one = results.single_worlds[r].microseconds[i],
                 four = results.four_worlds[r].microseconds[i];
      if (!one || !four) continue;
      rows.push_back({results.four_worlds[r].work + ", " + results.world_integrators[i],
                      three_digits(one), three_digits(four),
                      fmt::format("{:.2f} x", *one / *four)});
    }
  }
  return table(rows);
}

std::string goals_table(const std::vector<Goal>& goals) {
  std::vector<Row> rows{{"goal", "bound", "found", "met"}};
  for (const Goal& goal : goals)
    rows.push_back({goal.sentence,
                    fmt::format("{} {:.3g}", goal.at_least ? ">=" : "<=", goal.bound),
                    fmt::format("{:.3g}", goal.found), goal.met() ? "yes" : "no"});
  return table(rows);
}

std::string motion_text(const Results& results) {
  std::string out =
      "\n## Same work?\n\nDifferences at 1 ms from closed forms and reference values; energy: "
      "largest |dE|/E_ref in\nthe first second, four links.\n\n" +
      verification_table(results.verifications);
  out += "\n## One step of 1 ms\n\n" + three_tables("step", results.entrants, results.steps);
  out += "\n## Forward dynamics alone\n\n" +
         three_tables("evaluation", results.forward_entrants, results.forward_dynamics);
  out +=
      "\n## Energy drift\n\nWork D: largest |dE|/E_ref within 1 s and within 10 s at 1 ms. Cost: "
      "one "
      "step of 16 links,\nin microseconds and against the engine's plain integrator.\n\n" +
      drift_table(results.drifts);
  out += "\n## Four worlds at once\n\nMicroseconds per step and world.\n\n" + worlds_table(results);
  return out;
}

nlohmann::json race_json(const std::vector<Entrant>& entrants, const std::vector<Race>& races) {
  nlohmann::json out = nlohmann::json::array();
  for (const Race& race : races)
    for (std::size_t i = 0; i < entrants.size(); ++i)
      if (race.microseconds[i])
        out.push_back({{"work", race.work},
                       {"steps", race.steps},
                       {"engine", entrants[i].engine->name()},
                       {"integrator", entrants[i].integrator},
                       {"microseconds", *race.microseconds[i]}});
  return out;
}

// JSON has no infinity.
nlohmann::json finite_json(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr);
}
nlohmann::json drift_json(const Drift& drift) {
  return {{"first_second", finite_json(drift.first_second)},
          {"ten_seconds", finite_json(drift.whole)}};
}

}  // namespace

std::string text(const Results& results) {
  const Machine& m = results.machine;
  std::string out = fmt::format("machine   {}, {} cores, all on core {}; load {}\ncompiler  {}\n",
                                m.processor, m.cores, m.core, m.load, m.compiler);
  for (const std::string& version : results.versions) out += "engine    " + version + "\n";
  for (const std::string& sentence : results.skipped) out += "skipped:  " + sentence + "\n";
  if (!results.steps.empty()) out += motion_text(results);
  out += contact_text(results.contact);
  out += expression_text(results.expressions);
  out += locomotion_text(results.locomotion);
  if (!results.goals.empty()) out += "\n## Goals\n\n" + goals_table(results.goals);
  return out;
}

std::string json(const Results& results) {
  const Machine& m = results.machine;
  nlohmann::json out{{"processor", m.processor},
                     {"cores", m.cores},
                     {"compiler", m.compiler},
                     {"load", m.load},
                     {"core", m.core},
                     {"engines", results.versions},
                     {"skipped", results.skipped}};
  out["steps"] = race_json(results.entrants, results.steps);
  out["forward_dynamics"] = race_json(results.forward_entrants, results.forward_dynamics);
  for (const Verification& v : results.verifications)
    out["verifications"].push_back(
        {{"engine", v.engine},
         {"integrator", v.integrator},
         {"start", finite_json(v.start)},
         {"accelerations",
          v.accelerations ? finite_json(*v.accelerations) : nlohmann::json(nullptr)},
         {"tip", finite_json(v.tip)},
         {"energy_90", finite_json(v.energy_90)},
         {"energy_30", finite_json(v.energy_30)},
         {"fall", finite_json(v.center)},
         {"ragdoll", finite_json(v.ragdoll)},
         {"humanoid", finite_json(v.humanoid)},
         {"complaint", v.complaint}});
  for (const DriftRow& d : results.drifts)
    out["drift"].push_back({{"engine", d.entrant.engine->name()},
                            {"integrator", d.entrant.integrator},
                            {"microseconds", d.cost},
                            {"links_4_from_90", drift_json(d.four_90)},
                            {"links_4_from_30", drift_json(d.four_30)},
                            {"links_16_from_90", drift_json(d.sixteen_90)},
                            {"links_16_from_30", drift_json(d.sixteen_30)}});
  for (std::size_t r = 0; r < results.four_worlds.size(); ++r)
    for (std::size_t i = 0; i < results.world_integrators.size(); ++i)
      if (const auto four = results.four_worlds[r].microseconds[i])
        out["four_worlds"].push_back(
            {{"work", results.four_worlds[r].work},
             {"integrator", results.world_integrators[i]},
             {"microseconds_one", *results.single_worlds[r].microseconds[i]},
             {"microseconds_per_world_of_four", *four}});
  out["contact"] = nlohmann::json::parse(contact_json(results.contact));
  out["expressions"] = nlohmann::json::parse(expression_json(results.expressions));
  out["locomotion"] = nlohmann::json::parse(locomotion_json(results.locomotion));
  for (const Goal& goal : results.goals)
    out["goals"].push_back({{"goal", goal.sentence},
                            {"bound", goal.bound},
                            {"found", finite_json(goal.found)},
                            {"met", goal.met()}});
  return out.dump(2) + "\n";
}

}  // namespace bench

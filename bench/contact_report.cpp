#include "bench/contact_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/contact_works.h"
#include "bench/table.h"

namespace bench {

namespace {

std::string millimetres(double metres) { return fmt::format("{:.2f}", 1e3 * metres); }

std::optional<double> mujoco_time(const std::vector<Entrant>& entrants, const ContactRace& race) {
  for (std::size_t i = 0; i < entrants.size(); ++i)
    if (std::string(entrants[i].engine->name()) == "MuJoCo" && race.runs[i].complaint.empty())
      return race.runs[i].microseconds;
  return std::nullopt;
}

// One work: time and quality of every engine, and below the table who is missing and why.
std::string race_text(const std::vector<Entrant>& entrants, const ContactRace& race) {
  const std::optional<double> mujoco = mujoco_time(entrants, race);
  std::vector<Row> rows{{race.work, "us/step", "x Molejo", "x MuJoCo", "seconds", "in ground, mm",
                         "in parts, mm", "joints, mm", "gain, J", "kinetic, J"}};
  std::string missing;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const ContactRun& run = race.runs[i];
    if (!run.complaint.empty()) {
      missing += "\n- " + entrants[i].label() + ": " + run.complaint;
      continue;
    }
    const std::optional<double> of_mujoco =
        mujoco ? std::optional(run.microseconds / *mujoco) : std::nullopt;
    rows.push_back({entrants[i].label(), three_digits(run.microseconds),
                    three_digits(run.microseconds / race.runs[0].microseconds),
                    three_digits(of_mujoco), fmt::format("{:.2f}", run.seconds),
                    millimetres(run.ground_depth),
                    race.parts_touch ? millimetres(run.part_depth) : "-",
                    race.jointed ? millimetres(run.joint_error) : "-", small(run.energy_gain),
                    small(run.kinetic_at_end)});
  }
  return table(rows) + (missing.empty() ? "" : missing + "\n");
}

std::string probe_text(const ContactResults& results) {
  std::vector<Row> rows{{"engine, solver", "slide, m", "error, %", "direction, deg", "apex, m",
                         "energy, %", "creep 12 N, um/s", "60 N", "stretch, mm"}};
  rows.push_back({"exact", fmt::format("{:.4f}", exact_slide()), "0",
                  fmt::format("{:.3f}", slide_angle_deg), "0.2500", "0", "0", "0", "0"});
  const auto creep = [](const std::optional<double>& x) {
    return !x ? "-" : std::isfinite(*x) ? fmt::format("{:.3g}", 1e6 * *x) : "lost";
  };
  for (std::size_t i = 0; i < results.entrants.size(); ++i) {
    const Probes& p = results.probes[i];
    Row row{results.entrants[i].label(), "-", "-", "-", "-", "-"};
    if (p.slide) {
      row[1] = fmt::format("{:.4f}", p.slide->distance);
      row[2] = fmt::format("{:+.2f}", 100 * (p.slide->distance / exact_slide() - 1));
      row[3] = fmt::format("{:.3f}", p.slide->direction_deg);
    }
    if (p.apex) row[4] = fmt::format("{:.4f}", *p.apex);
    if (p.bounce_energy) row[5] = fmt::format("{:+.2f}", 100 * *p.bounce_energy);
    row.insert(row.end(),
               {creep(p.creep_12), creep(p.creep_60), p.stretch ? millimetres(*p.stretch) : "-"});
    rows.push_back(row);
  }
  return table(rows);
}

std::string verification_text(const std::vector<ContactVerification>& all) {
  std::vector<Row> rows{{"engine, solver", "start", "ragdoll flies, m", "chain flies, m",
                         "cubes fall, m", "ragdoll touches, mm", "chain, mm", "round solids, mm",
                         "verdict"}};
  for (const ContactVerification& v : all)
    rows.push_back({v.engine + ", " + v.solver, small(v.start), small(v.ragdoll), small(v.chain),
                    v.cubes ? small(*v.cubes) : "-", millimetres(v.ragdoll_touch),
                    millimetres(v.chain_touch), millimetres(v.round_touch),
                    v.complaint.empty() ? "same work" : v.complaint});
  return table(rows);
}

nlohmann::json number(const std::optional<double>& x) {
  return x && std::isfinite(*x) ? nlohmann::json(*x) : nlohmann::json(nullptr);
}

nlohmann::json probe_json(const Entrant& entrant, const Probes& p) {
  nlohmann::json out{
      {"engine", entrant.engine->name()},      {"solver", entrant.integrator},
      {"first_apex", number(p.apex)},          {"bounce_energy_change", number(p.bounce_energy)},
      {"creep_12_N", number(p.creep_12)},      {"creep_60_N", number(p.creep_60)},
      {"heavy_end_stretch", number(p.stretch)}};
  if (p.slide) {
    out["slide_distance"] = number(p.slide->distance);
    out["slide_direction_deg"] = number(p.slide->direction_deg);
  }
  return out;
}

}  // namespace

std::string contact_text(const ContactResults& results) {
  if (results.entrants.empty()) return "";
  std::string out =
      "\n## Contact: same work?\n\nStart state; distance of a centre from an accurate run just "
      "before the first touch;\nheight of the lowest point when the ground is first felt.\n\n" +
      verification_text(results.verifications);
  out +=
      "\n## Contact: one step of 1 ms, and how good it is\n\nDeepest penetration into the plane "
      "and of two parts, largest joint error, largest rise of the\nenergy above an earlier value, "
      "kinetic energy at the end. Seconds: simulated.\n";
  for (const ContactRace& race : results.races) out += "\n" + race_text(results.entrants, race);
  out +=
      "\n## Contact: known answers\n\nSliding block; first apex at e = 0.5; energy after 5 s at "
      "e = 1; creep of a pinched capsule;\nstretch of a chain with a heavy end.\n\n" +
      probe_text(results);
  return out;
}

std::string contact_json(const ContactResults& results) {
  nlohmann::json out{{"verifications", nlohmann::json::array()},
                     {"runs", nlohmann::json::array()},
                     {"probes", nlohmann::json::array()}};
  for (const ContactVerification& v : results.verifications)
    out["verifications"].push_back({{"engine", v.engine},
                                    {"solver", v.solver},
                                    {"start", number(v.start)},
                                    {"ragdoll", number(v.ragdoll)},
                                    {"chain", number(v.chain)},
                                    {"cubes", number(v.cubes)},
                                    {"ragdoll_touch", number(v.ragdoll_touch)},
                                    {"chain_touch", number(v.chain_touch)},
                                    {"round_touch", number(v.round_touch)},
                                    {"complaint", v.complaint}});
  for (const ContactRace& race : results.races) {
    for (std::size_t i = 0; i < results.entrants.size(); ++i) {
      const ContactRun& run = race.runs[i];
      nlohmann::json row{{"work", race.work},
                         {"engine", results.entrants[i].engine->name()},
                         {"solver", results.entrants[i].integrator},
                         {"complaint", run.complaint}};
      if (run.complaint.empty())
        row.update({{"microseconds", run.microseconds},
                    {"seconds", run.seconds},
                    {"ground_depth", run.ground_depth},
                    {"part_depth", run.part_depth},
                    {"joint_error", run.joint_error},
                    {"energy_gain", run.energy_gain},
                    {"kinetic_at_end", run.kinetic_at_end}});
      out["runs"].push_back(row);
    }
  }
  for (std::size_t i = 0; i < results.entrants.size(); ++i)
    out["probes"].push_back(probe_json(results.entrants[i], results.probes[i]));
  return out.dump();
}

}  // namespace bench

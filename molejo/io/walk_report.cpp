#include "molejo/io/walk_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace molejo {

namespace {

using navigation::FrameCost;
using navigation::Quality;
using navigation::QualityFigures;

struct FigureRow {
  const char* key;
  const char* label;
  double QualityFigures::*figure;
  int digits;
};

constexpr FigureRow figure_rows[] = {
    {"slip_most_mm", "foot slip, most (mm)", &QualityFigures::slip_most, 1},
    {"slip_mean_mm", "foot slip, mean (mm)", &QualityFigures::slip_mean, 1},
    {"penetration_heel_mm", "penetration, heel (mm)", &QualityFigures::penetration_heel, 1},
    {"penetration_toe_mm", "penetration, toe (mm)", &QualityFigures::penetration_toe, 1},
    {"hovering_heel_mm", "hovering, heel (mm)", &QualityFigures::hovering_heel, 1},
    {"hovering_toe_mm", "hovering, toe (mm)", &QualityFigures::hovering_toe, 1},
    {"knee_speed_deg_s", "knee speed, peak (deg/s)", &QualityFigures::knee_speed, 0},
    {"hip_speed_deg_s", "hip speed, peak (deg/s)", &QualityFigures::hip_speed, 0},
    {"ankle_speed_deg_s", "ankle speed, peak (deg/s)", &QualityFigures::ankle_speed, 0},
    {"angle_jump_deg", "angle jump, most (deg)", &QualityFigures::angle_jump, 1},
    {"angle_jump_ratio", "angle jump / clip's", &QualityFigures::angle_jump_ratio, 2},
    {"deviation_rms_deg", "deviation, RMS (deg)", &QualityFigures::deviation_rms, 2},
    {"deviation_most_deg", "deviation, most (deg)", &QualityFigures::deviation_most, 1},
    {"jerk_most_m_s3", "hip jerk, peak (m/s^3)", &QualityFigures::jerk_most, 0},
    {"jerk_rms_m_s3", "hip jerk, RMS (m/s^3)", &QualityFigures::jerk_rms, 1},
};

struct CostRow {
  const char* key;
  const char* label;
  double FrameCost::*cost;
};
constexpr CostRow cost_rows[] = {
    {"sampling", "sampling (us)", &FrameCost::sampling},
    {"trajectories", "trajectories (us)", &FrameCost::trajectories},
    {"inverse_kinematics", "inverse kinematics (us)", &FrameCost::inverse_kinematics},
    {"matrices", "matrices (us)", &FrameCost::matrices},
};

// The worst of every figure, sums of what adds up, and the mean cost.
void gather(const WalkJudgement& run, Quality& worst, FrameCost& cost) {
  worst.name = fmt::format("{} characters, the worst of each", run.characters.size());
  const auto count = static_cast<double>(run.characters.size());
  for (std::size_t i = 0; i < run.characters.size(); ++i) {
    const Quality& q = run.characters[i];
    for (const bool adapted : {true, false}) {
      QualityFigures& to = adapted ? worst.adapted : worst.unadapted;
      const QualityFigures& from = adapted ? q.adapted : q.unadapted;
      for (const FigureRow& row : figure_rows)
        to.*row.figure = std::max(to.*row.figure, from.*row.figure);
      to.stances += from.stances;
    }
    worst.way += q.way;
    worst.blocked = std::max(worst.blocked, q.blocked);
    worst.off_ground = worst.off_ground || q.off_ground;
    for (const CostRow& row : cost_rows) cost.*row.cost += run.costs[i].*row.cost / count;
  }
}

void print_table(std::string& out, const Quality& q, const FrameCost& cost, const Quality* base,
                 const FrameCost* base_cost, const WalkJudgement& run,
                 const WalkJudgement* baseline) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{}: {:.2f} m, {} stances", q.name, q.way, q.adapted.stances);
  if (q.blocked > 0) fmt::format_to(to, ", blocked for {:.1f} s", q.blocked);
  if (q.off_ground) out += ", stands where there is no ground";
  fmt::format_to(to, "\n{:<28}{:>18}", "", run.solver);
  if (base) fmt::format_to(to, "{:>18}", baseline->solver);
  fmt::format_to(to, "{:>18}\n", "unadapted clip");
  for (const FigureRow& row : figure_rows) {
    fmt::format_to(to, "  {:<26}{:>18.{}f}", row.label, q.adapted.*row.figure, row.digits);
    if (base) fmt::format_to(to, "{:>18.{}f}", base->adapted.*row.figure, row.digits);
    fmt::format_to(to, "{:>18.{}f}\n", q.unadapted.*row.figure, row.digits);
  }
  for (const CostRow& row : cost_rows) {
    fmt::format_to(to, "  {:<26}{:>18.1f}", row.label, cost.*row.cost);
    if (base) fmt::format_to(to, "{:>18.1f}", base_cost->*row.cost);
    out += "\n";
  }
  fmt::format_to(to, "  {:<26}{:>18.1f}", "all (us a frame)", cost.sum());
  if (base) fmt::format_to(to, "{:>18.1f}", base_cost->sum());
  out += "\n";
}

JsonValue figures_json(const QualityFigures& q) {
  JsonValue json = JsonValue::object();
  json.add("stances", JsonValue(static_cast<double>(q.stances)));
  for (const FigureRow& row : figure_rows) json.add(row.key, JsonValue(q.*row.figure));
  return json;
}

JsonValue run_json(const Quality& q, const FrameCost& cost) {
  JsonValue json = figures_json(q.adapted);
  json.add("way_m", JsonValue(q.way));
  json.add("blocked_s", JsonValue(q.blocked));
  json.add("off_ground", JsonValue::of(q.off_ground));
  JsonValue us = JsonValue::object();
  for (const CostRow& row : cost_rows) us.add(row.key, JsonValue(cost.*row.cost));
  us.add("sum", JsonValue(cost.sum()));
  json.add("microseconds", std::move(us));
  return json;
}

}  // namespace

std::string walk_report_text(const WalkJudgement& run, const WalkJudgement* baseline) {
  std::string out;
  if (run.characters.size() > 4) {
    Quality q, base;
    FrameCost cost, base_cost;
    gather(run, q, cost);
    if (baseline) gather(*baseline, base, base_cost);
    print_table(out, q, cost, baseline ? &base : nullptr, &base_cost, run, baseline);
    return out;
  }
  for (std::size_t i = 0; i < run.characters.size(); ++i) {
    if (i > 0) out += "\n";
    print_table(out, run.characters[i], run.costs[i], baseline ? &baseline->characters[i] : nullptr,
                baseline ? &baseline->costs[i] : nullptr, run, baseline);
  }
  return out;
}

JsonValue walk_report_json(const WalkJudgement& run, const WalkJudgement* baseline) {
  JsonValue list = JsonValue::array();
  for (std::size_t i = 0; i < run.characters.size(); ++i) {
    JsonValue json = JsonValue::object();
    json.add("name", JsonValue(run.characters[i].name));
    json.add("solver", JsonValue(run.solver));
    json.add("adapted", run_json(run.characters[i], run.costs[i]));
    if (baseline) {
      json.add("baseline_solver", JsonValue(baseline->solver));
      json.add("baseline", run_json(baseline->characters[i], baseline->costs[i]));
    }
    json.add("unadapted", figures_json(run.characters[i].unadapted));
    list.items.push_back(std::move(json));
  }
  return list;
}

}  // namespace molejo

#include "apps/study/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/math/units.h"

namespace molejo::study {

namespace {

double degrees(double angle) { return angle / radians(1.0); }

// The first valid run of a row; null if there is none.
const Run* first_valid(const Runs& runs, const std::string& row) {
  const auto found = runs.find(row);
  if (found == runs.end()) return nullptr;
  for (const Run& run : found->second) {
    if (run.valid()) return &run;
  }
  return nullptr;
}

double amplitude(const Run& run, const std::string& name) {
  const auto found = run.amplitude.find(name);
  return found == run.amplitude.end() ? 0 : found->second;
}

// Median of a measure over the valid runs of a row.
template <class Measure>
double median_of(const Runs& runs, const std::string& row, Measure measure) {
  std::vector<double> list;
  const auto found = runs.find(row);
  if (found == runs.end()) return std::nan("");
  for (const Run& run : found->second) {
    if (run.valid()) list.push_back(measure(run));
  }
  return median(std::move(list));
}

Verdict resembles_sketch(const Runs&, const Run& run) {
  return {run.likeness > 0.7, fmt::format("correlation {:.2f} > 0.7", run.likeness)};
}

Verdict only_valid(const Runs&, const Run& run) {
  return {run.check.sketch_fails, "the sketch alone falls"};
}

Verdict sways(const Runs& runs, const Run& run) {
  const double basic = median_of(runs, "basic_run", [](const Run& r) { return r.style.roll; });
  const double bend = amplitude(run, "step 1, air 3");
  return {run.style.roll > 1.5 * basic && bend != 0,
          fmt::format("roll {:.0f} deg > 1.5 x {:.0f}; air mode 3 at {:+.2f}",
                      degrees(run.style.roll), degrees(basic), bend)};
}

Verdict turns(const Runs& runs, const Run& run) {
  const Run* basic = first_valid(runs, "basic_run");
  if (!basic) return {false, "no basic run to compare with"};
  const double yaw = median_of(runs, "basic_run", [](const Run& r) { return r.style.yaw; });
  return {run.style.yaw > 1.5 * yaw && run.sketch.yaw <= 1.5 * basic->sketch.yaw,
          fmt::format("yaw {:.0f} deg > 1.5 x {:.0f}; sketches {:.0f} and {:.0f}",
                      degrees(run.style.yaw), degrees(yaw), degrees(run.sketch.yaw),
                      degrees(basic->sketch.yaw)),
          run.style.yaw};
}

// Distance of a run to the basic runs, and of these among each other.
Verdict differs(const Runs& runs, const Run& run) {
  double among = 0, to_basic = 0;
  int pairs = 0, count = 0;
  const auto found = runs.find("basic_run");
  if (found == runs.end()) return {false, "no basic run to compare with"};
  for (const Run& a : found->second) {
    if (!a.valid()) continue;
    to_basic += style_distance(run.style, a.style), ++count;
    for (const Run& b : found->second) {
      if (&a < &b && b.valid()) among += style_distance(a.style, b.style), ++pairs;
    }
  }
  if (pairs == 0) return {false, "less than two basic runs to compare with"};
  among /= pairs, to_basic /= count;
  return {to_basic > among, fmt::format("{:.1f} deg from basic > {:.1f} among seeds",
                                        degrees(to_basic), degrees(among))};
}

Verdict crouches(const Runs& runs, const Run& run) {
  const double basic =
      median_of(runs, "basic_run", [](const Run& r) { return r.style.hip_height; });
  return {run.style.hip_height < basic - 0.05,
          fmt::format("hips at {:.2f} m < {:.2f} - 0.05", run.style.hip_height, basic)};
}

Verdict straddles(const Runs& runs, const Run& run) {
  const double knees =
      median_of(runs, "basic_run", [](const Run& r) { return r.style.knee_separation; });
  const double feet =
      median_of(runs, "basic_run", [](const Run& r) { return r.style.foot_separation; });
  return {run.style.knee_separation > knees && run.style.foot_separation > feet,
          fmt::format("knees {:.2f} m > {:.2f}, feet {:.2f} m > {:.2f}", run.style.knee_separation,
                      knees, run.style.foot_separation, feet)};
}

Verdict one_foot_touches(const Runs&, const Run& run) {
  std::string names;
  int count = 0;
  const std::vector<bool>& touches = run.style.touches;
  const Scene& scene = run.file.motion.scene;
  for (std::size_t b = 0; b < touches.size() && b < scene.bodies.size(); ++b) {
    if (!touches[b]) continue;
    names += (names.empty() ? "" : ", ") + scene.bodies[b].name;
    ++count;
  }
  return {count == 1, "on the ground: " + names};
}

// Phase of the two arms of a side against each other.
double arm_phase(const Run& run) {
  const Character character = make_character(run.file.motion.scene, run.file.motion.motion.figure);
  const std::vector<std::string> names = freedom_names(character);
  std::vector<int> shoulders;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // swinging is turning about the axis to the left
    if (names[i].find("left") != std::string::npos &&
        names[i].find("shoulder") != std::string::npos && names[i].ends_with(" y")) {
      shoulders.push_back(static_cast<int>(i));
    }
  }
  return shoulders.size() == 2 ? phase_between(run.style, shoulders[0], shoulders[1])
                               : std::nan("");
}

Verdict crosses_arms(const Runs& runs, const Run& run) {
  const Run* plain = first_valid(runs, "monster");
  if (!plain) return {false, "no run of the monster to compare with"};
  const double one = arm_phase(*plain), other = arm_phase(run);
  const double between = std::fabs(other - one - std::round(other - one));
  const double legs = style_distance(run.style, plain->style);
  return {between > 0.1 && legs > radians(1.0),
          fmt::format("arms of a side {:+.2f} and {:+.2f} of a cycle apart; joints {:.1f} deg", one,
                      other, degrees(legs))};
}

Verdict looks_less_like(const Runs& runs, const Run&) {
  const auto from_sketch = [](const Run& r) { return style_distance(r.style, r.sketch); };
  const double basic = median_of(runs, "basic_run", from_sketch);
  const double here = median_of(runs, "trivial_selection", from_sketch);
  return {here > basic, fmt::format("{:.1f} deg from its sketch > {:.1f} of basic", degrees(here),
                                    degrees(basic))};
}

Verdict compared_with_modes(const Runs& runs, const Run& run) {
  const double basic = median_of(runs, "basic_run", [](const Run& r) { return r.check.objective; });
  const double evaluations = median_of(
      runs, "basic_run", [](const Run& r) { return static_cast<double>(r.file.evaluations); });
  return {true, fmt::format("objective {:.0f} (modes {:.0f}), {} evaluations (modes {:.0f})",
                            run.check.objective, basic, run.file.evaluations, evaluations)};
}

Verdict fails_more_often(const Runs& runs, const Run&) {
  const auto rate = [&](const char* row) {
    const auto found = runs.find(row);
    return found == runs.end() ? 0 : success_rate(found->second);
  };
  const double here = rate("priority_only"), basic = rate("basic_run");
  return {here < basic, fmt::format("succeeds in {:.0f} % < {:.0f} %", 100 * here, 100 * basic)};
}

}  // namespace

double median(std::vector<double> list) {
  if (list.empty()) return std::nan("");
  std::sort(list.begin(), list.end());
  const std::size_t n = list.size();
  return (list[(n - 1) / 2] + list[n / 2]) / 2;
}

double success_rate(const std::vector<Run>& runs) {
  const auto valid =
      std::count_if(runs.begin(), runs.end(), [](const Run& r) { return r.valid(); });
  return runs.empty() ? 0 : static_cast<double>(valid) / static_cast<double>(runs.size());
}

Run look_at(const std::string& path) {
  Run run;
  run.path = path;
  run.file = load_gait(SourceFile::given(path));
  const Character character = make_character(run.file.motion.scene, run.file.motion.motion.figure);
  const GaitProblem problem(character, run.file.motion.motion);
  const std::vector<double>& x = run.file.unknowns;
  run.check = check_gait(problem, x);
  ReplayOptions cycle;
  cycle.seconds = problem.gait(x.data()).period();
  cycle.record = false;
  run.report = replay(problem, x, cycle).report;
  run.style = gait_style(problem, x);
  run.sketch = sketch_style(problem);
  run.likeness = run.check.result.likeness;
  for (int i = problem.first_amplitude(); i < problem.last_amplitude(); ++i) {
    const Unknown& u = problem.unknowns()[static_cast<std::size_t>(i)];
    run.amplitude[u.name] = u.lower + x[static_cast<std::size_t>(i)] * (u.upper - u.lower);
  }
  return run;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> list = {
      {"basic_run", "resembles its sketch", resembles_sketch},
      {"lateral_swing", "sways, split between the phases", sways},
      {"vertical_rotation", "turns about the vertical, which the sketch does not", turns},
      {"skipping", "is farther from basic than seeds are", differs},
      {"random_1", "valid", only_valid},
      {"random_2", "valid", only_valid},
      {"crouched", "hips are lower", crouches},
      {"legs_apart", "knees and feet are farther apart", straddles},
      {"one_leg", "one foot alone touches", one_foot_touches},
      {"monster", "the sketch alone falls", only_valid},
      {"monster_crossed_arms", "arms change phase, and all else adapts", crosses_arms},
      {"kangaroo", "the sketch alone falls", only_valid},
      {"quadruped", "the sketch alone falls", only_valid},
      {"canonical_basis", "compared with modes", compared_with_modes},
      {"trivial_selection", "is less like its sketch", looks_less_like},
      {"priority_only", "succeeds less often", fails_more_often},
  };
  return list;
}

}  // namespace molejo::study

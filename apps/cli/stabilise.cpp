// molejo stabilise: the feedback that keeps a gait running; molejo pushes: how much it takes.
#include "molejo/locomotion/stabilise.h"

#include <fmt/format.h>

#include <chrono>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "molejo/io/file.h"
#include "molejo/io/file_lock.h"
#include "molejo/io/json_library.h"
#include "molejo/io/motion.h"
#include "molejo/io/push_plot.h"
#include "molejo/locomotion/train.h"
#include "molejo/math/clock.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double shown_run = 60;  // s

void check_unknowns(const GaitProblem& problem, const GaitFile& gait, const std::string& file) {
  if (static_cast<int>(gait.unknowns.size()) == problem.size()) return;
  throw InputError(fmt::format("{}: /found/unknowns: {} numbers: expected {} for this motion", file,
                               gait.unknowns.size(), problem.size()));
}

TrialResult long_run(const GaitProblem& problem, const GaitFile& gait) {
  Trial trial;
  trial.feedback = &gait.feedback->feedback;
  trial.seconds = shown_run;
  return run_trials(problem, gait.unknowns, {&trial, 1}, 1).front();
}

void print_directions(const PushBattery& b) {
  fmt::print("  {:>9}  {:>7}  {:>7}  {}\n", "direction", "N s/kg", "N", "N s/kg by phase");
  for (int d = 0; d < b.directions; ++d) {
    fmt::print("  {:>7.1f} °  {:>7.3f}  {:>7.0f} ", 360.0 * d / b.directions, b.least(d),
               b.force(b.least(d)));
    for (int p = 0; p < b.phases; ++p) fmt::print(" {:.3f}", b.at(d, p));
    fmt::print("\n");
  }
}

}  // namespace

int stabilise(const StabiliseOptions& options) {
  check_output(options.output, {".json"}, "");
  const FileLock lock(options.output);
  GaitFile gait = load_gait(given(options.file));
  const Character character = make_character(gait.motion.scene, gait.motion.motion.figure);
  const auto start = std::chrono::steady_clock::now();
  {
    const GaitProblem narrow(character, gait.motion.motion);
    check_unknowns(narrow, gait, options.file);
    ThreadEvaluator evaluator(evaluation(narrow, thread_count(options.threads)), options.threads);
    gait.unknowns = tightened(narrow, evaluator, gait.unknowns, 0.02);
    WiderGait wider = with_more_inputs(narrow, gait.unknowns, options.modes);
    gait.motion.motion = std::move(wider.motion);
    gait.unknowns = std::move(wider.unknowns);
  }
  const GaitProblem problem(character, gait.motion.motion);
  StabiliseSettings settings;
  settings.seed = options.seed, settings.threads = options.threads;
  settings.push = options.push, settings.generations = options.generations;
  gait.feedback = stabilise(problem, gait.unknowns, settings, [&](const StabiliseProgress& p) {
    const double wall = seconds_since(start);
    fmt::print(stderr, "generation {:3} of {}: {:4} tried, best {:.4f}, this {:.4f}, {:.1f} s",
               p.generation, options.generations, p.tried, p.best, p.score, wall);
    if (p.generation > 0) {
      fmt::print(stderr, ", {:.1f} candidates/s, at most {:.0f} s left", p.tried / wall,
                 wall * (options.generations - p.generation) / p.generation);
    }
    fmt::print(stderr, "\n");
    return true;
  });
  save_gait(options.output, gait);
  const TrialResult run = long_run(problem, gait);
  const Stabilised& f = *gait.feedback;
  if (options.json) {
    const Json report = {{"score", f.score},
                         {"tried", f.tried},
                         {"step", f.step},
                         {"open_radius", f.open_radius},
                         {"radius", f.radius},
                         {"seconds", run.seconds},
                         {"cycles", run.cycles},
                         {"fell", run.fell},
                         {"forward", run.forward},
                         {"sideways", run.sideways},
                         {"peak_force", run.peak_force},
                         {"wall_seconds", seconds_since(start)}};
    fmt::print("{}\n", report.dump(2));
  } else {
    fmt::print("score {:.4f} of {} tried; spectral radius {:.3f}, open loop {:.3f}\n", f.score,
               f.tried, f.radius, f.open_radius);
    fmt::print("{} {:.1f} s, {} cycles, {:.1f} m forward, at most {:.3f} m aside\n",
               run.fell ? "falls after" : "runs", run.seconds, run.cycles, run.forward,
               run.sideways);
  }
  return run.fell ? numeric_failure : success;
}

int pushes(const PushesOptions& options) {
  if (!options.output.empty()) check_output(options.output, {".svg", ".json"}, options.file);
  const GaitFile gait = load_gait(given(options.file));
  const Character character = make_character(gait.motion.scene, gait.motion.motion.figure);
  const GaitProblem problem(character, gait.motion.motion);
  check_unknowns(problem, gait, options.file);
  if (gait.feedback) check_feedback(problem, *gait.feedback, options.file);
  PushBatterySettings settings;
  settings.directions = options.directions, settings.phases = options.phases;
  settings.threads = options.threads;
  const PushBattery battery = push_battery(
      problem, gait.unknowns, gait.feedback ? &gait.feedback->feedback : nullptr, settings);
  const std::string& name = gait.motion.motion.name;
  const std::string title = fmt::format("{}, {}", name.empty() ? options.file : name,
                                        gait.feedback ? "with feedback" : "open loop");
  if (ending(options.output) == ".svg") write_file(options.output, push_plot(title, battery));
  if (ending(options.output) == ".json") write_file(options.output, push_table(battery));
  if (options.json) {
    fmt::print("{}\n", push_table(battery));
    return success;
  }
  fmt::print("{}: {:.1f} kg, {} s, up {} s later; at least {:.3f} N s/kg ({:.0f} N)\n\n", title,
             battery.mass, battery.seconds, battery.after, battery.least(),
             battery.force(battery.least()));
  print_directions(battery);
  return success;
}

}  // namespace molejo::cli

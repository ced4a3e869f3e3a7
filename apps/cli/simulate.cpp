// molejo simulate: a scene in, files and a summary out.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/run.h"
#include "molejo/io/export.h"
#include "molejo/io/load.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

void check_outputs(const SimulateOptions& options) {
  std::set<std::string> seen;
  for (const std::string& path : options.outputs) {
    check_output(path, recording_endings(), options.scene);
    if (!seen.insert(std::filesystem::absolute(path).lexically_normal().string()).second) {
      throw InputError(path + ": given twice as output");
    }
  }
}

void apply(const SimulateOptions& options, Settings& settings) {
  if (options.duration) settings.duration = *options.duration;
  if (options.fps) settings.fps = *options.fps;
  if (options.integrator) settings.integrator = *options.integrator;
  if (options.formulation) settings.formulation = *options.formulation;
  if (options.time_step) {
    // the adaptive integrator chooses its steps; the option then bounds them
    settings.time_step = *options.time_step;
    if (settings.integrator == Integrator::rkf45) {
      settings.max_step = *options.time_step;
      settings.min_step = std::fmin(settings.min_step, settings.max_step);
    }
  }
}

void print_row(const char* label, const std::string& text) {
  fmt::print("  {:<24}{}\n", label, text);
}

void print_summary(const Scene& scene, const Settings& settings, const Summary& s) {
  fmt::print("{}\n", scene.name.empty() ? "scene" : scene.name);
  print_row("integrator", fmt::format("{}, {} coordinates", to_string(settings.integrator),
                                      to_string(settings.formulation)));
  print_row("simulated",
            fmt::format("{:g} s in {} steps, {} rejected", s.duration, s.steps, s.rejected_steps));
  print_row("frames", fmt::format("{}", s.frames));
  print_row("energy",
            fmt::format("{:.9g} J at first, {:.9g} J at last", s.energy_initial, s.energy_final));
  print_row("energy deviation", fmt::format("{:.3g} J", s.energy_deviation));
  print_row("energy drift", fmt::format("{:.3g} of the energy in play", s.energy_drift));
  print_row("momentum drift", fmt::format("{:.3g} kg m/s", s.momentum_drift));
  print_row("angular momentum drift", fmt::format("{:.3g} kg m^2/s", s.angular_momentum_drift));
  print_row("constraint error",
            fmt::format("{:.3g}, removed after {} steps", s.constraint_error, s.projections));
  print_row("wall time",
            fmt::format("{:.3g} s, {:.0f} steps/s", s.wall_seconds, s.steps_per_second));
  print_row("hash", fmt::format("{:016x}", s.hash));
}

}  // namespace

int simulate(const SimulateOptions& options) {
  check_outputs(options);
  Scene scene = load_scene(options.scene);
  apply(options, scene.settings);
  const Built built = build_loaded(scene, options.scene);
  print_warnings(scene.warnings);
  const Recording recording = run(built, scene.settings);

  for (const std::string& path : options.outputs) {
    write_output(path, scene, built.model, recording);
  }
  if (options.json) {
    fmt::print("{}\n", summary_json(recording.summary));
  } else {
    print_summary(scene, scene.settings, recording.summary);
    for (const std::string& path : options.outputs) print_row("wrote", path);
  }
  if (!recording.summary.failure.empty()) {
    fmt::print(stderr, "molejo: stopped early: {}\n", recording.summary.failure);
    return numeric_failure;
  }
  return success;
}

}  // namespace molejo::cli

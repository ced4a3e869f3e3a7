// molejo simulate: a scene in, files and a summary out.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "apps/cli/rows.h"
#include "apps/cli/run.h"
#include "apps/cli/stop_signal.h"
#include "apps/cli/watch.h"
#include "molejo/io/animado.h"
#include "molejo/io/command_table.h"
#include "molejo/io/export.h"
#include "molejo/io/load.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo::cli {

namespace {

// The tables of the actors go to a folder that exists.
bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

void check_tables(const SimulateOptions& options, const Scene& scene) {
  for (const std::string& path : options.outputs) {
    if (!is_folder(path)) continue;
    if (scene.tables.empty()) {
      throw InputError(path + ": is a folder, but no actor of '" + options.scene + "' has a FILE");
    }
    for (const SceneTable& table : scene.tables) {
      check_output((std::filesystem::path(path) / table.file).string(), {ending(table.file)},
                   options.scene);
    }
  }
}

void check_outputs(const SimulateOptions& options) {
  std::set<std::string> seen;
  const auto check = [&](const std::string& path, const std::vector<std::string>& endings) {
    check_output(path, endings, options.scene);
    if (!options.command.empty()) check_output(path, endings, options.command);
    if (!seen.insert(std::filesystem::absolute(path).lexically_normal().string()).second) {
      throw InputError(path + ": given twice as output");
    }
  };
  for (const std::string& path : options.outputs) {
    if (is_folder(path)) continue;
    check(path, recording_endings());
  }
  if (!options.contacts.empty()) check(options.contacts, {".csv", ".json"});
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

// "name=value" on a variable of the scene; the value may have a unit.
void set_variable(const std::string& text, Scene& scene) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("--set: '{:.64}': expected NAME=VALUE", text));
  }
  const std::string name = text.substr(0, equals);
  std::vector<std::string> known;
  for (SceneDefinition& d : scene.definitions) {
    if (!d.value) continue;
    known.push_back(d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name);
    if (known.back() != name) continue;
    double value = 0;
    try {
      value = evaluate_number(text.substr(equals + 1), NoNames());
    } catch (const ExpressionError& e) {
      throw InputError(fmt::format("--set {:.64}: {}", text, e.what()));
    }
    if (!std::isfinite(value)) throw InputError(fmt::format("--set {:.64}: not finite", text));
    if ((d.lower && value < *d.lower) || (d.upper && value > *d.upper)) {
      throw InputError(
          fmt::format("--set {:.64}: must be from {:g} to {:g}", text, *d.lower, *d.upper));
    }
    d.value = value;
    return;
  }
  throw InputError("--set: " + unknown_word("variable", name, known));
}

// Of the table of commands, if one is given.
Run::Controller read_controller(const std::string& file, const Model& model) {
  if (file.empty()) return {};
  const auto table = std::make_shared<const CommandTable>(load_command_table(given(file), model));
  return [table](const State& state, Command<double>& command) { table->fill(state.t, command); };
}

// Told only where something may touch.
void print_contacts(const Model& model, const Recording& recording) {
  if (recording.contacts.empty()) return;
  const Summary& s = recording.summary;
  const ContactCounts counts = count_contacts(recording);
  print_row("contacts", fmt::format("{} begun, {} ended", counts.begun, counts.ended));
  if (s.impacts > 0) print_row("impacts", fmt::format("{}", s.impacts));
  print_row("largest penetration", fmt::format("{:.3g} m", s.largest_penetration));
  const int asleep = recording.frames.back().asleep;
  if (asleep == 0) return;
  print_row("asleep at last", fmt::format("{} of {} bodies", asleep, model.body_count()));
}

void print_works(const Recording& recording) {
  const auto all = works(recording);
  constexpr std::size_t shown = 8;
  double rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < shown) {
      print_row(i == 0 ? "work of forces" : "",
                fmt::format("{:.6g} J by {}", all[i].second, all[i].first));
    } else {
      rest += all[i].second;
    }
  }
  if (all.size() > shown) {
    print_row("", fmt::format("{:.6g} J by {} more", rest, all.size() - shown));
  }
}

void print_summary(const Scene& scene, const Settings& settings, const Model& model,
                   const Recording& recording) {
  const Summary& s = recording.summary;
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
  print_contacts(model, recording);
  print_works(recording);
  print_row("wall time",
            fmt::format("{:.3g} s, {:.0f} steps/s", s.wall_seconds, s.steps_per_second));
  print_row("hash", fmt::format("{:016x}", s.hash));
  for (const std::string& warning : s.warnings) print_row("warning", warning);
}

}  // namespace

int simulate(const SimulateOptions& options) {
  check_outputs(options);
  return options.watch ? watch(options) : simulate_scene(options, load_scene(given(options.scene)));
}

int simulate_scene(const SimulateOptions& options, Scene scene, const BetweenFrames& between) {
  check_tables(options, scene);
  apply(options, scene.settings);
  for (const std::string& text : options.settings) set_variable(text, scene);
  const Built built = build_loaded(scene, options.scene);
  check_units(built, options.units);
  print_warnings(scene.warnings);
  bool goes_on = true;
  const auto after_frame = [&](Run& world) {
    goes_on = !between || between(world);
    return goes_on;
  };
  const Recording recording =
      run(built, scene.settings, after_frame, read_controller(options.command, built.model));
  if (!goes_on) return success;

  // what was reached before an interrupt is written, if that does not take long
  Interrupt writing(1);
  std::optional<InterruptScope> scope;
  if (stop_signal().is_cancelled()) scope.emplace(writing, InterruptScope::Outer::is_ignored);
  const ForceArrows arrows{options.forces || options.force_scale, options.force_scale.value_or(0)};
  FileSet files;
  for (const std::string& path : options.outputs) {
    if (is_folder(path)) {
      add_tables(scene, built.model, recording, path, files);
    } else {
      add_output(path, scene, built.model, recording, arrows, files);
    }
  }
  if (!options.contacts.empty()) {
    files.add(options.contacts, contacts_text(options.contacts, built.model, recording));
  }
  files.commit();
  if (options.json) {
    fmt::print("{}\n", summary_json(recording));
  } else {
    print_summary(scene, scene.settings, built.model, recording);
    for (const std::string& path : options.outputs) print_row("wrote", path);
    if (!options.contacts.empty()) print_row("wrote", options.contacts);
  }
  if (!recording.summary.failure.empty()) {
    fmt::print(stderr, "molejo: stopped early: {}\n", recording.summary.failure);
    return numeric_failure;
  }
  return success;
}

}  // namespace molejo::cli

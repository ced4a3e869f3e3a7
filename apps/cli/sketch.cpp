// molejo sketch: a motion before it is trained, without gravity and without a ground.
#include "apps/cli/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "molejo/io/json_library.h"
#include "molejo/io/motion.h"
#include "molejo/locomotion/modes_words.h"
#include "molejo/math/angles.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

using Json = nlohmann::ordered_json;

std::vector<ShownMode> marked_modes(const Character& c, const Motion& motion,
                                    const Sketch& sketch) {
  std::vector<ShownMode> list;
  const Modes air = air_modes(c);
  for (int step = 0; step < sketch.steps(); ++step) {
    const std::vector<int>& feet = sketch.gait().steps[static_cast<std::size_t>(step)].feet;
    const Modes ground = ground_modes(c, feet);
    for (const SketchPhase phase : {SketchPhase::air, SketchPhase::ground}) {
      for (int mode = 1; mode <= sketch.modes(step, phase); ++mode) {
        const double amplitude = sketch.amplitude(step, phase, mode);
        if (amplitude == 0) continue;
        ShownMode shown{step, mode, phase, amplitude, 0, ""};
        if (motion.basis == Basis::joints) {
          shown.words = freedom_names(c)[static_cast<std::size_t>(mode - 1)];
        } else {
          const bool in_air = phase == SketchPhase::air;
          shown.words =
              mode_words(c, (in_air ? air : ground).phi.col(mode - 1), in_air ? -1 : feet.front())
                  .text();
        }
        list.push_back(std::move(shown));
      }
    }
  }
  return list;
}

void print_report(const SketchOptions& options, const Motion& motion, const Sketch& sketch,
                  const ShownSketch& played) {
  fmt::print("{}, without gravity and ground\n",
             motion.name.empty() ? options.motion : motion.name);
  fmt::print("  {:<24}{:g} s\n", "period", sketch.period());
  fmt::print("  {:<24}{:.3g} degrees\n", "largest joint turn", played.largest_turn / degree);
  fmt::print("  {:<24}{:.0f} times real time\n\n", "simulated", played.times_real_time);
  fmt::print("  {:>4}  {:<6}  {:>4}  {:>9}  {:>7}  {}\n", "step", "phase", "mode", "amplitude",
             "swing", "shape");
  for (const ShownMode& m : played.modes) {
    fmt::print("  {:>4}  {:<6}  {:>4}  {:>9.3g}  {:>7.1f}  {}\n", m.step + 1, to_string(m.phase),
               m.mode, m.amplitude, m.reached / degree, m.words);
  }
}

Json to_json(const SketchOptions& options, const Motion& motion, const Sketch& sketch,
             const ShownSketch& played) {
  Json modes = Json::array();
  for (const ShownMode& m : played.modes) {
    modes.push_back({{"step", m.step + 1},
                     {"phase", to_string(m.phase)},
                     {"mode", m.mode},
                     {"amplitude", m.amplitude},
                     {"swing", m.reached},
                     {"shape", m.words}});
  }
  return {{"file", options.motion},
          {"name", motion.name},
          {"period", sketch.period()},
          {"seconds", options.seconds},
          {"largest_turn", played.largest_turn},
          {"times_real_time", played.times_real_time},
          {"modes", std::move(modes)}};
}

}  // namespace

const char* to_string(SketchPhase phase) { return phase == SketchPhase::air ? "air" : "ground"; }

ShownSketch look_at_sketch(const Character& c, const Motion& motion, Sketch& sketch,
                           double seconds) {
  ShownSketch played;
  played.modes = marked_modes(c, motion, sketch);
  sketch.restart();
  const auto start = std::chrono::steady_clock::now();
  sketch.advance(seconds);
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  played.times_real_time = seconds / std::max(wall, 1e-9);
  sketch.restart();
  const int looks = std::min(100000, 1 + static_cast<int>(seconds * 100));
  for (int n = 0; n < looks; ++n) {
    sketch.advance(seconds / looks);
    const VecX turn = difference(c.model, c.rest.q, sketch.state().q);
    played.largest_turn = std::max(
        played.largest_turn, turn.segment(c.first_internal, c.internal).cwiseAbs().maxCoeff());
    if (motion.basis == Basis::joints) continue;
    for (ShownMode& m : played.modes) {
      const double a = sketch.modal_amplitude(m.step, m.phase, m.mode);
      if (std::fabs(a) > std::fabs(m.reached)) m.reached = a;
    }
  }
  return played;
}

int sketch(const SketchOptions& options) {
  if (!options.output.empty()) {
    check_output(options.output, recording_endings(), options.motion);
  }
  const MotionFile file = load_motion(given(options.motion));
  const Character character = make_character(file.scene, file.motion.figure);
  Sketch sketch(character, file.motion);
  const ShownSketch played = look_at_sketch(character, file.motion, sketch, options.seconds);
  if (!options.output.empty()) {
    const Recording recording = record_sketch(character, sketch, options.seconds, 60);
    FileSet files;
    add_output(options.output, *character.scene, character.model, recording, {}, files);
    files.commit();
  }
  if (options.json) {
    fmt::print("{}\n", to_json(options, file.motion, sketch, played)
                           .dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_report(options, file.motion, sketch, played);
    if (!options.output.empty()) fmt::print("\n  {:<24}{}\n", "wrote", options.output);
  }
  return success;
}

}  // namespace molejo::cli

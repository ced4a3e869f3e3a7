// molejo gait: a gait replayed, checked again, and told what it is worth.
#include "apps/cli/gait.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "apps/cli/rows.h"
#include "molejo/io/json_library.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/math/pack.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

using Json = nlohmann::ordered_json;

// "NEWTONS@DEGREES[:START[:DURATION]]" on the middle of the torso.
GaitPush read_push(const Character& character, const std::string& text) {
  double values[] = {0, 0, 1, 0.2};  // force, direction, start, duration
  const char* at = text.c_str();
  int count = 0;
  bool good = true;
  while (good && count < 4) {
    char* end = nullptr;
    const bool plain =
        *at != '\0' && std::string_view("0123456789+-.").find(*at) != std::string_view::npos;
    values[count] = plain ? std::strtod(at, &end) : 0;
    good = plain && end != at && std::fabs(values[count]) <= 1e6;
    if (!good) break;
    ++count;
    if (*end == '\0') break;
    good = *end == (count == 1 ? '@' : ':') && count < 4;
    at = end + 1;
  }
  if (!good || count < 2 || values[2] < 0 || values[3] < 0) {
    throw InputError(fmt::format(
        "--push: '{:.40}': expected NEWTONS@DEGREES[:START[:DURATION]], such as 350@90:1:0.2",
        text));
  }
  const SinCos<double> direction = sincos(radians(values[1]));
  const Link& torso = character.model.links[static_cast<std::size_t>(character.torso.index)];
  GaitPush push;
  push.body = character.torso.index;
  push.p = torso.p_BM + torso.p_MC;
  push.force = (character.forward * direction.cos + character.left * direction.sin) * values[0];
  push.from = values[2], push.until = values[2] + values[3];
  return push;
}

void check_outputs(const GaitOptions& options) {
  std::set<std::string> seen;
  for (const std::string& path : options.outputs) {
    check_output(path, recording_endings(), options.file);
    if (!seen.insert(std::filesystem::absolute(path).lexically_normal().string()).second) {
      throw InputError(path + ": given twice as output");
    }
  }
  if (options.seconds * options.fps > 1e6) {
    throw InputError(fmt::format("{:g} s at {:g} frames per second are more than a million frames",
                                 options.seconds, options.fps));
  }
}

// Unless told otherwise an arrow of a metre is twice the weight.
ForceArrows force_arrows(const GaitOptions& options, const Model& model) {
  double mass = 0;
  for (const Link& link : model.links) mass += link.mass;
  const bool drawn = options.forces || options.force_scale.has_value();
  return {drawn, options.force_scale.value_or(2 * mass * norm(model.gravity))};
}

// A state that is put back needs none.
bool with_feedback(const GaitFile& file, const GaitOptions& options) {
  return file.feedback && !options.open_loop && !options.reset;
}

Json to_json(const GaitFile& file, const GaitCheck& check, const ReplayReport& r,
             const GaitOptions& options) {
  Json terms = Json::object();
  for (int i = 0; i < easy_terms; ++i) {
    terms[std::string(to_string(static_cast<EasyTerm>(i)))] =
        check.result.terms[static_cast<std::size_t>(i)];
  }
  terms["others"] = check.others;
  return {{"file", options.file},
          {"name", file.motion.motion.name},
          {"valid", check.valid()},
          {"easy_terms", std::move(terms)},
          {"priority_bounds_hold", check.priority},
          {"cyclic_error", check.cyclic_error},
          {"cyclic_error_of", check.worst},
          {"sketch_fails", check.sketch_fails},
          {"objective", check.objective},
          {"replay",
           {{"reset", options.reset},
            {"feedback", with_feedback(file, options)},
            {"seconds", r.seconds},
            {"steps", r.steps},
            {"fell", r.fell},
            {"distance", r.distance},
            {"speed", r.speed},
            {"cost_of_transport", r.cost_of_transport},
            {"energy", r.energy},
            {"duty_factor", r.duty_factor},
            {"peak_force", r.peak_force},
            {"cyclic_error", r.cyclic_error},
            {"worst_cyclic_error", r.worst_cyclic_error}}},
          {"found",
           {{"seed", file.seed},
            {"evaluations", file.evaluations},
            {"restarts", file.restarts},
            {"seconds", file.seconds}}}};
}

void print_check(const GaitCheck& check) {
  print_row("valid", check.valid() ? "yes" : "NO");
  for (int i = 0; i < easy_terms; ++i) {
    const double term = check.result.terms[static_cast<std::size_t>(i)];
    print_row(i == 0 ? "easy constraints" : "",
              fmt::format("{:<12} {}", to_string(static_cast<EasyTerm>(i)),
                          term == 0 ? "holds" : fmt::format("BROKEN by {:.3g}", term)));
  }
  print_row(
      "", fmt::format("{:<12} {}", "others",
                      check.others == 0 ? "holds" : fmt::format("BROKEN by {:.3g}", check.others)));
  print_row("priority modes", check.priority ? "keep sign and amplitude" : "BROKEN");
  print_row("cyclic error",
            fmt::format("{:.3g} tolerances, most in {}", check.cyclic_error, check.worst));
  print_row("sketch alone", check.sketch_fails ? "fails, as it should" : "is valid already");
}

void print_report(const GaitFile& file, const GaitCheck& check, const ReplayReport& r,
                  const GaitOptions& options) {
  const std::string& name = file.motion.motion.name;
  fmt::print("{}\n", name.empty() ? options.file : name);
  print_check(check);
  print_row("found with", fmt::format("seed {}, {} evaluations, {} restarts, {:.1f} s", file.seed,
                                      file.evaluations, file.restarts, file.seconds));
  const char* way = options.reset                  ? "with reset"
                    : with_feedback(file, options) ? "with feedback"
                                                   : "open loop";
  print_row("replay",
            r.fell ? fmt::format("{}: {} steps in {:.3g} s before it fell", way, r.steps, r.seconds)
                   : fmt::format("{}: {} steps in {:.3g} s, on its feet", way, r.steps, r.seconds));
  print_row("speed", fmt::format("{:.3g} m/s over {:.3g} m", r.speed, r.distance));
  print_row("cost of transport", fmt::format("{:.3g}", r.cost_of_transport));
  print_row("energy", fmt::format("{:.4g} (N m)^2", r.energy));
  print_row("duty factor", fmt::format("{:.3g}", r.duty_factor));
  print_row("peak ground force", fmt::format("{:.3g} body weights", r.peak_force));
  print_row("largest cyclic error", fmt::format("{:.3g} tolerances", r.worst_cyclic_error));
}

}  // namespace

PlayableGait::PlayableGait(const std::string& path)
    : file(load_gait(given(path))),
      character(make_character(file.motion.scene, file.motion.motion.figure)),
      problem(character, file.motion.motion) {
  if (file.unknowns.size() != static_cast<std::size_t>(problem.size())) {
    throw InputError(fmt::format("{}: /found/unknowns: {} numbers, expected {}", path,
                                 file.unknowns.size(), problem.size()));
  }
  if (!file.feedback) return;
  check_feedback(problem, *file.feedback, path);
  feedback = feedback_hook(problem, file.unknowns, file.feedback->feedback);
}

Scene shown_scene(const Character& c, const Motion& motion, const Recording& recording) {
  Scene scene = *c.scene;
  if (!motion.name.empty()) scene.name = motion.name;
  if (recording.frames.empty()) return scene;
  const auto torso = static_cast<std::size_t>(c.torso.index);
  const Vec3 first = recording.frames.front().X_WB[torso].p;
  const Vec3 last = recording.frames.back().X_WB[torso].p;
  const double height = dot(first, c.up);
  // half of the way, and the figure at both ends
  constexpr double half_view = 0.36;  // tangent of half the angle, 40 degrees
  const double distance = (norm(last - first) / 2 + height) / half_view;
  scene.camera.fov_deg = 40;
  scene.camera.target = (first + last) * 0.5;
  scene.camera.position = scene.camera.target - c.left * distance + c.up * (0.15 * distance);
  return scene;
}

int gait(const GaitOptions& options) {
  check_outputs(options);
  const PlayableGait playable(options.file);
  const auto& [file, character, problem, feedback] = playable;
  ReplayOptions replay_options;
  replay_options.seconds = options.seconds, replay_options.fps = options.fps;
  replay_options.reset = options.reset;
  replay_options.record = !options.outputs.empty();
  for (const std::string& text : options.pushes) {
    replay_options.pushes.push_back(read_push(character, text));
  }
  const GaitCheck check = check_gait(problem, file.unknowns);
  const Replay played = replay(problem, file.unknowns, replay_options,
                               with_feedback(file, options) ? feedback : BetweenCycles());
  const Scene scene = shown_scene(character, file.motion.motion, played.recording);
  const ForceArrows arrows = force_arrows(options, character.model);
  FileSet files;
  for (const std::string& path : options.outputs) {
    add_output(path, scene, character.model, played.recording, arrows, files);
  }
  files.commit();
  if (options.json) {
    fmt::print("{}\n", to_json(file, check, played.report, options)
                           .dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_report(file, check, played.report, options);
    for (const std::string& path : options.outputs) print_row("wrote", path);
  }
  return check.valid() ? success : not_found;
}

}  // namespace molejo::cli

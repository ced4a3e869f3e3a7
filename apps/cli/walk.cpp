// molejo walk: a clip made for a flat floor goes over any ground.
#include "apps/cli/walk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/numbers.h"
#include "apps/cli/outputs.h"
#include "molejo/io/character_file.h"
#include "molejo/io/walk_glb.h"
#include "molejo/math/angles.h"
#include "molejo/math/words.h"
#include "molejo/model/error.h"
#include "molejo/navigation/quality.h"

namespace molejo::cli {

namespace {

using Clock = std::chrono::steady_clock;
using navigation::Plan;
using navigation::Solver;

constexpr double usual_duration = 10;  // s

bool parse_number(const std::string& text, double& value) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

// "x,y x,y ..."
Plan path_plan(const std::string& text, bool loop) {
  Plan plan;
  plan.kind = Plan::Kind::path;
  plan.loop = loop;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t;", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t;", at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t comma = word.find(',');
    navigation::WayPoint p;
    const bool good = comma != std::string::npos && parse_number(word.substr(0, comma), p.x) &&
                      parse_number(word.substr(comma + 1), p.y) &&
                      std::fabs(p.x) <= farthest_terrain && std::fabs(p.y) <= farthest_terrain;
    if (!good) {
      throw InputError(
          fmt::format("--path: '{:.40}': expected way-points in metres, \"x,y x,y\"", word));
    }
    plan.path.push_back(p);
    if (plan.path.size() > max_way_points) {
      throw InputError(fmt::format("--path: more than {} way-points", max_way_points));
    }
    at = end;
  }
  if (plan.path.empty()) throw InputError("--path: expected way-points in metres, \"x,y x,y\"");
  return plan;
}

// A file, or a formula of x and y.
std::vector<Terrain> terrains_of(const std::string& text, double duration) {
  std::error_code error;
  if (text.ends_with(".json") || std::filesystem::exists(text, error))
    return load_terrains(given(text));
  // as far as one may get
  const double half = std::clamp(5 + 2 * duration, 10.0, 100.0);
  return {formula_terrain(text.empty() ? "0" : text, half, "--terrain")};
}

void set_ground(WalkScene& scene, const std::string& terrain) {
  scene.terrains = terrains_of(terrain, scene.duration);
  scene.ground = std::make_shared<const motion::Ground>(ground_of(scene.terrains));
}

WalkScene scene_of_character(const WalkOptions& o) {
  WalkScene scene;
  scene.duration =
      o.duration ? number("--duration", *o.duration, bounds_of::walk_duration) : usual_duration;
  set_ground(scene, o.terrain);
  WalkActor actor;
  actor.name = std::filesystem::path(o.file).stem().string();
  WalkSources sources;
  sources.character = given(o.file);
  sources.walk.clip = o.clip;
  if (!o.walk.empty()) sources.walk.file = given(o.walk);
  if (!o.idle.empty()) sources.idle = ClipSource{given(o.idle), ""};
  WalkCast().fill(sources, actor);
  actor.plan.kind = Plan::Kind::heading;
  scene.actors.push_back(std::move(actor));
  return scene;
}

WalkScene scene_of(const WalkOptions& o) {
  const bool is_scene = is_walk_scene(o.file);
  if (!is_scene && !is_character_file(o.file)) {
    throw InputError(o.file + ": expected a character (.glb .gltf .vrm .bvh) or a .walk.json");
  }
  if (is_scene) {
    const std::pair<const char*, bool> strangers[] = {
        {"--clip", !o.clip.empty()},          {"--walk", !o.walk.empty()},
        {"--idle", !o.idle.empty()},          {"--path", !o.path.empty()},
        {"--heading", o.heading.has_value()}, {"--scale", o.scale.has_value()}};
    for (const auto& [option, given] : strangers) {
      if (given) throw InputError(fmt::format("{}: the scene says that itself", option));
    }
  }
  WalkScene scene = is_scene ? load_walk_scene(given(o.file)) : scene_of_character(o);
  if (is_scene && !o.terrain.empty()) set_ground(scene, o.terrain);
  if (!is_scene) {
    WalkActor& actor = scene.actors.front();
    if (!o.path.empty() && o.heading) throw InputError("--path and --heading: only one of them");
    if (!o.path.empty()) actor.plan = path_plan(o.path, o.loop);
    if (o.heading) {
      actor.start.heading = number("--heading", *o.heading, bounds_of::heading) * degree;
      actor.plan.heading = actor.start.heading;
    }
    if (o.scale) actor.start.scale = number("--scale", *o.scale, bounds_of::figure_scale);
  }
  if (o.loop && o.path.empty()) throw InputError("--loop: needs --path");
  if (o.duration) scene.duration = number("--duration", *o.duration, bounds_of::walk_duration);
  if (o.fps) scene.fps = number("--fps", *o.fps, bounds_of::walk_fps);
  if (!o.solver.empty()) {
    const auto solver = parse_solver(o.solver);
    if (!solver) throw InputError("--solver: " + unknown_word("solver", o.solver, solver_words()));
    for (WalkActor& actor : scene.actors) actor.solver = *solver;
  }
  return scene;
}

// "frame 300 of 600" on one line of a terminal, once a run takes long.
class FrameLine {
 public:
  FrameLine(const char* what, int frames) : what_(what), frames_(frames) {}
  void tell(int frame) {
    if (!terminal_ || std::chrono::duration<double>(Clock::now() - last_).count() < 0.5) return;
    last_ = Clock::now();
    fmt::print(stderr, "\r\x1b[K  {}: frame {} of {}", what_, frame, frames_);
    std::fflush(stderr);
    shown_ = true;
  }
  ~FrameLine() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  const char* what_;
  int frames_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0, shown_ = false;
  Clock::time_point last_ = Clock::now();
};

void write_all(const WalkScene& scene, const WalkRun& run, const WalkOptions& o) {
  FileSet files;
  for (const std::string& path : o.outputs) {
    if (ending(path) == ".glb") {
      files.add(path, walk_glb(scene, run.record, {.curves = o.curves}));
      continue;
    }
    const motion::Clip clip =
        navigation::adapted_clip(run.record.characters.front(), scene.fps, "walk");
    files.add(path, bvh_text(*scene.actors.front().character, clip, {scene.fps}));
  }
  files.commit();
}

void check_outputs(const WalkOptions& o) {
  for (const std::string& path : o.outputs) check_output(path, {".glb", ".bvh"}, o.file);
  const bool glb = std::any_of(o.outputs.begin(), o.outputs.end(),
                               [](const std::string& path) { return ending(path) == ".glb"; });
  if (o.curves && !glb) throw InputError("--curves: only a .glb shows curves");
}

}  // namespace

WalkRun run_walk(const WalkScene& scene, std::optional<Solver> solver) {
  navigation::Stage stage = make_stage(scene, solver);
  WalkRun run;
  const Solver first = solver.value_or(scene.actors.front().solver);
  run.judgement.solver = molejo::to_string(first);
  for (const WalkActor& actor : scene.actors) {
    if (!solver && actor.solver != first) run.judgement.solver = "adapted";
  }
  std::vector<navigation::WalkCost> costs(scene.actors.size());
  for (int i = 0; i < stage.size(); ++i) {
    stage.walker(i).measure(&costs[static_cast<std::size_t>(i)]);
  }
  FrameLine line(run.judgement.solver.c_str(), scene.frames());
  run.record = navigation::run(stage, {.fps = scene.fps,
                                       .frames = scene.frames(),
                                       .tell = [&line](int frame) { line.tell(frame); }});
  for (std::size_t i = 0; i < costs.size(); ++i) {
    run.judgement.characters.push_back(
        navigation::quality_of(run.record.characters[i], *scene.ground, scene.fps));
    run.judgement.costs.push_back(navigation::frame_cost(costs[i]));
  }
  return run;
}

CLI::App* add_walk(CLI::App& app, WalkOptions& o) {
  CLI::App* command =
      app.add_subcommand("walk", "Fit a walk to any ground, export it and judge the result");
  command->add_option("FILE", o.file, "Character: .glb .gltf .vrm .bvh, or a scene: .walk.json")
      ->type_name("");
  command
      ->add_option("--clip", o.clip, "Clip to use as the walk; the beginning of its name is enough")
      ->type_name("NAME");
  command->add_option("--walk", o.walk, "File that holds the walk, if it is not FILE")
      ->type_name("FILE");
  command->add_option("--idle", o.idle, "File with a clip for standing")->type_name("FILE");
  command
      ->add_option(
          "--terrain", o.terrain,
          "Ground: a .json file, or a formula such as \"0.2*sin(x)*cos(y)\" (default: flat)")
      ->type_name("FILE|FORMULA");
  command->add_option("--path", o.path, "Waypoints in metres, starting from the origin")
      ->type_name("\"X,Y X,Y ...\"");
  command->add_flag("--loop", o.loop, "Go from the last waypoint back to the first");
  command
      ->add_option("--heading", o.heading,
                   "Walk straight on in this direction, counted from x to the left (default: 0)")
      ->type_name("DEGREES");
  command->add_option("--duration", o.duration, "Duration (default: the scene's, or 10)")
      ->type_name("SECONDS");
  command->add_option("--fps", o.fps, "Frames per second (default: the scene's, or 30)")
      ->type_name("NUMBER");
  command->add_option("--scale", o.scale, "Metres per unit of length of the model")
      ->type_name("NUMBER");
  command->add_option("--solver", o.solver, "adaptive, or gradient_descent as in Matthey's thesis")
      ->type_name("NAME");
  command->add_flag("--compare", o.compare, "Judge gradient_descent as well, side by side");
  command->add_flag("--curves", o.curves, "Draw the paths of the feet and hips in the .glb");
  command
      ->add_option("-o,--output", o.outputs,
                   "File to write: .glb, or .bvh for one character; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", o.json, "Print the report as one JSON object");
  return command;
}

int walk(const WalkOptions& o) {
  check_outputs(o);
  const WalkScene scene = scene_of(o);
  const bool bvh = std::any_of(o.outputs.begin(), o.outputs.end(),
                               [](const std::string& path) { return ending(path) == ".bvh"; });
  if (bvh && scene.actors.size() > 1) {
    throw InputError(o.file + ": a .bvh holds one character, the scene has more");
  }
  const auto about = [&](const auto& action) {
    try {
      return action();
    } catch (const InputError& e) {
      const std::string text = e.what();
      throw InputError(text.starts_with(o.file) ? text : o.file + ": " + text);
    }
  };
  const WalkRun run = about([&] { return run_walk(scene, std::nullopt); });
  std::optional<WalkRun> baseline;
  if (o.compare) baseline = about([&] { return run_walk(scene, Solver::gradient_descent); });
  write_all(scene, run, o);
  const WalkJudgement* base = baseline ? &baseline->judgement : nullptr;
  if (o.json) {
    JsonValue root = JsonValue::object();
    root.add("frames", JsonValue(static_cast<double>(run.record.frames())));
    root.add("fps", JsonValue(scene.fps));
    root.add("duration", JsonValue(scene.duration));
    root.add("characters", walk_report_json(run.judgement, base));
    fmt::print("{}", pretty_text(root));
  } else {
    fmt::print("{}", walk_report_text(run.judgement, base));
  }
  return success;
}

}  // namespace molejo::cli

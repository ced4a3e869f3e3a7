#include "molejo/studio/walk_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/walk_columns.h"
#include "molejo/io/walk_glb.h"
#include "molejo/io/walk_report.h"
#include "molejo/model/error.h"
#include "molejo/studio/model_view.h"

namespace molejo {

namespace {

constexpr double longest_glb = 600;  // s
constexpr double formula_half = 60;  // m, of a terrain by a formula

// A walk from its file; a character alone goes straight on over flat ground.
WalkScene load_walk(const BenchOptions& options) {
  if (is_walk_scene(options.file.name())) return load_walk_scene(options.file);
  WalkScene scene;
  scene.name = stem_of(options.name);
  std::replace(scene.name.begin(), scene.name.end(), '_', ' ');
  scene.terrains = {formula_terrain("0", 60, "terrain")};
  scene.ground = std::make_shared<const motion::Ground>(ground_of(scene.terrains));
  WalkActor actor;
  actor.name = scene.name;
  WalkSources sources;
  sources.character = options.file;
  WalkCast().fill(sources, actor);
  actor.plan.kind = navigation::Plan::Kind::heading;
  scene.actors.push_back(std::move(actor));
  return scene;
}

}  // namespace

WalkBench::WalkBench(BenchOptions options)
    : Playback({}, options.outputs),
      options_(std::move(options)),
      line_(load_walk(options_), shown_fps, options_.history) {
  for (int i = 0; i < line_.size(); ++i) {
    figure_assets_.push_back(figure_asset(i));
    add_columns(i);
  }
  add_words();
}

// Characters from one file share their asset.
std::string WalkBench::figure_asset(int i) {
  const motion::Character& c = *line_.scene().actors[static_cast<std::size_t>(i)].character;
  std::string& asset = figures_[&c];
  if (asset.empty()) {
    asset = options_.workspace->add_asset(fmt::format("figure{}.glb", i),
                                          figure_glb(c, line_.shown(i).track.pose, i));
  }
  return asset;
}

void WalkBench::add_words() {
  add_word("steer", [this](const Message& c) { return steer(c); });
  add_word("goto", [this](const Message& c) { return go_to(c); });
  add_word("sculpt", [this](const Message& c) { return sculpt(c); });
  add_word("terrain", [this](const Message& c) { return set_terrain(c); });
  add_word("level", [this](const Message&) {
    line_.level();
    tell_ground();
    return std::string();
  });
  add_word("add", [this](const Message& c) { return add_character(c); });
  add_word("options", [this](const Message& c) { return set_options(c); });
  add_word("quality", [this](const Message& c) {
    tells_quality_ = c.flag_or("on", true);
    return std::string();
  });
}

std::string WalkBench::steer(const Message& message) {
  navigation::Steering steering;
  steering.walk = message.flag_or("walk", true);
  steering.turn = message.find("turn") ? message.number_within("turn", -10, 10) : 0;
  steering.rate = message.find("rate") ? message.number_within("rate", 0.1, 3) : 1;
  line_.steer(line_.character(message.text_or("character", "")), steering);
  tell_ways();
  return {};
}

std::string WalkBench::go_to(const Message& message) {
  std::vector<navigation::WayPoint> path;
  const JsonValue& list = message.need("path", JsonValue::Kind::array, "[[x, y], ...]");
  if (list.items.size() > max_way_points) throw InputError("'path': too many way-points");
  for (const JsonValue& p : list.items) {
    const bool good = p.is(JsonValue::Kind::array) && p.items.size() == 2 &&
                      p.items[0].is(JsonValue::Kind::number) &&
                      p.items[1].is(JsonValue::Kind::number) &&
                      std::fabs(p.items[0].number) <= farthest_terrain &&
                      std::fabs(p.items[1].number) <= farthest_terrain;
    if (!good) throw InputError("'path': expected [[x, y], ...] in metres");
    path.push_back({p.items[0].number, p.items[1].number});
  }
  line_.go_to(line_.character(message.text_or("character", "")), path,
              message.flag_or("loop", false), message.flag_or("behind", false));
  tell_ways();
  return {};
}

// Which way-points are left, if that has changed.
void WalkBench::tell_ways() {
  std::string list;
  for (int i = 0; i < line_.size(); ++i) {
    std::string way;
    for (const navigation::WayPoint& p : line_.way(i)) {
      way += fmt::format("{}[{:.7g},{:.7g}]", way.empty() ? "" : ",", p.x, p.y);
    }
    list += (list.empty() ? "[" : ",[") + way + "]";
  }
  if (list == ways_told_) return;
  ways_told_ = list;
  tell_all("{\"event\":\"ways\",\"ways\":[" + list + "]}");
}

std::string WalkBench::add_character(const Message& message) {
  const int like = line_.character(message.text_or("character", ""));
  const int added = line_.add(std::max(like, 0), message.number("x"), message.number("y"));
  figure_assets_.push_back(figure_asset(added));
  add_columns(added);
  const JsonValue described = describe_character(added);
  tell_all("{\"event\":\"character\",\"character\":" + compact_text(described, std::string::npos) +
           "}");
  changed();
  return fmt::format("\"name\":{}", json_quoted(described.find("name")->text));
}

std::string WalkBench::sculpt(const Message& message) {
  const Bump bump{message.number("x"), message.number("y"), message.number("radius"),
                  message.number("height")};
  line_.sculpt(bump);
  terrain_assets_.clear();
  tell_all(fmt::format(
      "{{\"event\":\"sculpted\",\"x\":{:.7g},\"y\":{:.7g},\"radius\":{:.7g},\"height\":{:.7g}}}",
      bump.x, bump.y, bump.radius, bump.height));
  return {};
}

// By a formula or by a file.
std::string WalkBench::set_terrain(const Message& message) {
  if (message.find("file")) {
    const std::string file = message.text("file");
    line_.set_terrains(load_terrains(options_.workspace->find(file).file));
    terrain_file_ = file, elevation_.clear();
  } else {
    const std::string text = message.text("elevation");
    line_.set_terrains({formula_terrain(text, formula_half, "elevation")});
    elevation_ = text, terrain_file_.clear();
  }
  tell_ground();
  return {};
}

void WalkBench::tell_ground() {
  terrain_assets_.clear();
  JsonValue json = JsonValue::object();
  json.add("event", std::string("terrain"));
  json.add("elevation", elevation_);
  json.add("ground", terrain_file_);
  json.add("terrains", describe_terrains());
  tell_all(compact_text(json, std::string::npos));
}

std::string WalkBench::set_options(const Message& message) {
  std::optional<navigation::Solver> solver;
  if (message.find("solver")) {
    solver = parse_solver(message.text("solver"));
    if (!solver) throw InputError(unknown_word("solver", message.text("solver"), solver_words()));
  }
  const auto given = [&](const char* key) -> std::optional<bool> {
    return message.find(key) ? std::optional(message.flag_or(key, true)) : std::nullopt;
  };
  const auto kinematics = given("inverse_kinematics"), correction = given("stride_correction"),
             validation = given("stride_validation");
  line_.set_options(line_.character(message.text_or("character", "")), [&](WalkActor& actor) {
    actor.solver = solver.value_or(actor.solver);
    for (bool* flag : {&actor.adaptive.inverse_kinematics, &actor.thesis.inverse_kinematics}) {
      *flag = kinematics.value_or(*flag);
    }
    for (bool* flag : {&actor.adaptive.stride_correction, &actor.thesis.stride_correction}) {
      *flag = correction.value_or(*flag);
    }
    for (bool* flag : {&actor.adaptive.stride_validation, &actor.thesis.stride_validation}) {
      *flag = validation.value_or(*flag);
    }
  });
  return {};
}

Export WalkBench::prepare_export(const std::string& what, double from, double to) const {
  auto record = std::make_shared<navigation::WalkRecord>(line_.record(from, to));
  if (record->frames() == 0) throw InputError("'from': nothing was recorded in this range");
  if (record->frames() > longest_glb * shown_fps) {
    throw InputError(fmt::format("'to': expected {:g} s at most", longest_glb));
  }
  const double begin = line_.history().some(from, to, 1).front()->t;
  return {stem_of(options_.name) + "." + what,
          [what, record, begin, scene = line_.snapshot()](const std::function<void(double)>& tell) {
            tell(0.1);
            if (what == "glb") return walk_glb(scene, *record);
            if (what == "csv") return walk_csv(*record, *scene.ground, begin);
            const motion::Clip clip =
                navigation::adapted_clip(record->characters.front(), record->fps, "walk");
            return bvh_text(*scene.actors.front().character, clip, {record->fps});
          }};
}

std::string WalkBench::command_line() const {
  std::string text = fmt::format("molejo walk {} --duration {:.4g}", shell_word(options_.path),
                                 std::max(line_.end(), 0.1));
  if (!elevation_.empty()) text += " --terrain " + shell_word(elevation_);
  if (!terrain_file_.empty()) {
    text += " --terrain " + shell_word(options_.workspace->find(terrain_file_).path);
  }
  return text + " -o " + stem_of(options_.name) + "-walk.glb";
}

}  // namespace molejo

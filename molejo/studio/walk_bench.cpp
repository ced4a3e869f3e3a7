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

constexpr double shown_fps = 60;
constexpr double quality_interval = 0.5, quality_window = 3;  // s
constexpr std::size_t most_judged = 4;
constexpr double longest_glb = 600;          // s
constexpr double stance_window = 3;          // s that are looked back for a plot
constexpr std::size_t most_described = 200;  // columns

// A walk from its file; a character alone goes straight on over flat ground.
WalkScene load_walk(const BenchOptions& options) {
  if (is_walk_scene(options.path)) return load_walk_scene(options.path);
  WalkScene scene;
  scene.name = stem_of(options.name);
  scene.terrains = {formula_terrain("0", 60, "terrain")};
  scene.ground = std::make_shared<const motion::Ground>(ground_of(scene.terrains));
  WalkActor actor;
  actor.name = scene.name;
  WalkSources sources;
  sources.character = options.path;
  WalkCast().fill(sources, actor);
  actor.plan.kind = navigation::Plan::Kind::heading;
  scene.actors.push_back(std::move(actor));
  return scene;
}

JsonValue numbers(const std::vector<int>& list) {
  JsonValue json = JsonValue::array();
  for (const int x : list) json.items.emplace_back(static_cast<double>(x));
  return json;
}

JsonValue option_json(const WalkActor& actor) {
  JsonValue json = JsonValue::object();
  const bool adaptive = actor.solver == navigation::Solver::adaptive;
  json.add("solver", std::string(to_string(actor.solver)));
  const auto flag = [&](const char* key, bool a, bool b) {
    json.add(key, JsonValue::of(adaptive ? a : b));
  };
  flag("inverse_kinematics", actor.adaptive.inverse_kinematics, actor.thesis.inverse_kinematics);
  flag("stride_correction", actor.adaptive.stride_correction, actor.thesis.stride_correction);
  flag("stride_validation", actor.adaptive.stride_validation, actor.thesis.stride_validation);
  return json;
}

}  // namespace

WalkBench::WalkBench(BenchOptions options)
    : Playback({}, options.outputs),
      options_(std::move(options)),
      line_(load_walk(options_), shown_fps, options_.history) {
  const auto& actors = line_.scene().actors;
  // characters from one file share their asset
  std::map<const motion::Character*, std::string> known;
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const motion::Character& c = *actors[i].character;
    std::string& asset = known[&c];
    if (asset.empty()) {
      const motion::SkeletonPose& pose = line_.moment().characters[i].pose;
      asset = options_.workspace->add_asset(fmt::format("figure{}.glb", i),
                                            figure_glb(c, pose, static_cast<int>(i)));
    }
    figure_assets_.push_back(asset);
  }
  for (int i = 0; i < line_.stage().size(); ++i) {
    first_columns_.push_back(columns_.size());
    const std::vector<Column> own =
        walk_columns(line_.stage().name(i), line_.stage().walker(i).rig());
    columns_.insert(columns_.end(), own.begin(), own.end());
  }
  add_words();
}

void WalkBench::add_words() {
  add_word("steer", [this](const Command& c) { return steer(c); });
  add_word("goto", [this](const Command& c) { return go_to(c); });
  add_word("sculpt", [this](const Command& c) { return sculpt(c); });
  add_word("terrain", [this](const Command& c) { return set_elevation(c); });
  add_word("options", [this](const Command& c) { return set_options(c); });
  add_word("quality", [this](const Command& c) {
    tells_quality_ = c.flag_or("on", true);
    return std::string();
  });
}

std::string WalkBench::steer(const Command& command) {
  navigation::Steering steering;
  steering.walk = command.flag_or("walk", true);
  steering.turn = command.find("turn") ? command.number_within("turn", -10, 10) : 0;
  steering.rate = command.find("rate") ? command.number_within("rate", 0.1, 3) : 1;
  line_.steer(line_.character(command.text_or("character", "")), steering);
  return {};
}

std::string WalkBench::go_to(const Command& command) {
  std::vector<navigation::WayPoint> path;
  const JsonValue& list = command.need("path", JsonValue::Kind::array, "[[x, y], ...]");
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
  line_.go_to(line_.character(command.text_or("character", "")), path,
              command.flag_or("loop", false));
  return {};
}

std::string WalkBench::sculpt(const Command& command) {
  const Bump bump{command.number("x"), command.number("y"), command.number("radius"),
                  command.number("height")};
  line_.sculpt(bump);
  terrain_assets_.clear();
  tell_all(fmt::format(
      "{{\"event\":\"sculpted\",\"x\":{:.7g},\"y\":{:.7g},\"radius\":{:.7g},\"height\":{:.7g}}}",
      bump.x, bump.y, bump.radius, bump.height));
  return {};
}

std::string WalkBench::set_elevation(const Command& command) {
  const std::string text = command.text("elevation");
  line_.set_elevation(text);
  elevation_ = text;
  terrain_assets_.clear();
  std::string list;
  for (const std::string& asset : terrain_assets()) {
    list += (list.empty() ? "" : ",") + fmt::format("{{\"asset\":{}}}", quoted(asset));
  }
  tell_all(fmt::format("{{\"event\":\"terrain\",\"elevation\":{},\"terrains\":[{}]}}", quoted(text),
                       list));
  return fmt::format("\"terrains\":[{}]", list);
}

std::string WalkBench::set_options(const Command& command) {
  std::optional<navigation::Solver> solver;
  if (command.find("solver")) {
    solver = parse_solver(command.text("solver"));
    if (!solver) throw InputError(unknown_word("solver", command.text("solver"), solver_words()));
  }
  const auto given = [&](const char* key) -> std::optional<bool> {
    return command.find(key) ? std::optional(command.flag_or(key, true)) : std::nullopt;
  };
  const auto kinematics = given("inverse_kinematics"), correction = given("stride_correction"),
             validation = given("stride_validation");
  line_.set_options(line_.character(command.text_or("character", "")), [&](WalkActor& actor) {
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

const std::vector<std::string>& WalkBench::terrain_assets() const {
  if (terrain_assets_.empty()) {
    for (const Terrain& terrain : line_.scene().terrains) {
      terrain_assets_.push_back(options_.workspace->add_asset("terrain.glb", terrain_glb(terrain)));
    }
  }
  return terrain_assets_;
}

std::string WalkBench::describe() const {
  const WalkScene& scene = line_.scene();
  JsonValue json = JsonValue::object();
  json.add("kind", std::string("walk"));
  json.add("file", options_.name);
  json.add("name", scene.name);
  json.add("description", scene.description);
  json.add("fps", shown_fps);
  JsonValue& characters = json.add("characters", JsonValue::array());
  for (std::size_t i = 0; i < scene.actors.size(); ++i) {
    const motion::SkeletonPose& pose = line_.moment().characters[i].pose;
    const motion::Skeleton& skeleton = scene.actors[i].character->skeleton;
    JsonValue& c = characters.items.emplace_back(JsonValue::object());
    c.add("name", scene.actors[i].name);
    c.add("asset", figure_assets_[i]);
    JsonValue joints = JsonValue::array(), parents = joints, translations = joints;
    for (int j = 0; j < skeleton.size(); ++j) {
      joints.items.emplace_back(skeleton[j].name);
      parents.items.emplace_back(static_cast<double>(skeleton[j].parent));
      translations.items.push_back(vector_json(pose.translation(j)));
    }
    c.add("joints", std::move(joints));
    c.add("parents", std::move(parents));
    c.add("translations", std::move(translations));
    c.add("moving", numbers(line_.moving(static_cast<int>(i))));
    c.add("scale", line_.stage().walker(static_cast<int>(i)).scale());
    c.add("options", option_json(scene.actors[i]));
  }
  JsonValue& terrains = json.add("terrains", JsonValue::array());
  for (std::size_t i = 0; i < scene.terrains.size(); ++i) {
    JsonValue& t = terrains.items.emplace_back(JsonValue::object());
    t.add("name", scene.terrains[i].name);
    t.add("asset", terrain_assets()[i]);
  }
  json.add("elevation", elevation_);
  JsonValue& columns = json.add("columns", JsonValue::array());
  for (std::size_t i = 0; i < std::min(columns_.size(), most_described); ++i) {
    JsonValue& item = columns.items.emplace_back(JsonValue::object());
    item.add("name", columns_[i].name);
    item.add("unit", columns_[i].unit);
  }
  JsonValue solvers = JsonValue::array();
  for (const std::string& word : solver_words()) solvers.items.emplace_back(word);
  json.add("solvers", std::move(solvers));
  return fields(json) + "," + status();
}

// Type 4: for each character where it stands (x y z, w x y z, metres per unit), then i16 w x y z of
// each joint, then the translations of those that move.
std::vector<Playback::BinaryFrame> WalkBench::binary_frames(const Subscription& s) const {
  const WalkMoment& moment = line_.moment();
  std::vector<BinaryFrame> list;
  if (!s.plots.empty()) {
    const PlotRow row = measure(find_plots(s.plots), moment.t - stance_window, {&moment}).front();
    list.push_back({3, values_frame(row.values, moment.t, line_.number())});
  }
  if (!s.frames) return list;
  FrameBytes bytes(FrameType::walkers, moment.characters.size(), line_.number(), moment.t);
  for (std::size_t i = 0; i < moment.characters.size(); ++i) {
    const navigation::TrackFrame& f = moment.characters[i];
    const motion::Transform X = motion::decomposed(f.placement);
    const Quat& r = X.rotation;
    for (const double x :
         {X.translation.x, X.translation.y, X.translation.z, r.w, r.x, r.y, r.z, X.scale.x}) {
      bytes.add(x);
    }
    for (int j = 0; j < f.pose.joints(); ++j) {
      const Quat q = f.pose.rotation(j);
      for (const double x : {q.w, q.x, q.y, q.z}) bytes.add_short(x);
    }
    for (const int j : line_.moving(static_cast<int>(i))) {
      const Vec3 p = f.pose.translation(j);
      for (const double x : {p.x, p.y, p.z}) bytes.add(x);
    }
  }
  list.push_back({4, bytes.take()});
  return list;
}

const std::vector<std::size_t>& WalkBench::find_plots(const std::vector<std::string>& words) const {
  const auto known = plots_.find(words);
  if (known != plots_.end()) return known->second;
  if (plots_.size() > 100) plots_.clear();
  return plots_[words] = find_columns(columns_, words);
}

std::vector<std::string> WalkBench::plot_columns(const std::vector<std::string>& words) const {
  std::vector<std::string> names;
  for (const std::size_t i : find_plots(words)) names.push_back(columns_[i].name);
  return names;
}

std::vector<PlotRow> WalkBench::plot_rows(const std::vector<std::string>& words, double from,
                                          double to, std::size_t most) const {
  return measure(find_plots(words), from, line_.history().some(from, to, most));
}

std::vector<PlotRow> WalkBench::measure(const std::vector<std::size_t>& columns, double from,
                                        const std::vector<const WalkMoment*>& moments) const {
  std::vector<PlotRow> rows;
  if (moments.empty()) return rows;
  const auto character_of = [&](std::size_t column) {
    const auto after = std::upper_bound(first_columns_.begin(), first_columns_.end(), column);
    return static_cast<std::size_t>(after - first_columns_.begin()) - 1;
  };
  std::map<std::size_t, WalkMeter> meters;  // by character
  for (const std::size_t column : columns) {
    const std::size_t c = character_of(column);
    const navigation::Rig& rig = line_.stage().walker(static_cast<int>(c)).rig();
    meters.try_emplace(c, rig, *line_.scene().ground, shown_fps);
  }
  for (const WalkMoment* m :
       line_.history().some(from, moments.back()->t, line_.history().size())) {
    for (auto& [c, meter] : meters) meter.see(m->characters[c]);
    if (m != moments[rows.size()]) continue;
    PlotRow& row = rows.emplace_back(PlotRow{m->t, {}});
    for (const std::size_t column : columns) {
      const std::size_t c = character_of(column);
      row.values.push_back(meters.at(c).values()[column - first_columns_[c]]);
    }
  }
  return rows;
}

std::string WalkBench::frame_fields(const Subscription&) const {
  std::string list;
  for (const navigation::TrackFrame& f : line_.moment().characters) {
    list += fmt::format("{}{{\"position\":{},\"heading\":{:.7g},\"blocked\":{}}}",
                        list.empty() ? "" : ",", vector_text(f.position), f.heading, f.blocked);
  }
  return ",\"characters\":[" + list + "]";
}

std::string WalkBench::quality_event() {
  const navigation::WalkRecord record = line_.record(line_.time() - quality_window, line_.time());
  WalkJudgement judgement;
  judgement.solver = to_string(line_.scene().actors.front().solver);
  const double cost = line_.take_cost();
  for (std::size_t i = 0; i < std::min(record.characters.size(), most_judged); ++i) {
    judgement.characters.push_back(
        navigation::quality_of(record.characters[i], *line_.scene().ground, shown_fps));
    judgement.costs.emplace_back();
  }
  JsonValue json = JsonValue::object();
  json.add("event", std::string("quality"));
  json.add("seconds", std::min(quality_window, line_.time() - line_.begin()));
  json.add("microseconds", cost / static_cast<double>(record.characters.size()));
  json.add("characters", walk_report_json(judgement, nullptr));
  return compact_text(json, std::string::npos);
}

double WalkBench::look_around(double now) {
  if (!tells_quality_ || !is_playing()) return -1;
  if (now - quality_told_ >= quality_interval && line_.end() - line_.begin() > 0.5) {
    quality_told_ = now;
    tell_all(quality_event());
  }
  return quality_interval;
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
  return text + " -o " + stem_of(options_.name) + "-walk.glb";
}

}  // namespace molejo

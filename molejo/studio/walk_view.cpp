// What the page gets of a walk: its description, binary frames, and how good it is.
#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/walk_glb.h"
#include "molejo/io/walk_report.h"
#include "molejo/studio/model_view.h"
#include "molejo/studio/walk_bench.h"

namespace molejo {

namespace {

constexpr double quality_interval = 0.5, quality_window = 3;  // s
constexpr std::size_t most_judged = 4;
constexpr std::size_t most_described = 200;  // columns

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

const std::vector<std::string>& WalkBench::terrain_assets() const {
  if (terrain_assets_.empty()) {
    for (const Terrain& terrain : line_.scene().terrains) {
      terrain_assets_.push_back(options_.workspace->add_asset("terrain.glb", terrain_glb(terrain)));
    }
  }
  return terrain_assets_;
}

JsonValue WalkBench::describe_terrains() const {
  JsonValue list = JsonValue::array();
  for (std::size_t i = 0; i < line_.scene().terrains.size(); ++i) {
    JsonValue& t = list.items.emplace_back(JsonValue::object());
    t.add("name", line_.scene().terrains[i].name);
    t.add("asset", terrain_assets()[i]);
  }
  return list;
}

JsonValue WalkBench::describe_character(int i) const {
  const WalkActor& actor = line_.scene().actors[static_cast<std::size_t>(i)];
  const motion::SkeletonPose& pose = line_.shown(i).track.pose;
  const motion::Skeleton& skeleton = actor.character->skeleton;
  JsonValue c = JsonValue::object();
  c.add("name", actor.name);
  c.add("asset", figure_assets_[static_cast<std::size_t>(i)]);
  JsonValue joints = JsonValue::array(), parents = joints, translations = joints, feet = joints;
  for (int j = 0; j < skeleton.size(); ++j) {
    joints.items.emplace_back(skeleton[j].name);
    parents.items.emplace_back(static_cast<double>(skeleton[j].parent));
    translations.items.push_back(vector_json(pose.translation(j)));
  }
  for (const navigation::Leg& leg : line_.stage().walker(i).rig().legs) {
    feet.items.emplace_back(static_cast<double>(leg.foot()));
  }
  c.add("joints", std::move(joints));
  c.add("parents", std::move(parents));
  c.add("translations", std::move(translations));
  c.add("moving", numbers(line_.moving(i)));
  c.add("feet", std::move(feet));
  c.add("scale", line_.stage().walker(i).scale());
  c.add("options", option_json(actor));
  JsonValue& way = c.add("way", JsonValue::array());
  for (const navigation::WayPoint& p : line_.way(i)) {
    way.items.push_back(JsonValue::array());
    way.items.back().items = {JsonValue(p.x), JsonValue(p.y)};
  }
  return c;
}

std::string WalkBench::describe() const {
  const WalkScene& scene = line_.scene();
  JsonValue json = JsonValue::object();
  json.add("kind", std::string("walk"));
  json.add("file", options_.name);
  json.add("name", scene.name);
  json.add("description", scene.description);
  json.add("fps", 1 / line_.interval());
  JsonValue& characters = json.add("characters", JsonValue::array());
  for (int i = 0; i < line_.size(); ++i) characters.items.push_back(describe_character(i));
  json.add("terrains", describe_terrains());
  json.add("elevation", elevation_);
  json.add("ground", terrain_file_);
  JsonValue& grounds = json.add("grounds", JsonValue::array());
  for (const std::string& file : options_.workspace->terrains()) grounds.items.emplace_back(file);
  JsonValue& columns = json.add("columns", JsonValue::array());
  for (std::size_t i = 0; i < std::min(columns_.size(), most_described); ++i) {
    JsonValue& item = columns.items.emplace_back(JsonValue::object());
    item.add("name", columns_[i].name);
    item.add("unit", columns_[i].unit);
  }
  JsonValue& solvers = json.add("solvers", JsonValue::array());
  for (const std::string& word : solver_words()) solvers.items.emplace_back(word);
  return fields(json) + "," + status();
}

// Type 4: for each character where it stands (x y z, w x y z, metres per unit), then i16 w x y z of
// each joint, then the translations of those that move.
std::string WalkBench::walkers_frame() const {
  FrameBytes bytes(FrameType::walkers, static_cast<std::size_t>(line_.size()), line_.number(),
                   line_.time());
  for (int i = 0; i < line_.size(); ++i) {
    const navigation::TrackFrame& f = line_.shown(i).track;
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
    for (const int j : line_.moving(i)) bytes.add(f.pose.translation(j));
  }
  return bytes.take();
}

// Type 6: for each foot of each character where its joint shall be now, where it is, and eight
// points of the way that it shall go until it lands.
std::string WalkBench::feet_frame() const {
  FrameBytes bytes(FrameType::feet, static_cast<std::size_t>(line_.size()), line_.number(),
                   line_.time());
  constexpr auto points = static_cast<std::size_t>(WalkShown::plan_points);
  for (int i = 0; i < line_.size(); ++i) {
    const WalkShown& shown = line_.shown(i);
    for (std::size_t leg = 0; leg < shown.track.feet.size(); ++leg) {
      bytes.add(shown.track.feet[leg].target);
      bytes.add(shown.track.feet[leg].ankle);
      for (std::size_t k = 0; k < points; ++k) bytes.add(shown.plans[points * leg + k]);
    }
  }
  return bytes.take();
}

std::vector<Playback::BinaryFrame> WalkBench::binary_frames(const Subscription& s) const {
  std::vector<BinaryFrame> list;
  if (s.frames) list.push_back({4, walkers_frame()});
  if (s.contacts) list.push_back({6, feet_frame()});
  if (!s.plots.empty()) {
    list.push_back({3, values_frame(plot_values(s.plots), line_.time(), line_.number())});
  }
  return list;
}

std::string WalkBench::frame_fields(const Subscription&) const {
  std::string list;
  for (int i = 0; i < line_.size(); ++i) {
    const navigation::TrackFrame& f = line_.shown(i).track;
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
        navigation::quality_of(record.characters[i], *line_.scene().ground, record.fps));
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
  tell_ways();
  if (!tells_quality_ || !is_playing()) return -1;
  if (now - quality_told_ >= quality_interval && line_.end() - line_.begin() > 0.5) {
    quality_told_ = now;
    tell_all(quality_event());
  }
  return quality_interval;
}

}  // namespace molejo

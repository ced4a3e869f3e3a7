// molejo check of what is no scene: one function a kind, each by the reader of that kind.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apps/cli/check.h"
#include "apps/cli/gait.h"
#include "apps/cli/given.h"
#include "molejo/io/character_file.h"
#include "molejo/io/mesh_file.h"
#include "molejo/io/net_file.h"
#include "molejo/io/png.h"
#include "molejo/io/scene.h"
#include "molejo/io/show.h"
#include "molejo/io/terrain.h"
#include "molejo/io/training_state.h"
#include "molejo/io/walk_scene.h"
#include "molejo/motion/roles.h"

namespace molejo::cli {

namespace {

double count_of(const auto& list) { return static_cast<double>(list.size()); }

void add_net(const Net& net, Facts& facts) {
  double tokens = 0;
  for (const Place& place : net.places) tokens += static_cast<double>(place.tokens);
  facts.add("places", count_of(net.places));
  facts.add("transitions", count_of(net.transitions));
  facts.add("arcs", count_of(net.arcs));
  facts.add("tokens", tokens);
  facts.add("timed", net.is_timed());
  facts.add("events", net.has_events());
  facts.add("properties", count_of(net.properties));
}

void add_motion(const MotionFile& file, const Character& c, const GaitProblem& problem,
                Facts& facts) {
  const Motion& motion = file.motion;
  facts.name = motion.name;
  double mass = 0;
  for (const Link& link : c.model.links) mass += link.mass;
  if (!motion.character.empty()) facts.add("character", motion.character);
  facts.add("bodies", static_cast<double>(c.model.body_count()));
  facts.add("mass", mass, "kg");
  facts.add("freedoms", static_cast<double>(c.model.nv));
  facts.add("feet", count_of(c.feet));
  facts.add("symmetric", c.mirror.symmetric);
  facts.add("steps", count_of(motion.steps));
  facts.add("mirrored", motion.mirrored);
  facts.add("period", motion.range.period, "s");
  facts.add("unknowns", static_cast<double>(problem.size()));
  facts.add("evaluations_at_most", static_cast<double>(motion.training.evaluations));
}

Facts motion_facts(const std::string& path) {
  const MotionFile file = load_motion(given(path));
  const Character character = make_character(file.scene, file.motion.figure);
  const GaitProblem problem(character, file.motion);
  Facts facts;
  add_motion(file, character, problem, facts);
  return facts;
}

Facts gait_facts(const std::string& path) {
  const PlayableGait gait(path);
  Facts facts;
  add_motion(gait.file.motion, gait.character, gait.problem, facts);
  const GaitCheck check = check_gait(gait.problem, gait.file.unknowns);
  facts.add("seed", static_cast<double>(gait.file.seed));
  facts.add("evaluations", static_cast<double>(gait.file.evaluations));
  facts.add("valid", check.valid());
  facts.add("cyclic_error", check.cyclic_error, "tolerances");
  facts.add("feedback", gait.file.feedback.has_value());
  if (gait.file.valid && !check.valid()) {
    facts.warnings.push_back("the file calls it valid, but some constraint does not hold");
  }
  return facts;
}

Facts show_facts(const std::string& path) {
  const Show show = load_show(given(path));
  Facts facts;
  facts.name = show.name;
  facts.add("bodies", static_cast<double>(show.built->model.body_count()));
  facts.add("figures", count_of(show.figures));
  facts.add("walkers", count_of(show.walkers));
  facts.add("bindings", count_of(show.bindings));
  facts.add("causes", count_of(show.causes));
  add_net(show.net, facts);
  facts.add("duration", show.duration.value(), "s");
  facts.add("fps", show.fps.value());
  facts.warnings = show.scene.warnings;
  return facts;
}

Facts walk_facts(const std::string& path) {
  const WalkScene scene = load_walk_scene(given(path));
  make_stage(scene);  // refuses what cannot be walked
  Facts facts;
  facts.name = scene.name;
  facts.add("characters", count_of(scene.actors));
  facts.add("terrains", count_of(scene.terrains));
  facts.add("duration", scene.duration, "s");
  facts.add("fps", scene.fps);
  facts.add("frames", static_cast<double>(scene.frames()));
  return facts;
}

Facts net_facts(const std::string& path) {
  const Net net = load_net(given(path));
  Facts facts;
  facts.name = net.name;
  add_net(net, facts);
  return facts;
}

Facts character_facts(const std::string& path) {
  const motion::Character c = load_character(given(path));
  const motion::Roles roles = motion::find_roles(c.skeleton, motion::bind_pose(c), {});
  Facts facts;
  facts.name = c.name;
  facts.add("joints", count_of(c.skeleton.joints));
  facts.add("skins", count_of(c.skins));
  facts.add("meshes", count_of(c.meshes));
  facts.add("clips", count_of(c.clips));
  facts.add("walks", roles.walks());
  facts.warnings = c.problems;
  return facts;
}

// The box around points.
void add_extent(const std::vector<Vec3>& points, Facts& facts) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low{infinity, infinity, infinity}, high = low * -1;
  for (const Vec3& p : points) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  const char* names[] = {"x", "y", "z"};
  for (int k = 0; k < 3 && !points.empty(); ++k) {
    facts.list.push_back(
        {names[k], JsonValue::array(), fmt::format("{:.6g} to {:.6g} m", low[k], high[k])});
    facts.list.back().value.items = {low[k], high[k]};
  }
}

Facts terrain_facts(const std::string& path) {
  const std::vector<Terrain> terrains = load_terrains(given(path));
  Facts facts;
  std::vector<Vec3> points;
  for (const Terrain& t : terrains) {
    const TerrainMesh mesh = terrain_mesh(t);
    points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  }
  if (terrains.size() == 1) facts.name = terrains.front().name;
  facts.add("terrains", count_of(terrains));
  add_extent(points, facts);
  return facts;
}

Facts mesh_facts(const std::string& path) {
  const TriangleMesh mesh = read_mesh(given(path));
  Facts facts;
  facts.add("vertices", count_of(mesh.vertices));
  facts.add("triangles", count_of(mesh.triangles));
  facts.add("objects", count_of(mesh.objects));
  facts.add("groups", count_of(mesh.groups));
  add_extent(mesh.vertices, facts);
  return facts;
}

Facts heights_facts(const std::string& path) {
  const GreyImage image = read_png(given(path), max_scene_heights);
  const auto [low, high] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  Facts facts;
  facts.add("width", static_cast<double>(image.width));
  facts.add("height", static_cast<double>(image.height));
  facts.add("darkest", *low);
  facts.add("brightest", *high);
  return facts;
}

Facts training_facts(const std::string& path) {
  const SavedTraining saved = load_any_training(given(path));
  const TrainingState& s = saved.state;
  Facts facts;
  facts.add("motion", fmt::format("{:016x}", saved.motion));
  facts.add("seed", static_cast<double>(s.seed));
  facts.add("evaluations", static_cast<double>(s.evaluations));
  facts.add("restarts", static_cast<double>(s.restart));
  facts.add("seconds", saved.seconds, "s");
  facts.add("unknowns", s.search ? static_cast<double>(s.search->cma.mean.size()) : 0);
  facts.add("over", s.over);
  facts.add("valid", s.valid.has_value());
  return facts;
}

}  // namespace

Facts facts_of(FileKind kind, const std::string& file) {
  switch (kind) {
    case FileKind::show:
      return show_facts(file);
    case FileKind::motion:
      return motion_facts(file);
    case FileKind::gait:
      return gait_facts(file);
    case FileKind::walk:
      return walk_facts(file);
    case FileKind::net:
      return net_facts(file);
    case FileKind::character:
      return character_facts(file);
    case FileKind::terrain:
      return terrain_facts(file);
    case FileKind::mesh:
      return mesh_facts(file);
    case FileKind::heights:
      return heights_facts(file);
    case FileKind::training:
      return training_facts(file);
    case FileKind::scene:
      break;
  }
  return {};
}

}  // namespace molejo::cli

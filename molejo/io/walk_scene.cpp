#include "molejo/io/walk_scene.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/director/terrain_field.h"
#include "molejo/io/assembly.h"
#include "molejo/io/json_place.h"
#include "molejo/math/angles.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/words.h"
#include "molejo/model/error.h"
#include "molejo/navigation/track.h"

namespace molejo {

namespace {

using navigation::Plan;
using navigation::Solver;

const std::vector<std::string> walk_file_keys{"name",       "description", "parameters", "terrains",
                                              "characters", "duration",    "fps"};
constexpr double fastest_turn = 720;  // deg/s
constexpr double fastest_rate = 4;

double heading(const JsonCursor& at) { return at.within(bounds_of::heading) * degree; }

double place(const JsonCursor& at) { return at.between(-farthest_terrain, farthest_terrain); }

void read_path(const JsonCursor& at, Plan& plan) {
  const JsonCursor path = at.need("path");
  path.expect_array(max_way_points);
  if (path.size() == 0) path.fail("expected one way-point or more");
  for (std::size_t i = 0; i < path.size(); ++i) {
    path[i].numbers(2);
    plan.path.push_back({place(path[i][0]), place(path[i][1])});
  }
  at.read("loop", plan.loop);
  at.read_between("within", 0.05, 100, plan.within);
  at.read_between("ahead", 0.1, 100, plan.ahead);
  double far = 0;
  for (const navigation::WayPoint& p : plan.path) {
    far = std::max(far, std::hypot(p.x - plan.path[0].x, p.y - plan.path[0].y));
  }
  if (plan.loop && far < plan.within) path.fail("a loop needs way-points apart from each other");
}

void read_commands(const JsonCursor& at, Plan& plan) {
  const JsonCursor list = at.need("commands");
  list.expect_array(max_way_points);
  if (list.size() == 0) list.fail("expected one command or more");
  plan.turn_acceleration = 1e6;  // keys act at once, as in the thesis
  const std::vector<std::string> keys{"at", "walk", "turn_deg", "rate"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonCursor item = list[i];
    item.expect_object();
    item.expect_keys(keys);
    // what is not said stays as it was
    navigation::TimedCommand c =
        i == 0 ? navigation::TimedCommand{0, {false, 0, 1}} : plan.commands.back();
    c.time = item.need("at").between(0, bounds_of::walk_duration.most);
    if (i > 0 && c.time < plan.commands.back().time) {
      item.need("at").fail("times must not decrease");
    }
    item.read("walk", c.steering.walk);
    if (const auto turn = item.find("turn_deg")) {
      c.steering.turn = turn->between(-fastest_turn, fastest_turn) * degree;
    }
    item.read_between("rate", 0, fastest_rate, c.steering.rate);
    plan.commands.push_back(c);
  }
}

Plan read_plan(const JsonCursor& at) {
  at.expect_object();
  const std::vector<std::string> keys{"path",     "loop",          "within", "ahead",
                                      "rest",     "heading_deg",   "rate",   "turn_deg",
                                      "commands", "turn_limit_deg"};
  at.expect_keys(keys);
  Plan plan;
  const std::string_view kind =
      at.only_one({"path", "heading_deg", "turn_deg", "commands", "rest"});
  if (kind.empty()) at.fail("expected path, heading_deg, turn_deg, commands or rest");
  for (const char* key : {"loop", "within", "ahead"}) {
    if (const auto x = at.find(key); x && kind != "path") x->fail("belongs to 'path'");
  }
  at.read_between("rate", 0, fastest_rate, plan.steering.rate);
  if (const auto limit = at.find("turn_limit_deg")) {
    plan.turn_limit = limit->between(1, fastest_turn) * degree;
  }
  if (kind == "path") {
    plan.kind = Plan::Kind::path;
    read_path(at, plan);
  } else if (kind == "heading_deg") {
    plan.kind = Plan::Kind::heading;
    plan.heading = heading(at.need("heading_deg"));
  } else if (kind == "turn_deg") {
    plan.kind = Plan::Kind::steered;
    plan.steering.turn = at.need("turn_deg").between(-fastest_turn, fastest_turn) * degree;
  } else if (kind == "commands") {
    if (const auto rate = at.find("rate")) rate->fail("commands have rates of their own");
    plan.kind = Plan::Kind::commands;
    read_commands(at, plan);
  } else if (!at.need("rest").boolean()) {
    at.need("rest").fail("expected true");
  }
  return plan;
}

std::vector<FallEvent> read_falls(const JsonCursor& at) {
  at.expect_array(1000);
  const std::vector<std::string> keys{"at", "push", "part", "recover"};
  std::vector<FallEvent> falls;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const JsonCursor item = at[i];
    item.expect_object();
    item.expect_keys(keys);
    const std::string_view kind = item.only_one({"push", "recover"});
    if (kind.empty()) item.fail("expected push or recover");
    FallEvent event;
    event.at = item.need("at").between(0, bounds_of::walk_duration.most);
    if (kind == "push") {
      const JsonCursor push = item.need("push");
      push.numbers(3);
      const auto newton_seconds = [&](std::size_t k) { return push[k].between(-1e5, 1e5); };
      event.push = Vec3{newton_seconds(0), newton_seconds(1), newton_seconds(2)};
      if (const auto part = item.find("part")) event.part = part->name();
    } else {
      if (const auto part = item.find("part")) part->fail("belongs to 'push'");
      event.recover = item.need("recover").between(0.05, 60);
    }
    falls.push_back(std::move(event));
  }
  return falls;
}

void read_options(const JsonCursor& at, WalkActor& actor) {
  at.expect_object();
  const bool adaptive = actor.solver == Solver::adaptive;
  std::vector<std::string> keys{"inverse_kinematics", "stride_correction", "stride_validation",
                                "fade"};
  keys.push_back(adaptive ? "orient_feet" : "support_factor");
  at.expect_keys(keys);
  const auto both = [&](auto& options) {
    at.read("inverse_kinematics", options.inverse_kinematics);
    at.read("stride_correction", options.stride_correction);
    at.read("stride_validation", options.stride_validation);
    at.read_between("fade", 0, 10, options.fade);
  };
  if (adaptive) {
    both(actor.adaptive);
    at.read("orient_feet", actor.adaptive.orient_feet);
  } else {
    both(actor.thesis);
    at.read_between("support_factor", 0.01, 100, actor.thesis.support_factor);
  }
}

int find_joint(const JsonCursor& at, const motion::Skeleton& skeleton) {
  const std::string name = at.text();
  const int joint = skeleton.find(name);
  if (joint >= 0) return joint;
  std::vector<std::string> names;
  for (const motion::SkeletonJoint& j : skeleton.joints) names.push_back(j.name);
  at.fail(unknown_word("joint", name, names));
}

std::map<motion::Role, int> read_roles(const JsonCursor& at, const motion::Skeleton& skeleton) {
  at.expect_object();
  std::map<motion::Role, int> roles;
  for (std::size_t i = 0; i < at.value().keys.size(); ++i) {
    const std::string& word = at.value().keys[i];
    const std::optional<motion::Role> role = motion::parse_role(word);
    if (!role) at[i].fail(unknown_word("role", word, motion::role_words()));
    roles[*role] = at[i].is_null() ? -1 : find_joint(at[i], skeleton);
  }
  return roles;
}

std::vector<navigation::LegChoice> read_legs(const JsonCursor& at,
                                             const motion::Skeleton& skeleton) {
  at.expect_array(16);
  if (at.size() == 0) at.fail("expected one leg or more");
  const std::vector<std::string> keys{"name", "from", "to", "toes"};
  std::vector<navigation::LegChoice> legs;
  for (std::size_t i = 0; i < at.size(); ++i) {
    at[i].expect_object();
    at[i].expect_keys(keys);
    navigation::LegChoice leg;
    leg.name = at[i].has("name") ? at[i].need("name").name() : fmt::format("leg {}", i + 1);
    leg.from = find_joint(at[i].need("from"), skeleton);
    leg.to = find_joint(at[i].need("to"), skeleton);
    if (const auto toes = at[i].find("toes")) leg.toes = find_joint(*toes, skeleton);
    legs.push_back(leg);
  }
  return legs;
}

class WalkReader {
 public:
  WalkReader(const JsonCursor& top, const CharacterLoader& loader) : top_(top), cast_(loader) {}

  WalkScene read() {
    top_.read("name", scene_.name);
    top_.read("description", scene_.description);
    top_.read_within("duration", bounds_of::walk_duration, scene_.duration);
    top_.read_within("fps", bounds_of::walk_fps, scene_.fps);
    TerrainReader terrains;
    scene_.terrains = terrains.read_all(top_.need("terrains"));
    scene_.ground = std::make_shared<const motion::Ground>(ground_of(scene_.terrains));
    const JsonCursor characters = top_.need("characters");
    characters.expect_array(max_walk_actors);
    if (characters.size() == 0) characters.fail("expected one character or more");
    for (std::size_t i = 0; i < characters.size(); ++i) read_copies(characters[i]);
    return std::move(scene_);
  }

 private:
  void read_copies(const JsonCursor& item) {
    item.expect_object();
    const auto count = item.find("count");
    const int copies = count ? count->whole(1, static_cast<int>(max_walk_actors)) : 1;
    for (int i = 0; i < copies; ++i) {
      Scope scope = item.scope();
      scope.set("i", i);
      scope.set("count", copies);
      read_actor({item.document(), item.value(), scope, item.instance()});
      if (scene_.actors.size() > max_walk_actors) {
        item.fail(fmt::format("more than {} characters", max_walk_actors));
      }
    }
  }

  void read_actor(const JsonCursor& at) {
    check_interrupt();
    const std::vector<std::string> keys{"name",    "count",    "file",        "clips", "roles",
                                        "legs",    "position", "heading_deg", "scale", "solver",
                                        "options", "plan",     "falls"};
    at.expect_keys(keys);
    WalkActor actor;
    actor.name = at.need("name").name();
    for (const WalkActor& other : scene_.actors) {
      if (other.name == actor.name) at.need("name").fail("there is one of that name already");
    }
    WalkSources sources = read_sources(at);
    try {
      cast_.fill(sources, actor);
    } catch (const InputError& e) {
      // errors of roles and legs have their place already
      if (std::string_view(e.what()).starts_with(at.document().file.name() + ":")) throw;
      at.need("file").fail(e.what());
    }
    if (const auto position = at.find("position")) {
      position->numbers(2);
      actor.start.x = place((*position)[0]), actor.start.y = place((*position)[1]);
    }
    if (const auto h = at.find("heading_deg")) actor.start.heading = heading(*h);
    at.read_within("scale", bounds_of::figure_scale, actor.start.scale);
    if (const auto solver = at.find("solver")) {
      const auto known = parse_solver(solver->word());
      if (!known) solver->fail(unknown_word("solver", solver->word(), solver_words()));
      actor.solver = *known;
    }
    if (const auto options = at.find("options")) read_options(*options, actor);
    if (const auto falls = at.find("falls")) actor.falls = read_falls(*falls);
    if (const auto plan = at.find("plan")) {
      actor.plan = read_plan(*plan);
    } else {
      actor.plan.kind = Plan::Kind::heading;
      actor.plan.heading = actor.start.heading;
    }
    if (!scene_.ground->at(actor.start.x, actor.start.y)) {
      (at.has("position") ? at.need("position") : at).fail("there is no ground");
    }
    scene_.actors.push_back(std::move(actor));
  }

  ClipSource read_clip(const JsonCursor& at) const {
    if (at.is_string()) return {file_beside(at), ""};
    at.expect_object();
    const std::vector<std::string> keys{"file", "clip"};
    at.expect_keys(keys);
    ClipSource source;
    if (const auto file = at.find("file")) source.file = file_beside(*file);
    if (const auto clip = at.find("clip")) source.clip = clip->text();
    if (!at.has("file") && !at.has("clip")) at.fail("expected file or clip");
    return source;
  }

  WalkSources read_sources(const JsonCursor& at) const {
    WalkSources s;
    s.character = file_beside(at.need("file"));
    if (const auto clips = at.find("clips")) {
      clips->expect_object();
      const std::vector<std::string> keys{"walk", "idle"};
      clips->expect_keys(keys);
      if (const auto walk = clips->find("walk")) s.walk = read_clip(*walk);
      if (const auto idle = clips->find("idle")) s.idle = read_clip(*idle);
    }
    if (const auto roles = at.find("roles")) {
      s.roles = [roles](const motion::Skeleton& skeleton) { return read_roles(*roles, skeleton); };
      s.key += compact_text(roles->value(), 100'000);
    }
    if (const auto legs = at.find("legs")) {
      s.legs = [legs](const motion::Skeleton& skeleton) { return read_legs(*legs, skeleton); };
      s.key += compact_text(legs->value(), 100'000);
    }
    return s;
  }

  JsonCursor top_;
  WalkScene scene_;
  WalkCast cast_;
};

}  // namespace

int WalkScene::frames() const { return static_cast<int>(std::floor(duration * fps + 1e-6)); }

WalkScene parse_walk_scene(std::string_view text, const SourceFile& file,
                           const CharacterLoader& loader) {
  const JsonDocument document = parse_json(text, file);
  Scope scope;
  const std::string instance;
  const JsonCursor outer(document, document.root, scope, instance);
  outer.expect_keys(walk_file_keys);
  if (const auto parameters = outer.find("parameters")) read_parameters(*parameters, scope);
  return WalkReader({document, document.root, scope, instance}, loader).read();
}

WalkScene load_walk_scene(const SourceFile& file, const CharacterLoader& loader) {
  return parse_walk_scene(file.read(max_json_bytes), file, loader);
}

bool is_walk_scene(const std::string& name) { return name.ends_with(".walk.json"); }

// The terrains as bodies that one may fall on.
Scene surroundings_of(const WalkScene& scene) {
  Scene surroundings;
  for (std::size_t i = 0; i < scene.terrains.size(); ++i) {
    const Terrain& t = scene.terrains[i];
    surroundings.bodies.push_back(terrain_body(
        fmt::format("terrain {}", i + 1), terrain_field(t.relief, t.offset, t.scale), t.color));
  }
  return surroundings;
}

std::unique_ptr<navigation::Walker> make_fallible(const WalkScene& scene, const WalkActor& actor) {
  auto ragdoll = std::make_shared<const navigation::Ragdoll>(
      navigation::make_ragdoll(*actor.clips, *actor.character, actor.start.scale));
  auto walker = std::make_unique<FallibleWalker>(
      make_walker(actor, *scene.ground), std::move(ragdoll), surroundings_of(scene), *scene.ground);
  walker->schedule(actor.falls);
  return walker;
}

navigation::Stage make_stage(const WalkScene& scene, std::optional<Solver> solver) {
  navigation::Stage stage(scene.ground);
  for (WalkActor actor : scene.actors) {
    check_interrupt();
    if (solver) actor.solver = *solver;
    if (!scene.ground->at(actor.start.x, actor.start.y)) {
      throw InputError(fmt::format("{}: there is no ground at ({:g}, {:g})", actor.name,
                                   actor.start.x, actor.start.y));
    }
    try {
      stage.add(
          actor.name,
          actor.falls.empty() ? make_walker(actor, *scene.ground) : make_fallible(scene, actor),
          actor.plan);
    } catch (const InputError& e) {
      throw InputError(actor.name + ": " + e.what());
    }
  }
  const int frames = scene.frames();
  if (navigation::record_numbers(stage, frames) > navigation::max_record_numbers) {
    throw InputError(
        fmt::format("{} frames of {} characters: more than are recorded", frames, stage.size()));
  }
  return stage;
}

}  // namespace molejo

// Walkers in directed scenes: actors out of navigation scenes, and what they do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/director/terrain_field.h"
#include "molejo/io/json_place.h"
#include "molejo/io/show_parts.h"
#include "molejo/math/index.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr int max_show_terrains = 50;
constexpr int max_terrain_points = 120'000;  // of all terrains of a navigation scene

navigation::WayPoint read_way_point(const JsonCursor& at) {
  at.numbers(2);
  return {at[0].between(-farthest_directed, farthest_directed),
          at[1].between(-farthest_directed, farthest_directed)};
}

void read_way(const JsonCursor& at, navigation::Plan& plan) {
  plan.path.clear();
  plan.kind = navigation::Plan::Kind::path;
  plan.loop = false;
  if (const auto to = at.find("to")) {
    plan.path.push_back(read_way_point(*to));
    return;
  }
  const JsonCursor path = at.need("path");
  path.expect_array(max_way_points);
  if (path.size() == 0) path.fail("expected one way-point or more");
  for (std::size_t i = 0; i < path.size(); ++i) plan.path.push_back(read_way_point(path[i]));
}

}  // namespace

const WalkScene& WalkerReader::walk_scene(const JsonCursor& at, Scene& scene) {
  const SourceFile file = at.is_string() ? file_beside(at) : at.document().file.part("walker");
  const std::string key = at.is_string() ? file.name() : pretty_text(at.value());
  std::shared_ptr<const WalkScene>& known = scenes_[key];
  if (known) return *known;
  if (at.is_string()) {
    known = std::make_shared<const WalkScene>(load_walk_scene(file, loader_));
  } else {
    at.expect_object();
    known = std::make_shared<const WalkScene>(parse_walk_scene(key, file, loader_));
  }
  if (terrains_ + static_cast<int>(known->terrains.size()) > max_show_terrains) {
    at.fail(fmt::format("more than {} terrains in one show", max_show_terrains));
  }
  add_terrains(*known, scene);
  return *known;
}

void WalkerReader::add_terrains(const WalkScene& walk, Scene& scene) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const SceneBody& body) { return body.name == name; });
  };
  TerrainFieldOptions options;
  options.points =
      max_terrain_points / static_cast<int>(std::max<std::size_t>(1, walk.terrains.size()));
  for (const Terrain& terrain : walk.terrains) {
    std::string name;
    do {
      ++terrains_;
      name = terrains_ == 1 ? "terrain" : fmt::format("terrain{}", terrains_);
    } while (is_taken(name));
    scene.bodies.push_back(
        terrain_body(name, terrain_field(terrain.relief, terrain.offset, terrain.scale, options),
                     terrain.color));
  }
}

ShowWalker WalkerReader::read(const JsonCursor& item, const std::string& name, Scene& scene) {
  const WalkScene& walk = walk_scene(item.need("walker"), scene);
  WalkActor actor = walk.actors.front();
  if (const auto character = item.find("character")) {
    std::vector<std::string> known;
    for (const WalkActor& a : walk.actors) known.push_back(a.name);
    const auto found = std::find(known.begin(), known.end(), character->word());
    if (found == known.end()) {
      character->fail(unknown_word("character", character->word(), known));
    }
    actor = walk.actors[static_cast<std::size_t>(found - known.begin())];
  } else if (walk.actors.size() > 1) {
    item.fail("which of them? give \"character\", one of the navigation scene");
  }
  if (const auto position = item.find("position")) {
    const navigation::WayPoint p = read_way_point(*position);
    actor.start.x = p.x, actor.start.y = p.y;
    if (!walk.ground->at(p.x, p.y)) position->fail("there is no ground");
  }
  item.only_one({"heading", "heading_deg"});
  item.read_between("heading", -1000, 1000, actor.start.heading);
  if (const auto deg = item.find("heading_deg")) {
    actor.start.heading = radians(deg->between(-36000, 36000));
  }
  navigation::RagdollOptions options;
  item.read_between("mass", 0.001, 1e6, options.mass);
  auto& doll = ragdolls_[{actor.clips.get(), actor.start.scale, options.mass}];
  try {
    if (!doll) {
      doll = std::make_shared<const navigation::Ragdoll>(
          navigation::make_ragdoll(*actor.clips, *actor.character, actor.start.scale, options));
    }
  } catch (const InputError& error) {
    item.fail(error.what());
  }
  add_actor(name, *doll->scene, {actor.start.x, actor.start.y, 0}, actor.start.heading, scene);
  ShowWalker walker;
  walker.name = name;
  walker.ground = walk.ground;
  walker.ragdoll = doll;
  walker.character = actor.character;
  walker.habits = actor.plan;
  const auto ground = walk.ground;
  walker.make = [actor, ground] { return make_walker(actor, *ground); };
  return walker;
}

void finish_on_arrival(const Binding& binding, Show& show) {
  const auto* walk = std::get_if<Walk>(&binding.action);
  if (!walk || walk->plan.kind != navigation::Plan::Kind::path || walk->plan.loop) return;
  Cause cause;
  cause.kind = Cause::Kind::walked;
  cause.effect = Cause::Effect::finish;
  cause.place = PlaceId{binding.node};
  cause.binding = static_cast<int>(show.bindings.size());
  show.causes.push_back(std::move(cause));
}

int ActionReader::walker(const JsonCursor& at, int actor) const {
  const int figure = acting(at, actor);
  for (std::size_t i = 0; i < bodies_.walkers.size(); ++i) {
    if (bodies_.walkers[i].figure == figure) return static_cast<int>(i);
  }
  at.fail(fmt::format("actor '{}' is no walker: give it a navigation scene as \"walker\"",
                      bodies_.figures[molejo::at(figure)].name));
}

Action ActionReader::read_walk(const JsonCursor& at, int actor) {
  const std::vector<std::string> keys{"do",   "actor",   "to",          "path",   "loop",
                                      "rate", "heading", "heading_deg", "within", "blend"};
  at.expect_keys(keys);
  Walk walk;
  walk.walker = walker(at, actor);
  walk.plan = bodies_.walkers[molejo::at(walk.walker)].habits;
  const std::string_view kind = at.only_one({"to", "path", "heading", "heading_deg"});
  if (kind == "to" || kind == "path") {
    read_way(at, walk.plan);
  } else if (!kind.empty()) {
    walk.plan.kind = navigation::Plan::Kind::heading;
    walk.plan.heading = kind == "heading" ? at.need(kind).between(-1000, 1000)
                                          : radians(at.need(kind).between(-36000, 36000));
  }
  const bool on_path = walk.plan.kind == navigation::Plan::Kind::path;
  for (const char* key : {"loop", "within"}) {
    if (const auto x = at.find(key); x && !on_path) x->fail("belongs to 'path'");
  }
  at.read("loop", walk.plan.loop);
  at.read_between("within", 0.05, 100, walk.plan.within);
  at.read_between("rate", 0, 4, walk.plan.steering.rate);
  at.read_between("blend", 0, 60, walk.blend);
  return walk;
}

Action ActionReader::read_fall(const JsonCursor& at, int actor) {
  const std::vector<std::string> keys{"do", "actor", "push", "at"};
  at.expect_keys(keys);
  Fall fall;
  fall.walker = walker(at, actor);
  const ShowWalker& who = bodies_.walkers[molejo::at(fall.walker)];
  if (const auto push = at.find("push")) {
    fall.push = push->vec3();
    if (!(max_abs(*fall.push) <= 1e6)) push->fail("must be within 1e6 N s");
  }
  if (const auto where = at.find("at")) {
    if (!fall.push) where->fail("belongs to 'push'");
    fall.at = body(*where, who.figure);
    const std::vector<int>& own = bodies_.figures[molejo::at(who.figure)].links;
    if (std::find(own.begin(), own.end(), fall.at.index) == own.end()) {
      where->fail(fmt::format("is no body of '{}'", who.name));
    }
  } else {
    const auto& parts = who.ragdoll->parts;
    const bool has_torso = parts.size() > 1 && parts[1].name == "torso";
    fall.at = bodies_.model.body(who.name + (has_torso ? ".torso" : ".pelvis"));
  }
  return fall;
}

Action ActionReader::read_recover(const JsonCursor& at, int actor, bool rests) {
  const std::vector<std::string> keys{"do", "actor", "blend"};
  at.expect_keys(keys);
  Recover recover;
  recover.walker = walker(at, actor);
  recover.rests = rests;
  at.read_between("blend", 0, 60, recover.blend);
  return recover;
}

}  // namespace molejo

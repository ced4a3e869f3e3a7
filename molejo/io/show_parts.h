// The actions and causes of a directed scene, each read from its own JSON object.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "molejo/director/show.h"
#include "molejo/io/scene_formulas.h"
#include "molejo/io/walk_scene.h"

namespace molejo {

constexpr double farthest_directed = 1e6;  // m: nothing is directed beyond

inline constexpr std::size_t max_show_entries = 100'000;

// What is there to be directed, before actions have added their formulas.
struct ShowBodies {
  const Model& model;
  const std::vector<Figure>& figures;
  const std::vector<ShowWalker>& walkers;
  Scene& scene;
};

class ActionReader {
 public:
  // `parameters`: of the show.
  ActionReader(const ShowBodies& bodies, const JsonDocument& document, const Scope& parameters);

  // For an actor, by index, -1: none is meant. `delay` of the place, s; `instant`: of a transition
  // or the start, where only what takes no time may stand.
  Action read(const JsonCursor& at, int actor, double delay, bool instant);

  BodyId body(const JsonCursor& at, int actor) const;
  Target target(const JsonCursor& at, int actor) const;
  int figure(const JsonCursor& at) const;
  // A formula that is a number, as a probe of the scene. It may use the probes that are there, and
  // the parameters.
  void add_condition(const JsonCursor& at, const std::string& name);
  // The same for one of a state machine, where all of them may be meant.
  void add_condition(SceneFormula formula, const std::string& name);

 private:
  template <class F>
  void define_offered(F&& is_meant);
  int acting(const JsonCursor& at, int actor) const;
  int limb(const JsonCursor& at, int figure) const;
  BodyId prop(const JsonCursor& at, int actor) const;
  Action read_reach(const JsonCursor& at, int actor);
  Action read_stance(const JsonCursor& at, int actor);
  Action read_body(const JsonCursor& at, int actor);
  Action read_keys(const JsonCursor& at, int actor);
  Action read_clip(const JsonCursor& at, int actor, double delay);
  std::shared_ptr<const ClipData> clip(const JsonCursor& at);
  void choose_limbs(const JsonCursor& at, ClipMotion& action) const;
  Action read_gait(const JsonCursor& at, int actor, double delay);
  Action read_attach(const JsonCursor& at, int actor);
  Action read_release(const JsonCursor& at, int actor);
  Action read_move(const JsonCursor& at, int actor);
  Action read_force(const JsonCursor& at, int actor, double delay);
  Action read_motor(const JsonCursor& at, int actor, double delay);
  int walker(const JsonCursor& at, int actor) const;
  void refuse_walker(const JsonCursor& at, const JsonCursor& word, int actor) const;
  Action read_walk(const JsonCursor& at, int actor);
  Action read_fall(const JsonCursor& at, int actor);
  Action read_recover(const JsonCursor& at, int actor, bool rests);
  KeyedMotion::Track track(const JsonCursor& at, const std::string& name, int actor) const;
  // The names that the formulas of a place may use: on, weight, elapsed, progress.
  FormulaDrive add_gate(const JsonCursor& at, double delay, std::string& scope);
  void define(const std::string& scope, const std::string& name, const std::string& text,
              const std::string& place);
  std::string define_vector(const JsonCursor& at, const std::string& scope,
                            const std::string& name);

  ShowBodies bodies_;
  FormulaNotes notes_;
  int gates_ = 0;
  std::vector<SceneDefinition> offered_;  // to conditions; defined once one asks for them
  std::map<std::string, std::shared_ptr<const GaitData>> gaits_;
  std::map<std::string, motion::Character> clip_files_;
  std::map<std::pair<std::string, int>, std::shared_ptr<const ClipData>> clips_;
};

// Actors that walk, out of navigation scenes: docs/walk.md.
class WalkerReader {
 public:
  explicit WalkerReader(CharacterLoader loader = {}) : loader_(std::move(loader)) {}

  // "walker" names a file beside the show, or is the scene itself; "character" one of its
  // characters. Adds its bodies and those of the terrains to the scene.
  ShowWalker read(const JsonCursor& item, const std::string& name, Scene& scene);

 private:
  const WalkScene& walk_scene(const JsonCursor& at, Scene& scene);
  void add_terrains(const WalkScene& walk, Scene& scene);

  CharacterLoader loader_;
  std::map<std::string, std::shared_ptr<const WalkScene>> scenes_;
  using RagdollKey = std::tuple<const void*, double, double>;  // clips, scale, mass
  std::map<RagdollKey, std::shared_ptr<const navigation::Ragdoll>> ragdolls_;
  int terrains_ = 0;
};

// The causes of a show, those that its net says itself included; warns of events that none raises.
// Adds conditions as probes of the scene: their number.
int read_causes(const JsonCursor& top, const std::string& file, ActionReader& actions,
                const NetNames& names, Show& show);

// Seconds or frames a second, exact.
Fraction read_fraction(const JsonCursor& at, Fraction least, Fraction most);

// An awaited place is over when who walks in it has come to the end of the path: a cause for a
// binding that comes next.
void finish_on_arrival(const Binding& binding, Show& show);

// What an action writes: two actions of one place must not write the same.
std::vector<std::string> channels(const Action& action, const ShowBodies& bodies);

}  // namespace molejo

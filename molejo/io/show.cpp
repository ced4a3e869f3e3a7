#include "molejo/io/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "molejo/io/assembly.h"
#include "molejo/io/json_place.h"
#include "molejo/io/load.h"
#include "molejo/io/motion.h"
#include "molejo/io/net_file.h"
#include "molejo/io/scene.h"
#include "molejo/io/show_parts.h"
#include "molejo/math/index.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

const std::vector<std::string> show_file_keys{
    "name",   "description", "parameters", "variables", "scene",       "camera",
    "actors", "net",         "properties", "fps",       "duration",    "seed",
    "cast",   "start",       "actions",    "places",    "transitions", "causes"};
constexpr int most_actors = 10'000;

// '*' stands for any characters.
bool fits(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, after = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

class ShowReader {
 public:
  ShowReader(const JsonCursor& top, const CharacterLoader& loader)
      : top_(top), file_(top.document().file.name()), walkers_(loader) {}

  Show read() {
    if (const auto x = top_.find("name")) show_.name = x->text();
    if (const auto x = top_.find("description")) show_.description = x->text();
    read_scene();
    read_actors();
    read_variables();
    const Built built = build_with_file();
    for (const Placed& a : actors_) add_figure(built, a);
    read_net();
    read_times();
    const ShowBodies bodies{built.model, show_.figures, show_.walkers, show_.scene};
    ActionReader actions(bodies, top_.document(), top_.scope());
    read_cast();
    read_start(actions);
    read_places(actions, bodies);
    read_transitions(actions);
    conditions_ = read_causes(top_, file_, actions, *names_, show_);
    finish();
    return std::move(show_);
  }

 private:
  struct Placed {
    std::string name;
    Scene scene;
    Vec3 position;
    double heading = 0;
    const JsonValue* at = nullptr;
  };

  void read_scene() {
    if (const auto scene = top_.find("scene")) {
      if (scene->is_string()) {
        show_.scene = load_scene(file_beside(*scene));
      } else {
        scene->expect_object();
        show_.scene = parse_scene(pretty_text(scene->value()), part("/scene"));
      }
    }
    show_.scene.character.reset();
    if (const auto camera = top_.find("camera")) {
      const std::vector<std::string> keys{"position", "target", "fov_deg"};
      camera->expect_keys(keys);
      Camera& c = show_.scene.camera;
      camera->read("position", c.position);
      camera->read("target", c.target);
      camera->read_between("fov_deg", 1, 170, c.fov_deg);
    }
  }

  void read_actors() {
    const auto actors = top_.find("actors");
    if (!actors) return;
    actors->expect_array(max_show_entries);
    for (std::size_t i = 0; i < actors->size(); ++i) read_copies((*actors)[i]);
  }

  void read_copies(const JsonCursor& item) {
    std::vector<std::string> keys{"name",     "character", "count",
                                  "position", "heading",   "heading_deg"};
    const bool walks = item.has("walker");
    if (walks) keys.insert(keys.end(), {"walker", "mass"});
    item.expect_keys(keys);
    int count = 1;
    if (const auto c = item.find("count")) count = c->whole(0, most_actors);
    const SourceFile file = walks ? SourceFile("") : file_beside(item.need("character"));
    for (int i = 0; i < count; ++i) {
      Scope scope = item.scope();
      scope.set("i", i);
      scope.set("count", count);
      const JsonCursor copy(item.document(), item.value(), scope, item.instance());
      Placed actor{copy.need("name").name(), {}, {}, 0, &item.value()};
      for (const Placed& other : actors_) {
        if (other.name == actor.name) copy.need("name").fail("another actor has this name");
      }
      if (actors_.size() >= molejo::at(most_actors)) item.fail("too many actors");
      if (walks) {
        show_.walkers.push_back(walkers_.read(copy, actor.name, show_.scene));
        show_.walkers.back().figure = static_cast<int>(actors_.size());
        actor.scene = *show_.walkers.back().ragdoll->scene;
        actors_.push_back(std::move(actor));
        continue;
      }
      actor.scene = character(file);
      copy.read("position", actor.position);
      copy.only_one({"heading", "heading_deg"});
      copy.read_between("heading", -1000, 1000, actor.heading);
      if (const auto deg = copy.find("heading_deg")) {
        actor.heading = radians(deg->between(-36000, 36000));
      }
      if (!(max_abs(actor.position) <= 1e6)) copy.need("position").fail("must be within 1e6 m");
      add_actor(actor.name, actor.scene, actor.position, actor.heading, show_.scene);
      actors_.push_back(std::move(actor));
    }
  }

  // Of the show: numbers and formulas, which may use bodies of the actors.
  void read_variables() {
    const auto variables = top_.find("variables");
    if (!variables) return;
    FormulaNotes notes(top_.document());
    Surroundings around;
    around.formulas = &notes;
    for (const SceneDefinition& d : show_.scene.definitions) {
      const std::string full = d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name;
      if (const auto own = variables->find(full)) own->fail("the scene defines this name too");
    }
    DefinitionReader(show_.scene).read(top_, around);
  }

  // A scene, or the character of a gait in its rest pose.
  const Scene& character(const SourceFile& file) {
    const auto known = characters_.find(file.name());
    if (known != characters_.end()) return known->second;
    Scene scene;
    if (file.name().ends_with(".gait.json")) {
      const GaitFile gait = load_gait(file);
      scene = *make_character(gait.motion.scene, gait.motion.motion.figure).scene;
    } else {
      scene = load_scene(file);
    }
    return characters_.emplace(file.name(), std::move(scene)).first->second;
  }

  SourceFile part(const char* pointer) const { return top_.document().file.part(pointer); }

  Built build_with_file() {
    try {
      return build(show_.scene);
    } catch (const InputError& error) {
      const std::string text = error.what();
      throw InputError(text.rfind(file_, 0) == 0 ? text : file_ + ": " + text);
    }
  }

  void add_figure(const Built& built, const Placed& a) {
    const auto index = [&](const std::string& body) {
      return built.model.body(a.name + "." + body).index;
    };
    int torso = -1;
    std::vector<int> feet;
    if (a.scene.character) {
      torso = index(a.scene.character->torso);
      for (const SceneFoot& foot : a.scene.character->feet) feet.push_back(index(foot.body));
    } else {
      for (const SceneBody& body : a.scene.bodies) {
        if (torso < 0 && !body.immobile) torso = index(body.name);
      }
    }
    if (torso < 0) fail(top_.document(), *a.at, "this character has no body that moves");
    try {
      show_.figures.push_back(
          make_figure(built, a.name, torso, a.heading, a.position, feet, torso));
    } catch (const InputError& error) {
      fail(top_.document(), *a.at, error.what());
    }
  }

  void read_net() {
    const JsonCursor net = top_.need("net");
    if (net.is_string()) {
      show_.net = load_net(file_beside(net));
    } else {
      net.expect_object();
      show_.net = parse_net_json(pretty_text(net.value()), part("/net"));
    }
    names_ = std::make_unique<NetNames>(show_.net);
    if (const auto properties = top_.find("properties")) {
      properties->expect_array(10'000);
      for (std::size_t i = 0; i < properties->size(); ++i) {
        show_.net.properties.push_back((*properties)[i].word());
        try {
          parse_property(show_.net.properties.back(), show_.net);
        } catch (const NetError& error) {
          (*properties)[i].fail(error.what());
        }
      }
    }
  }

  void read_times() {
    if (const auto x = top_.find("fps")) show_.fps = read_fraction(*x, Fraction(1, 1000), 10'000);
    if (const auto x = top_.find("duration")) show_.duration = read_fraction(*x, 0, 100'000);
    if (const auto x = top_.find("seed")) {
      show_.seed = static_cast<std::uint64_t>(x->whole(0, 2'000'000'000));
    }
    if (show_.fps.value() * show_.duration.value() > 1e6) {
      top_.fail("more than a million frames; choose a smaller fps or duration");
    }
  }

  PlaceId place(const JsonCursor& at, const std::string& name) const {
    try {
      return names_->place(name);
    } catch (const NetError& error) {
      at.fail(error.what());
    }
  }

  // Whose each place is.
  void read_cast() {
    actor_of_.assign(show_.net.places.size(), -1);
    const auto cast = top_.find("cast");
    if (!cast) return;
    cast->expect_object();
    for (std::size_t i = 0; i < cast->size(); ++i) {
      const JsonCursor patterns = (*cast)[i];
      const std::string& name = cast->value().keys[i];
      std::vector<std::string> known;
      for (const Figure& f : show_.figures) known.push_back(f.name);
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) patterns.fail(unknown_word("actor", name, known));
      const int actor = static_cast<int>(found - known.begin());
      if (patterns.is_string()) {
        give(patterns, actor);
        continue;
      }
      patterns.expect_array(max_show_entries);
      for (std::size_t k = 0; k < patterns.size(); ++k) give(patterns[k], actor);
    }
  }

  void give(const JsonCursor& at, int actor) {
    for (const int p : matching(at, at.word())) {
      int& owner = actor_of_[molejo::at(p)];
      if (owner >= 0 && owner != actor) {
        at.fail(fmt::format("place '{}' is also of actor '{}'",
                            show_.net.places[molejo::at(p)].name,
                            show_.figures[molejo::at(owner)].name));
      }
      owner = actor;
    }
  }

  void read_start(ActionReader& actions) {
    if (const auto start = top_.find("start")) {
      for_each(*start, [&](const JsonCursor& item) {
        show_.bindings.push_back({Binding::When::start, 0, actions.read(item, -1, 0, true)});
      });
    }
  }

  // One or a list; null for none.
  template <class F>
  void for_each(const JsonCursor& at, F&& f) {
    if (at.is_null()) return;
    if (!at.is_array()) return f(at);
    at.expect_array(100);
    for (std::size_t i = 0; i < at.size(); ++i) f(at[i]);
  }

  void bind(const JsonCursor& value, std::size_t p, ActionReader& actions,
            const ShowBodies& bodies) {
    const Place& at_place = show_.net.places[p];
    if (value.is_null()) return;
    if (at_place.delay == Fraction() && !at_place.awaited) {
      value.fail(
          fmt::format("place '{}' has no delay: nothing can run in it; bind it to a "
                      "transition",
                      at_place.name));
    }
    std::set<std::string> written;
    for_each(value, [&](const JsonCursor& item) {
      if (show_.bindings.size() >= max_show_entries) item.fail("too many actions");
      Action action = actions.read(item, actor_of_[p], at_place.delay.value(), false);
      for (const std::string& channel : channels(action, bodies)) {
        if (!written.insert(channel).second) {
          item.fail(fmt::format("place '{}' already moves {}: two actions contradict each other",
                                at_place.name, channel));
        }
      }
      Binding binding{Binding::When::place, static_cast<int>(p), std::move(action)};
      if (at_place.awaited) finish_on_arrival(binding, show_);
      show_.bindings.push_back(std::move(binding));
    });
  }

  void read_places(ActionReader& actions, const ShowBodies& bodies) {
    const auto table = top_.find("actions");
    if (table) table->expect_object();
    std::map<std::string, std::size_t> words;
    std::vector<std::string> known;
    std::set<std::string> used;
    for (std::size_t i = 0; table && i < table->size(); ++i) {
      words[table->value().keys[i]] = i;
      known.push_back(table->value().keys[i]);
    }
    const std::map<int, JsonCursor> direct = read_named_places();
    for (std::size_t p = 0; p < show_.net.places.size(); ++p) {
      const Place& at_place = show_.net.places[p];
      const auto own = direct.find(static_cast<int>(p));
      const auto word = words.find(at_place.action);
      if (word != words.end()) used.insert(word->first);
      if (own != direct.end()) {
        bind(own->second, p, actions, bodies);
      } else if (word != words.end()) {
        bind((*table)[word->second], p, actions, bodies);
      } else if (!at_place.action.empty()) {
        top_.fail(fmt::format("place '{}': {}; add it to \"actions\", null for nothing",
                              at_place.name, unknown_word("action", at_place.action, known)));
      }
    }
    for (const auto& [word, i] : words) {
      if (used.count(word) > 0) continue;
      std::vector<std::string> in_net;
      for (const Place& p : show_.net.places) {
        if (!p.action.empty()) in_net.push_back(p.action);
      }
      (*table)[i].fail("no place of the net: " + unknown_word("action", word, in_net));
    }
  }

  // What is said of places by name goes before what is said of their actions.
  std::map<int, JsonCursor> read_named_places() {
    std::map<int, JsonCursor> direct;
    const auto places = top_.find("places");
    if (!places) return direct;
    places->expect_object();
    for (std::size_t i = 0; i < places->size(); ++i) {
      for (const int p : matching((*places)[i], places->value().keys[i])) {
        if (direct.emplace(p, (*places)[i]).second) continue;
        (*places)[i].fail(fmt::format("place '{}' is bound twice: here and by another name",
                                      show_.net.places[molejo::at(p)].name));
      }
    }
    return direct;
  }

  // The places of a name with '*'; one at least.
  std::vector<int> matching(const JsonCursor& at, const std::string& pattern) const {
    std::vector<int> found;
    std::vector<std::string> known;
    for (std::size_t p = 0; p < show_.net.places.size(); ++p) {
      if (fits(show_.net.places[p].name, pattern)) found.push_back(static_cast<int>(p));
      known.push_back(show_.net.places[p].name);
    }
    if (found.empty()) at.fail(unknown_word("place", pattern, known));
    return found;
  }

  void read_transitions(ActionReader& actions) {
    const auto transitions = top_.find("transitions");
    if (!transitions) return;
    transitions->expect_object();
    for (std::size_t i = 0; i < transitions->size(); ++i) {
      const JsonCursor value = (*transitions)[i];
      int t = -1;
      try {
        t = names_->transition(transitions->value().keys[i]).index;
      } catch (const NetError& error) {
        value.fail(error.what());
      }
      for_each(value, [&](const JsonCursor& item) {
        show_.bindings.push_back({Binding::When::transition, t, actions.read(item, -1, 0, true)});
      });
    }
  }

  // All formulas are there: built again with them.
  void finish() {
    show_.scene.name = show_.name.empty() ? show_.scene.name : show_.name;
    if (!show_.description.empty()) show_.scene.description = show_.description;
    show_.scene.settings.fps = show_.fps.value();
    show_.scene.settings.duration = show_.duration.value();
    const auto built = std::make_shared<Built>(build_with_file());
    if (built->formulas) {
      const std::vector<FormulaSet::Probe>& probes = built->formulas->probes;
      const std::size_t own = probes.size() - molejo::at(conditions_);
      for (std::size_t i = 0; i < probes.size(); ++i) {
        if (i < own) show_.probes += probes[i].is_vector ? 3 : 1;
        if (i >= own && probes[i].is_vector) {
          throw InputError(show_.scene.probes[i].formula.place +
                           ": expected a number, not a vector");
        }
      }
    }
    for (Cause& c : show_.causes) {
      if (c.kind == Cause::Kind::condition) c.probe += static_cast<int>(show_.probes);
    }
    show_.built = built;
    try {
      Director trial(show_);  // refuses what cannot be simulated frame by frame
    } catch (const InputError& error) {
      throw InputError(file_ + ": " + error.what());
    } catch (const NetError& error) {
      throw InputError(file_ + ": /net: " + error.what());
    }
  }

  JsonCursor top_;
  std::string file_;
  Show show_;
  std::vector<Placed> actors_;
  std::map<std::string, Scene> characters_;
  WalkerReader walkers_;
  std::unique_ptr<NetNames> names_;
  std::vector<int> actor_of_;  // of each place
  int conditions_ = 0;
};

}  // namespace

Fraction read_fraction(const JsonCursor& at, Fraction least, Fraction most) {
  const auto value = at.is_number() ? exact_fraction(at.number()) : parse_fraction(at.text());
  if (value && !(*value < least) && !(most < *value)) return *value;
  at.fail(fmt::format("expected a number from {} to {} with at most 9 decimals, or \"30000/1001\"",
                      to_string(least), to_string(most)));
}

Show parse_show(std::string_view text, const SourceFile& file, const CharacterLoader& loader) {
  const JsonDocument document = parse_json(text, file);
  Scope scope;
  const std::string instance;
  const JsonCursor outer(document, document.root, scope, instance);
  outer.expect_keys(show_file_keys);
  if (const auto parameters = outer.find("parameters")) read_parameters(*parameters, scope);
  const JsonCursor top(document, document.root, scope, instance);
  return ShowReader(top, loader).read();
}

Show load_show(const SourceFile& file, const CharacterLoader& loader) {
  return parse_show(file.read(max_json_bytes), file, loader);
}

}  // namespace molejo

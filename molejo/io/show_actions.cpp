// Actions of directed scenes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/json_place.h"
#include "molejo/io/motion.h"
#include "molejo/io/show_parts.h"
#include "molejo/math/index.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

const std::vector<std::string> action_kinds{"reach",  "stance",  "body", "keys",  "gait",
                                            "attach", "release", "move", "force", "motor",
                                            "clip",   "walk",    "idle", "fall",  "recover"};
const std::vector<std::string> eases{"linear", "smooth", "in", "out"};
const std::vector<std::string> ways{"straight", "ballistic", "simulated"};

int read_choice(const JsonCursor& at, const char* kind, const std::vector<std::string>& words) {
  const std::string word = at.text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) at.fail(unknown_word(kind, word, words));
  return static_cast<int>(found - words.begin());
}

Ease read_ease(const JsonCursor& at) {
  const auto ease = at.find("ease");
  return ease ? static_cast<Ease>(read_choice(*ease, "ease", eases)) : Ease::linear;
}

Vec3 read_point(const JsonCursor& at) {
  const Vec3 p = at.vec3();
  if (!(max_abs(p) <= farthest_directed))
    at.fail(fmt::format("must be within {:g} m", farthest_directed));
  return p;
}

// "turn" in radians or "turn_deg".
std::optional<double> read_angle(const JsonCursor& at, const std::string& key) {
  at.only_one({key, key + "_deg"});
  if (const auto x = at.find(key)) return x->between(-1000, 1000);
  if (const auto x = at.find(key + "_deg")) return radians(x->between(-36000, 36000));
  return {};
}

void expect_keys(const JsonCursor& at, std::vector<std::string> keys) {
  keys.emplace_back("do");
  at.expect_keys(keys);
}

std::vector<std::string> body_names(const Model& model) {
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  return names;
}

Curve read_curve(const JsonCursor& at) {
  std::vector<CurveKey> keys;
  at.expect_array(max_curve_keys);
  for (std::size_t i = 0; i < at.size(); ++i) {
    at[i].expect_array(2);
    const std::vector<double> pair = at[i].numbers(2);
    keys.push_back({pair[0], pair[1], Interpolation::smooth});
  }
  try {
    return Curve(keys);
  } catch (const CurveError& error) {
    at.fail(error.what());
  }
}

}  // namespace

int ActionReader::figure(const JsonCursor& at) const {
  const std::string name = at.word();
  std::vector<std::string> names;
  for (const Figure& f : bodies_.figures) names.push_back(f.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) at.fail(unknown_word("actor", name, names));
  return static_cast<int>(found - names.begin());
}

int ActionReader::acting(const JsonCursor& at, int actor) const {
  if (const auto given = at.find("actor")) return figure(*given);
  if (actor >= 0) return actor;
  if (bodies_.figures.size() == 1) return 0;
  at.fail("who acts? give \"actor\", or say in \"cast\" whose place this is");
}

int ActionReader::limb(const JsonCursor& at, int figure) const {
  const Figure& f = bodies_.figures[molejo::at(figure)];
  const std::string name = at.word();
  const int found = f.find_limb(name);
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (const FigureLimb& l : f.limbs) names.push_back(l.name);
  at.fail(unknown_word("limb", name, names));
}

BodyId ActionReader::body(const JsonCursor& at, int actor) const {
  const std::string name = at.word();
  const auto find = [&](const std::string& full) {
    for (int i = 0; i < bodies_.model.body_count(); ++i) {
      if (bodies_.model.bodies[molejo::at(i)].name == full) return i;
    }
    return -1;
  };
  int found = find(name);
  if (found < 0 && actor >= 0) found = find(bodies_.figures[molejo::at(actor)].name + "." + name);
  if (found < 0) at.fail(unknown_word("body", name, body_names(bodies_.model)));
  return {found};
}

BodyId ActionReader::prop(const JsonCursor& at, int actor) const {
  const BodyId id = body(at, actor);
  const Link& link = bodies_.model.links[molejo::at(id.index)];
  const bool carries = std::any_of(bodies_.model.links.begin(), bodies_.model.links.end(),
                                   [&](const Link& other) { return other.parent == id.index; });
  if (link.parent >= 0 || link.translations != 3 || link.rotations != 3 || carries ||
      link.follows >= 0) {
    at.fail("expected a body that floats freely and carries no other");
  }
  return id;
}

Target ActionReader::target(const JsonCursor& at, int actor) const {
  Target target;
  if (at.is_array()) {
    target.p = read_point(at);
    return target;
  }
  const std::vector<std::string> keys{"body", "point"};
  at.expect_keys(keys);
  target.body = body(at.need("body"), actor);
  if (const auto p = at.find("point")) target.p = read_point(*p);
  return target;
}

Action ActionReader::read_reach(const JsonCursor& at, int actor) {
  expect_keys(at, {"actor", "limb", "to", "by", "at", "swivel", "swivel_deg", "lift", "ease"});
  Reach reach;
  reach.figure = acting(at, actor);
  reach.limb = limb(at.need("limb"), reach.figure);
  at.only_one({"to", "by", "at"});
  if (const auto point = at.find("at")) {
    reach.point = target(*point, reach.figure);
  } else if (const auto by = at.find("by")) {
    reach.to = read_point(*by);
    reach.relative = true;
  } else {
    reach.to = read_point(at.need("to"));
  }
  reach.swivel = read_angle(at, "swivel");
  at.read_between("lift", -farthest_directed, farthest_directed, reach.lift);
  reach.ease = read_ease(at);
  return reach;
}

Action ActionReader::read_stance(const JsonCursor& at, int actor) {
  expect_keys(at, {"actor", "limb", "travel", "ease"});
  Stance stance;
  stance.figure = acting(at, actor);
  const JsonCursor which = at.need("limb");
  stance.limb = limb(which, stance.figure);
  if (!bodies_.figures[molejo::at(stance.figure)].limbs[molejo::at(stance.limb)].is_leg) {
    which.fail("expected a leg: a limb that ends in a foot of the character");
  }
  stance.travel = at.need("travel").between(-farthest_directed, farthest_directed);
  stance.ease = read_ease(at);
  return stance;
}

Action ActionReader::read_body(const JsonCursor& at, int actor) {
  expect_keys(at,
              {"actor", "travel", "turn", "turn_deg", "lift", "tilt", "tilt_deg", "feet", "ease"});
  WholeBody motion;
  motion.figure = acting(at, actor);
  if (const auto x = at.find("travel")) motion.travel = read_point(*x);
  motion.turn = read_angle(at, "turn");
  if (const auto x = at.find("lift"))
    motion.lift = x->between(-farthest_directed, farthest_directed);
  motion.tilt = read_angle(at, "tilt");
  if (motion.tilt && bodies_.figures[molejo::at(motion.figure)].waist < 0) {
    at.fail("the torso of this actor is not held by a hinge across its root: it cannot tilt");
  }
  if (const auto feet = at.find("feet")) {
    motion.carried = read_choice(*feet, "word for feet", {"planted", "carried"}) == 1;
  }
  if (!motion.travel && !motion.turn && !motion.lift && !motion.tilt) {
    at.fail("expected travel, turn, lift or tilt");
  }
  motion.ease = read_ease(at);
  return motion;
}

// "joint" of one freedom, "joint.1" of several, "joint" of a ball with three curves.
KeyedMotion::Track ActionReader::track(const JsonCursor& at, const std::string& name,
                                       int actor) const {
  const std::string prefix = actor >= 0 ? bodies_.figures[molejo::at(actor)].name + "." : "";
  std::vector<std::string> known;
  for (int i = 0; i < bodies_.model.body_count(); ++i) {
    const Link& link = bodies_.model.links[molejo::at(i)];
    std::string joint = bodies_.model.bodies[molejo::at(i)].joint;
    if (joint.empty()) joint = bodies_.model.bodies[molejo::at(i)].name + ".joint";
    const auto is = [&](const std::string& full) { return name == full || prefix + name == full; };
    for (int k = 0; k < link.translations + (link.rotations < 3 ? link.rotations : 0); ++k) {
      const bool alone = link.translations + link.rotations == 1;
      known.push_back(alone ? joint : joint + "." + std::to_string(k));
      if (is(known.back())) return {i, k, false, {read_curve(at)}};
    }
    if (link.rotations != 3) continue;
    known.push_back(link.translations == 0 ? joint : joint + ".rotation");
    if (!is(known.back())) continue;
    at.expect_array(3);
    if (at.size() != 3) at.fail("expected three curves: the components of a rotation vector");
    return {i, link.translations, true, {read_curve(at[0]), read_curve(at[1]), read_curve(at[2])}};
  }
  at.fail(unknown_word("freedom", name, known));
}

Action ActionReader::read_keys(const JsonCursor& at, int actor) {
  expect_keys(at, {"actor", "freedoms", "over", "blend_in", "blend_out"});
  KeyedMotion keyed;
  if (at.has("actor") || actor >= 0) actor = acting(at, actor);
  const JsonCursor freedoms = at.need("freedoms");
  freedoms.expect_object();
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    KeyedMotion::Track t = track(freedoms[i], freedoms.value().keys[i], actor);
    const bool directed =
        std::any_of(bodies_.figures.begin(), bodies_.figures.end(), [&](const Figure& f) {
          return std::find(f.links.begin(), f.links.end(), t.link) != f.links.end();
        });
    if (!directed) freedoms[i].fail("this joint is simulated: use a motor");
    keyed.tracks.push_back(std::move(t));
  }
  if (const auto over = at.find("over")) {
    keyed.by_progress = read_choice(*over, "word for time", {"seconds", "progress"}) == 1;
  }
  at.read_between("blend_in", 0, farthest_directed, keyed.blend_in);
  at.read_between("blend_out", 0, farthest_directed, keyed.blend_out);
  return keyed;
}

Action ActionReader::read_gait(const JsonCursor& at, int actor, double delay) {
  expect_keys(at, {"actor", "file", "cycle", "blend_in"});
  GaitMotion motion;
  motion.figure = acting(at, actor);
  at.read("cycle", motion.cycle);
  at.read_between("blend_in", 0, farthest_directed, motion.blend_in);
  if (!motion.cycle && !(delay > 0 && delay <= 600)) {
    at.fail("a simulated gait needs a delay of its place, of 600 s at most; or \"cycle\": true");
  }
  for (const SceneBody& body : bodies_.scene.bodies) {
    for (const Shape& shape : body.shapes) {
      const std::string what = unfelt_ground(body, shape);
      if (what.empty()) continue;
      at.fail(
          fmt::format("the ground of a gait is the plane z = 0, and '{}' is {}", body.name, what));
    }
  }
  const SourceFile source = file_beside(at.need("file"));
  std::shared_ptr<const GaitData>& data = gaits_[source.name()];
  if (!data) {
    const GaitFile file = load_gait(source);
    std::optional<Feedback> feedback;
    if (file.feedback) feedback = file.feedback->feedback;
    data = std::make_shared<const GaitData>(file.motion.scene, file.motion.motion, file.unknowns,
                                            feedback);
    if (file.unknowns.size() != molejo::at(data->problem.size())) {
      at.need("file").fail(
          fmt::format("{} unknowns, expected {}", file.unknowns.size(), data->problem.size()));
    }
    if (file.feedback) check_feedback(data->problem, *file.feedback, source.name());
  }
  motion.gait = data;
  const Figure& f = bodies_.figures[molejo::at(motion.figure)];
  for (std::size_t b = 0; b < data->character.model.bodies.size(); ++b) {
    const Body& own = data->character.model.bodies[b];
    const int turns = data->character.model.links[b].rotations;
    int link = -1;
    for (const int i : f.links) {
      const bool alike = bodies_.model.links[molejo::at(i)].rotations == turns;
      if (alike && bodies_.model.bodies[molejo::at(i)].name == f.name + "." + own.name) link = i;
    }
    if (link < 0 && !own.immobile) {
      at.need("file").fail(
          fmt::format("the gait is of another character: '{}' has no body '{}' on such a joint",
                      f.name, own.name));
    }
    motion.links.push_back(link);
  }
  return motion;
}

Action ActionReader::read_attach(const JsonCursor& at, int actor) {
  expect_keys(at, {"body", "to", "actor", "position", "orientation"});
  if (at.has("actor")) actor = acting(at, actor);
  Attach attach;
  attach.body = prop(at.need("body"), actor);
  attach.to = body(at.need("to"), actor);
  if (attach.to == attach.body) at.need("to").fail("a body cannot be attached to itself");
  if (at.has("position") || at.has("orientation")) attach.X_TB = read_pose(at);
  return attach;
}

Action ActionReader::read_release(const JsonCursor& at, int actor) {
  expect_keys(at, {"body", "actor", "velocity"});
  at.only_one({"body", "actor"});
  Release release;
  if (at.has("actor")) {
    release.body = {bodies_.figures[molejo::at(acting(at, actor))].root};
  } else {
    release.body = prop(at.need("body"), actor);
  }
  if (const auto v = at.find("velocity")) release.velocity = read_point(*v);
  return release;
}

Action ActionReader::read_move(const JsonCursor& at, int actor) {
  expect_keys(at, {"body", "to", "way", "hold", "ease"});
  Move move;
  move.body = prop(at.need("body"), actor);
  move.to = target(at.need("to"), actor);
  if (move.to.body == move.body) at.need("to").fail("a body cannot move to itself");
  if (const auto way = at.find("way")) move.way = static_cast<Way>(read_choice(*way, "way", ways));
  at.read("hold", move.holds);
  move.ease = read_ease(at);
  return move;
}

void ActionReader::define(const std::string& scope, const std::string& name,
                          const std::string& text, const std::string& place) {
  SceneDefinition d;
  d.name = name;
  d.formula = {text, scope, place};
  bodies_.scene.definitions.push_back(std::move(d));
}

FormulaDrive ActionReader::add_gate(const JsonCursor& at, double delay, std::string& scope) {
  scope = fmt::format("directed_{}", ++gates_);
  const std::string place = notes_.place(at);
  for (const char* name : {"start", "end"}) {
    SceneDefinition d;
    d.name = name;
    d.formula = {"", scope, place};
    d.value = 1e9;
    bodies_.scene.definitions.push_back(std::move(d));
  }
  double blend_in = 0, blend_out = 0;
  at.read_between("blend_in", 0, farthest_directed, blend_in);
  at.read_between("blend_out", 0, farthest_directed, blend_out);
  define(scope, "on", "t >= start and t < end", place);
  define(scope, "elapsed", "max(0, min(t, end) - start)", place);
  define(scope, "progress", delay > 0 ? fmt::format("min(1, elapsed/{})", delay) : "1", place);
  std::string weight = "1";
  if (blend_in > 0) weight += fmt::format("*smoothstep(0, {}, t - start)", blend_in);
  if (blend_out > 0) weight += fmt::format("*smoothstep(0, {}, end - t)", blend_out);
  define(scope, "weight", weight, place);
  return {scope + ".start", scope + ".end"};
}

// Its name, or a vector of three names.
std::string ActionReader::define_vector(const JsonCursor& at, const std::string& scope,
                                        const std::string& name) {
  Surroundings around;
  around.formulas = &notes_;
  std::vector<SceneFormula> parts;
  if (is_vector_formula(at)) {
    parts = read_vector_formula(at, around);
  } else {
    const Vec3 v = read_point(at);
    for (int i = 0; i < 3; ++i) parts.push_back(constant_formula(v[i]));
  }
  const std::string place = notes_.place(at);
  if (parts.size() == 1) {
    define(scope, name, parts[0].text, place);
    return name;
  }
  std::string list;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string part = fmt::format("{}_{}", name, "xyz"[i]);
    define(scope, part, parts[i].text, parts[i].place.empty() ? place : parts[i].place);
    list += (i > 0 ? ", " : "[") + part;
  }
  return list + "]";
}

Action ActionReader::read_force(const JsonCursor& at, int actor, double delay) {
  expect_keys(at, {"actor", "body", "point", "force", "torque", "axes", "blend_in", "blend_out"});
  if (at.has("actor")) actor = acting(at, actor);
  const BodyId pushed = body(at.need("body"), actor);
  SceneForce force;
  force.at.body = bodies_.model.bodies[molejo::at(pushed.index)].name;
  if (const auto p = at.find("point")) force.at.p = read_point(*p);
  std::string scope;
  const FormulaDrive drive = add_gate(at, delay, scope);
  force.name = scope + "_force";
  const std::string place = notes_.place(at);
  const auto gated = [&](const char* key) {
    const std::string name = define_vector(at.need(key), scope, key);
    return SceneFormula{fmt::format("if(on, weight*{}, [0, 0, 0])", name), scope, place};
  };
  if (at.has("force")) force.force_formulas.push_back(gated("force"));
  if (at.has("torque")) force.torque_formulas.push_back(gated("torque"));
  if (!at.has("force") && !at.has("torque")) at.fail("expected a force or a torque");
  if (const auto axes = at.find("axes")) {
    force.in_body_axes = read_choice(*axes, "axes", {"world", "body"}) == 1;
  }
  bodies_.scene.forces.push_back(std::move(force));
  return drive;
}

Action ActionReader::read_motor(const JsonCursor& at, int actor, double delay) {
  expect_keys(at, {"actor", "joint", "freedom", "target", "target_deg", "blend_in", "blend_out"});
  if (at.has("actor")) actor = acting(at, actor);
  const JsonCursor which = at.need("joint");
  const std::string name = which.word();
  std::vector<std::string> names;
  SceneJoint* joint = nullptr;
  for (SceneJoint& j : bodies_.scene.joints) {
    names.push_back(j.name);
    const std::string prefix =
        actor >= 0 ? bodies_.figures[molejo::at(actor)].name + "." : std::string();
    if (j.name == name || j.name == prefix + name) joint = &j;
  }
  if (!joint) which.fail(unknown_word("joint", name, names));
  const int count = freedoms(joint->type).count();
  int freedom = 0;
  if (const auto f = at.find("freedom")) freedom = f->whole(0, std::max(0, count - 1));
  if (count == 0 || joint->drives.empty() || !(joint->drives[molejo::at(freedom)].kp > 0)) {
    which.fail("this joint has no motor with a stiffness kp");
  }
  at.only_one({"target", "target_deg"});
  std::string scope, text;
  const FormulaDrive drive = add_gate(at, delay, scope);
  std::string place = notes_.place(at);
  if (const auto deg = at.find("target_deg")) {
    text = constant_formula(radians(deg->between(-36000, 36000))).text;
  } else {
    const JsonCursor target = at.need("target");
    place = notes_.place(target);
    Surroundings around;
    around.formulas = &notes_;
    text = is_formula(target)
               ? read_formula(target, around).text
               : constant_formula(target.between(-farthest_directed, farthest_directed)).text;
  }
  define(scope, "value", text, place);
  // what it was before stays where this one is not on
  joint->motor_formulas.resize(joint->drives.size());
  SceneFormula& formula = joint->motor_formulas[molejo::at(freedom)].target;
  const std::string before = "before_" + scope;
  if (formula.empty()) {
    define("", before, constant_formula(joint->drives[molejo::at(freedom)].target).text, place);
  } else {
    define(formula.scope, before, formula.text, formula.place);
  }
  const std::string old = formula.scope.empty() ? before : formula.scope + "." + before;
  formula = {fmt::format("if({0}.on, mix({1}, {0}.value, {0}.weight), {1})", scope, old), "",
             place};
  return drive;
}

// What poses limbs would contradict a walker.
void ActionReader::refuse_walker(const JsonCursor& at, const JsonCursor& word, int actor) const {
  const int figure = acting(at, actor);
  for (const ShowWalker& w : bodies_.walkers) {
    if (w.figure != figure) continue;
    word.fail(fmt::format("actor '{}' walks: expected walk, idle, fall or recover", w.name));
  }
}

Action ActionReader::read(const JsonCursor& at, int actor, double delay, bool instant) {
  at.expect_object();
  if (actor < 0 && bodies_.figures.size() == 1) actor = 0;
  const JsonCursor word = at.need("do");
  const int kind = read_choice(word, "action", action_kinds);
  if (instant && (kind == 3 || kind == 4 || (kind >= 8 && kind <= 11))) {
    word.fail("takes time: bind it to a place");
  }
  if (kind <= 2 || kind == 4 || kind == 10) refuse_walker(at, word, actor);
  switch (kind) {
    case 0:
      return read_reach(at, actor);
    case 1:
      return read_stance(at, actor);
    case 2:
      return read_body(at, actor);
    case 3:
      return read_keys(at, actor);
    case 4:
      return read_gait(at, actor, delay);
    case 5:
      return read_attach(at, actor);
    case 6:
      return read_release(at, actor);
    case 7:
      return read_move(at, actor);
    case 8:
      return read_force(at, actor, delay);
    case 9:
      return read_motor(at, actor, delay);
    case 11:
      return read_walk(at, actor);
    case 12:
      return read_recover(at, actor, true);
    case 13:
      return read_fall(at, actor);
    case 14:
      return read_recover(at, actor, false);
    default:
      return read_clip(at, actor, delay);
  }
}

std::vector<std::string> channels(const Action& action, const ShowBodies& bodies) {
  std::vector<std::string> list;
  const auto actor = [&](int f) { return bodies.figures[molejo::at(f)].name; };
  const auto limb = [&](int f, int l) {
    return actor(f) + "." + bodies.figures[molejo::at(f)].limbs[molejo::at(l)].name;
  };
  const auto prop = [&](BodyId b) { return bodies.model.bodies[molejo::at(b.index)].name; };
  if (const auto* a = std::get_if<Reach>(&action)) list = {limb(a->figure, a->limb)};
  if (const auto* a = std::get_if<Stance>(&action)) {
    list = {limb(a->figure, a->limb), actor(a->figure) + " place"};
  }
  if (const auto* a = std::get_if<WholeBody>(&action)) {
    if (a->travel) list.push_back(actor(a->figure) + " place");
    if (a->turn) list.push_back(actor(a->figure) + " heading");
    if (a->lift) list.push_back(actor(a->figure) + " lift");
    if (a->tilt) list.push_back(actor(a->figure) + " tilt");
  }
  if (const auto* a = std::get_if<ClipMotion>(&action)) {
    for (const ClipMotion::Part& part : a->parts) list.push_back(limb(a->figure, part.limb));
    for (const char* what : {" place", " heading"}) {
      if (a->travel) list.push_back(actor(a->figure) + what);
    }
    for (const char* what : {" lift", " tilt"}) {
      if (a->whole) list.push_back(actor(a->figure) + what);
    }
  }
  const auto walker = [&](int w) { return bodies.walkers[molejo::at(w)].name + " walk"; };
  if (const auto* a = std::get_if<Walk>(&action)) list = {walker(a->walker)};
  if (const auto* a = std::get_if<Fall>(&action)) list = {walker(a->walker)};
  if (const auto* a = std::get_if<Recover>(&action)) list = {walker(a->walker)};
  if (const auto* a = std::get_if<Attach>(&action)) list = {prop(a->body)};
  if (const auto* a = std::get_if<Release>(&action)) list = {prop(a->body)};
  if (const auto* a = std::get_if<Move>(&action)) list = {prop(a->body)};
  return list;
}

}  // namespace molejo

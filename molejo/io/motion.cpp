#include "molejo/io/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "molejo/io/file.h"
#include "molejo/io/json_place.h"
#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/locomotion/choose_modes.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t most_steps = 16, most_modes = 1000;

// A number of a structure, under its key, within bounds.
template <class T>
struct Field {
  const char* key;
  double T::*member;
  double least, most;
};

constexpr Field<SearchRange> range_fields[] = {
    {"period", &SearchRange::period, 0.01, 100},
    {"least_period", &SearchRange::least_period, 0.01, 100},
    {"most_period", &SearchRange::most_period, 0.01, 100},
    {"air_share", &SearchRange::air_share, 1e-3, 0.999},
    {"least_air_share", &SearchRange::least_air_share, 1e-3, 0.999},
    {"most_air_share", &SearchRange::most_air_share, 1e-3, 0.999},
    {"least_pulse", &SearchRange::least_pulse, 1e-4, 100},
    {"most_pulse", &SearchRange::most_pulse, 1e-4, 100},
    {"height", &SearchRange::height, -100, 100},
    {"below", &SearchRange::below, 0, 100},
    {"above", &SearchRange::above, 0, 100},
    {"speed", &SearchRange::speed, -100, 100},
    {"least_speed", &SearchRange::least_speed, -100, 100},
    {"most_speed", &SearchRange::most_speed, -100, 100},
    {"sideways", &SearchRange::sideways, 1e-6, 100},
    {"rise_speed", &SearchRange::rise_speed, 1e-6, 100},
    {"side_speed", &SearchRange::side_speed, 1e-6, 100},
    {"root_turn", &SearchRange::root_turn, 1e-6, 3},
    {"root_spin", &SearchRange::root_spin, 1e-6, 100},
    {"joint_turn", &SearchRange::joint_turn, 1e-6, 3},
    {"joint_speed", &SearchRange::joint_speed, 1e-6, 1000},
    {"amplitude", &SearchRange::amplitude, 1e-6, 1000},
};
constexpr Field<CycleTolerance> tolerance_fields[] = {
    {"position", &CycleTolerance::position, 1e-9, 10},
    {"angle", &CycleTolerance::angle, 1e-9, 10},
    {"speed", &CycleTolerance::speed, 1e-9, 100},
    {"spin", &CycleTolerance::spin, 1e-9, 100},
};
constexpr Field<EasyLimits> limit_fields[] = {
    {"least_speed", &EasyLimits::least_speed, -100, 100},
    {"mean_speed", &EasyLimits::mean_speed, -100, 100},
    {"drift", &EasyLimits::drift, 0, 100},
    {"joint_speed", &EasyLimits::joint_speed, 0, 1e6},
    {"energy", &EasyLimits::energy, 0, 1e15},
    {"support_gap", &EasyLimits::support_gap, 0, 10},
    {"lift", &EasyLimits::lift, 0, 10},
    {"stumble", &EasyLimits::stumble, -100, 10},
    {"upright", &EasyLimits::upright, -100, 10},
    {"start_gap", &EasyLimits::start_gap, -100, 10},
    {"clearance", &EasyLimits::clearance, -100, 10},
    {"peak_force", &EasyLimits::peak_force, 0, 1e9},
    {"likeness", &EasyLimits::likeness, -1, 1},
    {"size", &EasyLimits::size, -100, 100},
};
constexpr Field<RolloutSettings> simulation_fields[] = {
    {"time_step", &RolloutSettings::time_step, 1e-5, 0.05},
    {"friction", &RolloutSettings::friction, 0, 100},
    {"force_smoothing", &RolloutSettings::force_smoothing, 1e-4, 1},
};
constexpr Field<TrainingSettings> solver_fields[] = {
    {"sigma", &TrainingSettings::sigma, 1e-6, 10},
    {"sigma_decay", &TrainingSettings::sigma_decay, 0.01, 1},
    {"sigma_floor", &TrainingSettings::sigma_floor, 1e-12, 10},
    {"penalty", &TrainingSettings::penalty, 0, 1e9},
    {"tolerance_x", &TrainingSettings::tolerance_x, 0, 1},
};

const std::vector<std::string> basis_words = {"shapes", "stiff_shapes", "joints"};
const std::vector<std::string> pulse_words = {"rectangle", "smooth"};
const std::vector<std::string> training_solver_words = {"default", "thesis"};

template <class T, std::size_t n>
std::vector<std::string> keys_of(const Field<T> (&fields)[n],
                                 std::initializer_list<const char*> more = {}) {
  std::vector<std::string> keys;
  for (const Field<T>& f : fields) keys.emplace_back(f.key);
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

template <class T, std::size_t n>
void read_fields(const JsonCursor& at, const Field<T> (&fields)[n], T& target) {
  for (const Field<T>& f : fields) at.read_between(f.key, f.least, f.most, target.*f.member);
}

template <class T, std::size_t n>
JsonValue fields_value(const Field<T> (&fields)[n], const T& values, const T& usual = {}) {
  JsonValue object = JsonValue::object();
  for (const Field<T>& f : fields) {
    if (values.*f.member != usual.*f.member) object.add(f.key, values.*f.member);
  }
  return object;
}

template <class E>
E read_word(const JsonCursor& at, const char* kind, const std::vector<std::string>& words) {
  const std::string word = at.text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) at.fail(unknown_word(kind, word, words));
  return static_cast<E>(found - words.begin());
}

int read_mode(const JsonCursor& at, const std::string& text) {
  int mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || mode > static_cast<int>(most_modes)) {
      at.fail("expected the number of a mode, from 1");
    }
    mode = 10 * mode + (c - '0');
  }
  if (text.empty() || mode < 1) at.fail("expected the number of a mode, from 1");
  return mode;
}

PhaseMarks read_marks(const JsonCursor& at, double top) {
  const std::vector<std::string> keys = {"priority", "others"};
  at.expect_keys(keys);
  PhaseMarks marks;
  if (const auto priority = at.find("priority")) {
    priority->expect_object();
    if (priority->size() > most_modes) priority->fail("too many modes");
    for (std::size_t i = 0; i < priority->size(); ++i) {
      const JsonCursor amplitude = (*priority)[i];
      MarkedMode m{read_mode(*priority, priority->value().keys[i]), amplitude.between(-top, top)};
      if (m.amplitude == 0) amplitude.fail("expected an amplitude other than zero");
      marks.priority.push_back(m);
    }
  }
  if (const auto others = at.find("others")) {
    if (others->is_string()) {
      if (others->text() != "auto") others->fail("expected a list of modes, or \"auto\"");
      marks.choose_others = true;
    } else {
      others->expect_array(most_modes);
      for (std::size_t i = 0; i < others->size(); ++i) {
        marks.others.push_back((*others)[i].whole(1, static_cast<int>(most_modes)));
      }
    }
  }
  return marks;
}

void read_figure(const JsonCursor& top, CharacterOptions& figure) {
  if (const auto k = top.find("stiffness")) figure.stiffness = k->within(bounds_of::stiffness);
  top.read_between("relaxation", 0, 100, figure.relaxation);
  if (const auto pose = top.find("pose")) {
    pose->expect_object();
    figure.pose.mirror = true;
    top.read("pose_mirrored", figure.pose.mirror);
    for (std::size_t i = 0; i < pose->size(); ++i) {
      const JsonCursor angles = (*pose)[i];
      const Vec3 turn = angles.vec3();
      if (!(norm(turn) <= 360)) angles.fail("expected a turn of 360 degrees at most");
      figure.pose.turns[pose->value().keys[i]] = {radians(turn.x), radians(turn.y),
                                                  radians(turn.z)};
    }
  }
  if (const auto feet = top.find("without_feet")) {
    feet->expect_array(most_steps);
    for (std::size_t i = 0; i < feet->size(); ++i) {
      figure.without_feet.push_back((*feet)[i].text());
    }
  }
}

void read_solver(const JsonCursor& at, TrainingSettings& t) {
  if (at.is_string()) {
    t.thesis = read_word<int>(at, "solver", training_solver_words) == 1;
    return;
  }
  at.expect_keys(
      keys_of(solver_fields, {"method", "population", "runs", "generations", "evaluations"}));
  if (const auto method = at.find("method")) {
    t.thesis = read_word<int>(*method, "solver", training_solver_words) == 1;
  }
  read_fields(at, solver_fields, t);
  if (const auto x = at.find("population")) t.population = x->whole(2, 10000);
  if (const auto x = at.find("runs")) t.runs = x->whole(1, 10000);
  if (const auto x = at.find("generations")) t.generations = x->whole(1, 1000000);
  if (const auto x = at.find("evaluations")) t.evaluations = x->whole(bounds_of::evaluations);
}

Motion read_motion(const JsonCursor& top) {
  Motion m;
  top.read("name", m.name);
  top.read("description", m.description);
  if (const auto character = top.find("character")) m.character = character->text();
  read_figure(top, m.figure);
  top.read("mirrored", m.mirrored);
  if (const auto x = top.find("basis")) m.basis = read_word<Basis>(*x, "basis", basis_words);
  if (const auto x = top.find("pulse")) m.shape = read_word<PulseShape>(*x, "pulse", pulse_words);
  top.read("own_times", m.own_times);
  top.read_between("torque_scale", 1e-6, 1e9, m.torque_scale);
  top.read_between("others", 0, 1000, m.others);
  if (const auto x = top.find("range")) {
    x->expect_keys(keys_of(range_fields));
    read_fields(*x, range_fields, m.range);
    const SearchRange& r = m.range;
    if (r.least_period >= r.most_period || r.least_air_share >= r.most_air_share ||
        r.least_pulse >= r.most_pulse || r.least_speed >= r.most_speed || r.below + r.above <= 0) {
      x->fail("expected least values below the most");
    }
  }
  if (const auto x = top.find("tolerance")) {
    x->expect_keys(keys_of(tolerance_fields));
    read_fields(*x, tolerance_fields, m.tolerance);
  }
  if (const auto x = top.find("solver")) read_solver(*x, m.training);
  if (m.training.thesis) m.rollout = rollout_of_the_thesis();
  if (const auto x = top.find("limits")) {
    x->expect_keys(keys_of(limit_fields));
    read_fields(*x, limit_fields, m.rollout.limits);
  }
  if (const auto x = top.find("simulation")) {
    x->expect_keys(keys_of(simulation_fields, {"whole_body"}));
    read_fields(*x, simulation_fields, m.rollout);
    x->read("whole_body", m.rollout.whole_body);
  }
  const JsonCursor steps = top.need("steps");
  steps.expect_array(most_steps);
  if (steps.size() == 0) steps.fail("expected one step or more");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<std::string> keys = {"feet", "air", "ground"};
    steps[i].expect_keys(keys);
    MotionStep step;
    const JsonCursor feet = steps[i].need("feet");
    feet.expect_array(8);
    if (feet.size() == 0) feet.fail("expected one foot or more");
    for (std::size_t k = 0; k < feet.size(); ++k) step.feet.push_back(feet[k].text());
    step.air = read_marks(steps[i].need("air"), m.range.amplitude);
    step.ground = read_marks(steps[i].need("ground"), m.range.amplitude);
    m.steps.push_back(std::move(step));
  }
  return m;
}

const std::vector<std::string> motion_keys = {
    "name",          "description",  "character", "stiffness", "relaxation", "pose",
    "pose_mirrored", "without_feet", "mirrored",  "basis",     "pulse",      "own_times",
    "torque_scale",  "others",       "range",     "tolerance", "limits",     "simulation",
    "solver",        "steps",        "scene"};

// A whole document at its root.
struct Root {
  explicit Root(std::string_view text, const SourceFile& file) : document(parse_json(text, file)) {}
  JsonDocument document;
  Scope scope;
  std::string instance;
  JsonCursor cursor() const { return {document, document.root, scope, instance}; }
};

Scene read_scene_inside(const JsonCursor& top) {
  const JsonCursor scene = top.need("scene");
  scene.expect_object();
  return parse_scene(pretty_text(scene.value()), top.document().file.part("/scene"));
}

JsonValue marks_value(const PhaseMarks& marks) {
  JsonValue object = JsonValue::object(), priority = JsonValue::object();
  for (const MarkedMode& m : marks.priority) priority.add(std::to_string(m.mode), m.amplitude);
  object.add("priority", std::move(priority));
  if (marks.choose_others) {
    object.add("others", std::string("auto"));
    return object;
  }
  JsonValue others = JsonValue::array();
  for (const int mode : marks.others) others.items.emplace_back(mode);
  object.add("others", std::move(others));
  return object;
}

// Bodies that hang on the torso; without one all that can be moved.
std::set<std::string> bodies_of_figure(const Scene& scene) {
  std::set<std::string> movable, figure;
  for (const SceneBody& body : scene.bodies) {
    if (!body.immobile && !body.follows) movable.insert(body.name);
  }
  if (!scene.character) return movable;
  std::multimap<std::string, std::string> neighbours;
  for (const SceneJoint& joint : scene.joints) {
    neighbours.emplace(joint.parent, joint.child);
    neighbours.emplace(joint.child, joint.parent);
  }
  std::vector<std::string> open{scene.character->torso};
  while (!open.empty()) {
    check_interrupt();
    const std::string name = open.back();
    open.pop_back();
    if (!movable.contains(name) || !figure.insert(name).second) continue;
    const auto [first, last] = neighbours.equal_range(name);
    for (auto next = first; next != last; ++next) open.push_back(next->second);
  }
  return figure;
}

// What a gait would go through is not silently left out. `file` is that of the scene.
void refuse_what_is_not_felt(const Scene& scene, const std::string& file) {
  const std::set<std::string> figure = bodies_of_figure(scene);
  for (const SceneBody& body : scene.bodies) {
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      const Shape& shape = body.shapes[i];
      std::string what = unfelt_ground(body, shape);
      const bool is_plane = std::holds_alternative<Plane>(shape.geometry);
      if (what.empty() && shape.collides && !is_plane && !figure.contains(body.name)) {
        what = "solid, and no part of the figure";
      }
      if (what.empty()) continue;
      throw InputError(fmt::format(
          "{}: body '{}', shape {}: {}; expected none, since the ground of a gait is the plane "
          "z = 0",
          file, body.name, i + 1, what));
    }
  }
}

// "auto" of a file becomes the modes that it stands for.
void choose_others(MotionFile& file, const std::string& path) {
  const auto asks = [](const MotionStep& step) {
    return step.air.choose_others || step.ground.choose_others;
  };
  Motion& motion = file.motion;
  if (std::none_of(motion.steps.begin(), motion.steps.end(), asks)) return;
  try {
    motion = with_chosen_modes(make_character(file.scene, motion.figure), motion);
  } catch (const InputError& problem) {
    throw InputError(path + ": " + problem.what());
  }
}

}  // namespace

std::string unfelt_ground(const SceneBody& body, const Shape& shape) {
  if (!shape.collides) return {};
  if (std::holds_alternative<HeightField>(shape.geometry)) return "a height field";
  if (!std::holds_alternative<Plane>(shape.geometry)) return {};
  constexpr double same = 1e-9;
  const Pose X = body.X_WB * shape.X_BS;
  const bool is_felt = !body.follows && std::fabs(X.p.z) <= same &&
                       max_abs(X.R * Vec3{0, 0, 1} - Vec3{0, 0, 1}) <= same;
  return is_felt ? "" : "a plane other than z = 0";
}

MotionFile parse_motion(std::string_view text, const SourceFile& file) {
  const Root root(text, file);
  const JsonCursor top = root.cursor();
  top.expect_keys(motion_keys);
  MotionFile loaded;
  loaded.motion = read_motion(top);
  if (top.has("scene")) {
    loaded.scene = read_scene_inside(top);
    refuse_what_is_not_felt(loaded.scene, file.part("/scene").name());
    return loaded;
  }
  const JsonCursor character = top.need("character");
  if (loaded.motion.character.empty()) character.fail("expected the name of a scene file");
  const SourceFile scene = file_beside(character);
  loaded.scene = load_scene(scene);
  refuse_what_is_not_felt(loaded.scene, scene.name());
  return loaded;
}

MotionFile load_motion(const SourceFile& file) {
  MotionFile motion = parse_motion(file.read(max_json_bytes), file);
  choose_others(motion, file.name());
  return motion;
}

JsonValue to_json(const MotionFile& file) {
  const Motion& m = file.motion;
  Motion usual;
  if (m.training.thesis) usual.rollout = rollout_of_the_thesis();
  JsonValue top = JsonValue::object();
  if (!m.name.empty()) top.add("name", m.name);
  if (!m.description.empty()) top.add("description", m.description);
  if (!m.character.empty()) top.add("character", m.character);
  if (m.figure.stiffness) top.add("stiffness", *m.figure.stiffness);
  if (m.figure.relaxation != usual.figure.relaxation) top.add("relaxation", m.figure.relaxation);
  if (!m.figure.pose.turns.empty()) {
    JsonValue& pose = top.add("pose", JsonValue::object());
    for (const auto& [joint, turn] : m.figure.pose.turns) {
      JsonValue angles = JsonValue::array();
      for (int i = 0; i < 3; ++i)
        angles.items.emplace_back(std::round(turn[i] * 180e9 / 3.141592653589793) / 1e9);
      pose.add(joint, std::move(angles));
    }
    if (!m.figure.pose.mirror) top.add("pose_mirrored", JsonValue::of(false));
  }
  if (!m.figure.without_feet.empty()) {
    JsonValue& feet = top.add("without_feet", JsonValue::array());
    for (const std::string& foot : m.figure.without_feet) feet.items.emplace_back(foot);
  }
  if (!m.mirrored) top.add("mirrored", JsonValue::of(false));
  if (m.basis != usual.basis) top.add("basis", basis_words[static_cast<std::size_t>(m.basis)]);
  if (m.shape != usual.shape) top.add("pulse", pulse_words[static_cast<std::size_t>(m.shape)]);
  if (m.own_times) top.add("own_times", JsonValue::of(true));
  if (m.torque_scale != usual.torque_scale) top.add("torque_scale", m.torque_scale);
  if (m.others != usual.others) top.add("others", m.others);
  const auto add_object = [&](const char* key, JsonValue object) {
    if (!object.items.empty()) top.add(key, std::move(object));
  };
  add_object("range", fields_value(range_fields, m.range));
  add_object("tolerance", fields_value(tolerance_fields, m.tolerance));
  add_object("limits", fields_value(limit_fields, m.rollout.limits, usual.rollout.limits));
  JsonValue simulation = fields_value(simulation_fields, m.rollout);
  if (m.rollout.whole_body != usual.rollout.whole_body) {
    simulation.add("whole_body", JsonValue::of(m.rollout.whole_body));
  }
  add_object("simulation", std::move(simulation));
  JsonValue solver = fields_value(solver_fields, m.training);
  if (m.training.thesis) solver.add("method", training_solver_words[1]);
  const auto add_count = [&](const char* key, double x, double plain) {
    if (x != plain) solver.add(key, x);
  };
  add_count("population", m.training.population, usual.training.population);
  add_count("runs", m.training.runs, usual.training.runs);
  add_count("generations", m.training.generations, usual.training.generations);
  add_count("evaluations", static_cast<double>(m.training.evaluations),
            static_cast<double>(usual.training.evaluations));
  add_object("solver", std::move(solver));
  JsonValue& steps = top.add("steps", JsonValue::array());
  for (const MotionStep& step : m.steps) {
    JsonValue object = JsonValue::object();
    JsonValue& feet = object.add("feet", JsonValue::array());
    for (const std::string& foot : step.feet) feet.items.emplace_back(foot);
    object.add("air", marks_value(step.air));
    object.add("ground", marks_value(step.ground));
    steps.items.push_back(std::move(object));
  }
  return top;
}

std::string motion_text(const MotionFile& motion) {
  JsonValue top = to_json(motion);
  top.add("scene", parse_json(scene_text(motion.scene), "scene").root);
  return pretty_text(top) + "\n";
}

std::uint64_t hash(const MotionFile& motion) {
  MotionFile same = motion;
  same.motion.training.evaluations = TrainingSettings{}.evaluations;
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : motion_text(same)) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return h;
}

GaitFile parse_gait(std::string_view text, const SourceFile& file) {
  const Root root(text, file);
  const JsonCursor top = root.cursor();
  std::vector<std::string> keys = motion_keys;
  keys.insert(keys.end(), {"found", "feedback"});
  top.expect_keys(keys);
  GaitFile gait;
  gait.motion.motion = read_motion(top);
  gait.motion.scene = read_scene_inside(top);
  refuse_what_is_not_felt(gait.motion.scene, file.part("/scene").name());
  const JsonCursor found = top.need("found");
  const std::vector<std::string> found_keys = {"unknowns", "seed",    "evaluations",
                                               "restarts", "seconds", "valid"};
  found.expect_keys(found_keys);
  const JsonCursor unknowns = found.need("unknowns");
  unknowns.expect_array(1000);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    gait.unknowns.push_back(unknowns[i].between(0, 1));
  }
  gait.seed = static_cast<std::uint64_t>(found.need("seed").between(0, 9e15));
  gait.evaluations = static_cast<std::int64_t>(found.need("evaluations").between(0, 9e15));
  gait.restarts = found.need("restarts").whole(0, 1000000000);
  gait.seconds = found.need("seconds").between(0, 1e12);
  gait.valid = found.need("valid").boolean();
  if (const auto feedback = top.find("feedback")) gait.feedback = read_feedback(*feedback);
  return gait;
}

GaitFile load_gait(const SourceFile& file) {
  GaitFile gait = parse_gait(file.read(max_json_bytes), file);
  choose_others(gait.motion, file.name());
  return gait;
}

std::string gait_text(const GaitFile& gait) {
  JsonValue top = to_json(gait.motion);
  JsonValue& found = top.add("found", JsonValue::object());
  found.add("valid", JsonValue::of(gait.valid));
  found.add("seed", static_cast<double>(gait.seed));
  found.add("evaluations", static_cast<double>(gait.evaluations));
  found.add("restarts", static_cast<double>(gait.restarts));
  found.add("seconds", std::round(gait.seconds * 10) / 10);
  JsonValue& unknowns = found.add("unknowns", JsonValue::array());
  for (const double x : gait.unknowns) unknowns.items.emplace_back(x);
  if (gait.feedback) top.add("feedback", to_json(*gait.feedback));
  top.add("scene", parse_json(scene_text(gait.motion.scene), "scene").root);
  return pretty_text(top) + "\n";
}

void save_gait(const std::string& path, const GaitFile& gait) { write_file(path, gait_text(gait)); }

}  // namespace molejo

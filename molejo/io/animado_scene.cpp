// A script as a scene: what each field of an actor becomes.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "molejo/io/animado.h"
#include "molejo/io/animado_values.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

// Bodies that answer collisions by impulses, as a group for contact pairs.
constexpr const char* impulse_group = "impulse actors";

constexpr Color palette[] = {{0.784, 0.333, 0.239}, {0.184, 0.400, 0.565}, {0.365, 0.549, 0.298},
                             {0.855, 0.647, 0.125}, {0.482, 0.353, 0.580}, {0.247, 0.573, 0.576},
                             {0.631, 0.451, 0.325}, {0.435, 0.475, 0.522}, {0.753, 0.424, 0.518}};
constexpr Color floor_color{0.851, 0.843, 0.812};

// Names of the state in formulas that run, and what they are of the actor's body. vx .. wz have the
// same names there.
constexpr const char* signals[][2] = {{"sx", "x"},   {"sy", "y"},   {"sz", "z"},
                                      {"fix", "rx"}, {"fiy", "ry"}, {"fiz", "rz"}};

const char* const global_names[] = {"time_start", "time_end", "time_step", "fps", "angles"};

class SceneMaker {
 public:
  SceneMaker(const Script& script, const AnimadoSource& source, const std::string& file)
      : script_(script), values_(script), source_(source) {
    scene_.name = std::filesystem::path(file).stem().string();
    scene_.description = "A script of ANIMADO.";
  }

  Scene make() {
    set_globals();
    for (std::size_t i = 0; i < script_.actors.size(); ++i) add_body(static_cast<int>(i));
    draw_markers();
    add_contact_pairs();
    add_definitions(-1);
    for (std::size_t i = 0; i < script_.actors.size(); ++i) {
      add_definitions(static_cast<int>(i));
      add_force(static_cast<int>(i));
      add_table(script_.actors[i]);
    }
    aim_camera();
    return std::move(scene_);
  }

 private:
  const ScriptActor& actor(int i) const { return script_.actors[static_cast<std::size_t>(i)]; }

  // A global, with what it must be.
  std::optional<double> global(const char* name) const { return values_.value(-1, name); }
  double positive_global(const char* name, std::optional<double> otherwise) const {
    const std::optional<double> value = global(name) ? global(name) : otherwise;
    if (!value) throw InputError(script_.actors[0].place + ": the script says no " + name);
    if (!(*value > 0)) fail(-1, name, *value, "expected a positive number");
    return *value;
  }

  [[noreturn]] void fail(int i, const std::string& name, double value,
                         const std::string& expected) const {
    const ScriptLine* line = values_.find(i, name, true);
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    throw InputError(line->place + ": " + name + " " + text + ": " + expected);
  }

  // A field of an actor that is zero or more, or as for all.
  std::optional<double> field(int i, const std::string& name) const {
    const std::optional<double> value = values_.value(i, name, true);
    if (value && *value < 0) fail(i, name, *value, "expected zero or more");
    return value;
  }

  void set_globals() {
    for (const ScriptActor& a : script_.actors) {
      for (const ScriptLine& line : a.lines) {
        if (std::find(std::begin(global_names), std::end(global_names), line.name) ==
            std::end(global_names)) {
          continue;
        }
        throw InputError(line.place + ": '" + line.name + "' is for all actors: say it before " +
                         "the first ACTOR or outside the file that this one is included in");
      }
    }
    Settings& s = scene_.settings;
    s.integrator = Integrator::rk4;
    s.start_time = global("time_start").value_or(0);
    s.time_step = positive_global("time_step", std::nullopt);
    const double end = needed_global("time_end");
    s.duration = end - s.start_time;
    if (!(s.duration > 0)) fail(-1, "time_end", end, "expected a time after time_start");
    s.fps = positive_global("fps", 1 / s.time_step);
    s.gravity = {0, 0 - global("g").value_or(0), 0};
    s.contact.friction = Combination::larger;
    s.contact.restitution = Combination::smaller;
    set_angles();
  }

  double needed_global(const char* name) const {
    const std::optional<double> value = global(name);
    if (!value) throw InputError(script_.actors[0].place + ": the script says no " + name);
    return *value;
  }

  void set_angles() {
    const ScriptLine* line = values_.find(-1, "angles");
    if (!line) return;
    const std::vector<std::string> words{"quaternion", "legacy"};
    if (line->text != words[0] && line->text != words[1]) {
      throw InputError(line->place + ": " + unknown_word("kind of angles", line->text, words));
    }
    scene_.legacy_angles = line->text == words[1];
  }

  Vec3 vector(int i, const char* x, const char* y, const char* z) const {
    return {values_.value(i, x).value_or(0), values_.value(i, y).value_or(0),
            values_.value(i, z).value_or(0)};
  }

  void add_body(int i) {
    const ScriptActor& a = actor(i);
    SceneBody body;
    body.name = a.name;
    const bool is_floor = field(i, "floor").value_or(0) != 0;
    add_shape(i, is_floor, body);
    if (a.follow) {
      body.follows = parse_motion_table(text_at(source_, *a.follow), a.follow->text);
      body.X_WB.p = body.follows->keys().front().p;
    } else {
      body.X_WB = {rotation_xyz(vector(i, "fix", "fiy", "fiz")), vector(i, "sx", "sy", "sz")};
    }
    body.immobile = is_floor;
    if (!is_floor && !a.follow) {
      const SceneBody::Velocity v{vector(i, "vx", "vy", "vz"), vector(i, "wx", "wy", "wz")};
      if (v.linear != Vec3{} || v.angular != Vec3{}) body.velocity = v;
      body.given = mass_of(i, body);
    }
    scene_.bodies.push_back(std::move(body));
  }

  void add_shape(int i, bool is_floor, SceneBody& body) const {
    Shape shape;
    shape.color = is_floor ? floor_color : palette[static_cast<std::size_t>(i) % 9];
    shape.surface = {field(i, "mi").value_or(0), field(i, "epsilon").value_or(0)};
    if (shape.surface.restitution > 1) {
      fail(i, "epsilon", shape.surface.restitution, "expected 0 to 1");
    }
    const std::optional<double> radius = field(i, "radius"), side = field(i, "side");
    if (is_floor) {
      // its z is the y of the script
      shape.geometry = Plane{};
      shape.X_BS.R = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    } else if (radius && *radius > 0) {
      shape.geometry = Sphere{*radius};
    } else if (side && *side > 0) {
      shape.geometry = Box{{*side / 2, *side / 2, *side / 2}};
    } else {
      shape.geometry = Sphere{0};
      shape.collides = false;
    }
    body.shapes.push_back(std::move(shape));
  }

  static bool is_marker(const SceneBody& body) {
    const auto* sphere = std::get_if<Sphere>(&body.shapes[0].geometry);
    return sphere && sphere->radius == 0;
  }

  // Given about the origin of the body; moments that are not are those of the shape.
  MassProperties mass_of(int i, const SceneBody& body) const {
    const std::optional<double> m = values_.value(i, "m", true);
    if (!m) throw InputError(actor(i).place + ": actor '" + body.name + "' has no mass m");
    if (!(*m > 0)) fail(i, "m", *m, "expected a positive mass");
    const auto number = [&](const char* name) { return values_.value(i, name, true); };
    const Vec3 c{number("cx").value_or(0), number("cy").value_or(0), number("cz").value_or(0)};
    const char* const moments[] = {"Ixx", "Iyy", "Izz"};
    const auto given = std::count_if(std::begin(moments), std::end(moments),
                                     [&](const char* name) { return number(name).has_value(); });
    if (given != 3 && (given != 0 || is_marker(body))) {
      throw InputError(actor(i).place + ": actor '" + body.name +
                       "' needs Ixx, Iyy and Izz, or a radius or side to take them from");
    }
    if (given == 0) {
      const MassProperties unit = mass_properties(body.shapes[0], 1);
      return {*m, c, unit.I_BC * (*m / unit.mass)};
    }
    const auto product = [&](const char* name) { return -number(name).value_or(0); };
    const Sym3 J{*number("Ixx"), *number("Iyy"), *number("Izz"),
                 product("Ixy"), product("Ixz"), product("Iyz")};
    return {*m, c, J + point_inertia(*m, c) * -1.0};
  }

  // Actors without a shape are drawn as small spheres: as large as shows in the picture and leaves
  // those near the middle apart.
  void draw_markers() {
    double extent = 0, nearest = 1e300;
    for (const SceneBody& body : scene_.bodies) {
      const double distance = norm(body.X_WB.p);
      extent = std::max(extent, distance);
      if (distance > 0) nearest = std::min(nearest, distance);
    }
    const double shown =
        extent > 0 ? std::clamp(0.5 * nearest, 0.005 * extent, 0.02 * extent) : 0.1;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      SceneBody& body = scene_.bodies[i];
      if (!is_marker(body)) continue;
      const std::optional<double> reach = field(static_cast<int>(i), "dlim");
      const bool springs = field(static_cast<int>(i), "Kelastica") && reach && *reach > 0;
      body.shapes[0].geometry = Sphere{springs ? std::min(shown, 0.5 * *reach) : shown};
      body.shapes[0].collides = springs;
    }
  }

  // Springs between an actor and the floors; impulses among all with an epsilon; else nothing.
  void add_contact_pairs() {
    SceneContactPair none;
    none.response = Response::none;
    scene_.contact_pairs.push_back(none);
    int answering = 0;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      if (!values_.find(static_cast<int>(i), "epsilon", true)) continue;
      scene_.bodies[i].group = impulse_group;
      ++answering;
    }
    if (answering > 1) {
      SceneContactPair pair;
      pair.a = pair.b = impulse_group;
      pair.response = Response::analytic;
      scene_.contact_pairs.push_back(pair);
    }
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) add_springs(static_cast<int>(i));
  }

  void add_springs(int i) {
    const SceneBody& body = scene_.bodies[static_cast<std::size_t>(i)];
    const std::optional<double> stiffness = field(i, "Kelastica"), limit = field(i, "dlim");
    if (body.immobile || !stiffness || !limit || *stiffness == 0) return;
    const auto* sphere = std::get_if<Sphere>(&body.shapes[0].geometry);
    const auto* box = std::get_if<Box>(&body.shapes[0].geometry);
    const double size = sphere ? sphere->radius : box->half.x;
    if (!(*limit > size)) {
      fail(i, "dlim", *limit,
           "expected more than the size of the actor: it counts from its centre");
    }
    SceneContactPair pair;
    pair.a = body.name;
    pair.response = Response::penalty;
    pair.stiffness = *stiffness;
    pair.damping = field(i, "kamortecimento").value_or(0);
    pair.reach = *limit - size;
    for (const SceneBody& other : scene_.bodies) {
      if (!other.immobile) continue;
      pair.b = other.name;
      scene_.contact_pairs.push_back(pair);
    }
  }

  // Plain numbers can be changed while it runs.
  static bool is_plain_number(const std::string& text) {
    return text.find_first_not_of("0123456789.eE+-") == std::string::npos &&
           text.find_first_of("0123456789") != std::string::npos && !std::isalpha(text[0]);
  }

  void define(const std::string& scope, const std::string& name, const std::string& text,
              const std::string& place) {
    SceneDefinition d;
    d.name = name;
    d.formula = {text, scope, place};
    if (is_plain_number(text)) {
      try {
        d.value = evaluate_number(text, NoNames());
        if (!std::isfinite(*d.value)) throw InputError(place + ": '" + text + "' is not finite");
        d.formula.text.clear();
      } catch (const ExpressionError& e) {
        throw InputError(place + ": '" + text + "': " + e.what());
      }
    }
    scene_.definitions.push_back(std::move(d));
  }

  // Names of the state are signals of the run: sx is the x of the body now.
  void add_definitions(int i) {
    const std::vector<ScriptLine>& lines = i < 0 ? script_.globals : actor(i).lines;
    const std::string scope = i < 0 ? "" : actor(i).name;
    for (const ScriptLine& line : lines) {
      if (i < 0 && line.name == "angles") continue;
      if (i >= 0 && is_script_state(line.name)) continue;
      for (const auto& [name, signal] : signals) {
        if (i < 0 || line.name != signal) continue;
        throw InputError(line.place + ": '" + signal + "' is what " + name +
                         " is while it runs; choose another name");
      }
      define(scope, line.name, line.text, line.place);
    }
    if (i < 0) return;
    for (const auto& [name, signal] : signals) define(scope, name, signal, actor(i).place);
  }

  // Fx .. Tz, at the origin of the body, in the axes of the world.
  void add_force(int i) {
    const ScriptActor& a = actor(i);
    SceneForce force;
    force.name = a.name + ".F";
    force.at.body = a.name;
    const auto three = [&](const char* x, const char* y, const char* z) {
      std::vector<SceneFormula> formulas;
      if (!values_.find(i, x) && !values_.find(i, y) && !values_.find(i, z)) return formulas;
      for (const char* name : {x, y, z}) {
        const ScriptLine* line = values_.find(i, name);
        formulas.push_back({line ? name : "0", a.name, line ? line->place : a.place});
      }
      return formulas;
    };
    force.force_formulas = three("Fx", "Fy", "Fz");
    force.torque_formulas = three("Tx", "Ty", "Tz");
    if (force.force_formulas.empty() && force.torque_formulas.empty()) return;
    const SceneBody& body = scene_.bodies[static_cast<std::size_t>(i)];
    if (body.immobile || body.follows) return;
    scene_.forces.push_back(std::move(force));
  }

  void add_table(const ScriptActor& a) {
    if (!a.output) return;
    for (const SceneTable& other : scene_.tables) {
      if (other.file != a.output->text) continue;
      throw InputError(a.output->place + ": FILE '" + other.file + "' is that of actor '" +
                       other.body + "' already");
    }
    scene_.tables.push_back({a.name, a.output->text});
  }

  // From the front: x to the right, y up. A camera on the z axis is drawn that way.
  void aim_camera() {
    Vec3 low, high;
    for (const SceneBody& body : scene_.bodies) {
      for (int j = 0; j < 3; ++j) {
        low[j] = std::min(low[j], body.X_WB.p[j]);
        high[j] = std::max(high[j], body.X_WB.p[j]);
      }
      if (!body.immobile && scene_.plot.size() < 6) scene_.plot.push_back(body.name + ".y");
    }
    scene_.camera.target = (low + high) * 0.5;
    scene_.camera.position =
        scene_.camera.target + Vec3{0, 0, 2.5 * std::max(norm(high - low), 1.0)};
  }

  const Script& script_;
  ScriptValues values_;
  const AnimadoSource& source_;
  Scene scene_;
};

}  // namespace

Scene parse_animado(const AnimadoSource& source, const std::string& file) {
  const Script script = read_script(source, file);
  return SceneMaker(script, source, file).make();
}

Scene read_animado(const SourceFile& file) {
  const std::string script = file.read(max_script_bytes);
  const std::string own = std::filesystem::path(file.name()).lexically_normal().string();
  std::vector<SourceFile> others;
  const AnimadoSource source = [&](const std::string& name) -> std::optional<std::string> {
    if (name == own) return script;
    others.emplace_back(name, file.scope());
    return others.back().read(max_script_bytes);
  };
  return unquoted(file, "a script of ANIMADO", [&] {
    try {
      return parse_animado(source, own);
    } catch (const InputError& error) {
      for (const SourceFile& other : others) {
        if (std::string_view(error.what()).starts_with(other.name() + ":")) {
          fail_unquoted(other, "lines of a script or a table", error.what());
        }
      }
      throw;
    }
  });
}

}  // namespace molejo

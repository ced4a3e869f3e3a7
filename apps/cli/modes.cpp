// molejo modes: the natural vibrations of a character, in words and as animated clips.
#include "molejo/locomotion/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "molejo/io/export.h"
#include "molejo/io/file.h"
#include "molejo/io/json_library.h"
#include "molejo/io/load.h"
#include "molejo/locomotion/modes_words.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo::cli {

namespace {

using Json = nlohmann::ordered_json;

// "x,y,z", each a plain number.
Vec3 read_vector(const std::string& option, const std::string& text) {
  Vec3 v;
  const char* at = text.c_str();
  for (int i = 0; i < 3; ++i) {
    char* end = nullptr;
    const bool plain =
        *at != '\0' && std::string_view("0123456789+-.").find(*at) != std::string_view::npos;
    v[i] = plain ? std::strtod(at, &end) : 0;
    if (!plain || end == at || *end != (i < 2 ? ',' : '\0') || !(std::fabs(v[i]) <= 1e6)) {
      throw InputError(fmt::format("{}: '{:.40}': expected three numbers x,y,z", option, text));
    }
    at = end + 1;
  }
  return v;
}

// "JOINT=x,y,z" in degrees.
RestPose read_pose(const std::vector<std::string>& turns) {
  RestPose pose;
  pose.mirror = true;
  for (const std::string& text : turns) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--pose: '{:.40}': expected JOINT=x,y,z in degrees", text));
    }
    const Vec3 v = read_vector("--pose", text.substr(equals + 1));
    pose.turns[text.substr(0, equals)] = {radians(v.x), radians(v.y), radians(v.z)};
  }
  return pose;
}

int find_foot(const Character& c, const std::string& name) {
  std::vector<std::string> known;
  for (const Foot& foot : c.feet) {
    known.push_back(c.model.bodies[static_cast<std::size_t>(foot.body.index)].name);
  }
  if (known.empty()) throw InputError("--phase ground: the scene names no feet; see --fix");
  if (name.empty()) return 0;
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) throw InputError("--foot: " + unknown_word("foot", name, known));
  return static_cast<int>(found - known.begin());
}

// "BODY" (its origin) or "BODY:x,y,z" (a point of it, in its axes at rest).
FixedPoint read_fixed(const Character& c, const std::string& text) {
  const std::size_t colon = text.find(':');
  FixedPoint point;
  std::vector<std::string> known;
  for (const Body& body : c.model.bodies) known.push_back(body.name);
  const std::string name = text.substr(0, colon);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) throw InputError("--fix: " + unknown_word("body", name, known));
  point.body.index = static_cast<int>(found - known.begin());
  if (c.model.bodies[static_cast<std::size_t>(point.body.index)].immobile) {
    throw InputError(fmt::format("--fix: body '{}' is immobile already", name));
  }
  if (colon != std::string::npos) point.p = read_vector("--fix", text.substr(colon + 1));
  return point;
}

struct FoundModes {
  Character character;
  int support = -1;
  std::string phase;
  Modes modes;
  std::vector<ModeWords> words;
};

FoundModes analyse(const ModesOptions& options) {
  const Scene scene = load_scene(given(options.file));
  build_loaded(scene, options.file);
  FoundModes a;
  a.character =
      make_character(scene, {.pose = read_pose(options.pose), .stiffness = options.stiffness});
  ModalOptions modal;
  modal.gravity = options.gravity;
  for (const std::string& text : options.fixed) {
    modal.fixed_points.push_back(read_fixed(a.character, text));
  }
  if (options.phase == "ground") a.support = find_foot(a.character, options.foot);
  a.phase = options.phase;
  a.modes =
      a.support >= 0 ? ground_modes(a.character, a.support, modal) : air_modes(a.character, modal);
  for (int i = 0; i < a.modes.count(); ++i) {
    a.words.push_back(mode_words(a.character, a.modes.phi.col(i), a.support));
  }
  return a;
}

void print_table(const FoundModes& a) {
  const Character& c = a.character;
  fmt::print("{}, {}", c.scene->name.empty() ? "scene" : c.scene->name, a.phase);
  if (a.support >= 0) {
    const int body = c.feet[static_cast<std::size_t>(a.support)].body.index;
    fmt::print(" on {}", c.model.bodies[static_cast<std::size_t>(body)].name);
  }
  fmt::print(": {} modes, {} rigid motions", a.modes.count(), a.modes.rigid);
  for (const double rate : a.modes.falling) fmt::print(", falls at {:.3g}/s", rate);
  fmt::print("\n\n  {:>4}  {:>8}  {:>7}  {}\n", "mode", "Hz", "damping", "shape");
  for (int i = 0; i < a.modes.count(); ++i) {
    const double damping = a.modes.damping_ratio[i];
    fmt::print("  {:>4}  {:>8.3f}  {:>6.3f}{}  {}\n", i + 1, a.modes.hertz[i], damping,
               damping > 1 ? "*" : " ", a.words[static_cast<std::size_t>(i)].text());
  }
  if (a.modes.count() > 0 && a.modes.damping_ratio.maxCoeff() > 1) {
    fmt::print("\n  * overdamped: comes back without swinging\n");
  }
}

Json to_json(const FoundModes& a, const ModesOptions& options) {
  const std::vector<std::string> names = freedom_names(a.character);
  Json modes = Json::array();
  for (int i = 0; i < a.modes.count(); ++i) {
    const ModeWords& w = a.words[static_cast<std::size_t>(i)];
    Json joints = Json::array(), shape = Json::object();
    for (const JointShare& j : w.joints) joints.push_back({{"joint", j.joint}, {"share", j.share}});
    for (int r = 0; r < a.character.internal; ++r) {
      shape[names[static_cast<std::size_t>(r)]] = a.modes.phi(r, i);
    }
    modes.push_back({{"mode", i + 1},
                     {"hertz", a.modes.hertz[i]},
                     {"damping_ratio", a.modes.damping_ratio[i]},
                     {"overdamped", a.modes.damping_ratio[i] > 1},
                     {"name", w.name},
                     {"plane", to_string(w.plane)},
                     {"symmetry", to_string(w.symmetry)},
                     {"joints", joints},
                     {"shape", shape}});
  }
  Json falling = Json::array();
  for (const double rate : a.modes.falling) falling.push_back(rate);
  return {{"file", options.file},     {"name", a.character.scene->name},
          {"phase", a.phase},         {"rigid_motions", a.modes.rigid},
          {"falling_rates", falling}, {"symmetric", a.character.mirror.symmetric},
          {"modes", std::move(modes)}};
}

void write_clips(const FoundModes& a, const std::string& path) {
  std::vector<Recording> recordings;
  for (int i = 0; i < a.modes.count(); ++i)
    recordings.push_back(mode_clip(a.character, a.modes, i));
  std::vector<Clip> clips;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const int m = static_cast<int>(i);
    clips.push_back(
        {fmt::format("{} {:02}: {:.3f} Hz, {}", a.phase, m + 1, a.modes.hertz[m], a.words[i].name),
         &recordings[i]});
  }
  if (clips.empty()) throw InputError("there are no modes to animate");
  write_file(path, glb(*a.character.scene, a.character.model, clips));
}

}  // namespace

int modes(const ModesOptions& options) {
  const std::string phases[] = {"air", "ground"};
  if (std::find(std::begin(phases), std::end(phases), options.phase) == std::end(phases)) {
    throw InputError("--phase: " + unknown_word("phase", options.phase, phases));
  }
  if (!options.foot.empty() && options.phase != "ground") {
    throw InputError("--foot: only in --phase ground a foot stands");
  }
  if (!options.output.empty()) check_output(options.output, {".glb"}, options.file);
  const FoundModes a = analyse(options);
  if (!options.output.empty()) write_clips(a, options.output);
  if (options.json) {
    fmt::print("{}\n", to_json(a, options).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_table(a);
  }
  return success;
}

}  // namespace molejo::cli

#include "molejo/studio/palette_view.h"

#include <cmath>

#include "molejo/locomotion/modes_words.h"
#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/studio/model_view.h"

namespace molejo {

namespace {

// Four digits are enough to be looked at.
double rounded(double x) { return std::round(x * 1e4) / 1e4; }

JsonValue shape_json(const Character& c, const VecX& shape) {
  const VecX joints = shape.segment(c.first_internal, c.internal);
  const double largest = joints.cwiseAbs().maxCoeff();
  JsonValue list = JsonValue::array();
  for (const double x : shape) list.items.emplace_back(rounded(largest > 0 ? x / largest : 0));
  return list;
}

JsonValue palette_json(const SketchRun& run, int step, SketchPhase phase, const Modes& modes,
                       int support) {
  const Character& c = run.character();
  const bool joints = run.motion().basis == Basis::joints;
  const std::vector<std::string> names = freedom_names(c);
  JsonValue list = JsonValue::array();
  for (int mode = 1; mode <= run.sketch().modes(step, phase); ++mode) {
    JsonValue one = describe_mode(run, step, phase, mode);
    if (joints) {
      VecX shape = VecX::Zero(c.model.nv);
      shape[c.first_internal + mode - 1] = 1;
      one.add("hertz", 0.0);
      one.add("word", names[at(mode - 1)]);
      one.add("about", names[at(mode - 1)]);
      one.add("shape", shape_json(c, shape));
    } else {
      const ModeWords words = mode_words(c, modes.phi.col(mode - 1), support);
      one.add("hertz", rounded(modes.hertz[mode - 1]));
      one.add("damping", rounded(modes.damping_ratio[mode - 1]));
      one.add("word", words.name);
      one.add("about", words.text());
      one.add("shape", shape_json(c, modes.shapes.col(mode - 1)));
    }
    list.items.push_back(std::move(one));
  }
  return list;
}

JsonValue rest_json(const SketchRun& run) {
  const Character& c = run.character();
  const RestPose& pose = run.motion().figure.pose;
  JsonValue list = JsonValue::array();
  for (int b = 0; b < c.model.body_count(); ++b) {
    const Link& link = c.model.links[at(b)];
    if (link.v < c.first_internal || link.v >= c.first_internal + c.internal) continue;
    if (link.rotations == 0) continue;
    const std::string& joint = c.model.bodies[at(b)].joint;
    const std::string partner = pose.mirror ? run.partner(joint) : "";
    const auto own = pose.turns.find(joint), other = pose.turns.find(partner);
    Vec3 turn = own != pose.turns.end() ? own->second : Vec3{};
    if (own == pose.turns.end() && other != pose.turns.end()) {
      // the image of a turn: w -> -S w
      turn = c.left * (2 * dot(other->second, c.left)) - other->second;
    }
    JsonValue one = JsonValue::object();
    one.add("joint", joint);
    one.add("body", double(b));
    one.add("partner", partner);
    one.add("turn", vector_json(turn * (1 / degree)));
    one.add("axes", double(link.rotations));
    list.items.push_back(std::move(one));
  }
  return list;
}

}  // namespace

JsonValue describe_mode(const SketchRun& run, int step, SketchPhase phase, int mode) {
  JsonValue one = JsonValue::object();
  one.add("step", double(step + 1));
  one.add("palette", std::string(phase == SketchPhase::air ? "air" : "ground"));
  one.add("mode", double(mode));
  one.add("amplitude", run.amplitude(step, phase, mode));
  one.add("mark", std::string(to_string(run.mark(step, phase, mode))));
  return one;
}

JsonValue describe_palettes(const SketchRun& run) {
  const Character& c = run.character();
  const Motion& motion = run.motion();
  JsonValue json = JsonValue::object();
  JsonValue& steps = json.add("steps", JsonValue::array());
  const Modes air = air_modes(c);
  for (int s = 0; s < run.sketch().steps(); ++s) {
    const std::vector<int>& feet = run.sketch().gait().steps[at(s)].feet;
    JsonValue step = JsonValue::object();
    JsonValue& names = step.add("feet", JsonValue::array());
    for (const std::string& foot : motion.steps[at(s)].feet) names.items.emplace_back(foot);
    step.add("air", palette_json(run, s, SketchPhase::air, air, -1));
    step.add("ground",
             palette_json(run, s, SketchPhase::ground, ground_modes(c, feet), feet.front()));
    steps.items.push_back(std::move(step));
  }
  JsonValue& q = json.add("rest_coordinates", JsonValue::array());
  for (const double x : c.rest.q) q.items.emplace_back(x);
  json.add("rest", rest_json(run));
  json.add("mirrored", JsonValue::of(motion.mirrored));
  json.add("period", run.period());
  json.add("most_amplitude", motion.range.amplitude);
  json.add("stiffness",
           motion.figure.stiffness ? JsonValue(*motion.figure.stiffness) : JsonValue());
  json.add("relaxation", motion.figure.relaxation);
  return json;
}

}  // namespace molejo

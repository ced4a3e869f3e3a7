#include "molejo/studio/gait_bench.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/model/error.h"
#include "molejo/studio/gait_worth.h"
#include "molejo/studio/model_view.h"

namespace molejo {

namespace {

GaitControl control_of(const std::string& word) {
  const std::string known[] = {"feedback", "open_loop", "reset"};
  for (const GaitControl c : {GaitControl::feedback, GaitControl::open_loop, GaitControl::reset}) {
    if (word == to_string(c)) return c;
  }
  throw InputError("'value': " + unknown_word("control", word, known));
}

}  // namespace

Scene scene_beside(const Character& c, const std::string& name, const std::string& description) {
  Scene scene = *c.scene;
  if (!name.empty()) scene.name = name;
  scene.description = description;
  scene.plot = {"kinetic", "gravity", "elastic"};
  if (is_given(scene.camera)) return scene;
  Kinematics<double> k(c.model);
  update_poses(c.model, c.rest.q.data(), k);
  const Vec3 torso = body_pose(c.model, k, c.torso).p;
  const double height = std::max(dot(torso, c.up), 0.1);
  scene.camera.fov_deg = 36;
  scene.camera.target = torso - c.up * (0.25 * height);
  scene.camera.position =
      scene.camera.target + (c.forward * 1.4 - c.left * 3.2 + c.up * 0.4) * height;
  return scene;
}

GaitBench::GaitBench(BenchOptions options)
    : FrameBench(options),
      run_(load_gait(options.file), options.name, options.history),
      scene_(scene_beside(run_.character(), run_.gait().motion.motion.name,
                          run_.gait().motion.motion.description)),
      worth_(gait_worth(run_.problem(), run_.gait())),
      foot_cycle_(compact_text(foot_cycle(), std::string::npos)),
      pushes_(options.wake) {
  add_words();
}

void GaitBench::add_words() {
  add_word("control", [this](const Message& c) {
    run_.set_control(control_of(c.text("value")));
    changed();
    return std::string();
  });
  add_word("push", [this](const Message& c) {
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    run_.push(c.text("body"), point, c.vector("force"), c.number_or("seconds", 0.1));
    return std::string();
  });
  add_word("drag", [this](const Message& c) {
    std::optional<double> stiffness;
    if (c.find("stiffness")) stiffness = c.number("stiffness");
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    run_.drag(c.text("body"), point, c.vector("to"), stiffness);
    return std::string();
  });
  add_word("drop", [this](const Message&) { return run_.drop(), std::string(); });
  add_word("pushes",
           [this](const Message& c) { return pushes_.begin(run_.gait(), c), std::string(); });
}

// The feet over the cycle that was trained, from the torso: as it is when every (half) cycle begins
// where it should.
JsonValue GaitBench::foot_cycle() const {
  const Character& c = run_.character();
  ReplayOptions options;
  options.seconds = run_.period();
  options.reset = true;
  const Recording recording = replay(run_.problem(), run_.gait().unknowns, options).recording;
  JsonValue json = JsonValue::object();
  json.add("torso", static_cast<double>(c.torso.index));
  json.add("seconds", options.seconds);
  JsonValue bodies = JsonValue::array(), loops = JsonValue::array();
  for (const BodyId foot : c.foot_bodies) {
    bodies.items.emplace_back(static_cast<double>(foot.index));
    const auto i = static_cast<std::size_t>(foot.index);
    const Vec3 middle = model().links[i].p_BM + model().links[i].p_MC;
    JsonValue& loop = loops.items.emplace_back(JsonValue::array());
    for (const Frame& frame : recording.frames) {
      const Vec3 p = frame.X_WB[i].p + frame.X_WB[i].R * middle -
                     frame.X_WB[static_cast<std::size_t>(c.torso.index)].p;
      for (const double x : {p.x, p.y, p.z}) loop.items.emplace_back(std::round(x * 1e5) / 1e5);
    }
  }
  json.add("bodies", std::move(bodies));
  json.add("loops", std::move(loops));
  return json;
}

double GaitBench::look_around(double) {
  for (const std::string& news : pushes_.news()) tell_all(news);
  return -1;
}

std::string GaitBench::more_status() const {
  return fmt::format(",\"gait\":{{\"control\":\"{}\",\"falls\":{},\"down\":{}}}",
                     to_string(run_.control()), run_.falls(), run_.is_down());
}

std::string GaitBench::describe() const {
  const Character& c = run_.character();
  return describe_with(fmt::format(
      "\"has_feedback\":{},\"period\":{:.6g},\"torso\":{},\"worth\":{},\"foot_cycle\":{}{}",
      run_.has_feedback(), run_.period(),
      json_quoted(c.model.bodies[static_cast<std::size_t>(c.torso.index)].name), worth_,
      foot_cycle_, pushes_.known().empty() ? "" : ",\"pushes\":" + pushes_.known()));
}

std::string GaitBench::command_line() const {
  const GaitControl control = run_.control();
  return fmt::format("molejo gait {} --seconds {:.4g}{} -o {}.glb", shell_word(options().path),
                     std::max(run_.end(), 0.1),
                     control == GaitControl::open_loop ? " --open-loop"
                     : control == GaitControl::reset   ? " --reset"
                                                       : "",
                     stem_of(options().name));
}

}  // namespace molejo

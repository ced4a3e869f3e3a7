#include "molejo/studio/gait_bench.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/locomotion/push_battery.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double judged_seconds = 10;

GaitControl control_of(const std::string& word) {
  const std::string known[] = {"feedback", "open_loop", "reset"};
  for (const GaitControl c : {GaitControl::feedback, GaitControl::open_loop, GaitControl::reset}) {
    if (word == to_string(c)) return c;
  }
  throw InputError("'value': " + unknown_word("control", word, known));
}

}  // namespace

Scene scene_beside(const Character& c, const std::string& name, const std::string& description) {
  Scene scene = c.scene;
  if (!name.empty()) scene.name = name;
  scene.description = description;
  Kinematics<double> k(c.model);
  update_poses(c.model, c.rest.q.data(), k);
  const Vec3 torso = body_pose(c.model, k, c.torso).p;
  const double height = std::max(dot(torso, c.up), 0.1);
  scene.camera.fov_deg = 36;
  scene.camera.target = torso - c.up * (0.25 * height);
  scene.camera.position =
      scene.camera.target + (c.forward * 1.4 - c.left * 3.2 + c.up * 0.4) * height;
  scene.plot = {"kinetic", "gravity", "elastic"};
  return scene;
}

std::string push_fields(const PushBattery& battery) {
  std::string list;
  for (const double x : battery.impulse)
    list += fmt::format("{}{:.4g}", list.empty() ? "" : ",", x);
  return fmt::format(
      "\"directions\":{},\"phases\":{},\"mass\":{:.6g},\"push_seconds\":{:g},\"most\":{:g},"
      "\"least\":{:.4g},\"impulse\":[{}]",
      battery.directions, battery.phases, battery.mass, battery.seconds, battery.most,
      battery.least(), list);
}

GaitBench::GaitBench(BenchOptions options)
    : FrameBench(options),
      run_(load_gait(options.path), options.name, options.history),
      scene_(scene_beside(run_.character(), run_.gait().motion.motion.name,
                          run_.gait().motion.motion.description)),
      jobs_(options.wake ? options.wake : [] {}) {
  judge();
  add_words();
}

void GaitBench::add_words() {
  add_word("control", [this](const Command& c) {
    run_.set_control(control_of(c.text("value")));
    changed();
    return std::string();
  });
  add_word("push", [this](const Command& c) {
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    run_.push(c.text("body"), point, c.vector("force"), c.number_or("seconds", 0.1));
    return std::string();
  });
  add_word("drag", [this](const Command& c) {
    std::optional<double> stiffness;
    if (c.find("stiffness")) stiffness = c.number("stiffness");
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    run_.drag(c.text("body"), point, c.vector("to"), stiffness);
    return std::string();
  });
  add_word("drop", [this](const Command&) { return run_.drop(), std::string(); });
  add_word("pushes", [this](const Command& c) {
    begin_pushes(c.find("directions") ? c.whole("directions", 3, 32) : 8,
                 c.find("phases") ? c.whole("phases", 1, 16) : 4);
    return std::string();
  });
}

// What molejo gait tells, once.
void GaitBench::judge() {
  const GaitProblem& problem = run_.problem();
  const GaitFile& file = run_.gait();
  const GaitCheck check = check_gait(problem, file.unknowns);
  ReplayOptions options;
  options.seconds = judged_seconds;
  options.record = false;
  BetweenCycles between;
  if (file.feedback) between = feedback_hook(problem, file.unknowns, file.feedback->feedback);
  const ReplayReport r = replay(problem, file.unknowns, options, between).report;
  const Character& c = run_.character();
  worth_ = fmt::format(
      "\"valid\":{},\"has_feedback\":{},\"period\":{:.6g},\"torso\":{},\"worth\":{{"
      "\"cyclic_error\":{:.4g},\"objective\":{:.4g},\"likeness\":{:.4g},\"speed\":{:.4g},"
      "\"cost_of_transport\":{:.4g},\"duty_factor\":{:.4g},\"peak_force\":{:.4g},\"steps\":{},"
      "\"seconds\":{:.4g},\"fell\":{},\"evaluations\":{},\"trained_seconds\":{:.4g}}}",
      check.valid(), run_.has_feedback(), run_.period(),
      quoted(c.model.bodies[static_cast<std::size_t>(c.torso.index)].name), check.cyclic_error,
      check.objective, check.result.likeness, r.speed, r.cost_of_transport, r.duty_factor,
      r.peak_force, r.steps, r.seconds, r.fell, file.evaluations, file.seconds);
  worth_ += ",\"foot_cycle\":" + compact_text(foot_cycle(), std::string::npos);
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

void GaitBench::begin_pushes(int directions, int phases) {
  if (pushing_) throw InputError("it is being pushed already");
  pushing_ = true;
  PushBatterySettings settings;
  settings.directions = directions, settings.phases = phases;
  jobs_.add([this, settings](const Jobs::Tell& tell) {
    const GaitFile& file = run_.gait();
    const PushBattery battery =
        push_battery(run_.problem(), file.unknowns,
                     file.feedback ? &file.feedback->feedback : nullptr, settings);
    tell("{\"event\":\"pushes\"," + push_fields(battery) + "}");
  });
}

double GaitBench::look_around(double) {
  for (const std::string& news : jobs_.news()) {
    pushes_ = news;
    pushing_ = false;
    tell_all(news);
  }
  return -1;
}

std::string GaitBench::more_status() const {
  return fmt::format(",\"gait\":{{\"control\":\"{}\",\"falls\":{},\"down\":{}}}",
                     to_string(run_.control()), run_.falls(), run_.is_down());
}

std::string GaitBench::describe() const {
  return describe_with(worth_ + (pushes_.empty() ? "" : ",\"pushes\":" + pushes_));
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

#include "molejo/studio/gait_bench.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "molejo/locomotion/feedback.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double shown_fps = 60;
constexpr std::size_t most_cycles = 10'000;

}  // namespace

GaitTimeline::GaitTimeline(const GaitFile& file, const std::string& name, HistoryLimits limits)
    : FrameTimeline(shown_fps, limits),
      character_(make_character(file.motion.scene, file.motion.motion.figure)),
      problem_(character_, file.motion.motion),
      has_feedback_(file.feedback.has_value()) {
  if (file.unknowns.size() != static_cast<std::size_t>(problem_.size())) {
    throw InputError(fmt::format("{}: /found/unknowns: {} numbers, expected {}", name,
                                 file.unknowns.size(), problem_.size()));
  }
  BetweenCycles between;
  if (has_feedback_) {
    check_feedback(problem_, *file.feedback, name);
    between = [this, hook = feedback_hook(problem_, file.unknowns, file.feedback->feedback)](
                  const State& state, int cycle, Gait& gait) {
      if (closed_) hook(state, cycle, gait);
    };
  }
  ReplayOptions options;
  options.fps = shown_fps;
  options.seconds = std::numeric_limits<double>::infinity();
  player_ = std::make_unique<GaitPlayer>(problem_, file.unknowns, options, between);
  begin_ = player_->mark();
  begin_anew();
}

bool GaitTimeline::make(Frame& frame) {
  for (int tries = 0; ready_.empty(); ++tries) {
    if (player_->fell()) {
      ++falls_;
      player_->get_up();
      // one that cannot run at all would begin again for ever
      if (tries > 2) {
        failure_ = "it falls at once";
        return false;
      }
    }
    for (Frame& next : player_->next_cycle()) ready_.push_back(std::move(next));
    cycles_.push_back({player_->time(), player_->mark()});
    if (cycles_.size() > most_cycles) cycles_.pop_front();
  }
  frame = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

void GaitTimeline::branch() {
  const double now = time();
  while (cycles_.size() > 1 && cycles_[cycles_.size() - 2].end > now) cycles_.pop_back();
  if (cycles_.empty() || cycles_.back().end <= now) return;
  // what is left of this (half) cycle is known
  const auto& all = history_.moments();
  std::deque<Frame> rest;
  for (const FrameMoment& m : all) {
    if (m.time() > now + 1e-9 && m.time() < cycles_.back().end) rest.push_back(m.frame);
  }
  for (Frame& f : ready_) {
    if (f.state.t < cycles_.back().end) rest.push_back(std::move(f));
  }
  history_.forget_later();
  ready_ = std::move(rest);
  failure_.clear();
  player_->go_back(cycles_.back().after);
}

void GaitTimeline::reset() {
  player_->go_back(begin_);
  ready_.clear();
  cycles_.clear();
  falls_ = 0;
  begin_anew();
}

void GaitTimeline::push(const std::string& body, const Vec3& point, const Vec3& force,
                        double seconds) {
  if (!std::isfinite(norm(point) + norm(force))) throw InputError("push: expected finite numbers");
  if (!(seconds > 0 && seconds <= 3600)) throw InputError("push: expected 0 to 3600 seconds");
  GaitPush push;
  push.body = character_.model.body(body).index;
  push.p = point;
  push.force = force;
  push.from = player_->time();
  push.until = push.from + seconds;
  player_->add_push(push);
}

Scene scene_beside(const Character& c, const std::string& name, const std::string& description) {
  Scene scene = c.scene;
  if (!name.empty()) scene.name = name;
  scene.description = description;
  const double height = 1.2;  // m, of what is looked at
  scene.camera.fov_deg = 40;
  scene.camera.target = c.up * (0.7 * height);
  scene.camera.position = scene.camera.target - c.left * (4 * height) + c.up * (0.5 * height) +
                          c.forward * (1.5 * height);
  return scene;
}

GaitBench::GaitBench(BenchOptions options)
    : FrameBench(options),
      file_(load_gait(options.path)),
      line_(file_, options.name, options.history),
      scene_(scene_beside(line_.character(), file_.motion.motion.name,
                          file_.motion.motion.description)) {
  add_word("push", [this](const Command& c) {
    const Vec3 point = c.find("point") ? c.vector("point") : Vec3{};
    line_.push(c.text("body"), point, c.vector("force"), c.number_or("seconds", 0.1));
    return std::string();
  });
  add_word("feedback", [this](const Command& c) {
    if (!file_.feedback) throw InputError("this gait has no feedback: see molejo stabilise");
    line_.close_loop(c.flag_or("on", true));
    return std::string();
  });
}

std::string GaitBench::more_status() const {
  const ReplayReport r = line_.report();
  return fmt::format(
      ",\"gait\":{{\"steps\":{},\"falls\":{},\"speed\":{:.4g},\"distance\":{:.5g},"
      "\"cost_of_transport\":{:.4g},\"duty_factor\":{:.4g},\"peak_force\":{:.4g},"
      "\"cyclic_error\":{:.4g},\"feedback\":{}}}",
      r.steps, line_.falls(), r.speed, r.distance, r.cost_of_transport, r.duty_factor, r.peak_force,
      r.worst_cyclic_error, line_.is_closed());
}

std::string GaitBench::describe() const {
  JsonValue more = JsonValue::object();
  more.add("valid", JsonValue::of(file_.valid));
  more.add("has_feedback", JsonValue::of(file_.feedback.has_value()));
  more.add("period", line_.problem().gait(file_.unknowns.data()).period());
  const Character& c = line_.character();
  more.add("torso", c.model.bodies[static_cast<std::size_t>(c.torso.index)].name);
  return describe_with(fields(more));
}

std::string GaitBench::command_line() const {
  return fmt::format("molejo gait {} --seconds {:.4g}{} -o {}.glb", shell_word(options().path),
                     std::max(line_.end(), 0.1), line_.is_closed() ? "" : " --open-loop",
                     stem_of(options().name));
}

}  // namespace molejo

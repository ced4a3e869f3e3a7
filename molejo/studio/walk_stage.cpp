#include "molejo/studio/walk_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using navigation::Plan;
using navigation::TrackFrame;

// Characters without ground under them are put where there is some: at their start, or in the
// middle of the first terrain, beside each other. True of those that were.
std::vector<bool> put_on_ground(WalkScene& scene, const std::vector<WalkActor>& first) {
  std::vector<bool> moved;
  for (std::size_t i = 0; i < scene.actors.size(); ++i) {
    navigation::WalkerStart& start = scene.actors[i].start;
    const auto stands = [&] { return scene.ground->at(start.x, start.y).has_value(); };
    moved.push_back(!stands());
    if (!moved.back()) continue;
    start = first[i].start;
    if (stands()) continue;
    const Terrain& terrain = scene.terrains.front();
    const motion::Relief& r = terrain.relief;
    start.x = terrain.offset.x + terrain.scale.x * 0.5 * (r.x0 + r.x1);
    start.y =
        terrain.offset.y + terrain.scale.y * 0.5 * (r.y0 + r.y1) + static_cast<double>(i % 20);
    if (!stands()) {
      throw InputError(fmt::format("{} would have no ground under it", scene.actors[i].name));
    }
  }
  return moved;
}

void lay_terrains(WalkScene& scene, const std::vector<Terrain>& bare,
                  const std::shared_ptr<const Bumps>& bumps) {
  scene.terrains.clear();
  for (const Terrain& terrain : bare) scene.terrains.push_back(with_bumps(terrain, bumps));
  scene.ground = std::make_shared<const motion::Ground>(ground_of(scene.terrains));
}

}  // namespace

std::size_t WalkMoment::bytes() const {
  std::size_t sum = sizeof(WalkMoment);
  for (const WalkShown& c : characters) {
    sum += sizeof(WalkShown) + c.track.feet.size() * sizeof(navigation::FootState) +
           c.plans.size() * sizeof(Vec3) +
           2 * motion::SkeletonPose::rows * sizeof(double) * at(c.track.pose.stride());
  }
  return sum;
}

WalkTimeline::WalkTimeline(WalkScene scene, double fps, HistoryLimits limits)
    : scene_(std::move(scene)), fps_(fps), history_(limits), bumps_(std::make_shared<Bumps>()) {
  scene_.duration = 1, scene_.fps = 5;  // what is recorded is bounded here
  lay_ground(std::move(scene_.terrains));
  reset();
}

WalkTimeline::~WalkTimeline() = default;

void WalkTimeline::lay_ground(std::vector<Terrain> bare) {
  bare_ = std::move(bare);
  lay_terrains(scene_, bare_, bumps_);
}

WalkScene WalkTimeline::snapshot() const {
  WalkScene scene = scene_;
  lay_terrains(scene, bare_, std::make_shared<const Bumps>(*bumps_));
  return scene;
}

void WalkTimeline::reset() {
  cast_anew();
  failure_.clear();
  history_.clear();
  born_.clear();
  record_frame();
  history_.show_last();
}

const WalkShown& WalkTimeline::character_in(const WalkMoment& moment, int character) const {
  if (character < static_cast<int>(moment.characters.size())) {
    return moment.characters[at(character)];
  }
  return born_[born_.size() - at(stage_->size() - character)];
}

// Walkers as the scene has them now, from its start.
void WalkTimeline::cast_anew() {
  WalkScene now = scene_;
  put_on_ground(now, scene_.actors);
  stage_ = std::make_unique<navigation::Stage>(make_stage(now));
  measure();
  find_moving();
}

void WalkTimeline::find_moving() {
  moving_.clear();
  for (int i = 0; i < stage_->size(); ++i) {
    const WalkActor& actor = scene_.actors[at(i)];
    const navigation::Rig& rig = stage_->walker(i).rig();
    std::set<int> moving{rig.hips};
    const auto look_at = [&](const motion::Clip& clip) {
      for (const motion::Track& t : clip.tracks) {
        if (t.channel == motion::Channel::translation) moving.insert(t.joint);
      }
    };
    look_at(actor.clips->walk.clip);
    look_at(actor.clips->idle.clip);
    for (int j = 0; j < rig.skeleton.size(); ++j) {
      if (rig.skeleton[j].parent < 0) moving.insert(j);
    }
    moving_.emplace_back(moving.begin(), moving.end());
  }
}

// Walkers as the scene has them now, where this moment shows those that were there already. They
// keep their plans.
void WalkTimeline::cast_from(const WalkMoment& moment) {
  WalkScene now = scene_;
  const int old = stage_->size();
  for (int i = 0; i < old; ++i) {
    const TrackFrame& frame = character_in(moment, i).track;
    navigation::WalkerStart& start = now.actors[at(i)].start;
    start.x = frame.position.x, start.y = frame.position.y;
    start.heading = frame.heading;
  }
  const std::vector<bool> moved = put_on_ground(now, scene_.actors);
  auto next = std::make_unique<navigation::Stage>(make_stage(now));
  failure_.clear();
  for (int i = 0; i < old; ++i) {
    const TrackFrame& frame = character_in(moment, i).track;
    if (!moved[at(i)]) next->walker(i).take_over(frame.pose, frame.placement, 0.3);
    Plan plan = stage_->plan(i);
    // what was planned for moments counts from the start of the stage
    if (plan.kind == Plan::Kind::commands) {
      for (navigation::TimedCommand& c : plan.commands) c.time -= stage_->time();
    }
    if (plan.kind == Plan::Kind::path) {
      if (stage_->progress(i).arrived) plan.kind = Plan::Kind::rest;
      if (!plan.loop) plan.path = way(i);
    }
    next->follow(i, plan);
  }
  stage_ = std::move(next);
  measure();
}

void WalkTimeline::measure() {
  costs_.assign(at(stage_->size()), {});
  for (int i = 0; i < stage_->size(); ++i) stage_->walker(i).measure(&costs_[at(i)]);
}

double WalkTimeline::take_cost() {
  double sum = 0;
  for (navigation::WalkCost& cost : costs_) {
    if (cost.frames > 0) sum += navigation::frame_cost(cost).sum();
    cost = {};
  }
  return sum;
}

WalkShown WalkTimeline::show(int character) const {
  const navigation::Walker& walker = stage_->walker(character);
  WalkShown shown{navigation::frame_of(*stage_, character), {}};
  const auto points = at(WalkShown::plan_points);
  shown.plans.resize(points * shown.track.feet.size());
  for (std::size_t leg = 0; leg < shown.track.feet.size(); ++leg) {
    const std::span<Vec3> plan(&shown.plans[points * leg], points);
    if (walker.plan_of_foot(static_cast<int>(leg), plan)) continue;
    std::fill(plan.begin(), plan.end(), shown.track.feet[leg].target);
  }
  return shown;
}

void WalkTimeline::record_frame() {
  WalkMoment moment;
  moment.t = history_.empty() ? 0 : history_.end() + 1 / fps_;
  for (int i = 0; i < stage_->size(); ++i) moment.characters.push_back(show(i));
  history_.add(std::move(moment));
}

Advance WalkTimeline::show_next(Clock::time_point) {
  if (history_.is_at_end()) {
    if (!failure_.empty()) return Advance::over;
    try {
      stage_->advance(1 / fps_);
      record_frame();
    } catch (const Interrupted& e) {
      failure_ = lost_frame(e);
      return Advance::over;
    }
  }
  history_.show_next();
  return Advance::shown;
}

void WalkTimeline::branch() {
  if (history_.is_at_end()) return;
  cast_from(history_.shown());
  history_.forget_later();
}

const std::vector<int>& WalkTimeline::moving(int character) const { return moving_[at(character)]; }

int WalkTimeline::character(const std::string& name) const {
  if (name.empty() || name == "*") return -1;
  const int found = stage_->find(name);
  if (found >= 0) return found;
  std::vector<std::string> known;
  for (int i = 0; i < std::min(stage_->size(), 50); ++i) known.push_back(stage_->name(i));
  throw InputError(unknown_word("character", name, known));
}

void WalkTimeline::steer(int character, const navigation::Steering& steering) {
  for (int i = 0; i < stage_->size(); ++i) {
    if (character < 0 || character == i) stage_->steer(i, steering);
  }
}

void WalkTimeline::go_to(int character, const std::vector<navigation::WayPoint>& path, bool loop,
                         bool behind) {
  for (int i = 0; i < stage_->size(); ++i) {
    if (character >= 0 && character != i) continue;
    std::vector<navigation::WayPoint> whole;
    if (behind) whole = way(i);
    whole.insert(whole.end(), path.begin(), path.end());
    if (whole.size() > max_way_points) throw InputError("'path': too many way-points");
    if (whole.empty()) {
      stage_->stop(i);
    } else {
      stage_->go_to(i, whole, loop);
    }
  }
}

std::vector<navigation::WayPoint> WalkTimeline::way(int character) const {
  const Plan& plan = stage_->plan(character);
  if (plan.kind != Plan::Kind::path || stage_->progress(character).arrived) return {};
  if (plan.loop) return plan.path;
  const auto leg = std::min(static_cast<std::ptrdiff_t>(stage_->progress(character).leg),
                            static_cast<std::ptrdiff_t>(plan.path.size()));
  return {plan.path.begin() + leg, plan.path.end()};
}

int WalkTimeline::add(int like, double x, double y) {
  if (scene_.actors.size() >= max_walk_actors) {
    throw InputError(fmt::format("{} characters: there can be no more", max_walk_actors));
  }
  if (!scene_.ground->at(x, y)) {
    throw InputError(fmt::format("no ground at {:g}, {:g}", x, y));
  }
  WalkActor actor = scene_.actors[at(like)];
  const std::string stem = actor.name.substr(0, actor.name.find_last_not_of("0123456789 ") + 1);
  for (int n = 2; stage_->find(actor.name) >= 0; ++n) actor.name = fmt::format("{} {}", stem, n);
  actor.start.x = x, actor.start.y = y;
  actor.start.heading = character_in(history_.last(), like).track.heading;
  actor.plan = {};
  actor.falls.clear();
  scene_.actors.push_back(std::move(actor));
  try {
    cast_from(history_.last());
  } catch (const InputError&) {
    scene_.actors.pop_back();
    throw;
  }
  find_moving();
  born_.push_back(show(stage_->size() - 1));
  return stage_->size() - 1;
}

void WalkTimeline::set_terrains(std::vector<Terrain> terrains) {
  if (terrains.empty()) throw InputError("no terrain: expected one at least");
  WalkScene before = scene_;
  std::vector<Terrain> bare = bare_;
  const auto sculpted = std::exchange(bumps_, std::make_shared<Bumps>());
  lay_ground(std::move(terrains));
  try {
    cast_from(history_.last());
  } catch (const InputError&) {
    scene_ = std::move(before);
    bare_ = std::move(bare);
    bumps_ = sculpted;
    throw;
  }
}

void WalkTimeline::set_options(int character, const std::function<void(WalkActor&)>& change) {
  const std::vector<WalkActor> before = scene_.actors;
  for (int i = 0; i < stage_->size(); ++i) {
    if (character < 0 || character == i) change(scene_.actors[at(i)]);
  }
  try {
    cast_from(history_.last());
  } catch (const InputError&) {
    scene_.actors = before;
    throw;
  }
}

navigation::WalkRecord WalkTimeline::record(double from, double to) const {
  navigation::WalkRecord record;
  record.fps = fps_;
  for (int i = 0; i < stage_->size(); ++i) {
    const navigation::Walker& walker = stage_->walker(i);
    record.characters.push_back({stage_->name(i), walker.rig(), walker.scale(), {}});
  }
  for (const WalkMoment& m : history_.moments()) {
    if (m.t < from - 1e-9 || m.t > to + 1e-9) continue;
    for (int i = 0; i < stage_->size(); ++i) {
      record.characters[at(i)].frames.push_back(character_in(m, i).track);
    }
  }
  return record;
}

}  // namespace molejo

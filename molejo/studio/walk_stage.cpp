#include "molejo/studio/walk_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "molejo/model/error.h"

namespace molejo {

namespace {

using navigation::Plan;
using navigation::TrackFrame;

constexpr std::size_t most_bumps = 5'000;
constexpr double widest_bump = 20, highest_bump = 20;  // m
constexpr double formula_half = 60;                    // m, of a terrain by a formula

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

// Bumps by the square metres they lie on.
class Bumps {
 public:
  const std::vector<Bump>& all() const { return all_; }
  void clear() { all_.clear(), cells_.clear(); }

  void add(const Bump& bump) {
    // strokes of a brush that rests grow one bump
    if (!all_.empty()) {
      Bump& last = all_.back();
      const double moved = std::hypot(last.x - bump.x, last.y - bump.y);
      if (last.radius == bump.radius && moved < bump.radius / 16) {
        last.height += bump.height;
        return;
      }
    }
    if (all_.size() >= most_bumps) {
      throw InputError(fmt::format("{} bumps: there can be no more", most_bumps));
    }
    for (int i = cell(bump.x - bump.radius); i <= cell(bump.x + bump.radius); ++i) {
      for (int j = cell(bump.y - bump.radius); j <= cell(bump.y + bump.radius); ++j) {
        cells_[key(i, j)].push_back(all_.size());
      }
    }
    all_.push_back(bump);
  }

  motion::Elevation at(double x, double y) const {
    motion::Elevation sum;
    if (all_.empty()) return sum;
    const auto found = cells_.find(key(cell(x), cell(y)));
    if (found == cells_.end()) return sum;
    for (const std::size_t i : found->second) {
      const Bump& b = all_[i];
      const double dx = x - b.x, dy = y - b.y, R2 = b.radius * b.radius;
      const double u = 1 - (dx * dx + dy * dy) / R2;
      if (u <= 0) continue;
      sum.height += b.height * u * u;
      sum.slope_x -= b.height * 4 * u * dx / R2;
      sum.slope_y -= b.height * 4 * u * dy / R2;
    }
    return sum;
  }

 private:
  static int cell(double x) { return static_cast<int>(std::floor(x)); }
  static std::int64_t key(int i, int j) { return static_cast<std::int64_t>(i) * 4'000'000'000 + j; }

  std::vector<Bump> all_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> cells_;
};

std::size_t WalkMoment::bytes() const {
  std::size_t sum = sizeof(WalkMoment);
  for (const TrackFrame& f : characters) {
    sum += sizeof(TrackFrame) + f.feet.size() * sizeof(navigation::FootState) +
           2 * motion::SkeletonPose::rows * sizeof(double) * at(f.pose.stride());
  }
  return sum;
}

WalkTimeline::WalkTimeline(WalkScene scene, double fps, HistoryLimits limits)
    : original_(std::move(scene)), fps_(fps), history_(limits), bumps_(std::make_shared<Bumps>()) {
  original_.duration = 1, original_.fps = 5;  // what is recorded is bounded here
  reset();
}

WalkTimeline::~WalkTimeline() = default;

// Every terrain with the bumps on it, in its own scale.
static void lay_bumps(WalkScene& scene, const std::shared_ptr<const Bumps>& bumps) {
  for (Terrain& terrain : scene.terrains) {
    const auto bare = std::make_shared<const motion::Relief>(terrain.relief);
    const Vec3 o = terrain.offset, s = terrain.scale;
    terrain.relief.at = [bare, o, s, bumps](double x, double y) {
      motion::Elevation e = bare->at(x, y);
      const motion::Elevation b = bumps->at(o.x + s.x * x, o.y + s.y * y);
      e.height += b.height / s.z;
      e.slope_x += b.slope_x * s.x / s.z;
      e.slope_y += b.slope_y * s.y / s.z;
      return e;
    };
  }
  scene.ground = std::make_shared<const motion::Ground>(ground_of(scene.terrains));
}

void WalkTimeline::add_bumps() {
  bare_ = scene_.terrains;
  lay_bumps(scene_, bumps_);
}

WalkScene WalkTimeline::snapshot() const {
  WalkScene scene = scene_;
  scene.terrains = bare_;
  lay_bumps(scene, std::make_shared<const Bumps>(*bumps_));
  return scene;
}

void WalkTimeline::reset() {
  bumps_->clear();
  scene_ = original_;
  add_bumps();
  history_.clear();
  cast_anew();
  record_frame();
  history_.show_last();
}

// Walkers as the scene has them now, from its start.
void WalkTimeline::cast_anew() {
  stage_ = std::make_unique<navigation::Stage>(make_stage(scene_));
  begun_ = 0;
  measure();
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

// Walkers as the scene has them now, where these frames show them.
void WalkTimeline::cast_from(const std::vector<TrackFrame>& frames, bool keep_plans) {
  WalkScene now = scene_;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    navigation::WalkerStart& start = now.actors[i].start;
    start.x = frames[i].position.x, start.y = frames[i].position.y;
    start.heading = frames[i].heading;
    if (!now.ground->at(start.x, start.y)) {
      throw InputError(fmt::format("{} would have no ground under it", now.actors[i].name));
    }
  }
  auto next = std::make_unique<navigation::Stage>(make_stage(now));
  for (int i = 0; i < next->size(); ++i) {
    next->walker(i).take_over(frames[at(i)].pose, frames[at(i)].placement, 0.3);
    if (!keep_plans) continue;
    Plan plan = stage_->plan(i);
    // what was planned for moments counts from the start of the stage
    if (plan.kind == Plan::Kind::commands) {
      for (navigation::TimedCommand& c : plan.commands) c.time -= stage_->time();
    }
    if (plan.kind == Plan::Kind::path) {
      const auto leg = static_cast<std::ptrdiff_t>(stage_->progress(i).leg);
      if (stage_->progress(i).arrived) plan.kind = Plan::Kind::rest;
      if (!plan.loop && leg < static_cast<std::ptrdiff_t>(plan.path.size())) {
        plan.path.erase(plan.path.begin(), plan.path.begin() + leg);
      }
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

void WalkTimeline::record_frame() {
  navigation::WalkRecord record;
  add_frame(*stage_, record);
  WalkMoment moment;
  moment.t = history_.empty() ? 0 : history_.end() + 1 / fps_;
  for (navigation::CharacterTrack& track : record.characters) {
    moment.characters.push_back(std::move(track.frames.front()));
  }
  history_.add(std::move(moment));
}

bool WalkTimeline::advance() {
  if (history_.is_at_end()) {
    stage_->advance(1 / fps_);
    record_frame();
  }
  history_.show_next();
  return true;
}

void WalkTimeline::branch() {
  if (history_.is_at_end()) return;
  cast_from(moment().characters, true);
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

void WalkTimeline::go_to(int character, const std::vector<navigation::WayPoint>& path, bool loop) {
  for (int i = 0; i < stage_->size(); ++i) {
    if (character >= 0 && character != i) continue;
    if (path.empty()) {
      stage_->stop(i);
    } else {
      stage_->go_to(i, path, loop);
    }
  }
}

void WalkTimeline::sculpt(const Bump& b) {
  const bool good = std::fabs(b.x) <= farthest_terrain && std::fabs(b.y) <= farthest_terrain &&
                    b.radius >= 0.05 && b.radius <= widest_bump &&
                    std::fabs(b.height) <= highest_bump;
  if (!good) {
    throw InputError(
        fmt::format("a bump of radius {:g} and height {:g}: expected 0.05 to {:g} m and at most "
                    "{:g} m",
                    b.radius, b.height, widest_bump, highest_bump));
  }
  bumps_->add(b);
}

const std::vector<Bump>& WalkTimeline::bumps() const { return bumps_->all(); }

void WalkTimeline::set_elevation(const std::string& expression) {
  WalkScene before = scene_;
  std::vector<Terrain> bare_before = bare_;
  const std::vector<Bump> sculpted = bumps_->all();
  scene_.terrains = {formula_terrain(expression, formula_half, "elevation")};
  bumps_->clear();
  add_bumps();
  try {
    cast_from(history_.last().characters, true);
  } catch (const InputError&) {
    scene_ = std::move(before);
    bare_ = std::move(bare_before);
    for (const Bump& b : sculpted) bumps_->add(b);
    throw;
  }
}

void WalkTimeline::set_options(int character, const std::function<void(WalkActor&)>& change) {
  const std::vector<WalkActor> before = scene_.actors;
  for (int i = 0; i < stage_->size(); ++i) {
    if (character < 0 || character == i) change(scene_.actors[at(i)]);
  }
  try {
    cast_from(history_.last().characters, true);
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
    for (std::size_t i = 0; i < record.characters.size(); ++i) {
      record.characters[i].frames.push_back(m.characters[i]);
    }
  }
  return record;
}

}  // namespace molejo

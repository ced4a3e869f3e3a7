// Walkers on a ground that people change while they walk.
//
// The ground is that of the scene, or another one that was chosen, with bumps on it that were
// sculpted. A bump is there at once. Another ground, other options of a walker or one more of them
// mean new walkers, which take over from where the old ones are; who has no ground under it begins
// anew where there is some.
#pragma once

#include <memory>
#include <optional>

#include "molejo/io/walk_scene.h"
#include "molejo/live/timeline.h"
#include "molejo/navigation/quality.h"
#include "molejo/navigation/track.h"
#include "molejo/studio/bumps.h"

namespace molejo {

// A character in a frame, and where each of its feet shall go: plan_points points of the swing that
// is under way, or where the foot shall stand.
struct WalkShown {
  static constexpr int plan_points = 8;
  navigation::TrackFrame track;
  std::vector<Vec3> plans;
};

struct WalkMoment {
  double t = 0;
  std::vector<WalkShown> characters;  // who was there then
  double time() const { return t; }
  std::size_t bytes() const;
};

class WalkTimeline : public Timeline {
 public:
  // Throws InputError as make_stage does.
  WalkTimeline(WalkScene scene, double fps, HistoryLimits limits);
  ~WalkTimeline() override;

  const WalkScene& scene() const { return scene_; }  // with what was sculpted
  // The same as it is now, whatever is sculpted later: for other threads.
  WalkScene snapshot() const;
  const History<WalkMoment>& history() const { return history_; }
  const navigation::Stage& stage() const { return *stage_; }
  // Of the moment that is shown; who was added later stands where it will appear.
  const WalkShown& shown(int character) const { return character_in(history_.shown(), character); }
  const WalkShown& character_in(const WalkMoment& moment, int character) const;
  int size() const { return stage_->size(); }
  // Joints of a character whose translation changes.
  const std::vector<int>& moving(int character) const;

  double time() const override { return history_.shown().t; }
  std::int64_t number() const override { return history_.number(); }
  double begin() const override { return history_.begin(); }
  double end() const override { return history_.end(); }
  double interval() const override { return 1 / fps_; }
  std::string failure() const override { return failure_; }
  Advance show_next(Clock::time_point until) override;
  void seek(double t) override { history_.seek(t); }
  void branch() override;
  // Back to the start, on the ground and with the characters that are there now.
  void reset() override;

  // All act from the last frame on, and throw InputError. -1: everybody.
  int character(const std::string& name) const;
  void steer(int character, const navigation::Steering& steering);
  // `behind`: after the way-points that are left.
  void go_to(int character, const std::vector<navigation::WayPoint>& path, bool loop, bool behind);
  // The way-points that are left.
  std::vector<navigation::WayPoint> way(int character) const;
  // One more like this one, at (x, y), looking along the same heading. Gives its number.
  int add(int like, double x, double y);
  void sculpt(const Bump& bump) { bumps_->add(bump); }
  const std::vector<Bump>& bumps() const { return bumps_->all(); }
  // These instead of all terrains; what was sculpted is levelled.
  void set_terrains(std::vector<Terrain> terrains);
  // Takes away what was sculpted.
  void level() { bumps_->clear(); }
  // Changes the options of a character, or of everybody.
  void set_options(int character, const std::function<void(WalkActor&)>& change);

  // What was recorded, frame by frame.
  navigation::WalkRecord record(double from, double to) const;
  // Microseconds a frame of everybody since the last call.
  double take_cost();

 private:
  void lay_ground(std::vector<Terrain> bare);
  void cast_from(const WalkMoment& moment);
  void cast_anew();
  void find_moving();
  void measure();
  WalkShown show(int character) const;
  void record_frame();

  WalkScene scene_;
  std::vector<Terrain> bare_;  // its terrains without bumps
  double fps_;
  std::string failure_;  // a frame was interrupted: nothing goes on before a reset
  History<WalkMoment> history_;
  std::shared_ptr<Bumps> bumps_;
  std::unique_ptr<navigation::Stage> stage_;
  std::vector<std::vector<int>> moving_;
  std::vector<navigation::WalkCost> costs_;
  std::vector<WalkShown> born_;  // the last characters, as they were when they were added
};

}  // namespace molejo

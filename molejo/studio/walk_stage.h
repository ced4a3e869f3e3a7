// Walkers on a ground that people change while they walk.
//
// The ground is that of the scene with bumps on it that were sculpted:
//
//   h(x, y) + sum_k H_k (1 - r_k^2 / R_k^2)^2 for r_k < R_k
//
// A bump is there at once. Another elevation or other options of a walker mean new walkers, which
// take over from where the old ones are.
#pragma once

#include <memory>
#include <optional>

#include "molejo/io/walk_scene.h"
#include "molejo/live/timeline.h"
#include "molejo/navigation/quality.h"
#include "molejo/navigation/track.h"

namespace molejo {

struct Bump {
  double x = 0, y = 0, radius = 1, height = 0;  // m, in the world
};
class Bumps;

struct WalkMoment {
  double t = 0;
  std::vector<navigation::TrackFrame> characters;
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
  const WalkMoment& moment() const { return history_.shown(); }
  // Joints of a character whose translation changes.
  const std::vector<int>& moving(int character) const;

  double time() const override { return moment().t; }
  std::int64_t number() const override { return history_.number(); }
  double begin() const override { return history_.begin(); }
  double end() const override { return history_.end(); }
  double interval() const override { return 1 / fps_; }
  std::string failure() const override { return {}; }
  bool advance() override;
  void seek(double t) override { history_.seek(t); }
  void branch() override;
  void reset() override;

  // All act from the last frame on, and throw InputError. -1: everybody.
  int character(const std::string& name) const;
  void steer(int character, const navigation::Steering& steering);
  void go_to(int character, const std::vector<navigation::WayPoint>& path, bool loop);
  void sculpt(const Bump& bump);
  const std::vector<Bump>& bumps() const;
  // One terrain by a formula of x and y, instead of all; what was sculpted is levelled.
  void set_elevation(const std::string& expression);
  // Changes the options of a character, or of everybody.
  void set_options(int character, const std::function<void(WalkActor&)>& change);

  // What was recorded, frame by frame.
  navigation::WalkRecord record(double from, double to) const;
  // Microseconds a frame of everybody since the last call.
  double take_cost();

 private:
  void add_bumps();
  void cast_from(const std::vector<navigation::TrackFrame>& frames, bool keep_plans);
  void cast_anew();
  void measure();
  void record_frame();

  WalkScene scene_;
  WalkScene original_;
  std::vector<Terrain> bare_;  // terrains of the scene without bumps
  double fps_;
  History<WalkMoment> history_;
  std::shared_ptr<Bumps> bumps_;
  std::unique_ptr<navigation::Stage> stage_;
  std::vector<std::vector<int>> moving_;
  std::vector<navigation::WalkCost> costs_;
  double begun_ = 0;  // time of the first frame of the stage
};

}  // namespace molejo

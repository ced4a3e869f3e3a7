// Several walkers on one ground, each with a plan of where to go.
//
//   pure pursuit    w = clamp(k wrap(bearing of a point `ahead` on the way - heading), +- w_max)
//
// (Coulter 1992), with a bounded change of w. A point that lies inside the circle of the tightest
// turn is left first, so that nobody runs in circles around it. Plans may be changed while the
// stage runs: a director or a person steers. The same bits on any number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "molejo/navigation/walker.h"

namespace molejo::navigation {

struct WayPoint {
  double x = 0, y = 0;
};

// From a moment on: what a person does with four keys.
struct TimedCommand {
  double time = 0;  // s
  Steering steering;
};

struct Plan {
  enum class Kind {
    rest,      // stands where it is
    path,      // goes from way-point to way-point, then idles
    heading,   // turns to a heading and keeps it
    commands,  // does what was planned for each moment; before the first it rests
    steered    // does what it was told last
  };
  Kind kind = Kind::rest;
  std::vector<WayPoint> path;
  bool loop = false;                   // from the last way-point to the first one again
  double heading = 0;                  // rad
  std::vector<TimedCommand> commands;  // times do not decrease
  Steering steering;  // of a steered one; its rate holds for all kinds but commands

  double turn_limit = 1.2;       // rad/s
  double turn_acceleration = 3;  // rad/s^2
  double within = 0.3;           // m: so near to the last way-point it has arrived
  double ahead = 0.8;            // m along the way, at which it looks
};

// Where a plan has got to.
struct Progress {
  int leg = 0;           // of the path: towards way-point `leg`
  bool arrived = false;  // at the end of the path
  bool leaving = false;  // goes straight on, for the point is too near to turn to
  double turn = 0;       // rad/s, as it is now
  double speed = 0;      // m/s over the ground at rate 1, smoothed
  int rounds = 0;        // loops done
  WayPoint from;         // where the current leg of the path began
};

// One frame of steering; `progress` is carried along.
Steering steer_by(const Plan& plan, const Walker& walker, double time, double dt,
                  Progress& progress);

class Stage {
 public:
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::stage;
  explicit Stage(std::shared_ptr<const Ground> ground) : ground_(std::move(ground)) {}

  // The walker must have been made for this ground. Gives its number.
  int add(std::string name, std::unique_ptr<Walker> walker, Plan plan);
  // One frame for all, on up to `threads` threads (0: as many as the machine has).
  void advance(double dt, int threads = 1);

  int size() const { return static_cast<int>(actors_.size()); }
  double time() const { return time_; }
  const Ground& ground() const { return *ground_; }
  const std::string& name(int i) const { return at(i).name; }
  const Walker& walker(int i) const { return *at(i).walker; }
  Walker& walker(int i) { return *at(i).walker; }
  const Plan& plan(int i) const { return at(i).plan; }
  const Progress& progress(int i) const { return at(i).progress; }
  // What it was told to do in the last frame.
  const Steering& steering(int i) const { return at(i).steering; }
  int find(const std::string& name) const;  // -1: nobody

  void follow(int i, Plan plan);  // any plan, from where it is
  void go_to(int i, std::span<const WayPoint> path, bool loop = false);
  void stop(int i);
  void steer(int i, const Steering& steering);

  // save(stage, snapshot) takes all that it goes on from, restore(snapshot, stage) goes on from
  // there on a stage with the same ground and walkers (math/snapshot.h).
  std::uint64_t fingerprint() const;
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Stage>& stage);

  struct Actor {
    std::string name;
    std::unique_ptr<Walker> walker;
    Plan plan;
    Progress progress;
    Steering steering;
    double began = 0;  // when its plan was given
    Vec3 last;         // where it was
  };
  const Actor& at(int i) const { return actors_[static_cast<std::size_t>(i)]; }
  Actor& at(int i) { return actors_[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const Ground> ground_;
  std::vector<Actor> actors_;
  double time_ = 0;
};

}  // namespace molejo::navigation

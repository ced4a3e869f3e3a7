// Where a walker is, and where its feet shall be. Knows nothing of joints but the soles.
//
//   phase   goes through the walk; the body goes the way that the standing feet of the clip give
//   feet    stand on their prints until the clip lifts them, then swing to the next (foot_path.h)
//   prints  below where the body will be, on ground that is even enough (foothold.h)
//
// Strides get shorter on slopes, steps slower where they go up or down. Before ground that is too
// steep or missing it brakes and idles. While it idles feet are set anew one after the other, when
// the body has turned away from them. A value: copies are snapshots. No allocation while it goes.
#pragma once

#include "molejo/navigation/adaptive_walker.h"
#include "molejo/navigation/foot_path.h"

namespace molejo::navigation {

class Footwork {
 public:
  // All must outlive it.
  Footwork(const WalkClips& clips, const Ground& ground, const WalkerStart& start,
           const AdaptiveOptions& options);

  // `dt` passes, of which the walk uses `walked`: less when joints could not follow.
  void advance(double dt, double walked, const Steering& steering);
  // Idles there from now on.
  void stand(const Vec3& p, double heading);

  const Vec3& position() const { return p_; }  // over the ground, z: its height
  double heading() const { return heading_; }
  bool blocked() const { return blocked_; }
  bool walks() const { return walking_; }
  double weight() const { return smooth(weight_); }  // of the walk against the idle
  double walk_phase() const { return phase_; }
  double idle_phase() const { return idle_phase_; }
  double slope() const { return slope_; }  // along the heading, smoothed
  double floor() const;                    // of the clips, in the model
  // The ground that carries the body, below its hips: nearer to the lower feet than to the higher
  // ones. A body with legs before and behind lies on the slope between them, others stay upright.
  struct Support {
    double height = 0, slope = 0;
  };
  Support support() const;

  int size() const { return static_cast<int>(legs_.size()); }
  bool swings(int leg) const { return at(leg).path.swings; }
  bool heel_down(int leg) const;
  bool toe_down(int leg) const;
  FootPose foot(int leg) const;
  // Where it will be at a part of its swing, as planned now.
  FootPose foot_at(int leg, double part) const;
  double swing_part(int leg) const { return at(leg).path.s; }
  const Sole& sole(int leg) const { return source().feet.sole(leg); }
  // A standing foot has rolled over its toe, about this axis, since foot().
  void roll(int leg, const Vec3& axis, double angle);

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Footwork>& f) {
    a(f.p_, f.heading_, f.turn_, f.walking_, f.blocked_, f.weight_, f.phase_, f.idle_phase_,
      f.phase_rate_, f.pace_, f.haste_, f.slope_);
    const auto countable = [](double phase) { return std::fabs(phase) < 1e9; };
    a.require(countable(f.phase_) && countable(f.idle_phase_) && countable(f.heading_),
              "phases of clips");
    for (auto& leg : f.legs_) {
      FootPath::visit(a, leg.path);
      a(leg.print, leg.next, leg.left_at, leg.wanted, leg.wanted_along, leg.shift, leg.followed,
        leg.hurry, leg.roll_axis, leg.rolled, leg.unsettled);
      a.require(countable(leg.print.off) && countable(leg.next.off) && countable(leg.left_at),
                "phases of steps");
    }
  }

 private:
  struct Step {
    FootPath path;
    Print print, next;               // that it stands on or leaves, and that it goes to
    double left_at = 0;              // phase at which the swing began
    Vec3 wanted;                     // middle of the print that the plan was made for,
    double wanted_along = 0;         // and how it lies
    double shift = 0, followed = 0;  // of the foothold; how much of it the body has followed
    double hurry = 0;                // by which the foot is ahead of the clip in mid-swing
    Vec3 roll_axis;
    double rolled = 0;
    bool unsettled = false;  // idle: it does not stand as it shall
  };
  // A place for a print: its middle, and the heading of the sole.
  struct Goal {
    Vec3 middle;
    double along = 0;
  };

  Step& at(int leg) { return legs_[static_cast<std::size_t>(leg)]; }
  const Step& at(int leg) const { return legs_[static_cast<std::size_t>(leg)]; }
  const ReadyClip& walk() const { return clips_->walk; }
  const ReadyClip& idle() const { return clips_->idle; }
  const ReadyClip& source() const { return walking_ ? walk() : idle(); }
  FootPose clip_foot(int leg) const;
  FootPose kept_above(int leg, FootPose foot) const;
  double swing_phase(const Step& leg, double part) const;
  double height_at(const Vec3& p, double otherwise) const;
  double speed_part() const { return weight() * pace_; }

  bool passable() const;
  double first_phase() const;
  void start_walking();
  void stop_walking();
  void feel_slope(double dt);
  void move_body(double dt, double rate);
  void step_walking(int leg);
  void step_idle(double dt);
  void leave(int leg, double phase);
  void plan(int leg, const Goal& goal, const Print& print);
  void clear_swing(int leg, double lift);
  Goal walking_goal(const Print& print) const;
  Goal idle_goal(const Print& print) const;
  Foothold foothold(int leg, const Goal& goal) const;
  Foothold stood_on(int leg, const FootPose& foot) const;
  GroundMap laid(const Print& print, const Foothold& hold) const;

  const WalkClips* clips_;
  const Ground* ground_;
  AdaptiveOptions options_;
  double scale_, leg_length_;

  Vec3 p_;
  double heading_, turn_ = 0;  // turn: rad/s
  bool walking_ = false, blocked_ = false;
  double weight_ = 0;
  double phase_ = 0, idle_phase_ = 0, phase_rate_ = 0;
  double pace_ = 1, haste_ = 1;  // stride and rate against the clip's
  double slope_ = 0;
  std::vector<Step> legs_;
  std::vector<double> stations_;  // of each leg before the hips, m
  double spread_ = 0;  // mean square of stations about their middle; 0: legs side by side
};

}  // namespace molejo::navigation

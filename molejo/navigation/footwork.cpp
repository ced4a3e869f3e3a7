#include "molejo/navigation/footwork.h"

#include <algorithm>
#include <cmath>

namespace molejo::navigation {

namespace {

// What it is tuned to; lengths in leg lengths.
constexpr double search_reach = 0.22;  // of a foothold, before and behind
constexpr double even_enough = 0.018;  // unevenness under a sole that needs no search
constexpr double replan_distance = 0.035, replan_turn = 0.06;
constexpr double last_plan = 0.7;         // part of a swing after which its goal stays
constexpr double release_distance = 0.6;  // of a standing foot from where the clip has it
constexpr double low_part = 0.6;          // from the mean height of the feet to the lowest
constexpr double highest_step = 0.42;     // between neighbouring places on the way
constexpr double slow_stop = 1.5;         // times as long as a start
constexpr double idle_moved = 0.08, idle_turned = 0.35;  // before a foot is set anew
constexpr double idle_step = 0.38, idle_lift = 0.05;     // s, and leg lengths

Vec3 ahead(double heading) {
  const SinCos<double> turn = sincos(heading);
  return {turn.cos, turn.sin, 0};
}

Vec3 turned_about_up(const Vec3& v, double heading) {
  const Vec3 x = ahead(heading);
  return {x.x * v.x - x.y * v.y, x.y * v.x + x.x * v.y, v.z};
}

double towards(double from, double to, double step) {
  return from < to ? std::min(to, from + step) : std::max(to, from - step);
}

// Part of the way that a quantity goes to its goal in dt, at a rate per second.
double relaxed(double rate, double dt) { return 1 - std::exp(-rate * dt); }

double along_of(const Print& print) {
  const Vec3 v = print.toe - print.heel;
  return std::atan2(v.y, v.x);
}

bool within(double phase, double on, double off) { return phase >= on && phase < off; }

}  // namespace

Footwork::Footwork(const WalkClips& clips, const Ground& ground, const WalkerStart& start,
                   const AdaptiveOptions& options)
    : clips_(&clips),
      ground_(&ground),
      options_(options),
      scale_(start.scale),
      leg_length_(clips.rig.leg_length * start.scale),
      heading_(start.heading),
      legs_(clips.rig.legs.size()) {
  for (Step& leg : legs_) leg.path.scale = scale_;
  const std::vector<Affine> X = model_transforms(clips.rig.skeleton, clips.rig.reference);
  double middle = 0;
  for (const Leg& leg : clips.rig.legs) {
    const Vec3 p = X[static_cast<std::size_t>(leg.chain.front())].origin -
                   X[static_cast<std::size_t>(clips.rig.hips)].origin;
    stations_.push_back(dot(p, clips.rig.bearing().front) * scale_);
    middle += stations_.back() / static_cast<double>(legs_.size());
  }
  for (const double x : stations_) {
    spread_ += (x - middle) * (x - middle) / static_cast<double>(legs_.size());
  }
  if (spread_ < 0.04 * leg_length_ * leg_length_) spread_ = 0;
  stand({start.x, start.y, 0}, start.heading);
}

double Footwork::height_at(const Vec3& p, double otherwise) const {
  const auto here = ground_->at(p.x, p.y);
  return here ? here->height : otherwise;
}

double Footwork::floor() const {
  return idle().footfalls.floor + (walk().footfalls.floor - idle().footfalls.floor) * weight();
}

Footwork::Support Footwork::support() const {
  const auto count = static_cast<double>(legs_.size());
  double mean = 0, middle = 0, rise = 0;
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    mean += legs_[i].path.height() / count;
    middle += stations_[i] / count;
  }
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    rise += (stations_[i] - middle) * (legs_[i].path.height() - mean) / count;
  }
  const double slope = spread_ > 0 ? rise / spread_ : 0;
  double off = 0;
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    const double e = legs_[i].path.height() - mean - slope * (stations_[i] - middle);
    off += e * e / count;
  }
  const double soft = 0.02 * leg_length_;
  return {mean - slope * middle - low_part * (std::sqrt(off + soft * soft) - soft), slope};
}

bool Footwork::heel_down(int i) const {
  const Step& leg = at(i);
  if (leg.path.swings || leg.unsettled || leg.rolled > 1e-3) return false;
  return !walking_ || within(phase_, leg.print.heel_on, leg.print.heel_off);
}

bool Footwork::toe_down(int i) const {
  const Step& leg = at(i);
  if (leg.path.swings || leg.unsettled) return false;
  return !walking_ || within(phase_, leg.print.toe_on, leg.print.toe_off);
}

void Footwork::roll(int leg, const Vec3& axis, double angle) {
  at(leg).roll_axis = axis;
  at(leg).rolled = angle;
}

double Footwork::swing_phase(const Step& leg, double part) const {
  return leg.left_at + (leg.next.on - leg.left_at) * (part + leg.hurry * part * (1 - part));
}

FootPose Footwork::clip_foot(int i) const {
  const Step& leg = at(i);
  if (!walking_) return idle().feet.at(i, idle_phase_);
  return walk().feet.at(i, leg.path.swings ? swing_phase(leg, leg.path.s) : phase_);
}

FootPose Footwork::foot_at(int i, double part) const {
  const Step& leg = at(i);
  FootPath path = leg.path;
  path.s = part;
  const FootPose clip = walking_ ? walk().feet.at(i, swing_phase(leg, part)) : clip_foot(i);
  return kept_above(i, path.at(clip));
}

FootPose Footwork::foot(int i) const {
  const FootPose foot = at(i).path.at(clip_foot(i));
  return at(i).path.swings ? kept_above(i, foot) : foot;
}

FootPose Footwork::kept_above(int i, FootPose foot) const {
  if (!options_.stride_correction) return foot;
  // never into the ground
  const Mat3 R = matrix(foot.q);
  double below = 0;
  for (const Vec3& point : {sole(i).heel, sole(i).toe}) {
    const Vec3 p = foot.p + R * (point * scale_);
    below = std::max(below, height_at(p, p.z) - p.z);
  }
  foot.p.z += below;
  return foot;
}

void Footwork::advance(double dt, double walked, const Steering& steering) {
  const bool free = !steering.walk || !options_.stride_validation || passable();
  blocked_ = !free;
  const double rate = std::clamp(steering.rate, 0.0, 10.0);
  const bool walks = steering.walk && free && rate > 0;
  turn_ = steering.turn * rate;
  heading_ += turn_ * dt;
  if (walks && !walking_) start_walking();
  const double fade = options_.fade * (walks ? 1 : slow_stop);
  weight_ = towards(weight_, walks ? 1 : 0, fade > 0 ? walked / fade : 1);
  if (walking_ && weight_ == 0 && !walks) stop_walking();
  idle_phase_ += dt / idle().footfalls.duration;
  feel_slope(dt);
  for (Step& leg : legs_) leg.path.pass(walked);
  if (walking_) {
    move_body(walked, rate);
    for (int leg = 0; leg < size(); ++leg) step_walking(leg);
  } else {
    step_idle(walked);
  }
  p_.z = height_at(p_, p_.z);
}

// Is there ground on the way ahead, as far as it takes to stop, without a wall or a drop?
bool Footwork::passable() const {
  constexpr int samples = 8;
  const double brake = 0.5 * walk().footfalls.speed() * scale_ * options_.fade * slow_stop;
  const double distance = 0.75 * leg_length_ + brake;
  const Vec3 x = ahead(heading_);
  double before = height_at(p_, p_.z);
  for (int k = 1; k <= samples; ++k) {
    const Vec3 p = p_ + x * (distance * k / samples);
    const auto here = ground_->at(p.x, p.y);
    if (!here || std::abs(here->height - before) > highest_step * leg_length_) return false;
    before = here->height;
  }
  return true;
}

// At the lift-off of a leg, or a little later: when most others stand flat. A leg that is in the
// air goes on with its own swing.
double Footwork::first_phase() const {
  double best = -1, start = 0;
  for (int leg = 0; leg < size(); ++leg) {
    const double lift_off = walk().feet.print_at(leg, 0.0).off;
    for (int late = 0; late < 8; ++late) {
      const double phase = lift_off + 1e-6 + 0.02 * late;
      double score = (at(leg).path.swings ? 100 : 0) - 0.01 * late;
      for (int other = 0; other < size(); ++other) {
        const Print p = walk().feet.print_at(other, phase);
        const bool flat =
            within(phase, p.heel_on, p.heel_off) && within(phase, p.toe_on, p.toe_off);
        score += other == leg ? 0 : flat ? 2 : within(phase, p.on, p.off) ? 1 : 0;
      }
      if (score > best) best = score, start = phase;
    }
  }
  return start;
}

void Footwork::start_walking() {
  const double start = first_phase();
  std::array<FootPose, 64> shown;
  for (int i = 0; i < size(); ++i) shown[static_cast<std::size_t>(i)] = foot(i);
  walking_ = true;
  phase_ = start;
  for (int i = 0; i < size(); ++i) {
    Step& leg = at(i);
    leg.path.swings = false;
    const FootPose clip = clip_foot(i);
    const FootPose& is = shown[static_cast<std::size_t>(i)];
    leg.path.stand(map_onto(clip, is, heading_, height_at(is.p, p_.z)));
    leg.print = leg.next = walk().feet.print_at(i, phase_);
    leg.rolled = 0;
    if (leg.print.on <= phase_) {
      if (!leg.unsettled) leg.path.settle_on(laid(leg.print, stood_on(i, is)), is, clip);
      leg.unsettled = false;
      continue;
    }
    leg.unsettled = false;
    // it swings: what it leaves is where it is
    leg.path.begin(clip.p);
    leave(i, phase_);
  }
}

void Footwork::stop_walking() {
  for (int i = 0; i < size(); ++i) {
    Step& leg = at(i);
    const FootPose shown = foot(i);
    leg.path.stand(
        map_onto(idle().feet.at(i, idle_phase_), shown, heading_, height_at(shown.p, p_.z)));
    leg.unsettled = true;
    leg.rolled = 0;
    leg.print = idle().feet.print_at(i, 0.0);
  }
  walking_ = false;
}

void Footwork::stand(const Vec3& p, double heading) {
  p_ = p;
  p_.z = height_at(p, p.z);
  heading_ = heading;
  slope_ = turn_ = weight_ = 0;
  walking_ = false;
  for (int i = 0; i < size(); ++i) {
    Step& leg = at(i);
    leg.print = idle().feet.print_at(i, 0.0);
    const Goal goal = idle_goal(leg.print);
    leg.path.stand(laid(leg.print, foothold(i, goal)));
    leg.wanted = goal.middle, leg.wanted_along = goal.along;
    leg.unsettled = false;
    leg.rolled = 0;
  }
}

void Footwork::feel_slope(double dt) {
  const Vec3 x = ahead(heading_);
  const auto height = [&](double part) { return height_at(p_ + x * (part * leg_length_), p_.z); };
  const double behind = height(-0.4), before = height(0.4), far = height(1.2);
  const double here = std::clamp((before - behind) / (0.8 * leg_length_), -1.0, 1.0);
  const double next = std::clamp((far - before) / (0.8 * leg_length_), -1.0, 1.0);
  slope_ += (here - slope_) * relaxed(5, dt);
  const double steepest = std::max({std::abs(here), std::abs(next), std::abs(slope_)});
  pace_ += (1 / (1 + 5 * steepest * steepest) - pace_) * relaxed(4, dt);
  double climb = 0;
  for (const Step& leg : legs_) {
    if (!leg.path.swings) continue;
    climb = std::max(climb, std::abs(leg.path.to.height - leg.path.from.height) / leg_length_);
  }
  haste_ += (1 / (1 + 1.5 * climb) - haste_) * relaxed(8, dt);
}

void Footwork::move_body(double dt, double rate) {
  phase_rate_ = rate * haste_ / walk().footfalls.duration;
  const double next = phase_ + phase_rate_ * dt;
  const Vec3 way = walk().footfalls.way_at(next) - walk().footfalls.way_at(phase_);
  p_ = p_ + turned_about_up(way, heading_ - 0.5 * turn_ * dt) * (scale_ * speed_part());
  phase_ = next;
  // the body goes along with feet that were set elsewhere
  for (Step& leg : legs_) {
    if (!leg.path.swings) continue;
    const double part = smooth((phase_ - leg.left_at) / (leg.next.on - leg.left_at));
    const double follow = 0.5 * leg.shift * (part - smooth(leg.path.s));
    p_ = p_ + ahead(heading_) * follow;
    leg.followed += follow;
  }
}

// Below where the body will be when the foot carries it.
Footwork::Goal Footwork::walking_goal(const Print& print) const {
  const Footfalls& falls = walk().footfalls;
  const double when = print.on + 0.4 * (print.off - print.on);
  const double time = phase_rate_ > 0 ? std::max(0.0, (when - phase_) / phase_rate_) : 0;
  const double turn = std::clamp(turn_ * time, -1.2, 1.2);
  const Vec3 way = falls.way_at(when) - falls.way_at(phase_);
  const Vec3 body = p_ + turned_about_up(way, heading_ + 0.5 * turn) * (scale_ * speed_part());
  const Vec3 seen = (print.heel + print.toe) * 0.5 - falls.way_at(when);
  return {body + turned_about_up(seen, heading_ + turn) * scale_,
          heading_ + turn + along_of(print)};
}

Footwork::Goal Footwork::idle_goal(const Print& print) const {
  return {p_ + turned_about_up((print.heel + print.toe) * 0.5, heading_) * scale_,
          heading_ + along_of(print)};
}

Foothold Footwork::foothold(int leg, const Goal& goal) const {
  const double length = source().feet.sole_length(leg) * scale_;
  const Vec3 along = ahead(goal.along);
  const SoleSize size{length, 0.35 * length};
  if (const auto found = find_foothold(*ground_, goal.middle, along, ahead(heading_), size,
                                       search_reach * leg_length_, even_enough * leg_length_)) {
    return *found;
  }
  // no ground: level with the body
  Foothold level{
      goal.middle - along * (0.5 * length), goal.middle + along * (0.5 * length), {0, 0, 1}};
  level.heel.z = level.toe.z = p_.z;
  return level;
}

// Level, where feet shall not be turned to the ground: then the higher of heel and toe touches it.
GroundMap Footwork::laid(const Print& print, const Foothold& hold) const {
  GroundMap map = map_onto(print, hold);
  if (options_.orient_feet) return map;
  map.tilted = map.upright;
  map.to.z = std::max(hold.heel.z, hold.toe.z);
  return map;
}

// The foothold of a foot that stands flat.
Foothold Footwork::stood_on(int i, const FootPose& foot) const {
  const Mat3 R = matrix(foot.q);
  const Vec3 heel = foot.p + R * (sole(i).heel * scale_), toe = foot.p + R * (sole(i).toe * scale_);
  const Vec3 along{toe.x - heel.x, toe.y - heel.y, 0};
  if (norm(along) > 0) {
    const SoleSize size{norm(toe - heel), 0};
    if (const auto hold = foothold_at(*ground_, (heel + toe) * 0.5, normalized(along), size)) {
      return *hold;
    }
  }
  return {heel, toe, {0, 0, 1}};
}

void Footwork::leave(int i, double phase) {
  Step& leg = at(i);
  leg.left_at = phase;
  leg.shift = leg.followed = leg.hurry = 0;
  const Goal goal = walking_goal(leg.next);
  // feet that go down are over their place early: they need time to sink
  const double drop = leg.path.from.height - foothold(i, goal).height();
  leg.hurry = 0.8 * std::clamp(drop / (0.2 * leg_length_), 0.0, 1.0);
  plan(i, goal, leg.next);
}

void Footwork::plan(int i, const Goal& goal, const Print& print) {
  Step& leg = at(i);
  leg.wanted = goal.middle, leg.wanted_along = goal.along;
  const Foothold hold = foothold(i, goal);
  leg.shift = hold.shift;
  leg.path.aim(laid(print, hold), clip_foot(i));
  if (options_.stride_correction) clear_swing(i, 0);
}

// Heights that heel and toe need over the ground on their way, and `lift` halfway.
void Footwork::clear_swing(int i, double lift) {
  Step& leg = at(i);
  const FootTracks& feet = source().feet;
  std::array<double, FootPath::knots> needed{};
  // half the way between two knots: what stands there counts for both
  const Vec3 way = leg.path.to.to - leg.path.from.to;
  const Vec3 half = Vec3{way.x, way.y, 0} * (0.5 / (FootPath::knots + 1));
  for (int k = 0; k < FootPath::knots; ++k) {
    const double part = (k + 1.0) / (FootPath::knots + 1);
    const double phase = walking_ ? swing_phase(leg, part) : idle_phase_;
    const FootPose foot = leg.path.sketch(feet.at(i, phase), part);
    const Mat3 R = matrix(foot.q);
    const double margin = std::min(0.03 * leg_length_, scale_ * feet.clearance(i, phase));
    double& need = needed[static_cast<std::size_t>(k)];
    need = 4 * lift * part * (1 - part);
    for (const Vec3& point : {sole(i).heel, sole(i).toe}) {
      const Vec3 p = foot.p + R * (point * scale_);
      for (const double side : {-1.0, 0.0, 1.0}) {
        const auto here = ground_->at(p.x + half.x * side, p.y + half.y * side);
        if (here) need = std::max(need, here->height + margin - p.z);
      }
    }
  }
  leg.path.clear(needed, clip_foot(i));
}

void Footwork::step_walking(int i) {
  Step& leg = at(i);
  for (int events = 0; events < 4; ++events) {
    if (!leg.path.swings) {
      const FootPose clip = clip_foot(i);
      const Vec3 seen = clip.p - walk().footfalls.way_at(phase_);
      const Vec3 off = p_ + turned_about_up(seen, heading_) * scale_ - leg.path.at(clip).p;
      const bool strayed = std::hypot(off.x, off.y) > release_distance * leg_length_;
      if (phase_ < leg.print.off && !strayed) return;
      leg.path.begin(strayed ? clip.p : leg.print.toe);
      // what the heel has risen goes with it
      leg.path.from.tilted =
          normalized(exp_quat(leg.roll_axis * leg.rolled) * leg.path.from.tilted);
      leg.rolled = 0;
      leg.next = walk().feet.print_after(i, leg.print);
      leave(i, std::min(phase_, leg.print.off));
    }
    leg.path.s = std::clamp((phase_ - leg.left_at) / (leg.next.on - leg.left_at), 0.0, 1.0);
    if (phase_ >= leg.next.on) {
      leg.path.land();
      leg.print = leg.next;
      continue;
    }
    if (leg.path.s > last_plan) return;
    Goal goal = walking_goal(leg.next);
    goal.middle = goal.middle - ahead(heading_) * leg.followed;
    const Vec3 off = goal.middle - leg.wanted;
    if (std::hypot(off.x, off.y) > replan_distance * leg_length_ ||
        std::abs(goal.along - leg.wanted_along) > replan_turn) {
      plan(i, goal, leg.next);
    }
    return;
  }
}

// Feet stand; one after the other is set anew when it does not fit the body any more.
void Footwork::step_idle(double dt) {
  int worst = -1;
  double most = 1;
  for (int i = 0; i < size(); ++i) {
    Step& leg = at(i);
    if (leg.path.swings) {
      leg.path.s += dt / idle_step;
      if (leg.path.s >= 1) leg.path.land();
      return;
    }
    const Goal goal = idle_goal(leg.print);
    const Vec3 off = goal.middle - leg.wanted;
    const double moved = std::hypot(off.x, off.y) / (idle_moved * leg_length_);
    const double turned = std::abs(goal.along - leg.wanted_along) / idle_turned;
    const double need = leg.unsettled ? 1e3 : std::max(moved, turned);
    if (need > most) most = need, worst = i;
  }
  if (worst < 0) return;
  Step& leg = at(worst);
  leg.unsettled = false;
  const FootPose clip = clip_foot(worst);
  leg.path.begin(clip.p);
  plan(worst, idle_goal(leg.print), leg.print);
  // one that only settles stays low
  const Vec3 way = leg.path.sketch(clip, 1).p - leg.path.sketch(clip, 0).p;
  const double lift = std::min(idle_lift, 0.5 * std::hypot(way.x, way.y) / leg_length_);
  if (options_.stride_correction) clear_swing(worst, lift * leg_length_);
}

}  // namespace molejo::navigation

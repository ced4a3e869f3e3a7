// One simulation of up to `lanes<S>` gaits; for the two files that instantiate it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/locomotion/rollout.h"
#include "molejo/locomotion/style_kernel.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/snapshot.h"
#include "molejo/model/kinematics_kernel.h"
#include "molejo/physics/dynamics_kernel.h"
#include "molejo/physics/forces_kernel.h"
#include "molejo/physics/point_contact_kernel.h"

namespace molejo {

// (e - d)^2 + 1 where d < e, else 0: a wall around what is allowed (Nunes 2012, s.4.4.4).
template <class S>
S wall(const S& d, const S& e) {
  const S excess = e - d;
  return select(d < e, excess * excess + 1.0, S(0.0));
}

// What is asked of a foot at every step.
template <class S>
struct FootMotion {
  Vec3T<S> toe, heel;  // lowest points of their spheres
  S toe_rise{};        // velocity upwards
  S leg{};             // distance of toe and hip
};

// Where a candidate is in its gait.
struct GaitClock {
  const Gait* gait = nullptr;
  int step = 0;
  bool air = true;
  int taken = 0, steps = 0;  // of time, in this phase
  double h = 0;
  double t = 0;      // since the phase began
  double total = 0;  // since the gait began

  const GaitStep& now() const { return gait->steps[static_cast<std::size_t>(step)]; }
  const GaitPhase& phase() const { return air ? now().air : now().ground; }
  void enter(double time_step) {
    steps = std::max(1, static_cast<int>(std::lround(phase().duration / time_step)));
    h = phase().duration / steps;
    taken = 0;
    t = 0;
  }
};

template <class S>
class RolloutRun {
 public:
  RolloutRun(const Character& character, const RolloutSettings& settings)
      : character_(character),
        model_(character.model),
        settings_(settings),
        tightened_(settings.limits),
        dynamics_(model_),
        contact_(model_, ground_points(model_), settings.friction),
        q_(static_cast<std::size_t>(model_.nq)),
        v_(static_cast<std::size_t>(model_.nv)),
        torque_(static_cast<std::size_t>(character.internal)),
        feet_(character.feet.size()),
        supports_(character.feet.size()),
        hip_(character.feet.size(), -1),
        partner_(character.feet.size(), -1),
        is_foot_(model_.links.size()),
        lift_(character.feet.size()),
        last_toe_(character.feet.size()) {
    model_.gravity = model_.gravity * settings.gravity;
    for (const Link& link : model_.links) mass_ += link.mass;
    weight_ = mass_ * norm(character.model.gravity);
    for (std::size_t f = 0; f < character.feet.size(); ++f) {
      const int foot = character.feet[f].body.index;
      is_foot_[index(foot)] = true;
      // the uppermost body of the leg hangs on the hip
      for (int i = foot; i >= 0 && i != character.root.index; i = model_.links[index(i)].parent) {
        hip_[f] = i;
      }
      if (character.mirror.body.empty()) continue;
      const int image = character.mirror.body[index(foot)];
      for (std::size_t g = 0; g < character.feet.size(); ++g) {
        if (g != f && character.feet[g].body.index == image) partner_[f] = static_cast<int>(g);
      }
    }
  }

  void run(std::span<const Gait* const> gaits, std::span<RolloutResult> results,
           std::span<const std::span<const GaitPush>> pushes,
           const std::function<void(const RolloutView&)>& watch) {
    start(gaits);
    while (alive_ > 0) {
      check_interrupt();
      step(pushes, watch);
    }
    for (std::size_t i = 0; i < gaits.size(); ++i) finish(static_cast<int>(i), results[i]);
  }

  void begin(const Gait& gait) {
    const Gait* gaits[] = {&gait};
    start(gaits);
  }
  bool advance(std::span<const GaitPush> pushes,
               const std::function<void(const RolloutView&)>& watch) {
    const std::span<const GaitPush> lists[] = {pushes};
    // who was pushed before must be let go
    if (alive_ > 0) step({lists, pushes.empty() && !pushed_ ? 0U : 1U}, watch);
    pushed_ = !pushes.empty();
    return alive_ > 0;
  }
  RolloutResult result() {
    RolloutResult r;
    finish(0, r);
    return r;
  }
  std::span<const GroundPoint> points() const { return contact_.points; }
  double time() const { return clocks_[0].total; }
  std::span<const S> q() const { return q_; }
  std::span<const S> v() const { return v_; }

  // For snapshots (math/snapshot.h), of single gaits, after `begin`. Who fell apart has numbers
  // that are none.
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, RolloutRun>& r) {
    a.part("gait");
    const auto all = [&](auto& list) {
      for (auto& x : list) a.any(x);
    };
    const auto each = [&](auto&... x) { (a.any(x), ...); };
    auto& clock = r.clocks_[0];
    a.index(clock.step, clock.gait->steps.size(), "step");
    a(clock.air, clock.taken, clock.steps, clock.h, clock.t, clock.total);
    a.require(clock.taken >= 0 && clock.taken < clock.steps && clock.h > 0, "steps of time");
    all(r.q_), all(r.v_), all(r.torque_), all(r.supports_), all(r.lift_), all(r.last_toe_);
    all(r.hinges_), all(r.contact_.allowed);
    for (auto& impulse : r.contact_.impulse) each(impulse.x, impulse.y, impulse.z);
    constexpr std::size_t most_pulses = 100'000;
    visit_list(a, r.scale_[0], most_pulses, [&](auto& x) { a.any(x); });
    StyleSums<S>::visit(a, r.style_);
    each(r.lives_, r.sank_, r.square_, r.smooth_force_);
    auto& s = r.sums_;
    each(s.velocity.x, s.velocity.y, s.velocity.z, s.energy, s.work, s.count, s.torso_low,
         s.least_speed, s.least_lift, s.last_toe, s.contact_time, s.peak, s.slow, s.upright, s.fast,
         s.support, s.take_off, s.stumble, s.clearance, s.start_gap, s.force);
    a.within(r.alive_, 0, 1, "gaits");
    a(r.first_, r.pushed_);
  }

  void compare_with(const StyleReference& reference) { style_.compare_with(character_, reference); }

  void measure_hinges(const EasyLimits& tightened) {
    tightened_ = tightened;
    hinges_.resize(static_cast<std::size_t>(hinge_rows * hinge_bins) * lanes<S>);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  // least speed, upright, support, stumble, clearance, force, joint speed
  static constexpr int hinge_rows = 7;

  void start(std::span<const Gait* const> gaits) {
    alive_ = static_cast<int>(gaits.size());
    assert(alive_ > 0 && alive_ <= lanes<S>);
    forget(contact_);
    std::fill(dynamics_.applied.begin(), dynamics_.applied.end(), Spatial<S>{});
    for (int i = 0; i < lanes<S>; ++i) {
      const bool used = i < alive_;
      // lanes to spare repeat the first
      const Gait& gait = *gaits[used ? index(i) : 0];
      GaitClock& clock = clocks_[index(i)];
      clock = {&gait};
      clock.enter(settings_.time_step);
      set_lane(lives_, i, used ? 1 : 0);
      for (int n = 0; n < model_.nq; ++n) set_lane(q_[index(n)], i, gait.start.q[n]);
      for (int n = 0; n < model_.nv; ++n) set_lane(v_[index(n)], i, gait.start.v[n]);
      scale_[index(i)].clear();
      enter_step(i);
    }
    sums_ = {};
    sums_.torso_low = S(1e30);
    sums_.least_speed = S(1e30);
    sums_.least_lift = S(1e30);
    sums_.last_toe = S(1e30);
    smooth_force_ = S(0.0);
    first_ = true;
    pushed_ = false;
    std::fill(hinges_.begin(), hinges_.end(), 0);
    style_.begin();
  }

  // A lane begins a step of its gait.
  void enter_step(int i) {
    const GaitStep& now = clocks_[index(i)].now();
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const bool supports =
          std::find(now.feet.begin(), now.feet.end(), static_cast<int>(f)) != now.feet.end();
      set_lane(supports_[f], i, supports ? 1 : 0);
    }
    set_lane(sank_, i, 0);
    for (S& lift : lift_) set_lane(lift, i, 0);
    for (S& toe : last_toe_) set_lane(toe, i, 1e30);
    const bool all = settings_.contact && settings_.whole_body;
    for (S& allowed : contact_.allowed) set_lane(allowed, i, all ? 1 : 0);
    if (all || !settings_.contact) return;
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const std::size_t body = index(character_.feet[f].body.index);
      if (lane(supports_[f], i) > 0) set_lane(contact_.allowed[body], i, 1);
    }
  }

  // The active torque of a lane for the coming step.
  void command(int i) {
    const GaitClock& clock = clocks_[index(i)];
    const std::vector<Pulse>& pulses = clock.phase().pulses;
    std::vector<double>& scale = scale_[index(i)];
    bool same = scale.size() == pulses.size() && clock.taken > 0;
    scale.resize(pulses.size());
    for (std::size_t p = 0; p < pulses.size(); ++p) {
      const double mean = pulse_mean(pulses[p], clock.gait->shape, clock.t, clock.h);
      same = same && mean == scale[p];
      scale[p] = mean;
    }
    if (same) return;
    double square = 0;
    for (int n = 0; n < character_.internal; ++n) {
      double sum = 0;
      for (std::size_t p = 0; p < pulses.size(); ++p) sum += scale[p] * pulses[p].torque[n];
      set_lane(torque_[index(n)], i, sum);
      square += sum * sum;
    }
    set_lane(square_, i, square);
  }

  // Active torques are given in axes of the parent, ball joints take them in those of the child.
  void add_torques() {
    power_ = S(0.0);
    for (std::size_t b = 0; b < model_.links.size(); ++b) {
      const Link& link = model_.links[b];
      const int first = link.v - character_.first_internal;
      if (first < 0 || first >= character_.internal) continue;
      S power(0.0);
      for (int j = 0; j < link.translations + link.rotations; ++j) {
        const auto n = index(link.v + j);
        if (j >= link.translations && link.rotations == 3) {
          const int k = first + link.translations;
          const S* q = &q_[index(link.q + link.translations)];
          const Vec3T<S> torque{torque_[index(k)], torque_[index(k + 1)], torque_[index(k + 2)]};
          const Vec3T<S> turned = transpose_times(matrix(QuatT<S>{q[0], q[1], q[2], q[3]}), torque);
          for (int m = 0; m < 3; ++m) {
            dynamics_.tau[n + index(m)] += turned[m];
            power += turned[m] * v_[n + index(m)];
          }
          break;
        }
        dynamics_.tau[n] += torque_[index(first + j)];
        power += torque_[index(first + j)] * v_[n];
      }
      power_ += maximum(power, S(0.0));
    }
  }

  // One list of pushes a lane.
  void push(std::span<const std::span<const GaitPush>> pushes) {
    for (Spatial<S>& applied : dynamics_.applied) applied = {};
    for (std::size_t i = 0; i < pushes.size(); ++i) {
      for (const GaitPush& p : pushes[i]) {
        const double t = clocks_[i].total, h = clocks_[i].h;
        const double part = std::min(t + h, p.until) - std::max(t, p.from);
        if (part <= 0) continue;
        const auto body = index(p.body);
        Vec3T<S> force;
        for (int k = 0; k < 3; ++k)
          set_lane(force[k], static_cast<int>(i), p.force[k] * (part / h));
        const Vec3T<S> arm = dynamics_.kinematics.bodies[body].R * (p.p - model_.links[body].p_BM);
        dynamics_.applied[body].linear += force;
        dynamics_.applied[body].angular += cross(arm, force);
      }
    }
  }

  void step(std::span<const std::span<const GaitPush>> pushes,
            const std::function<void(const RolloutView&)>& watch) {
    S h;
    for (int i = 0; i < lanes<S>; ++i) {
      set_lane(h, i, clocks_[index(i)].h);
      if (lane(lives_, i) > 0) command(i);
    }
    apply_drives(model_, q_.data(), v_.data(), ImplicitDriveT<S>::end_of_step(h), dynamics_);
    add_torques();
    if (pushes.empty() && model_.springs.empty()) {
      forward_dynamics<S>(model_, q_.data(), v_.data(), dynamics_);
    } else {
      update_poses(model_, q_.data(), dynamics_.kinematics);
      push(pushes);
      if (!model_.springs.empty()) {
        update_velocities(model_, v_.data(), dynamics_.kinematics);
        apply_springs(model_, dynamics_);
      }
      factorize(model_, dynamics_);
      solve_acceleration(model_, v_.data(), dynamics_);
    }
    update_velocities(model_, v_.data(), dynamics_.kinematics);
    look_at_feet();
    measure(h);
    const auto lives = lives_ > S(0.0);
    next_v_.assign(v_.begin(), v_.end());
    for (std::size_t n = 0; n < v_.size(); ++n) next_v_[n] += dynamics_.a[n] * h;
    meet_ground<S>(model_, h, next_v_.data(), dynamics_, contact_);
    measure_contact(h);
    if (watch) show(watch);
    next_q_.assign(q_.begin(), q_.end());
    move(model_, LinkRange{0, model_.body_count(), 0, model_.nv}, next_v_.data(), h,
         next_q_.data());
    for (std::size_t n = 0; n < v_.size(); ++n) v_[n] = select(lives, next_v_[n], v_[n]);
    for (std::size_t n = 0; n < q_.size(); ++n) q_[n] = select(lives, next_q_[n], q_[n]);
    first_ = false;
    for (int i = 0; i < lanes<S>; ++i) {
      if (lane(lives_, i) > 0) tick(i);
    }
  }

  void tick(int i) {
    GaitClock& clock = clocks_[index(i)];
    clock.t += clock.h;
    clock.total += clock.h;
    if (++clock.taken < clock.steps) return;
    if (clock.air) {
      clock.air = false;
      clock.enter(settings_.time_step);
      return;
    }
    leave_step(i);
    if (clock.step + 1 == static_cast<int>(clock.gait->steps.size())) {
      set_lane(lives_, i, 0);
      --alive_;
      for (S& allowed : contact_.allowed) set_lane(allowed, i, 0);
      return;
    }
    ++clock.step;
    clock.air = true;
    clock.enter(settings_.time_step);
    enter_step(i);
  }

  void leave_step(int i) {
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      if (lane(supports_[f], i) == 0) continue;
      const double lift = lane(lift_[f], i);
      const double penalty = wall(lift, settings_.limits.lift);
      set_lane(sums_.take_off, i, lane(sums_.take_off, i) + penalty);
      set_lane(sums_.least_lift, i, std::min(lane(sums_.least_lift, i), lift));
      set_lane(sums_.last_toe, i, std::min(lane(sums_.last_toe, i), lane(last_toe_[f], i)));
    }
  }

  void look_at_feet() {
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const Foot& foot = character_.feet[f];
      const BodyMotion<S>& b = dynamics_.kinematics.bodies[index(foot.body.index)];
      const Vec3 p_BM = model_.links[index(foot.body.index)].p_BM;
      const Vec3T<S> toe = b.R * (foot.toe - p_BM), heel = b.R * (foot.heel - p_BM);
      FootMotion<S>& m = feet_[f];
      m.toe = b.p + toe, m.heel = b.p + heel;
      m.toe_rise = b.v.z + (b.w.x * toe.y - b.w.y * toe.x);
      if (hip_[f] >= 0) {
        const Vec3T<S> leg = m.toe - dynamics_.kinematics.bodies[index(hip_[f])].p;
        m.leg = square_root(dot(leg, leg));
      }
      m.toe.z -= foot.radius, m.heel.z -= foot.radius;
    }
  }

  // A penalty, counted in lanes that live; the violation by tightened bounds goes to its bin.
  void add(S& sum, const S& penalty) { sum += select(lives_ > S(0.0), penalty, S(0.0)); }
  void add_hinge(int row, const S& violation) {
    if (hinges_.empty()) return;
    for (int i = 0; i < lanes<S>; ++i) {
      const double x = lane(violation, i);
      if (!(x > 0) || lane(lives_, i) == 0) continue;
      const GaitClock& clock = clocks_[index(i)];
      const double part = clock.total / clock.gait->duration();
      const int bin = std::min(hinge_bins - 1, static_cast<int>(part * hinge_bins));
      double& worst = hinges_[index((i * hinge_rows + row) * hinge_bins + bin)];
      worst = std::max(worst, x);
    }
  }

  void measure(const S& h) {
    const EasyLimits& limits = settings_.limits;
    const S zero(0.0);
    const auto lives = lives_ > zero;
    Vec3T<S> momentum, centre;
    for (std::size_t b = 0; b < model_.links.size(); ++b) {
      const BodyMotion<S>& m = dynamics_.kinematics.bodies[b];
      momentum += (m.v + cross(m.w, m.com)) * model_.links[b].mass;
      centre.z += (m.p.z + m.com.z) * model_.links[b].mass;
    }
    const Vec3T<S> velocity = momentum * (1 / mass_);
    const S forward = dot(velocity, character_.forward);
    const BodyMotion<S>& torso = dynamics_.kinematics.bodies[index(character_.torso.index)];
    const S above = torso.p.z + torso.com.z - centre.z * (1 / mass_);

    sums_.velocity.x += select(lives, forward, zero);
    sums_.velocity.y += select(lives, dot(velocity, character_.left), zero);
    sums_.velocity.z += select(lives, velocity.z, zero);
    sums_.energy += select(lives, square_, zero);
    sums_.work += select(lives, power_ * h, zero);
    sums_.count += select(lives, S(1.0), zero);
    sums_.torso_low =
        select(lives, minimum(sums_.torso_low, torso.p.z + torso.com.z), sums_.torso_low);
    sums_.least_speed = select(lives, minimum(sums_.least_speed, forward), sums_.least_speed);
    add(sums_.slow, wall(forward, S(limits.least_speed)));
    add_hinge(0, tightened_.least_speed - forward);
    add(sums_.upright, wall(above, S(limits.upright)));
    add_hinge(1, tightened_.upright - above);
    S fast(0.0);
    for (int n = 0; n < character_.internal; ++n) {
      const S speed = absolute(v_[index(character_.first_internal + n)]);
      if (any(speed > S(tightened_.joint_speed))) {
        fast += wall(-speed, S(-limits.joint_speed));
        add_hinge(6, speed - tightened_.joint_speed);
      }
    }
    add(sums_.fast, fast);
    measure_feet(velocity.z);
    if (style_.in_use()) compare();
  }

  // Where each lane is in its phase; all phases weigh alike.
  void compare() {
    S weight(0.0);
    std::array<Eigen::Index, lanes<S>> view{};
    for (int i = 0; i < lanes<S>; ++i) {
      if (lane(lives_, i) == 0) continue;
      const GaitClock& clock = clocks_[index(i)];
      view[index(i)] = (2 * clock.step + (clock.air ? 0 : 1)) * StyleReference::views +
                       clock.taken * StyleReference::views / clock.steps;
      set_lane(weight, i, clock.h / clock.phase().duration);
    }
    style_.add(model_, character_, q_.data(), view, weight);
  }

  void measure_feet(const S& rise) {
    const EasyLimits& limits = settings_.limits;
    const S zero(0.0);
    sank_ = select(rise < zero, S(1.0), sank_);
    S in_window(0.0);
    for (int i = 0; i < lanes<S>; ++i) {
      const GaitClock& clock = clocks_[index(i)];
      double pulse = 0;
      for (const Pulse& p : clock.now().ground.pulses) pulse = std::max(pulse, p.start + p.length);
      set_lane(in_window, i, !clock.air && clock.t < 0.5 * pulse ? 1 : 0);
    }
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const FootMotion<S>& foot = feet_[f];
      const S on = supports_[f] * in_window;
      const S gap = maximum(foot.toe.z, zero);
      add(sums_.support, select(on > zero, wall(-gap, S(-limits.support_gap)), zero));
      add_hinge(2, select(on > zero, gap - tightened_.support_gap, zero));
      const S step = foot.toe.z - last_toe_[f];
      S lifts = select(rise - foot.toe_rise > S(-0.1), sank_ * supports_[f], zero);
      lifts = select(rise > zero, lifts, zero);
      lifts = select(foot.heel.z > foot.toe.z, lifts, zero);
      lifts = select(step > zero, lifts, zero);
      lift_[f] += select(lifts > zero, step, zero);
      last_toe_[f] = foot.toe.z;
    }
  }

  void measure_contact(const S& h) {
    const EasyLimits& limits = settings_.limits;
    const S zero(0.0);
    const auto lives = lives_ > zero;
    S touching(0.0);
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const S touch = select(contact_.body_impulse[index(character_.feet[f].body.index)] > zero,
                             supports_[f], zero);
      touching = maximum(touching, touch);
      if (partner_[f] >= 0) {
        const S longer = feet_[f].leg - feet_[index(partner_[f])].leg;
        const S alone = touch * (1.0 - supports_[index(partner_[f])]);
        add(sums_.stumble, select(alone > zero, wall(longer, S(limits.stumble)), zero));
        add_hinge(3, select(alone > zero, tightened_.stumble - longer, zero));
      }
      // the foot that swings stays clear
      const S gap = minimum(feet_[f].toe.z, feet_[f].heel.z);
      const S swings = 1.0 - supports_[f];
      add(sums_.clearance, select(swings > zero, wall(gap, S(limits.clearance)), zero));
      add_hinge(4, select(swings > zero, tightened_.clearance - gap, zero));
      if (first_) add(sums_.start_gap, wall(gap, S(limits.start_gap)));
      if (first_) add_hinge(4, tightened_.start_gap - gap);
    }
    sums_.contact_time += select(lives, touching * h, zero);
    if (settings_.whole_body) {
      for (std::size_t b = 0; b < model_.links.size(); ++b) {
        if (is_foot_[b]) continue;
        const S touched = contact_.body_impulse[b];
        if (!any(touched > zero)) continue;
        add(sums_.clearance, wall(-touched, zero));
        // a body weight counts as 2 cm too deep
        add_hinge(4, touched / h * (0.02 / weight_));
      }
    }
    const S force = contact_.total.z / h * (1 / weight_);
    const S part = minimum(h * (1 / settings_.force_smoothing), S(1.0));
    smooth_force_ += (force - smooth_force_) * part;
    sums_.peak = select(lives, maximum(sums_.peak, smooth_force_), sums_.peak);
    add(sums_.force, wall(-smooth_force_, S(-limits.peak_force)));
    add_hinge(5, smooth_force_ - tightened_.peak_force);
  }

  void show(const std::function<void(const RolloutView&)>& watch) {
    if constexpr (lanes<S> == 1) {
      const GaitClock& clock = clocks_[0];
      RolloutView view;
      view.t = clock.total, view.h = clock.h;
      view.q = q_, view.v = v_;
      view.points = contact_.points, view.impulses = contact_.impulse;
      view.torque = torque_;
      view.step = clock.step, view.in_air_phase = clock.air;
      watch(view);
    }
  }

  void finish(int i, RolloutResult& r) {
    const EasyLimits& limits = settings_.limits;
    r.end.t = clocks_[index(i)].gait->start.t + clocks_[index(i)].total;
    r.end.q.resize(model_.nq), r.end.v.resize(model_.nv);
    for (int n = 0; n < model_.nq; ++n) r.end.q[n] = lane(q_[index(n)], i);
    for (int n = 0; n < model_.nv; ++n) r.end.v[n] = lane(v_[index(n)], i);
    r.finite = r.end.q.allFinite() && r.end.v.allFinite();
    const double count = lane(sums_.count, i);
    r.steps = static_cast<int>(count);
    r.mean_velocity =
        Vec3{lane(sums_.velocity.x, i), lane(sums_.velocity.y, i), lane(sums_.velocity.z, i)} *
        (1 / count);
    r.energy = lane(sums_.energy, i) / count;
    r.work = lane(sums_.work, i);
    r.peak_force = lane(sums_.peak, i);
    r.least_speed = lane(sums_.least_speed, i);
    r.lift = lane(sums_.least_lift, i);
    r.last_toe = lane(sums_.last_toe, i);
    r.contact_time = lane(sums_.contact_time, i);
    r.torso_low = lane(sums_.torso_low, i);
    const auto set = [&](EasyTerm term, double x) { r.terms[static_cast<std::size_t>(term)] = x; };
    const Vec3& v = r.mean_velocity;
    set(EasyTerm::least_speed, lane(sums_.slow, i));
    set(EasyTerm::mean_speed, wall(v.x, limits.mean_speed) + wall(-std::fabs(v.y), -limits.drift) +
                                  wall(-std::fabs(v.z), -limits.drift));
    set(EasyTerm::joint_speed, lane(sums_.fast, i));
    set(EasyTerm::energy, wall(-r.energy, -limits.energy));
    set(EasyTerm::upright, lane(sums_.upright, i));
    set(EasyTerm::support, lane(sums_.support, i));
    set(EasyTerm::take_off, lane(sums_.take_off, i));
    set(EasyTerm::no_stumble, lane(sums_.stumble, i));
    set(EasyTerm::start_gap, lane(sums_.start_gap, i));
    set(EasyTerm::clearance, lane(sums_.clearance, i));
    set(EasyTerm::peak_force, lane(sums_.force, i));
    r.likeness = r.size = 0;
    if (style_.in_use()) {
      style_.tell(i, static_cast<int>(clocks_[index(i)].gait->steps.size()), r);
      set(EasyTerm::likeness, wall(r.likeness, limits.likeness));
      set(EasyTerm::size, wall(r.size, limits.size));
    }
    r.hinges.clear();
    if (hinges_.empty()) return;
    const auto first = hinges_.begin() + i * hinge_rows * hinge_bins;
    r.hinges.assign(first, first + hinge_rows * hinge_bins);
  }

  struct Sums {
    Vec3T<S> velocity;
    S energy{}, work{}, count{}, torso_low{}, least_speed{}, least_lift{}, last_toe{},
        contact_time{}, peak{};
    S slow{}, upright{}, fast{}, support{}, take_off{}, stumble{}, clearance{}, start_gap{},
        force{};
  };

  const Character& character_;
  Model model_;
  RolloutSettings settings_;
  EasyLimits tightened_;
  Dynamics<S> dynamics_;
  PointContact<S> contact_;
  std::vector<S> q_, v_, next_q_, next_v_, torque_;
  std::vector<FootMotion<S>> feet_;
  std::vector<S> supports_;  // of each foot: is it one of the present step? 1 or 0
  std::vector<int> hip_, partner_;
  std::vector<char> is_foot_;
  std::vector<S> lift_, last_toe_;  // of each foot
  std::array<GaitClock, lanes<S>> clocks_;
  std::array<std::vector<double>, lanes<S>> scale_;
  std::vector<double> hinges_;
  StyleSums<S> style_;
  S lives_{}, sank_{}, square_{}, power_{}, smooth_force_{};
  Sums sums_;
  double mass_ = 0, weight_ = 0;
  int alive_ = 0;
  bool first_ = true, pushed_ = false;
};

}  // namespace molejo

#include "molejo/locomotion/replay.h"

#include <algorithm>
#include <cmath>

#include "molejo/locomotion/style.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/bounds.h"
#include "molejo/model/snapshot.h"
#include "molejo/physics/forces.h"

namespace molejo {

namespace {

Pose torso_pose(const Character& c, const double* q, Kinematics<double>& k) {
  update_poses(c.model, q, k);
  return body_pose(c.model, k, c.torso);
}

bool has_fallen(const Character& c, const Pose& now, const Pose& rest) {
  const double height = dot(now.p, c.up) / dot(rest.p, c.up);
  const double upright = dot(now.R * transpose_times(rest.R, c.up), c.up);
  return !(height > 0.75) || !(upright > 0.5);
}

// A point or polar vector in the mirror at the sagittal plane through the origin.
Vec3 reflected(const Character& c, const Vec3& p) { return p - c.left * (2 * dot(p, c.left)); }

}  // namespace

class GaitPlayer::Player {
 public:
  Player(const GaitProblem& problem, const std::vector<double>& unknowns,
         const ReplayOptions& options, BetweenCycles between)
      : problem_(problem),
        character_(problem.character()),
        options_(options),
        between_(std::move(between)),
        rollout_(character_, problem.motion().rollout),
        nominal_(problem.gait(unknowns.data())),
        start_(nominal_.start),
        kinematics_(character_.model) {
    for (const Link& link : character_.model.links) mass_ += link.mass;
    rest_ = torso_pose(character_, character_.rest.q.data(), kinematics_);
    const std::uint64_t settings[] = {bits_of(options.seconds), bits_of(options.fps),
                                      options.reset ? 1u : 0u, options.record ? 1u : 0u,
                                      options.pushes.size()};
    of_ = character_.model.fingerprint;
    for (const std::uint64_t word : settings) of_ = molejo::fingerprint({of_, word});
    for (const double x : unknowns) of_ = molejo::fingerprint({of_, bits_of(x)});
  }

  bool advance() {
    check_interrupt();
    if (!plays_) {
      if (!(time_ < options_.seconds) || report_.fell) return false;
      begin_cycle();
    }
    const bool goes_on = rollout_.advance(pushes_, [&](const RolloutView& view) { watch(view); });
    if (!goes_on) end_cycle();
    return true;
  }

  double time() const { return time_ + (plays_ ? rollout_.time() : 0); }
  std::vector<Frame> take_frames() { return std::exchange(frames_, {}); }

  ReplayReport report() const {
    ReplayReport r = report_;
    r.seconds = time_;
    r.distance = forward_;
    r.speed = time_ > 0 ? forward_ / time_ : 0;
    const double weight = mass_ * norm(character_.model.gravity);
    r.cost_of_transport = forward_ > 0 && weight > 0 ? work_ / (weight * forward_) : 0;
    r.energy = time_ > 0 ? energy_ / time_ : 0;
    // a foot of a mirrored gait rests while the other half runs
    const double feet = static_cast<double>(nominal_.steps.size()) * (nominal_.mirrored ? 2 : 1);
    r.duty_factor = time_ > 0 ? contact_ / time_ / feet : 0;
    return r;
  }

  std::uint64_t fingerprint() const { return of_; }

  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Player>& p) {
    const Model& model = p.character_.model;
    a.part("cycle");
    a.within(p.cycle_, 0, most_count, "cycle");
    a.within(p.shown_, 0, most_count, "frame");
    for (auto* x : {&p.time_, &p.forward_, &p.work_, &p.energy_, &p.contact_, &p.lying_since_}) {
      a.any(*x);
    }
    visit_state(a, model, p.start_);
    auto& r = p.report_;
    a(r.steps, r.fell, r.peak_force, r.cyclic_error, r.worst_cyclic_error, p.plays_);
    if constexpr (Archive::reads) p.kept_.clear(), p.frames_.clear();
    if (!p.plays_) return;
    visit_gait(a, p);
    if constexpr (Archive::reads) {
      p.pushes_ = p.pushes_of_cycle();
      p.rollout_.restore(p.gait_, a);
    } else {
      p.rollout_.save(a);
    }
    a.part("frames");
    visit_list(a, p.kept_, most_kept, [&](auto& kept) { visit_kept(a, p, kept); });
  }

 private:
  static constexpr int most_count = 1'000'000'000;
  static constexpr std::size_t most_kept = 1'000'000;

  struct Kept {
    State state;
    double local = 0;  // since the (half) cycle began
    std::vector<std::pair<int, Vec3>> forces;
  };

  // The gait of the cycle, as it was changed before it began.
  template <class Archive>
  static void visit_gait(Archive& a, Seen<Archive, Player>& p) {
    if constexpr (Archive::reads) p.gait_ = p.nominal_;
    visit_state(a, p.character_.model, p.gait_.start);
    for (auto& step : p.gait_.steps) {
      for (auto* phase : {&step.air, &step.ground}) {
        a(phase->duration);
        a.require(phase->duration > 0 && phase->duration <= bounds_of::gait_seconds.most,
                  "the length of a phase");
        visit_list(a, phase->pulses, most_kept, [&](auto& pulse) {
          if constexpr (Archive::reads) pulse.torque.resize(p.character_.internal);
          a(pulse.start, pulse.length, pulse.torque);
        });
      }
    }
  }

  template <class Archive>
  static void visit_kept(Archive& a, Seen<Archive, Player>& p, Seen<Archive, Kept>& kept) {
    visit_state(a, p.character_.model, kept.state);
    a(kept.local);
    visit_list(a, kept.forces, p.rollout_.points().size(), [&](auto& force) {
      a.index(force.first, p.rollout_.points().size(), "point");
      a(force.second);
    });
  }

  bool is_image() const { return nominal_.mirrored && cycle_ % 2 == 1; }
  std::vector<GaitPush> pushes_of_cycle() const {
    return pushes_in_cycle(character_, options_.pushes, time_, gait_.duration(), is_image());
  }

  // One (half) cycle.
  void begin_cycle() {
    gait_ = nominal_;
    gait_.start = start_;
    if (between_) between_(start_, cycle_, gait_);
    kept_.clear();
    lying_since_ = -1;
    pushes_ = pushes_of_cycle();
    rollout_.begin(gait_);
    plays_ = true;
  }

  void end_cycle() {
    plays_ = false;
    const RolloutResult r = rollout_.result();
    VecX phi(problem_.cycle_size());
    problem_.cycle_error(gait_, r, phi.data());
    const double error = r.finite ? phi.cwiseAbs().maxCoeff() : 1e300;
    if (cycle_ == 0) report_.cyclic_error = error;
    report_.worst_cyclic_error = std::max(report_.worst_cyclic_error, error);
    if (options_.reset && r.finite) draw_to_start(r);
    show_frames();

    const bool fell = !r.finite || has_fallen(character_, r.end);
    time_ += fell && lying_since_ >= 0 ? lying_since_ : gait_.duration();
    report_.steps += static_cast<int>(gait_.steps.size());
    work_ += r.work;
    energy_ += r.energy * gait_.duration();
    contact_ += r.contact_time;
    report_.peak_force = std::max(report_.peak_force, r.peak_force);
    start_ = gait_.start;
    report_.fell = fell;
    if (fell) return;
    forward_ += dot(root_position(r.end) - root_position(gait_.start), character_.forward);
    start_ = options_.reset ? nominal_.start : problem_.next_start(gait_, r.end);
    ++cycle_;
  }

  Vec3 root_position(const State& s) const {
    const Link& root = character_.model.links[at(character_.root.index)];
    return {s.q[root.q], s.q[root.q + 1], s.q[root.q + 2]};
  }

  // Keeps what is needed of the frames that fall into a step of the simulation.
  void watch(const RolloutView& view) {
    look_for_fall(view);
    const double t = time_ + view.t;
    const double due = static_cast<double>(shown_ + static_cast<int>(kept_.size())) / options_.fps;
    if (!options_.record || t + view.h / 2 < due || due > options_.seconds + 1e-9) return;
    Kept& kept = kept_.emplace_back();
    kept.state.t = t;
    kept.state.q = Eigen::Map<const VecX>(view.q.data(), static_cast<Eigen::Index>(view.q.size()));
    kept.state.v = Eigen::Map<const VecX>(view.v.data(), static_cast<Eigen::Index>(view.v.size()));
    kept.local = view.t;
    for (std::size_t i = 0; i < view.points.size(); ++i) {
      if (view.impulses[i].z > 0) {
        kept.forces.push_back({static_cast<int>(i), view.impulses[i] * (1 / view.h)});
      }
    }
  }

  // Since when in this (half) cycle it lies.
  void look_for_fall(const RolloutView& view) {
    const Pose now = torso_pose(character_, view.q.data(), kinematics_);
    if (!has_fallen(character_, now, rest_)) {
      lying_since_ = -1;
    } else if (lying_since_ < 0) {
      lying_since_ = view.t;
    }
  }

  // The thesis's reset, in what is shown: the difference at the end, faded in over the last tenth.
  void draw_to_start(const RolloutResult& r) {
    State target = nominal_.start;
    if (nominal_.mirrored) target = mirrored(character_, target);
    const Link& root = character_.model.links[at(character_.root.index)];
    const Vec3 way =
        character_.forward * dot(root_position(r.end) - root_position(target), character_.forward);
    for (int i = 0; i < 3; ++i) target.q[root.q + i] += way[i];
    const VecX dq = difference(character_.model, r.end.q, target.q);
    const VecX dv = target.v - r.end.v;
    const double length = 0.1 * gait_.period();
    for (Kept& kept : kept_) {
      const double s = 1 - (gait_.duration() - kept.local) / length;
      if (s <= 0) continue;
      const double smooth = s * s * (3 - 2 * s);
      move(character_.model, dq.data(), smooth, kept.state.q.data());
      kept.state.v += dv * smooth;
    }
  }

  void show_frames() {
    for (const Kept& kept : kept_) {
      State state = is_image() ? mirrored(character_, kept.state) : kept.state;
      const Link& root = character_.model.links[at(character_.root.index)];
      const Vec3 way = character_.forward * forward_;
      for (int i = 0; i < 3; ++i) state.q[root.q + i] += way[i];
      add_frame(state, kept, way);
      ++shown_;
    }
  }

  void add_frame(const State& state, const Kept& kept, const Vec3& way) {
    const Model& model = character_.model;
    Frame& frame = frames_.emplace_back();
    frame.state = state;
    update_poses(model, state.q.data(), kinematics_);
    update_velocities(model, state.v.data(), kinematics_);
    for (int b = 0; b < model.body_count(); ++b) {
      frame.X_WB.push_back(body_pose(model, kinematics_, {b}));
    }
    const Totals sum = totals(model, kinematics_);
    frame.energy = {sum.kinetic, sum.gravity_potential,
                    elastic_energy(model, kinematics_, state.q)};
    frame.momentum = sum.momentum;
    frame.angular_momentum = sum.angular_momentum;
    // points where the simulated side touches, on the side that is shown
    Kinematics<double> simulated(model);
    update_poses(model, kept.state.q.data(), simulated);
    for (const auto& [index, force] : kept.forces) {
      const GroundPoint& p = rollout_.points()[at(index)];
      Vec3 point = simulated.bodies[at(p.body)].p + simulated.bodies[at(p.body)].R * p.p;
      point.z -= p.radius;
      TouchPoint touch;
      touch.a = {is_image() ? character_.mirror.body[at(p.body)] : p.body};
      touch.b = world_body;
      touch.point = (is_image() ? reflected(character_, point) : point) + way;
      touch.normal = character_.up;
      touch.force = is_image() ? reflected(character_, force) : force;
      frame.contacts.push_back(touch);
    }
  }

  const GaitProblem& problem_;
  const Character& character_;
  const ReplayOptions options_;
  const BetweenCycles between_;
  Rollout rollout_;
  const Gait nominal_;
  std::uint64_t of_ = 0;  // fingerprint
  State start_;           // of the next cycle
  bool plays_ = false;    // a cycle
  Gait gait_;             // of it
  std::vector<GaitPush> pushes_;
  Kinematics<double> kinematics_;
  std::vector<Kept> kept_;     // frames of this cycle
  std::vector<Frame> frames_;  // of those before
  ReplayReport report_;
  Pose rest_;  // of the torso
  int cycle_ = 0, shown_ = 0;
  double lying_since_ = -1;
  double time_ = 0, forward_ = 0, work_ = 0, energy_ = 0, contact_ = 0, mass_ = 0;
};

GaitPlayer::GaitPlayer(const GaitProblem& problem, const std::vector<double>& unknowns,
                       const ReplayOptions& options, BetweenCycles between)
    : player_(std::make_unique<Player>(problem, unknowns, options, std::move(between))) {}
GaitPlayer::~GaitPlayer() = default;
bool GaitPlayer::advance() { return player_->advance(); }
double GaitPlayer::time() const { return player_->time(); }
std::vector<Frame> GaitPlayer::take_frames() { return player_->take_frames(); }
ReplayReport GaitPlayer::report() const { return player_->report(); }
std::uint64_t GaitPlayer::fingerprint() const { return player_->fingerprint(); }
void GaitPlayer::save(SnapshotWriter& a) const { Player::visit(a, std::as_const(*player_)); }
void GaitPlayer::restore(SnapshotReader& a) { Player::visit(a, *player_); }

bool GaitCheck::easy_holds() const {
  return result.finite && others == 0 &&
         std::all_of(result.terms.begin(), result.terms.end(), [](double x) { return x == 0; });
}

GaitCheck check_gait(const GaitProblem& problem, const std::vector<double>& unknowns) {
  Rollout rollout = compared_rollout(problem);
  const auto look = [&](const double* x) {
    GaitCheck check;
    const Gait gait = problem.gait(x);
    check.result = rollout.run(gait);
    check.others = problem.priority_term(x);
    check.objective = problem.objective(check.result);
    VecX phi(problem.cycle_size());
    problem.cycle_error(gait, check.result, phi.data());
    Eigen::Index worst = 0;
    check.cyclic_error = check.result.finite ? phi.cwiseAbs().maxCoeff(&worst) : 1e300;
    check.worst = problem.unknowns()[static_cast<std::size_t>(worst)].name;
    return check;
  };
  GaitCheck check = look(unknowns.data());
  for (int i = problem.first_amplitude(); i < problem.last_amplitude(); ++i) {
    const Unknown& u = problem.unknowns()[at(i)];
    const double amplitude = u.lower + unknowns[at(i)] * (u.upper - u.lower);
    // up to the rounding of bounds that were scaled
    if (u.start != 0 && !(amplitude / u.start > 1 - 1e-9)) check.priority = false;
  }
  check.sketch_fails = !look(problem.start().data()).valid();
  return check;
}

std::vector<GaitPush> pushes_in_cycle(const Character& character, std::span<const GaitPush> pushes,
                                      double time, double duration, bool image) {
  std::vector<GaitPush> now;
  for (GaitPush p : pushes) {
    if (p.until <= time || p.from >= time + duration) continue;
    p.from -= time, p.until -= time;
    if (image) {
      p.body = character.mirror.body[at(p.body)];
      p.p = reflected(character, p.p);
      p.force = reflected(character, p.force);
    }
    now.push_back(p);
  }
  return now;
}

bool has_fallen(const Character& character, const State& state) {
  Kinematics<double> k(character.model);
  const Pose now = torso_pose(character, state.q.data(), k);
  return has_fallen(character, now, torso_pose(character, character.rest.q.data(), k));
}

Replay replay(const GaitProblem& problem, const std::vector<double>& unknowns,
              const ReplayOptions& options, const BetweenCycles& between) {
  GaitPlayer player(problem, unknowns, options, between);
  while (player.advance()) {
  }
  Replay replay;
  replay.report = player.report();
  replay.recording.frames = player.take_frames();
  replay.recording.summary.duration = replay.report.seconds;
  replay.recording.summary.frames = static_cast<std::int64_t>(replay.recording.frames.size());
  return replay;
}

}  // namespace molejo

#include "molejo/tracking/physical_clip.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/root_motion.h"
#include "molejo/motion/sampler.h"

namespace molejo::tracking {

namespace {

using motion::Clip;

// Both ends alike, but for where it is on the ground.
bool ends_meet(const Rig& rig, const Clip& clip) {
  const motion::InPlace in_place = motion::extract_root_motion(rig.skeleton, rig.roles, clip);
  const motion::LoopGap gap = motion::loop_gap(rig.skeleton, in_place.clip, rig.hips);
  return gap.turn < 15 * degree && clip.duration() > 0.2;
}

// In place and with its speed; none for a dance, or for one that stands.
std::shared_ptr<const navigation::WalkClips> walking_loop(const motion::Character& character,
                                                          const Rig& rig, const Clip& clip) {
  try {
    return navigation::make_walk_clips(character, rig, clip, nullptr);
  } catch (const InputError&) {
    return nullptr;
  }
}

std::vector<SkeletonPose> samples(const Rig& rig, const Clip& clip, int count) {
  const motion::ClipSampler sampler(rig.skeleton, clip);
  motion::ClipCursor cursor = sampler.cursor();
  std::vector<SkeletonPose> poses;
  for (int k = 0; k < count; ++k) {
    poses.emplace_back(rig.skeleton);
    sampler.sample(sampler.start() + sampler.duration() * k / count, cursor, poses.back());
  }
  return poses;
}

}  // namespace

struct ClipTracker::Memory {
  Memory(const motion::Character& character, const motion::Roles& roles, const Clip& given,
         const PhysicalClipSettings& s)
      : settings(s), rig(navigation::make_rig(character, roles)), clip(given) {
    clip = motion::starting_at_zero(clip);
    loops = s.loops.value_or(ends_meet(rig, clip));
    const double way = way_of(clip);
    double speed = s.speed.value_or(0);
    const auto walk = loops ? walking_loop(character, rig, clip) : nullptr;
    if (walk) {
      rig = walk->rig;
      clip = walk->walk.clip;
      if (!s.speed) speed = walk->walk.footfalls.speed() * navigation::usual_scale(rig.leg_length);
    } else {
      navigation::fit_soles(rig, character, clip);
      if (loops) {
        clip =
            motion::loop_closed(rig.skeleton, clip, std::min(0.2, 0.2 * clip.duration()), rig.hips);
      }
    }
    scale = navigation::usual_scale(rig.leg_length);
    goes = way > 0.1 * rig.leg_length;
    ragdoll = navigation::make_ragdoll(rig, character, scale, samples(rig, clip, 48), s.ragdoll);
    body = make_tracked_body(ragdoll, s.body);
    map.emplace(ragdoll, rig, body.model);
    reference.emplace(body, *map, rig, clip, scale,
                      ClipReferenceOptions{.window = s.window,
                                           .steps_per_window = s.steps_per_window,
                                           .loops = loops,
                                           .speed = speed});
    tracking.emplace(body, *reference, s.track);
  }
  Memory(const Memory&) = delete;

  double way_of(const Clip& c) const {
    const auto motion = motion::extract_root_motion(rig.skeleton, rig.roles, c).motion;
    return motion.poses.empty() ? 0 : norm(motion.poses.back().position);
  }

  // Of the last round: offsets of a search, or the policy alone.
  Replay play() const {
    if (loops && tracking->steady()) {
      const long enough =
          std::lround(settings.track.steady / (reference->step() * reference->steps_per_window()));
      return replay(body, *reference, &tracking->policy(), std::max(enough, reference->windows()));
    }
    const Policy* before = tracking->rounds() > 1 ? &tracking->policy_before() : nullptr;
    return replay(body, *reference, before, static_cast<long>(tracking->way().size()),
                  tracking->way());
  }

  Clip clip_of(const Replay& r) const;

  PhysicalClipSettings settings;
  Rig rig;
  Clip clip;
  bool loops = false, goes = false;
  double scale = 1;
  navigation::Ragdoll ragdoll;
  TrackedBody body;
  std::optional<RagdollMap> map;
  std::optional<ClipReference> reference;
  std::optional<Tracking> tracking;
  std::optional<Replay> best;
  bool best_alone = false;  // by the policy alone
  double stood = 0;
};

// Joints without a body do as in the clip.
Clip ClipTracker::Memory::clip_of(const Replay& r) const {
  const auto steps = static_cast<long>(r.states.size()) - 1;
  const long loop = reference->steps();
  // the last whole loop, or all
  const bool whole = loops && steps >= loop;
  const long first = whole ? (steps / loop - 1) * loop : 0;
  const long count = whole ? loop : steps;
  const double seconds = static_cast<double>(count) * reference->step();
  const motion::ClipSampler sampler(rig.skeleton, clip);
  motion::ClipCursor cursor = sampler.cursor();
  const Affine X_WM = navigation::placement(rig.bearing(), {}, 0, scale);
  const int frames = std::max(1, static_cast<int>(std::lround(seconds * settings.fps)));
  std::vector<double> times;
  std::vector<SkeletonPose> poses;
  for (int k = 0; k <= frames; ++k) {
    const double t = seconds * k / frames;
    times.push_back(t);
    poses.emplace_back(rig.skeleton);
    const double phase = loops ? t - sampler.duration() * std::floor(t / sampler.duration()) : t;
    sampler.sample(std::min(phase, sampler.duration()), cursor, poses.back());
    const long n = std::min(std::lround(t / reference->step()), count);
    VecX q = r.states[at(first + n)].q;
    reference->bring_home(first / loop, n, !goes, q);
    map->read(q, X_WM, poses.back());
  }
  Clip made = motion::clip_from_poses(rig.skeleton, clip.name, times, poses);
  if (!whole) return made;
  const double seam = std::min(0.1, 0.2 * seconds);
  if (!goes) return motion::loop_closed(rig.skeleton, made, seam);
  // but for its way
  motion::InPlace in_place = motion::extract_root_motion(rig.skeleton, rig.roles, made);
  in_place.clip = motion::loop_closed(rig.skeleton, in_place.clip, seam);
  return motion::apply_root_motion(rig.skeleton, rig.roles, in_place);
}

ClipTracker::ClipTracker(const motion::Character& character, const motion::Roles& roles,
                         const Clip& clip, const PhysicalClipSettings& settings)
    : memory_(std::make_unique<Memory>(character, roles, clip, settings)) {}
ClipTracker::~ClipTracker() = default;

bool ClipTracker::loops() const { return memory_->loops; }
int ClipTracker::rounds() const { return memory_->tracking->rounds(); }
int ClipTracker::most_rounds() const { return memory_->settings.rounds; }
double ClipTracker::stood() const { return memory_->stood; }
bool ClipTracker::steady() const { return memory_->tracking->steady(); }

bool ClipTracker::round() {
  Memory& m = *memory_;
  const bool was_steady = m.tracking->steady();
  m.stood = m.tracking->round();
  Replay now = m.play();
  // what goes on by itself comes before what a search found
  const bool alone = m.loops && m.tracking->steady();
  const bool longer = !m.best || now.seconds > m.best->seconds + 1e-9;
  const bool better = alone != m.best_alone ? alone
                                            : longer || (now.seconds > m.best->seconds - 1e-9 &&
                                                         now.error < m.best->error);
  if (better) m.best = std::move(now), m.best_alone = alone;
  const bool settled = m.loops && was_steady && m.tracking->steady();
  return rounds() < m.settings.rounds && !settled;
}

PhysicalClip ClipTracker::result() const {
  const Memory& m = *memory_;
  PhysicalClip result;
  result.loops = m.loops;
  result.speed = m.reference->speed();
  result.lifted = m.reference->lifted();
  if (!m.best) return result;
  const Replay& r = *m.best;
  result.seconds = r.seconds;
  const double wanted = m.loops ? m.settings.track.steady : m.reference->duration();
  result.stands = !r.fell && r.seconds > wanted - 0.2;
  result.error = r.error, result.root = r.root, result.peak_force = r.peak_force;
  for (std::size_t i = 1; i < m.ragdoll.parts.size(); ++i) {
    result.joints.push_back({m.ragdoll.parts[i].name, r.errors[i - 1], r.peak_torque[i]});
  }
  result.clip = m.clip_of(r);
  return result;
}

std::vector<PushOutcome> ClipTracker::pushed(const PushTest& test) const {
  const Memory& m = *memory_;
  return push_test(m.body, *m.reference, m.tracking->policy(), test);
}

}  // namespace molejo::tracking

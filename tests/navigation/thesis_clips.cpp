// What is read from a clip: frames, rules, support frames, parts, times.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/math/random.h"
#include "molejo/motion/edit.h"
#include "molejo/navigation/thesis/base_motion.h"
#include "molejo/navigation/thesis/clip_rules.h"
#include "molejo/navigation/thesis_walker.h"
#include "tests/support/characters.h"
#include "tests/support/error_text.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;
using namespace molejo::navigation::thesis;
using test::error_text;
using test::KnownGait;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Track& track_of(Clip& clip, int joint, Channel channel) {
  for (Track& t : clip.tracks) {
    if (t.joint == joint && t.channel == channel) return t;
  }
  FAIL("no such track");
  return clip.tracks.front();
}

// The known gait and all that is taken from it.
struct Gait {
  explicit Gait(double factor = 1, double scale = 1)
      : clips(test::ready_clips(test::gait_character(), "gait")),
        frames(clips->rig, clips->walk.clip),
        base(clips->rig, clips->walk.clip, frames, clips->walk.footfalls, scale,
             {.support_factor = factor}) {}
  std::shared_ptr<const WalkClips> clips;
  ClipFrames frames;
  BaseMotion base;
};

// A rig and its walk, to be spoilt.
struct Spoilt {
  std::shared_ptr<const WalkClips> clips = test::ready_clips(test::gait_character(), "gait");
  Rig rig = clips->rig;
  Clip clip = clips->walk.clip;
  std::string reason(ClipKind kind = ClipKind::walking) {
    return error_text([&] { check_clip(rig, clip, kind); });
  }
  int joint(const std::string& name) { return rig.skeleton.find("mixamorig:" + name); }
};

}  // namespace

TEST_CASE("thesis decompression: every rotation at every frame, and no pose changes") {
  Random random(21);
  for (int n = 0; n < 20; ++n) {
    motion::Character c = test::random_character(6, 12, random);
    Clip& clip = c.clips.front();
    // each joint its own keys, from 0 to 1
    clip.times.clear();
    for (Track& track : clip.tracks) {
      std::vector<double> times{0, 1};
      while (times.size() < 12) times.push_back(random.uniform());
      std::sort(times.begin(), times.end());
      for (std::size_t k = 1; k < times.size(); ++k)
        times[k] = std::max(times[k], times[k - 1] + 1e-3);
      track.times = static_cast<int>(clip.times.size());
      clip.times.push_back(times);
    }
    const Clip even = decompressed(c.skeleton, clip);
    std::size_t frames = 0;
    int rotations = 0;
    for (const Track& track : even.tracks) {
      if (track.channel != Channel::rotation) continue;
      ++rotations;
      if (frames == 0) frames = even.times_of(track).size();
      CHECK(even.times_of(track).size() == frames);
      CHECK(track.values.size() == 4 * frames);
    }
    CHECK(rotations == 6);
    CHECK(frames > 12);
    SkeletonPose a(c.skeleton), b(c.skeleton);
    for (double t = 0; t < 1; t += 0.003) {
      evaluate(clip, c.skeleton, t, a);
      evaluate(even, c.skeleton, t, b);
      // keys within 2e-4 s are one
      CHECK(test::pose_distance(a, b) < 0.05);
    }
    const std::vector<double>& times = even.times_of(even.tracks.front());
    for (const double t : times) {
      evaluate(clip, c.skeleton, t, a);
      evaluate(even, c.skeleton, t, b);
      CHECK(test::pose_distance(a, b) < 1e-12);
    }
  }
}

TEST_CASE("thesis decompression: a clip whose keys are apart keeps all its poses") {
  motion::Character c = test::gait_character();
  Clip clip = c.clips.front();
  // shins have every third key only
  for (const char* name : {"mixamorig:LeftLeg", "mixamorig:RightLeg"}) {
    Track& track = track_of(clip, c.skeleton.find(name), Channel::rotation);
    std::vector<double> values, times;
    for (std::size_t k = 0; k <= KnownGait::frames; k += 3) {
      times.push_back(clip.times[0][k]);
      values.insert(values.end(), track.values.begin() + static_cast<std::ptrdiff_t>(4 * k),
                    track.values.begin() + static_cast<std::ptrdiff_t>(4 * k + 4));
    }
    track.times = static_cast<int>(clip.times.size());
    clip.times.push_back(times);
    track.values = values;
  }
  const Clip even = decompressed(c.skeleton, clip);
  SkeletonPose a(c.skeleton), b(c.skeleton);
  double most = 0;
  for (double t = 0; t < 1; t += 0.001) {
    evaluate(clip, c.skeleton, t, a);
    evaluate(even, c.skeleton, t, b);
    most = std::max(most, test::pose_distance(a, b));
  }
  CHECK(most < 1e-5);
  CHECK(even.times.back().size() == 31);
}

TEST_CASE(
    "thesis frames: axis and angle go on without a jump, through half a turn and through none") {
  // a joint that turns about x from -0.4 to 0.4, and one that turns from 2.8 to 3.5 and back
  for (const auto& [from, to] : {std::pair{-0.4, 0.4}, {2.8, 3.5}}) {
    motion::Character c = test::gait_character();
    Clip clip = c.clips.front();
    Track& track = track_of(clip, c.skeleton.find("mixamorig:LeftUpLeg"), Channel::rotation);
    for (std::size_t k = 0; k <= 30; ++k) {
      const double u = k <= 15 ? static_cast<double>(k) / 15 : 2 - static_cast<double>(k) / 15;
      Quat q = exp_quat(Vec3{from + (to - from) * u, 0, 0});
      if (k % 4 == 1) q = {-q.w, -q.x, -q.y, -q.z};  // the same rotation
      const double values[] = {q.w, q.x, q.y, q.z};
      std::copy(values, values + 4, track.values.begin() + static_cast<std::ptrdiff_t>(4 * k));
    }
    const Rig rig = make_rig(c, find_roles(c.skeleton, bind_pose(c)));
    const ClipFrames frames(rig, clip);
    const int slot = frames.slot(rig.legs[0].chain[0]);
    CHECK(frames.frames() == 30);
    for (int f = 0; f < 30; ++f) {
      const AxisAngle turn = frames.rotations(f)[at(slot)];
      const AxisAngle next = frames.rotations((f + 1) % 30)[at(slot)];
      CHECK(dot(turn.axis, next.axis) > 0.99);
      CHECK(std::fabs(next.angle - turn.angle) < 1.01 * (to - from) / 15);
      SkeletonPose pose(c.skeleton);
      evaluate(clip, c.skeleton, f / 30.0, pose);
      const Quat q = quaternion(turn), p = pose.rotation(rig.legs[0].chain[0]);
      CHECK(std::fabs(std::fabs(q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z) - 1) < 1e-12);
    }
  }
}

TEST_CASE("thesis frames: an angle beside another, about the same axis or its opposite") {
  const Vec3 x{1, 0, 0};
  CHECK(angle_beside({x, 0.3}, {x, 0.4}) == doctest::Approx(0.3));
  CHECK(angle_beside({-x, -0.3}, {x, 0.4}) == doctest::Approx(0.3));
  CHECK(angle_beside({x, -3.1}, {x, 3.1}) == doctest::Approx(2 * 3.141592653589793 - 3.1));
  CHECK(angle_beside({-x, 3.1}, {x, 3.1}) == doctest::Approx(2 * 3.141592653589793 - 3.1));
  CHECK(angle_beside({x, 20}, {x, 1}) == doctest::Approx(20 - 6 * 3.141592653589793));
}

TEST_CASE("thesis rules: the walks are accepted") {
  Spoilt gait;
  CHECK(gait.reason() == "no error");
  for (const std::string family : {"viverse", "dcl"}) {
    const auto clips = test::installed_walk(family);
    if (!clips) {
      MESSAGE("skipped: " << family << " is not installed");
      continue;
    }
    CHECK(error_text([&] { check_clip(clips->rig, clips->walk.clip, ClipKind::walking); }) ==
          "no error");
    CHECK(error_text([&] { check_clip(clips->rig, clips->idle.clip, ClipKind::idle); }) ==
          "no error");
  }
}

TEST_CASE("thesis rules: one broken clip per rule, with its reason") {
  {
    Spoilt s;  // 1: a shin that grows longer
    const int foot = s.joint("LeftFoot");
    const Vec3 p = s.rig.skeleton[foot].rest.translation;
    s.clip.times.push_back({0, 0.5, 1});
    s.clip.tracks.push_back({.joint = foot,
                             .channel = Channel::translation,
                             .times = static_cast<int>(s.clip.times.size()) - 1,
                             .values = {p.x, p.y, p.z, p.x, p.y - 0.02, p.z, p.x, p.y, p.z}});
    CHECK(
        s.reason() ==
        "clip 'gait' breaks rule 1: 'mixamorig:LeftFoot' changes its translation by 0.02 at frame "
        "1: expected at most 0.00176");
  }
  {
    Spoilt s;  // 1: a head that swells
    s.clip.times.push_back({0, 0.5, 1});
    s.clip.tracks.push_back({.joint = s.joint("Head"),
                             .channel = Channel::scale,
                             .times = static_cast<int>(s.clip.times.size()) - 1,
                             .values = {1, 1, 1, 1, 1.2, 1, 1, 1, 1}});
    CHECK(
        s.reason() ==
        "clip 'gait' breaks rule 1: 'mixamorig:Head' changes its scale by 0.2 at frame 1: expected "
        "at most 0.01");
  }
  {
    // 3: a thigh that does not come back
    Spoilt s;
    Track& thigh = track_of(s.clip, s.joint("LeftUpLeg"), Channel::rotation);
    const Quat q = exp_quat(Vec3{-1, 0, 0});
    const double values[] = {q.w, q.x, q.y, q.z};
    std::copy(values, values + 4, thigh.values.end() - 4);
    CHECK(s.reason().find("breaks rule 3: 'mixamorig:LeftUpLeg' ends 0.") != std::string::npos);
    CHECK(s.reason().find("at frame 30: expected a loop") != std::string::npos);
  }
  {
    // 4: knees that bend sideways
    Spoilt s;
    Track& shin = track_of(s.clip, s.joint("RightLeg"), Channel::rotation);
    for (std::size_t k = 0; k < shin.values.size(); k += 4) {
      std::swap(shin.values[k + 1], shin.values[k + 3]);
    }
    CHECK(s.reason() ==
          "clip 'gait' breaks rule 4: 'mixamorig:RightLeg' turns about axes along the plane of "
          "motion, 0.00 across it in the mean of frames 0 to 29: expected at least 0.5");
    CHECK(s.reason(ClipKind::idle) == "no error");
  }
}

TEST_CASE("thesis rules: nothing above the hips may move") {
  motion::Character c = test::gait_character();
  // a root above the hips, which turns
  motion::Character rooted = c;
  rooted.skeleton.joints.insert(rooted.skeleton.joints.begin(), {"root", -1, {}});
  for (std::size_t j = 1; j < rooted.skeleton.joints.size(); ++j)
    ++rooted.skeleton.joints[j].parent;
  Clip clip = rooted.clips.front();
  for (Track& t : clip.tracks) ++t.joint;
  const Rig rig = make_rig(rooted, find_roles(rooted.skeleton, bind_pose(rooted)));
  CHECK(error_text([&] { check_clip(rig, clip, ClipKind::walking); }) == "no error");
  const Quat q = exp_quat(Vec3{0, 0.1, 0});
  clip.times.push_back({0, 0.5, 1});
  clip.tracks.push_back({.joint = 0,
                         .times = static_cast<int>(clip.times.size()) - 1,
                         .values = {1, 0, 0, 0, q.w, q.x, q.y, q.z, 1, 0, 0, 0}});
  CHECK(
      error_text([&] { check_clip(rig, clip, ClipKind::walking); }) ==
      "clip 'gait' breaks rule 2: 'root', above the hips, changes its rotation by 0.05 at frame 1: "
      "nothing above the hips may move");
}

TEST_CASE("thesis rules: rule 5, a foot that supports, and human proportions") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const ClipFrames frames(clips->rig, clips->walk.clip);
  CHECK(error_text([&] {
          BaseMotion(clips->rig, clips->walk.clip, frames, clips->walk.footfalls, 1,
                     {.support_factor = 1e-9});
        }).find("leg 'left' has no support frame: its ankle is never slower than") == 0);
  Rig rig = clips->rig;
  CHECK(error_text([&] { check_rig(rig, 0); }) == "scale 0: expected a number above 0");
  CHECK(error_text([&] { check_rig(rig, -2); }) == "scale -2: expected a number above 0");
  rig.legs.push_back(rig.legs[0]);
  CHECK(error_text([&] { check_rig(rig, 1); }) == "3 legs: Matthey's navigation walks on two");
  rig = clips->rig;
  rig.reference.set_translation(rig.legs[1].chain[1], {0, -0.1, 0});
  CHECK(error_text([&] { check_rig(rig, 1); }) ==
        "leg 'right': thigh 0.1 and shin 0.43 are not of human proportions");
  rig = clips->rig;
  rig.legs[0].length *= 3;
  CHECK(error_text([&] { check_rig(rig, 1); }) ==
        "legs of 2.64 and 0.88 are not of human proportions");
  rig = clips->rig;
  rig.reference.set_translation(rig.legs[0].chain[0], {0.1, 2, 0});
  CHECK(error_text([&] { check_rig(rig, 1); }) ==
        "leg 'left': its foot 'mixamorig:LeftFoot' is not below the hips");
}

TEST_CASE("thesis rules: legs that are none are refused with their joints") {
  const motion::Character c = test::gait_character();
  const Roles roles = find_roles(c.skeleton, bind_pose(c));
  const auto find = [&](const char* name) {
    return c.skeleton.find(std::string("mixamorig:") + name);
  };
  const auto reason = [&](const LegChoice& left, const LegChoice& right) {
    return error_text([&] { make_rig(c, roles, {left, right}); });
  };
  const LegChoice left{"left", find("LeftUpLeg"), find("LeftFoot")};
  const LegChoice right{"right", find("RightUpLeg"), find("RightFoot")};
  CHECK(reason(left, right) == "no error");
  CHECK(reason(left, {"right", find("RightUpLeg"), find("LeftFoot")}).find("is not below") !=
        std::string::npos);
  CHECK(
      reason(left, {"right", find("Hips"), find("RightFoot")}).find("must begin below the hips") !=
      std::string::npos);
  CHECK(reason(left, left).find("share the joint 'mixamorig:LeftUpLeg'") != std::string::npos);
  CHECK(reason(left, {"right", find("RightUpLeg"), 400}).find("no such joint") !=
        std::string::npos);
}

TEST_CASE("thesis rules: a walker refuses what is no number") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const motion::Ground ground = test::level_ground();
  const auto reason = [&](const WalkerStart& start, const ThesisOptions& options) {
    return error_text([&] { make_thesis_walker(clips, ground, start, options); });
  };
  CHECK(reason({.x = NAN}, {}) == "a walker cannot start at x nan, y 0, heading 0");
  CHECK(reason({.scale = -1}, {}) == "scale -1: expected a number above 0");
  CHECK(reason({}, {.support_factor = 0}).find("support factor 0") == 0);
  CHECK(reason({}, {.keep_original = -1}).find("weights -1 and 4") == 0);
  CHECK(reason({}, {}) == "no error");
}

TEST_CASE("thesis support frames: those of a gait that is known") {
  const Gait gait;
  int right = 0;
  for (int leg = 0; leg < 2; ++leg) {
    for (int f = 0; f < KnownGait::frames; ++f) {
      right += (gait.base.support(leg)[at(f)] != 0) == KnownGait::stands(leg, f);
      CHECK(gait.base.support(0)[at(f)] != gait.base.support(1)[at(f)]);
    }
  }
  MESSAGE("support frames: " << right << " of " << 2 * KnownGait::frames << " right");
  CHECK(right >= 0.95 * 2 * KnownGait::frames);
}

TEST_CASE("thesis support frames: where the left foot decides, its share grows with the factor") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const ClipFrames frames(clips->rig, clips->walk.clip);
  std::array<std::vector<long>, 2> standing;
  for (const double factor : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    for (const SupportRule rule : {SupportRule::slower_foot, SupportRule::left_foot}) {
      const BaseMotion base(clips->rig, clips->walk.clip, frames, clips->walk.footfalls, 1,
                            {.support_factor = factor, .rule = rule});
      standing[rule == SupportRule::left_foot].push_back(
          std::count(base.support(0).begin(), base.support(0).end(), 1));
      for (std::size_t f = 0; f < 30; ++f) CHECK(base.support(0)[f] != base.support(1)[f]);
    }
  }
  CHECK(std::is_sorted(standing[1].begin(), standing[1].end()));
  CHECK(standing[1].back() > standing[1].front());
  CHECK(standing[0] == std::vector<long>(5, 15));
}

TEST_CASE("thesis support frames: the share that stands grows with the factor") {
  // both feet slow or fast: the slower one stands, so the share of one foot grows where the other
  // is never slow
  for (const std::string family : {"viverse", "dcl"}) {
    const auto clips = test::installed_walk(family);
    if (!clips) {
      MESSAGE("skipped: " << family << " is not installed");
      continue;
    }
    const ClipFrames frames(clips->rig, clips->walk.clip);
    const BaseMotion base(clips->rig, clips->walk.clip, frames, clips->walk.footfalls, 1, {});
    for (int leg = 0; leg < 2; ++leg) {
      const auto standing = std::count(base.support(leg).begin(), base.support(leg).end(), 1);
      const double share = static_cast<double>(standing) / frames.frames();
      MESSAGE(std::string(family) << " leg " << leg << " stands for " << share * 100
                                  << " % of the loop");
      CHECK(share > 0.35);
      CHECK(share < 0.65);
    }
  }
}

TEST_CASE("thesis support frames: a lonely frame joins its neighbours") {
  std::array<std::vector<Vec3>, 2> ankles{std::vector<Vec3>{{}}, std::vector<Vec3>{{}}};
  std::vector<double> times{0};
  // left stands on the way to frames 1..10, but for frame 5; right the others
  for (int f = 1; f <= 20; ++f) {
    const bool left = f <= 10 && f != 5;
    times.push_back(f * 0.1);
    ankles[0].push_back(ankles[0].back() + Vec3{left ? 0.0 : 0.1, 0, 0});
    ankles[1].push_back(ankles[1].back() + Vec3{left ? 0.1 : 0.0, 0, 0});
  }
  const SupportFrames s = find_support_frames(ankles, times, 0.5, {"left", "right"});
  for (std::size_t f = 0; f < 20; ++f) {
    CHECK((s[0][f] != 0) == (f >= 1 && f <= 10));
    CHECK(s[0][f] != s[1][f]);
  }
}

TEST_CASE("thesis parts: one curve for every time, across the end of the loop too") {
  const Gait gait;
  const long n = gait.frames.frames();
  for (int leg = 0; leg < 2; ++leg) {
    const std::vector<Part>& parts = gait.base.parts(leg);
    CHECK(parts.size() == 2);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& next = parts[(i + 1) % parts.size()];
      CHECK((parts[i].last - next.first) % n == 0);  // they share their boundary
      CHECK(parts[i].is_static != next.is_static);
      for (long f = parts[i].first; f < parts[i].last; ++f) {
        CHECK(gait.base.time(f + 1) > gait.base.time(f));
      }
    }
    for (long f = -3 * n; f < 3 * n; ++f) {
      const Part part = gait.base.part_at(leg, f);
      CHECK(part.first <= f);
      CHECK(f < part.last);
      int covering = 0;
      for (const Part& p : parts) {
        for (long shift = -5 * n; shift <= 5 * n; shift += n) {
          covering += p.first + shift <= f && f < p.last + shift;
        }
      }
      CHECK(covering == 1);
    }
  }
  // every round is a stride further
  CHECK(norm(gait.base.hip(n + 7) - gait.base.hip(7) - gait.base.stride()) < 1e-12);
  CHECK(std::fabs(gait.base.stride().x - 0.8) < 0.01);
}

TEST_CASE("thesis parts: support heights are those of the standing ankle, and between them") {
  const Gait gait;
  for (int leg = 0; leg < 2; ++leg) {
    for (const Part& part : gait.base.parts(leg)) {
      const double a = gait.base.ankle(leg, part.first).z, b = gait.base.ankle(leg, part.last).z;
      for (long f = part.first; f <= part.last; ++f) {
        const double h = gait.base.support_height(leg, f);
        if (part.is_static) {
          CHECK(h == doctest::Approx(gait.base.ankle(leg, f).z));
        } else {
          CHECK(h >= std::min(a, b) - 1e-12);
          CHECK(h <= std::max(a, b) + 1e-12);
        }
      }
    }
  }
  // the lowest joint, the toes, is on the plane: ankles are 0.06 above it
  CHECK(gait.base.support_height(0, 8) == doctest::Approx(0.06));
}

TEST_CASE("thesis times: reproduction only grows, and extended time wraps") {
  const Gait gait;
  const motion::Ground ground = test::level_ground();
  AdaptedClip clip(gait.clips->rig, gait.clips->walk.clip, gait.clips->walk.footfalls, ground, 1,
                   ClipKind::walking, {}, thesis_weights(1.76));
  Random random(1);
  double last = 0, sum = 0;
  for (int n = 0; n < 500; ++n) {
    const double dt = 0.3 * random.uniform() * random.uniform();
    clip.advance_time(dt);
    sum += dt;
    CHECK(clip.reproduction_time() >= last);
    CHECK(clip.reproduction_time() == doctest::Approx(sum));
    CHECK(clip.time() >= 0);
    CHECK(clip.time() <= clip.frames().duration());
    CHECK(clip.base().time(clip.frame()) <= clip.reproduction_time() + 1e-9);
    CHECK(clip.base().time(clip.frame() + 1) >= clip.reproduction_time() - 1e-9);
    last = clip.reproduction_time();
  }
  for (long f = -65; f < 65; ++f) {
    CHECK(gait.frames.extended_time(f + 30) == doctest::Approx(gait.frames.extended_time(f) + 1));
    CHECK(gait.frames.wrapped(f) == gait.frames.wrapped(f + 30));
  }
}

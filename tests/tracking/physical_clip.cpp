// Clips made physical: the walks that the project made of formulas, on two legs and on four.
#include "molejo/tracking/physical_clip.h"

#include <doctest/doctest.h>

#include "molejo/math/angles.h"
#include "molejo/model/error.h"
#include "molejo/motion/root_motion.h"
#include "molejo/motion/sampler.h"
#include "tests/support/error_text.h"
#include "tests/support/made_walks.h"

using namespace molejo;
using namespace molejo::tracking;
using namespace molejo::test;

namespace {

PhysicalClipSettings quick(int candidates = 100) {
  PhysicalClipSettings s;
  s.rounds = 1;
  s.track.seconds = 2;
  s.track.search.candidates = candidates;
  s.track.search.survivors = 15;
  s.track.search.threads = 2;
  return s;
}

struct Followed {
  explicit Followed(motion::Character made, const PhysicalClipSettings& settings)
      : character(std::move(made)),
        roles(motion::find_roles(character.skeleton, motion::bind_pose(character))),
        tracker(character, roles, character.clips.at(0), settings) {
    while (tracker.round()) {
    }
    result = tracker.result();
  }
  motion::Character character;
  motion::Roles roles;
  ClipTracker tracker;
  PhysicalClip result;
};

bool same(const motion::Clip& a, const motion::Clip& b) {
  if (a.times != b.times || a.tracks.size() != b.tracks.size()) return false;
  for (std::size_t i = 0; i < a.tracks.size(); ++i) {
    if (a.tracks[i].values != b.tracks[i].values) return false;
  }
  return true;
}

// Where the hips are, in the axes of the file.
Vec3 hips_at(const Followed& f, const motion::Clip& clip, double part) {
  const motion::ClipSampler sampler(f.character.skeleton, clip);
  motion::ClipCursor cursor = sampler.cursor();
  motion::SkeletonPose pose(f.character.skeleton);
  sampler.sample(sampler.start() + part * sampler.duration(), cursor, pose);
  std::vector<Affine> X(static_cast<std::size_t>(f.character.skeleton.size()));
  model_transforms(f.character.skeleton, pose, {}, X);
  return X[static_cast<std::size_t>(f.roles[motion::Role::hips])].origin;
}

}  // namespace

TEST_CASE("physical clip: a walk goes on by muscle and contact alone") {
  for (const bool person : {true, false}) {
    CAPTURE(person);
    PhysicalClipSettings settings = quick(person ? 160 : 80);
    settings.track.seconds = 3;  // the clip is not its first loop
    const Followed f(person ? made_stick_walk() : made_dog_walk(), settings);
    const PhysicalClip& r = f.result;
    CHECK(r.loops);
    CHECK(r.seconds > 2.9);
    CHECK(r.error < 6 * degree);
    CHECK(r.root < 0.4);
    CHECK(r.speed > 0.5);
    // what it weighs is carried by the ground
    CHECK(r.peak_force > 1);
    CHECK(r.joints.size() > 8);
    for (const JointFigures& j : r.joints) {
      CAPTURE(j.name);
      CHECK(j.error < 20 * degree);
    }
    // a clip of the same skeleton, as long as the original, that stays in place if that does
    CHECK(r.clip.duration() == doctest::Approx(f.character.clips[0].duration()).epsilon(0.01));
    const auto way = motion::extract_root_motion(f.character.skeleton, f.roles, r.clip).motion;
    const auto own =
        motion::extract_root_motion(f.character.skeleton, f.roles, f.character.clips[0]).motion;
    CHECK((norm(way.poses.back().position) > 0.2) == (norm(own.poses.back().position) > 0.2));
    // it begins where the original does, whichever loop it was taken from, and is never far from it
    const motion::Clip& original = f.character.clips[0];
    const Vec3 off = hips_at(f, r.clip, 0) - hips_at(f, original, 0);
    CHECK(norm(off) < 0.4);
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
      CAPTURE(part);
      CHECK(norm(hips_at(f, r.clip, part) - hips_at(f, original, part) - off) < 0.25);
    }
  }
}

TEST_CASE("physical clip: the same bits on any number of threads, others by another seed") {
  PhysicalClipSettings s = quick(40);
  s.track.seconds = 0.6;
  s.loops = true;
  s.track.search.threads = 1;
  const Followed one(made_stick_walk(), s);
  s.track.search.threads = 3;
  const Followed three(made_stick_walk(), s);
  CHECK(same(one.result.clip, three.result.clip));
  CHECK(one.result.error == three.result.error);
  s.track.search.seed = 2;
  const Followed other(made_stick_walk(), s);
  CHECK_FALSE(same(one.result.clip, other.result.clip));
}

TEST_CASE("physical clip: who stands goes on standing") {
  PhysicalClipSettings s = quick(60);
  const Followed f(made_stick_idle(), s);
  CHECK(f.result.loops);
  CHECK(f.result.seconds > 1.9);
  CHECK(f.result.error < 5 * degree);
  CHECK(f.result.root < 0.05);
  CHECK(f.result.speed < 0.01);
}

TEST_CASE("physical clip: played once it ends with the clip") {
  PhysicalClipSettings s = quick(60);
  s.loops = false;
  s.track.seconds = 0.5;
  const Followed f(made_stick_walk(), s);
  CHECK_FALSE(f.result.loops);
  CHECK(f.result.clip.duration() > 0.3);
  CHECK(f.result.clip.duration() <= f.character.clips[0].duration() + 1e-9);
}

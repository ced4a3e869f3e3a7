// The walks that are shipped are those of the formulas, and do what a walk does.
#include "tests/support/made_walks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/file.h"
#include "molejo/motion/edit.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::motion;

namespace {

std::string shipped(const std::string& name) {
  return test::source_dir() + "/scenes/walks/" + name + ".bvh";
}

// Where a point of a joint is at each key.
std::vector<Vec3> path_of(const motion::Character& c, const std::string& joint, const Vec3& p) {
  std::vector<Vec3> path;
  SkeletonPose pose(c.skeleton);
  const Clip& clip = c.clips.front();
  for (const double t : uniform_times(clip.start(), clip.end(), 30)) {
    evaluate(clip, c.skeleton, t, pose);
    const std::vector<Affine> X = model_transforms(c.skeleton, pose);
    path.push_back(X[static_cast<std::size_t>(c.skeleton.find(joint))] * p);
  }
  return path;
}

// The longest run of keys in which the point stays within `near` of where it was, on a closed loop.
int longest_rest(const std::vector<Vec3>& path, const Vec3& way, double near) {
  const int n = static_cast<int>(path.size()) - 1;
  const auto at = [&](int i) {
    return path[static_cast<std::size_t>(i % n)] + way * static_cast<double>(i / n);
  };
  int longest = 0;
  for (int i = 0; i < n; ++i) {
    int k = 1;
    while (k < n && norm(at(i + k) - at(i)) < near) ++k;
    longest = std::max(longest, k);
  }
  return longest;
}

}  // namespace

TEST_CASE("made walks: the shipped files are what the formulas give") {
  for (const motion::Character& c :
       {test::made_stick_walk(), test::made_stick_idle(), test::made_dog_walk()}) {
    CAPTURE(c.name);
    CHECK(read_file(shipped(c.name)) == test::made_walk_text(c));
  }
}

TEST_CASE("made walks: the person stands on heel and ball for as long as people do") {
  const motion::Character c = load_character(SourceFile::given(shipped("stick_walk")));
  const Vec3 way{0, 0, 1.24};
  for (const char* foot : {"LeftFoot", "RightFoot"}) {
    CAPTURE(foot);
    const auto heel = path_of(c, foot, {0, -0.08, -0.05}),
               ball = path_of(c, foot, {0, -0.08, 0.13});
    // of 32 keys: heel down for 34 %, ball from 10 to 60 %, each within a millimetre
    CHECK(longest_rest(heel, way, 1e-3) == 12);
    CHECK(longest_rest(ball, way, 1e-3) == 17);
    double lowest = 1;
    for (const auto* path : {&heel, &ball}) {
      for (const Vec3& p : *path) lowest = std::min(lowest, p.y);
    }
    CHECK(std::fabs(lowest) < 1e-4);
  }
  const LoopGap gap = loop_gap(c.skeleton, c.clips.front(), 0);
  CHECK(gap.turn < 1e-5);
}

TEST_CASE("made walks: the dog sets its paws down in lateral sequence, a quarter apart") {
  const motion::Character c = load_character(SourceFile::given(shipped("dog_walk")));
  const Vec3 way{0, 0, 0.60};
  int touch[4], n = 0;
  for (const char* paw : {"LeftFoot", "LeftHand", "RightFoot", "RightHand"}) {
    CAPTURE(paw);
    const auto path = path_of(c, paw, {});
    CHECK(longest_rest(path, way, 1e-3) == 16);  // of 24 keys: 65 %
    int first = 0;
    for (int i = 0; i < 24; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double before = path[i == 0 ? 23 : k - 1].y;
      if (path[k].y < 0.0201 && before > 0.0201) first = i;
    }
    touch[n++] = first;
  }
  CHECK((touch[1] - touch[0] + 24) % 24 == 6);
  CHECK((touch[2] - touch[1] + 24) % 24 == 6);
  CHECK((touch[3] - touch[2] + 24) % 24 == 6);
}

TEST_CASE("made walks: feet of the idle never move") {
  const motion::Character c = load_character(SourceFile::given(shipped("stick_idle")));
  for (const char* foot : {"LeftFoot", "RightFoot"}) {
    const auto path = path_of(c, foot, {0, -0.08, 0.13});
    for (const Vec3& p : path) CHECK(norm(p - path[0]) < 1e-4);
  }
}

// Characters that play cost no memory beyond what they began with.
#include <doctest/doctest.h>

#include "molejo/motion/mirror.h"
#include "molejo/motion/player.h"
#include "tests/stepping/allocations.h"
#include "tests/support/characters.h"

using namespace molejo;
using namespace molejo::motion;

TEST_CASE("characters: sampling, blending, mirroring and model matrices allocate nothing") {
  const motion::Character c = test::stick_character();
  const ClipSampler walk(c.skeleton, c.clips[0]), wave(c.skeleton, c.clips[1]);
  Player player(c.skeleton.size());
  player.play(walk);
  player.cross_fade(wave, 0.5, {.rate = 0.7});
  SkeletonPose pose(c.skeleton), rest(c.skeleton), difference(c.skeleton), image(c.skeleton);
  motion::Mirror mirror(c.skeleton, rest, find_roles(c.skeleton, rest));
  std::vector<Affine> model(c.skeleton.joints.size());
  const std::vector<double> mask = joint_mask(c.skeleton, 1);
  const long before = allocations_so_far();
  for (int k = 0; k < 300; ++k) {
    player.advance(1.0 / 60);
    player.pose(pose);
    subtract(pose, rest, difference);
    add(rest, difference, 0.5, pose, mask);
    blend(pose, rest, 0.1, pose, mask);
    mirror.apply(pose, image);
    model_transforms(c.skeleton, image, {}, model);
  }
  CHECK(allocations_so_far() == before);
}

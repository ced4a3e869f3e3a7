// Characters: microseconds per character and frame for sampling, blending and model matrices.
//
//   molejo_bench_motion [PASSES]
//
// A skeleton of 50 joints, all of which turn, with a clip of 60 keys; a cross-fade of two clips; 1,
// 10, 100 and 1000 characters, each at its own time. Processor time of one core, best of all
// passes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>

#include "molejo/math/parallel.h"
#include "molejo/math/random.h"
#include "molejo/motion/player.h"
#include "molejo/motion/retarget.h"

namespace {

using namespace molejo;
using namespace molejo::motion;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct World {
  Skeleton skeleton;
  Clip a, b;
};

constexpr int joints = 50, keys = 60;

Clip random_clip(Random& random) {
  Clip clip{.name = "clip", .times = {{}}, .tracks = {}};
  for (int k = 0; k < keys; ++k) clip.times[0].push_back(k / 30.0);
  for (int j = 0; j < joints; ++j) {
    Track track{.joint = j, .channel = Channel::rotation};
    Quat q = safe_unit({random.normal(), random.normal(), random.normal(), random.normal()});
    for (int k = 0; k < keys; ++k) {
      q = q * exp_quat(Vec3{random.normal(), random.normal(), random.normal()} * 0.1);
      track.values.insert(track.values.end(), {q.w, q.x, q.y, q.z});
    }
    clip.tracks.push_back(std::move(track));
  }
  Track hips{.joint = 0, .channel = Channel::translation};
  for (int k = 0; k < 3 * keys; ++k) hips.values.push_back(random.normal());
  clip.tracks.push_back(std::move(hips));
  return clip;
}

World make_world() {
  Random random(1);
  World world;
  for (int j = 0; j < joints; ++j) {
    const int parent = j == 0 ? -1 : static_cast<int>(random.uniform() * j);
    world.skeleton.joints.push_back(
        {"joint" + std::to_string(j), parent, {{0, 0.1, 0}, {}, {1, 1, 1}}});
  }
  world.a = random_clip(random);
  world.b = random_clip(random);
  return world;
}

struct Actor {
  ClipCursor cursor_a, cursor_b;
  SkeletonPose a, b;
  Player player;
  std::vector<Affine> model;
  double time;
};

// Microseconds per character of one frame, best of all passes.
double measure(std::vector<Actor>& actors, int passes, const std::function<void(Actor&)>& frame) {
  double best = 1e9;
  const int frames = std::max(1, 2000 / static_cast<int>(actors.size()));
  for (int pass = 0; pass < passes; ++pass) {
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int f = 0; f < frames; ++f) {
      for (Actor& actor : actors) frame(actor);
    }
    const double time = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    best = std::min(best, 1e6 * time / frames / static_cast<double>(actors.size()));
  }
  return best;
}

void run(const World& world, int count, int passes) {
  const ClipSampler a(world.skeleton, world.a), b(world.skeleton, world.b);
  std::vector<Actor> actors;
  for (int i = 0; i < count; ++i) {
    actors.push_back({a.cursor(), b.cursor(), SkeletonPose(joints), SkeletonPose(joints),
                      Player(joints), std::vector<Affine>(joints), 0.37 * i});
    actors.back().player.play(a, {.start = 0.001 * i});
    actors.back().player.cross_fade(b, 1e9);
  }
  const double dt = 1.0 / 60, length = a.duration();
  const double sample = measure(actors, passes, [&](Actor& x) {
    x.time += dt;
    while (x.time > length) x.time -= length;
    a.sample(x.time, x.cursor_a, x.a);
  });
  for (Actor& x : actors) b.sample(0.5, x.cursor_b, x.b);
  const double mix = measure(actors, passes, [&](Actor& x) { blend(x.a, x.b, 0.3, x.a); });
  const double model = measure(
      actors, passes, [&](Actor& x) { model_transforms(world.skeleton, x.a, {}, x.model); });
  const auto whole = [&](Actor& x) {
    x.player.advance(dt);
    x.player.pose(x.a);
    model_transforms(world.skeleton, x.a, {}, x.model);
  };
  const double all = measure(actors, passes, whole);
  // wall time on all threads, for what a game would feel
  double wall = 1e9;
  for (int pass = 0; pass < passes; ++pass) {
    const double start = seconds(CLOCK_MONOTONIC);
    parallel_for(count, 0, [&](int i) { whole(actors[static_cast<std::size_t>(i)]); });
    wall = std::min(wall, 1e3 * (seconds(CLOCK_MONOTONIC) - start));
  }
  std::printf("| %10d | %6.2f | %5.2f | %14.2f | %19.2f | %26.3f |\n", count, sample, mix, model,
              all, wall);
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  const World world = make_world();
  std::printf("Clips on %d joints, %d keys, microseconds per character and frame, one core\n\n",
              joints, keys);
  std::printf(
      "| characters | sample | blend | model matrices | cross-fade and all | all threads, ms "
      "per frame |\n|---:|---:|---:|---:|---:|---:|\n");
  for (const int count : {1, 10, 100, 1000}) run(world, count, passes);
}

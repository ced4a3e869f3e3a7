// Walkers: microseconds per character and frame of each subsystem, for both solvers, and what a
// crowd takes on all threads.
//
//   molejo_bench_navigation SCENES CHARACTER... [--seconds S]
//
// SCENES is the folder with terrains/ and walks/. Each CHARACTER is a file with a walk (with
// "idle" for "walk" in its name for the idle, where there is such a file); the stick figure of
// SCENES comes first. Skeletons of less than 50 joints get fingers that move, up to 50. Everybody
// walks from a place and with a phase of their own. Processor time of one core but in the last
// column: wall time of a frame of all on all threads, mean of its quartiles.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "molejo/io/character_file.h"
#include "molejo/io/terrain.h"
#include "molejo/navigation/adaptive_walker.h"
#include "molejo/navigation/quality.h"
#include "molejo/navigation/stage.h"
#include "molejo/navigation/thesis_walker.h"

namespace {

using namespace molejo;
using namespace molejo::navigation;

double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Joints below the last one, which turn in every clip as much as fingers do.
void grow(Character& character, int joints) {
  const int parent = character.skeleton.size() - 1;
  for (int j = character.skeleton.size(); j < joints; ++j) {
    character.skeleton.joints.push_back(
        {"finger_" + std::to_string(j), parent, {{0, 0.02, 0}, {}}});
    for (Clip& clip : character.clips) {
      Track track{.joint = j, .times = static_cast<int>(clip.times.size()), .values = {}};
      std::vector<double> times;
      for (int k = 0; k <= 30; ++k) {
        times.push_back(clip.start() + clip.duration() * k / 30);
        const Quat q = exp_quat(Vec3{0.2 * ((k + j) % 3), 0, 0});
        track.values.insert(track.values.end(), {q.w, q.x, q.y, q.z});
      }
      clip.times.push_back(times);
      clip.tracks.push_back(track);
    }
  }
}

std::shared_ptr<const WalkClips> clips_of(const std::string& file, int joints) {
  Character walk = load_character(SourceFile::given(file));
  std::string idle_file = file;
  const auto at = idle_file.rfind("walk");
  if (at != std::string::npos) idle_file.replace(at, 4, "idle");
  grow(walk, joints);
  const Roles roles = find_roles(walk.skeleton, bind_pose(walk));
  if (idle_file != file && std::filesystem::exists(idle_file)) {
    Character idle = load_character(SourceFile::given(idle_file));
    grow(idle, joints);
    if (idle.skeleton.size() == walk.skeleton.size()) {
      return make_walk_clips(walk, make_rig(walk, roles), walk.clips[0], &idle.clips[0]);
    }
  }
  return make_walk_clips(walk, make_rig(walk, roles), walk.clips[0], nullptr);
}

struct Row {
  FrameCost cost;
  double wall = 0;  // ms of a frame of all
};

Row measure(const std::shared_ptr<const WalkClips>& clips, std::shared_ptr<const Ground> ground,
            Solver solver, int count, double seconds) {
  Stage stage(ground);
  std::vector<WalkCost> costs(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const WalkerStart start{.x = 0.3 * (i % 32), .y = -4 + 0.25 * (i / 32), .heading = 0.01 * i};
    Plan plan;
    plan.kind = Plan::Kind::steered;
    plan.steering.turn = 0.2;
    std::unique_ptr<Walker> walker;
    if (solver == Solver::adaptive) {
      walker = make_adaptive_walker(clips, *ground, start);
    } else {
      walker = make_thesis_walker(clips, *ground, start);
    }
    stage.add("walker " + std::to_string(i), std::move(walker), plan);
  }
  constexpr double dt = 1.0 / 60;
  for (int k = 0; k < 120; ++k) stage.advance(dt, 0);
  Row row;
  // on all threads first, without clocks in between
  const int frames = std::max(3, std::min(600, static_cast<int>(60 * seconds)) / count);
  std::vector<double> walls;
  for (int k = 0; k < std::max(frames, 20); ++k) {
    const double start = wall_seconds();
    stage.advance(dt, 0);
    walls.push_back(1e3 * (wall_seconds() - start));
  }
  std::sort(walls.begin(), walls.end());
  // the baseline works every other frame only
  row.wall = 0.5 * (walls[walls.size() / 4] + walls[3 * walls.size() / 4]);
  for (int i = 0; i < count; ++i) stage.walker(i).measure(&costs[static_cast<std::size_t>(i)]);
  for (int k = 0; k < frames; ++k) stage.advance(dt, 1);
  WalkCost sum;
  for (const WalkCost& c : costs) {
    sum.sampling += c.sampling, sum.trajectories += c.trajectories;
    sum.inverse_kinematics += c.inverse_kinematics, sum.matrices += c.matrices;
    sum.frames += c.frames;
  }
  row.cost = frame_cost(sum);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 10;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else {
      words.emplace_back(argv[i]);
    }
  }
  if (words.empty()) {
    std::fprintf(stderr, "usage: molejo_bench_navigation SCENES CHARACTER... [--seconds S]\n");
    return 2;
  }
  const std::string scenes = words[0];
  words[0] = scenes + "/walks/stick_walk.bvh";
  std::printf("Walkers: microseconds per character and frame on one core\n");
  double most = 0, thousand = 0;
  for (const std::string& file : words) {
    if (!std::filesystem::exists(file)) {
      std::printf("\nskipped: %s is not installed\n", file.c_str());
      continue;
    }
    const auto clips = clips_of(file, 50);
    for (const std::string terrain : {"hills", "rough"}) {
      const auto ground = std::make_shared<const Ground>(ground_of(
          load_terrains(SourceFile::given(scenes + "/terrains/" + terrain + ".terrain.json"))));
      std::printf("\n%s, %d joints, %s\n\n", std::filesystem::path(file).filename().c_str(),
                  clips->rig.skeleton.size(), terrain.c_str());
      std::printf(
          "| solver           | characters | sampling, blending | trajectories |   IK | matrices |"
          "   all | all threads, ms per frame |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
      for (const Solver solver : {Solver::adaptive, Solver::gradient_descent}) {
        for (const int count : {1, 10, 100, 1000}) {
          const Row r = measure(clips, ground, solver, count, seconds);
          std::printf("| %-16s | %10d | %18.2f | %12.2f | %4.1f | %8.2f | %5.1f | %25.3f |\n",
                      solver == Solver::adaptive ? "adaptive" : "gradient_descent", count,
                      r.cost.sampling, r.cost.trajectories, r.cost.inverse_kinematics,
                      r.cost.matrices, r.cost.sum(), r.wall);
          if (solver != Solver::adaptive) continue;
          most = std::max(most, r.cost.sum());
          if (count == 1000) thousand = std::max(thousand, r.wall);
        }
      }
    }
  }
  std::printf("\nmost of all, adaptive: %.1f us a character and frame (goal 30; the thesis 1160)\n",
              most);
  std::printf("1000 characters, adaptive: %.1f ms a frame, %.0f frames a second (goal 60)\n",
              thousand, 1e3 / thousand);
}

#include "tests/hashes/witness.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "molejo/director/director.h"
#include "molejo/io/character_file.h"
#include "molejo/io/load.h"
#include "molejo/io/motion.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/io/show.h"
#include "molejo/io/terrain.h"
#include "molejo/io/training_state.h"
#include "molejo/io/walk_scene.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/math/parallel.h"
#include "molejo/motion/sampler.h"
#include "molejo/navigation/track.h"
#include "molejo/physics/world.h"
#include "tests/hashes/bits.h"
#include "tests/support/characters.h"
#include "tests/support/places.h"

namespace molejo::test {

namespace {

std::uint64_t run_scene(const std::string& path, double seconds, int threads) {
  Scene scene = load_scene(SourceFile::given(path));
  scene.settings.duration = seconds;
  scene.settings.threads = threads;
  const Summary summary = simulate(build(scene), scene.settings).summary;
  if (!summary.failure.empty()) throw std::runtime_error(summary.failure);
  // the end of the chain whips: a scene to see a warning in
  if (summary.warnings.empty() == path.ends_with("/chain.json")) {
    throw std::runtime_error(path + (summary.warnings.empty() ? ": no" : ": a") + " warning");
  }
  return summary.hash;
}

std::uint64_t run_gait(const std::string& path, double seconds) {
  const GaitFile file = load_gait(SourceFile::given(path));
  const Character character = make_character(file.motion.scene, file.motion.motion.figure);
  const GaitProblem problem(character, file.motion.motion);
  BetweenCycles between;
  if (file.feedback) between = feedback_hook(problem, file.unknowns, file.feedback->feedback);
  ReplayOptions options;
  options.seconds = seconds;
  Bits bits;
  bits.add(replay(problem, file.unknowns, options, between).recording);
  return bits.value();
}

// The first generation of its training.
std::uint64_t train_motion(const std::string& path, int threads) {
  const MotionFile file = load_motion(SourceFile::given(path));
  const Character character = make_character(file.scene, file.motion.figure);
  const GaitProblem problem(character, file.motion);
  ThreadEvaluator evaluator(evaluation(problem, thread_count(threads)), threads);
  Training training(problem, evaluator, 1);
  training.advance();
  Bits bits;
  bits.add(training_text({hash(file), 0, training.state()}));
  return bits.value();
}

std::uint64_t direct_show(const std::string& path, const std::string& seconds) {
  const Show show = load_show(SourceFile::given(path));
  DirectSettings settings;
  settings.duration = parse_fraction(seconds);
  settings.skeletons = true;
  const Directed directed = direct(show, settings);
  Bits bits;
  bits.add(directed.recording);
  bits.add(trace_csv(show.net, directed.trace, false));
  for (const ShownWalker& walker : directed.walkers) {
    for (const motion::SkeletonPose& pose : walker.poses) bits.add(pose);
  }
  return bits.value();
}

std::uint64_t walk(const std::string& path, double seconds, int threads) {
  const WalkScene scene = load_walk_scene(SourceFile::given(path));
  navigation::Stage stage = make_stage(scene);
  const auto frames = static_cast<int>(seconds * scene.fps);
  const navigation::WalkRecord record =
      navigation::run(stage, {.fps = scene.fps, .frames = frames, .threads = threads});
  Bits bits;
  for (const navigation::CharacterTrack& track : record.characters) {
    for (const navigation::TrackFrame& frame : track.frames) {
      bits.add(frame.position), bits.add(frame.heading), bits.add(frame.pose);
    }
  }
  return bits.value();
}

std::uint64_t run_net(const std::string& path, double seconds, int threads) {
  const Net net = load_net(SourceFile::given(path));
  const NetTrace trace =
      play(net, {.most_firings_at_once = 10'000}, static_cast<std::int64_t>(24 * seconds));
  const Analysis analysis = analyse(
      net, {.space = {.max_states = 5'000, .threads = threads},
            .timed = {.max_states = 1'000},
            .structure = {.rows = 500, .cells = 50'000, .siphons = 50, .siphon_steps = 5'000}});
  Bits bits;
  bits.add(trace_csv(net, trace, false));
  bits.add(compact_text(analysis_json(net, analysis), std::string::npos));
  return bits.value();
}

std::uint64_t sample_clips(const std::string& path) {
  const motion::Character character = load_character(SourceFile::given(path));
  Bits bits;
  for (const motion::Clip& clip : character.clips) {
    const motion::ClipSampler sampler(character.skeleton, clip);
    motion::ClipCursor cursor = sampler.cursor();
    motion::SkeletonPose pose(character.skeleton);
    for (int k = 0; k <= 50; ++k) {
      sampler.sample(clip.start() + clip.duration() * k / 50, cursor, pose);
      bits.add(pose);
    }
  }
  return bits.value();
}

std::uint64_t sample_terrain(const std::string& path) {
  const motion::Ground ground = ground_of(load_terrains(SourceFile::given(path)));
  Bits bits;
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) {
      if (const auto point = ground.at(0.37 * i, 0.29 * j)) bits.add(point->height);
    }
  }
  return bits.value();
}

bool ends(const std::string& file, std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    if (file.ends_with(ending)) return true;
  }
  return false;
}

bool is_scene(const std::string& file) {
  return !std::filesystem::path(file).stem().has_extension() &&
         ends(file, {".json", ".cfg", ".urdf", ".xml", ".dat"});
}

std::uint64_t number(const std::string& file, const std::string& seconds, int threads) {
  const std::string path = source_dir() + "/scenes/" + file;
  if (ends(file, {".motion.json"})) return train_motion(path, threads);
  if (ends(file, {".bvh"})) return sample_clips(path);
  if (ends(file, {".terrain.json"})) return sample_terrain(path);
  if (ends(file, {".show.json"})) return direct_show(path, seconds);
  const double duration = std::stod(seconds);
  if (ends(file, {".gait.json"})) return run_gait(path, duration);
  if (ends(file, {".walk.json"})) return walk(path, duration, threads);
  if (ends(file, {".net.json", ".pn", ".pnml"})) return run_net(path, duration, threads);
  return run_scene(path, duration, threads);
}

}  // namespace

std::string topic(const std::string& file) {
  if (is_scene(file)) return "scenes";
  if (ends(file, {".gait.json", ".motion.json"})) return "locomotion";
  if (ends(file, {".show.json"})) return "shows";
  if (ends(file, {".walk.json", ".bvh", ".terrain.json"})) return "walks";
  if (ends(file, {".net.json", ".pn", ".pnml"})) return "nets";
  return "";
}

std::set<std::string> witnessed_files() {
  const std::filesystem::path scenes = source_dir() + "/scenes";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
    const std::string file = entry.path().lexically_relative(scenes).generic_string();
    if (!topic(file).empty()) files.insert(file);
  }
  return files;
}

bool can_run(const std::string& file) {
  return file.find("walks/demo_") == std::string::npos ||
         !installed_clip("viverse/walk.glb").empty();
}

std::string witness(const std::string& file, const std::string& seconds, int threads) {
  return fmt::format("{:016x}", number(file, seconds, threads));
}

}  // namespace molejo::test

// molejo track: clips made physical.
#include "apps/cli/track.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/numbers.h"
#include "apps/cli/outputs.h"
#include "molejo/io/character_file.h"
#include "molejo/io/file.h"
#include "molejo/io/json_document.h"
#include "molejo/io/walk_actor.h"
#include "molejo/math/angles.h"
#include "molejo/math/clock.h"
#include "molejo/model/error.h"
#include "molejo/tracking/physical_clip.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;
using tracking::ClipTracker;
using tracking::PhysicalClip;
using tracking::PhysicalClipSettings;

constexpr std::size_t most_files = 1000;

// A clip of a file, and what it shall be called.
struct Wish {
  std::string file, name;
  std::shared_ptr<const motion::Character> source;
  const motion::Clip* clip = nullptr;
};

std::vector<std::string> files_of(const std::vector<std::string>& given_words) {
  std::vector<std::string> files;
  for (const std::string& word : given_words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(word, error)) {
      if (is_character_file(entry.path().string())) found.push_back(entry.path().string());
    }
    if (found.empty()) throw InputError(word + ": holds no .glb .gltf .vrm or .bvh");
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.size() > most_files) {
    throw InputError(fmt::format("{} files, expected {} at most", files.size(), most_files));
  }
  return files;
}

// Called like its clip; alone in its file, like that.
std::vector<Wish> wishes_of(const TrackOptions& o) {
  std::vector<Wish> wishes;
  for (const std::string& file : files_of(o.clips)) {
    const auto source = std::make_shared<const motion::Character>(load_character(given(file)));
    for (const motion::Clip& clip : source->clips) {
      const bool wanted = o.clip.empty() || source->find_clip(o.clip) ==
                                                static_cast<int>(&clip - source->clips.data());
      if (!wanted) continue;
      wishes.push_back({file,
                        source->clips.size() == 1 ? fs::path(file).stem().string() : clip.name,
                        source, &clip});
    }
  }
  if (wishes.empty()) {
    throw InputError(o.clip.empty() ? o.clips.front() + ": holds no clip"
                                    : fmt::format("--clip: no clip is called '{:.64}'", o.clip));
  }
  return wishes;
}

PhysicalClipSettings settings_of(const TrackOptions& o) {
  PhysicalClipSettings s;
  if (o.loop && o.once) throw InputError("--loop and --once: only one of them");
  if (o.loop || o.once) s.loops = o.loop;
  s.speed = number("--speed", o.speed, {0, 20, "m/s"});
  s.rounds = static_cast<int>(whole("--rounds", o.rounds, {1, 1000, "rounds"}).value_or(s.rounds));
  tracking::SearchSettings& search = s.track.search;
  search.candidates = static_cast<int>(
      whole("--candidates", o.candidates, {4, 100'000, "candidates"}).value_or(200));
  search.survivors = std::max(2, search.candidates * 3 / 20);
  search.seed = static_cast<std::uint64_t>(whole("--seed", o.seed, bounds_of::seed).value_or(1));
  search.threads =
      static_cast<int>(whole("--threads", o.threads, {0, 1024, "threads"}).value_or(0));
  s.track.seconds =
      number("--seconds", o.seconds, {0.1, 3600, "seconds"}).value_or(s.track.seconds);
  s.fps = number("--fps", o.fps, {1, 1000, "frames per second"}).value_or(s.fps);
  s.ragdoll.mass = number("--mass", o.mass, {0.001, 1e6, "kilograms"}).value_or(0);
  return s;
}

// "walk: round 2 of 8, stood 60 s" on one line of a terminal, or a line each.
class RoundLine {
 public:
  explicit RoundLine(bool quiet) : quiet_(quiet) {}
  void tell(const std::string& name, const ClipTracker& tracker) {
    if (quiet_) return;
    const std::string text =
        fmt::format("{}: round {} of {} at most, stood {:.1f} s{}, {:.0f} s so far", name,
                    tracker.rounds(), tracker.most_rounds(), tracker.stood(),
                    tracker.steady() ? ", goes on by itself" : "", seconds_since(start_));
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K  " : "", text, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void tell_pushes(const std::string& name) {
    if (quiet_) return;
    fmt::print(stderr, "{}{}: pushing it, which takes minutes{}", terminal_ ? "\r\x1b[K  " : "",
               name, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void clear() {
    if (terminal_ && !quiet_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool quiet_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// How many pushes the character survived: by its policy alone, and by looking ahead.
struct Pushes {
  int count = 0, alone = 0, looking_ahead = 0;
};

struct Made {
  PhysicalClip clip;
  std::optional<Pushes> pushes;  // none where no policy stands by itself
};

Pushes push(const ClipTracker& tracker, double impulse, int threads) {
  tracking::PushTest test;
  test.impulse = impulse;
  const auto stood = [&] {
    const std::vector<tracking::PushOutcome> outcomes = tracker.pushed(test);
    return static_cast<int>(std::count_if(outcomes.begin(), outcomes.end(),
                                          [](const tracking::PushOutcome& o) { return o.stood; }));
  };
  Pushes pushes;
  pushes.count = test.directions * test.moments;
  pushes.alone = stood();
  test.beam = tracking::usual_beam();
  test.beam->search.threads = threads;
  pushes.looking_ahead = stood();
  return pushes;
}

Made make_physical(const motion::Character& character, const motion::Roles& roles, const Wish& wish,
                   const PhysicalClipSettings& settings, std::optional<double> impulse,
                   RoundLine& line) {
  try {
    const motion::Clip clip = clip_onto(character, roles, *wish.source, wish.file, *wish.clip);
    ClipTracker tracker(character, roles, clip, settings);
    while (tracker.round()) line.tell(wish.name, tracker);
    line.tell(wish.name, tracker);
    Made made{tracker.result(), {}};
    made.clip.clip.name = wish.name;
    if (impulse && tracker.loops() && tracker.steady()) {
      line.tell_pushes(wish.name);
      made.pushes = push(tracker, *impulse, settings.track.search.threads);
    }
    line.clear();
    return made;
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(wish.file) ? text : wish.file + ": " + text);
  }
}

JsonValue json_of(const Made& made) {
  const PhysicalClip& c = made.clip;
  JsonValue root = JsonValue::object();
  root.add("clip", JsonValue(c.clip.name));
  root.add("loops", JsonValue::of(c.loops));
  root.add("stands", JsonValue::of(c.stands));
  root.add("seconds", JsonValue(c.seconds));
  root.add("speed", JsonValue(c.speed));
  root.add("joint_error_deg", JsonValue(c.error / degree));
  root.add("root_error", JsonValue(c.root));
  root.add("peak_force_weights", JsonValue(c.peak_force));
  root.add("reference_moved", JsonValue(c.lifted));
  JsonValue joints = JsonValue::array();
  for (const tracking::JointFigures& j : c.joints) {
    JsonValue joint = JsonValue::object();
    joint.add("joint", JsonValue(j.name));
    joint.add("error_deg", JsonValue(j.error / degree));
    joint.add("peak_torque", JsonValue(j.torque));
    joints.items.push_back(std::move(joint));
  }
  root.add("joints", std::move(joints));
  if (made.pushes) {
    JsonValue pushes = JsonValue::object();
    pushes.add("count", JsonValue(made.pushes->count));
    pushes.add("stood_by_policy", JsonValue(made.pushes->alone));
    pushes.add("stood_looking_ahead", JsonValue(made.pushes->looking_ahead));
    root.add("pushes", std::move(pushes));
  }
  return root;
}

void print_pushes(const std::vector<Made>& clips, double impulse) {
  const tracking::PushTest test;
  fmt::print(
      "pushes of {:g} N s/kg on the trunk for {:g} s, to {} sides at {} moments; survived for {:g} "
      "s\n",
      impulse, test.lasts, test.directions, test.moments, test.after);
  for (const Made& c : clips) {
    if (c.pushes) {
      fmt::print("  {:<20.20} {:>3} of {} by its policy, {} looking ahead\n", c.clip.clip.name,
                 c.pushes->alone, c.pushes->count, c.pushes->looking_ahead);
    } else {
      fmt::print("  {:<20.20} not pushed: no policy goes on by itself\n", c.clip.clip.name);
    }
  }
}

void print_text(const std::vector<Made>& clips) {
  fmt::print("{:<20} {:>5} {:>9} {:>7} {:>8} {:>7} {:>8}\n", "clip", "loop", "stands s", "m/s",
             "joints", "root m", "force mg");
  for (const Made& made : clips) {
    const PhysicalClip& c = made.clip;
    fmt::print("{:<20.20} {:>5} {:>7.1f} {} {:>7.2f} {:>6.1f}\u00b0 {:>8.3f} {:>8.2f}\n",
               c.clip.name, c.loops ? "yes" : "no", c.seconds, c.stands ? ' ' : '!', c.speed,
               c.error / degree, c.root, c.peak_force);
  }
  const auto fell =
      std::count_if(clips.begin(), clips.end(), [](const Made& c) { return !c.clip.stands; });
  if (fell > 0) {
    fmt::print("! {} of {} fall before their end: try more --candidates or --rounds\n", fell,
               clips.size());
  }
}

}  // namespace

CLI::App* add_track(CLI::App& app, TrackOptions& o) {
  CLI::App* command = app.add_subcommand(
      "track", "Make clips physical: the character follows them by muscle and contact alone");
  command
      ->add_option("CLIP", o.clips, "Files with clips (.glb .gltf .vrm .bvh), or folders of them")
      ->type_name("")
      ->expected(0, CLI::detail::expected_max_vector_size);
  command
      ->add_option("--character", o.character,
                   "Character that follows (default: that of the first file)")
      ->type_name("FILE");
  command->add_option("--clip", o.clip, "Use only this clip; the beginning of its name is enough")
      ->type_name("NAME");
  command->add_flag("--loop", o.loop, "Clips are loops (default: where their ends are alike)");
  command->add_flag("--once", o.once, "Clips are played once");
  command
      ->add_option("--speed", o.speed,
                   "Speed of a loop that steps in place, m/s (default: that of its standing feet)")
      ->type_name("NUMBER");
  command->add_option("--mass", o.mass, "Mass of the character, kg (default: by its height)")
      ->type_name("NUMBER");
  command->add_option("--candidates", o.candidates, "Actions tried in each window (default: 200)")
      ->type_name("N");
  command->add_option("--rounds", o.rounds, "Rounds of searching and learning (default: 8)")
      ->type_name("N");
  command->add_option("--seconds", o.seconds, "Motion in each round (default: 60)")
      ->type_name("SECONDS");
  command->add_option("--seed", o.seed, "Seed of the search (default: 1)")->type_name("N");
  command->add_option("--threads", o.threads, "Threads to use (default: all)")->type_name("N");
  command
      ->add_option("--push", o.push,
                   "Push the trunk of loops that go on by themselves, by this impulse in N s/kg, "
                   "and report how many pushes the character survives")
      ->type_name("NUMBER");
  command->add_option("--fps", o.fps, "Keys per second of the clips (default: 60)")
      ->type_name("NUMBER");
  command
      ->add_option("-o,--output", o.outputs,
                   "File to write: .glb, or .bvh for one clip; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", o.json, "Print the figures as one JSON object");
  return command;
}

int track(const TrackOptions& o) {
  const PhysicalClipSettings settings = settings_of(o);
  const std::optional<double> push = number("--push", o.push, {0, 100, "N s/kg"});
  const std::string own = o.character.empty() ? files_of(o.clips).front() : o.character;
  for (const std::string& path : o.outputs) {
    check_output(path, {".glb", ".bvh"}, own);
    for (const std::string& file : files_of(o.clips)) check_output(path, {".glb", ".bvh"}, file);
  }
  motion::Character character = load_character(given(own));
  const motion::Roles roles = motion::find_roles(character.skeleton, motion::bind_pose(character));
  const std::vector<Wish> wishes = wishes_of(o);
  // before any work is done
  const bool bvh = std::any_of(o.outputs.begin(), o.outputs.end(),
                               [](const std::string& path) { return ending(path) == ".bvh"; });
  if (bvh && wishes.size() > 1) {
    throw InputError(fmt::format("a .bvh holds one clip, these are {}", wishes.size()));
  }
  RoundLine line(o.json);
  std::vector<Made> made;
  made.reserve(wishes.size());
  for (const Wish& wish : wishes) {
    made.push_back(make_physical(character, roles, wish, settings, push, line));
  }
  character.clips.clear();
  for (const Made& c : made) character.clips.push_back(c.clip.clip);
  FileSet files;
  for (const std::string& path : o.outputs) files.add(path, character_bytes(path, character));
  files.commit();
  if (o.json) {
    JsonValue root = JsonValue::object();
    JsonValue list = JsonValue::array();
    for (const Made& c : made) list.items.push_back(json_of(c));
    root.add("clips", std::move(list));
    fmt::print("{}", pretty_text(root));
  } else {
    print_text(made);
    if (push) print_pushes(made, *push);
  }
  const bool all =
      std::all_of(made.begin(), made.end(), [](const Made& c) { return c.clip.stands; });
  return all ? success : not_found;
}

}  // namespace molejo::cli

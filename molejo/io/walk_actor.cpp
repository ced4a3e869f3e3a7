#include "molejo/io/walk_actor.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/math/characters.h"
#include "molejo/math/words.h"
#include "molejo/model/error.h"
#include "molejo/motion/retarget.h"

namespace molejo {

namespace {

constexpr const char* walk_solver_names[] = {"adaptive", "gradient_descent"};

std::vector<std::string> clip_names(const motion::Character& c) {
  std::vector<std::string> names;
  for (const motion::Clip& clip : c.clips) names.push_back(clip.name);
  return names;
}

// `purpose` is "walk" or "idle". -1: none, where none was named.
int choose_clip(const motion::Character& c, const std::string& file, const std::string& name,
                const char* purpose) {
  if (!name.empty()) {
    const int found = c.find_clip(name);
    if (found < 0) throw InputError(file + ": " + unknown_word("clip", name, clip_names(c)));
    return found;
  }
  if (c.clips.size() == 1) return 0;
  const std::vector<std::string> names = clip_names(c);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string lower = lower_case(names[i]);
    // "Armature|Walk" and "walking" too
    const std::size_t at = lower.find(purpose);
    if (at == 0 || (at != std::string::npos && lower[at - 1] == '|')) return static_cast<int>(i);
  }
  return -1;
}

// Do two skeletons have the same joints with bones of the same length?
bool same_skeleton(const motion::Character& a, const motion::Character& b) {
  if (a.skeleton.size() != b.skeleton.size()) return false;
  const motion::SkeletonPose p = motion::bind_pose(a), q = motion::bind_pose(b);
  for (int j = 0; j < a.skeleton.size(); ++j) {
    if (a.skeleton[j].name != b.skeleton[j].name || a.skeleton[j].parent != b.skeleton[j].parent) {
      return false;
    }
    const double l = norm(p.translation(j)), m = norm(q.translation(j));
    const bool root = a.skeleton[j].parent <= 0;
    if (!root && std::fabs(l - m) > 0.01 * std::fmax(l, m) + 1e-9) return false;
  }
  return true;
}

}  // namespace

motion::Clip clip_onto(const motion::Character& target, const motion::Roles& roles,
                       const motion::Character& source, const std::string& source_file,
                       const motion::Clip& clip) {
  if (&source == &target || same_skeleton(source, target)) return clip;
  const motion::SkeletonPose from = motion::bind_pose(source), to = motion::bind_pose(target);
  const motion::Roles source_roles = motion::find_roles(source.skeleton, from);
  if (source_roles[motion::Role::hips] < 0) {
    throw InputError(source_file +
                     ": has other joints than the character, and no hips are found among them");
  }
  motion::Retarget retarget({source.skeleton, from, source_roles}, {target.skeleton, to, roles});
  return retarget.apply(clip);
}

const char* to_string(navigation::Solver solver) {
  return walk_solver_names[static_cast<std::size_t>(solver)];
}

std::optional<navigation::Solver> parse_solver(std::string_view word) {
  if (word == walk_solver_names[0]) return navigation::Solver::adaptive;
  if (word == walk_solver_names[1]) return navigation::Solver::gradient_descent;
  return std::nullopt;
}

std::vector<std::string> solver_words() {
  return {std::begin(walk_solver_names), std::end(walk_solver_names)};
}

WalkCast::CharacterPtr WalkCast::load(const SourceFile& file) {
  const std::string& name = file.name();
  const auto found = files_.find(name);
  if (found != files_.end()) return found->second;
  if (files_.size() >= max_walk_files) {
    throw InputError(fmt::format("{}: more than {} files", name, max_walk_files));
  }
  if (!loader_ && name.find("node_modules/.molejo-clips") != std::string::npos && !file.exists()) {
    throw InputError(name + ": is not installed; run scripts/install_deps --test");
  }
  return files_[name] = std::make_shared<const motion::Character>(loader_ ? loader_(file)
                                                                          : load_character(file));
}

std::optional<motion::Clip> WalkCast::take(const motion::Character& target,
                                           const motion::Roles& roles, const SourceFile& file,
                                           const std::string& name, const char* purpose) {
  const CharacterPtr source = load(file);
  const int index = choose_clip(*source, file.name(), name, purpose);
  if (index < 0) return std::nullopt;
  return clip_onto(target, roles, *source, file.name(),
                   source->clips[static_cast<std::size_t>(index)]);
}

std::shared_ptr<const navigation::WalkClips> WalkCast::make_ready(const WalkSources& s,
                                                                  const motion::Character& c) {
  const auto file_of = [&s](const ClipSource& clip) {
    return clip.file.name().empty() ? s.character : clip.file;
  };
  const motion::Roles roles =
      motion::find_roles(c.skeleton, motion::bind_pose(c),
                         s.roles ? s.roles(c.skeleton) : std::map<motion::Role, int>{});
  const SourceFile walk_file = file_of(s.walk);
  const std::optional<motion::Clip> walk = take(c, roles, walk_file, s.walk.clip, "walk");
  if (!walk) {
    const std::vector<std::string> names = clip_names(*load(walk_file));
    throw InputError(names.empty()
                         ? walk_file.name() + ": holds no clip; give a walk from another file"
                         : fmt::format("{}: which of {} clips is the walk? '{}', '{}', ...",
                                       walk_file.name(), names.size(), names[0], names.back()));
  }
  std::optional<motion::Clip> idle;
  if (s.idle) {
    const SourceFile idle_file = file_of(*s.idle);
    idle = take(c, roles, idle_file, s.idle->clip, "idle");
    if (!idle) throw InputError(idle_file.name() + ": which of its clips is the idle?");
  } else if (c.clips.size() > 1 && c.find_clip("idle") >= 0) {
    idle = take(c, roles, s.character, "idle", "idle");
  }
  try {
    const std::vector<navigation::LegChoice> legs =
        s.legs ? s.legs(c.skeleton) : std::vector<navigation::LegChoice>{};
    return navigation::make_walk_clips(c, navigation::make_rig(c, roles, legs), *walk,
                                       idle ? &*idle : nullptr);
  } catch (const InputError& e) {
    const std::string text = e.what();
    const std::string& name = s.character.name();
    throw InputError(text.starts_with(name) ? text : name + ": " + text);
  }
}

void WalkCast::fill(const WalkSources& s, WalkActor& actor) {
  actor.character = load(s.character);
  const ClipSource idle = s.idle.value_or(ClipSource{});
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", s.character.name(), s.walk.file.name(), s.walk.clip,
                  s.idle.has_value(), idle.file.name(), idle.clip, s.key);
  const auto known = clips_.find(key);
  actor.clips = known != clips_.end() ? known->second : make_ready(s, *actor.character);
  clips_[key] = actor.clips;
  actor.start.scale = navigation::usual_scale(actor.clips->rig.leg_length);
}

std::unique_ptr<navigation::Walker> make_walker(const WalkActor& actor,
                                                const navigation::Ground& ground) {
  return actor.solver == navigation::Solver::adaptive
             ? make_adaptive_walker(actor.clips, ground, actor.start, actor.adaptive)
             : make_thesis_walker(actor.clips, ground, actor.start, actor.thesis);
}

}  // namespace molejo

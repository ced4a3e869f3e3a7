#include "apps/cli/character.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/numbers.h"
#include "apps/cli/outputs.h"
#include "molejo/io/character_file.h"
#include "molejo/io/character_report.h"
#include "molejo/io/file.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/mirror.h"
#include "molejo/motion/retarget.h"
#include "molejo/motion/root_motion.h"

namespace molejo::cli {

namespace {

double frames_per_second(const char* option, const std::optional<std::string>& text) {
  return number(option, text, {1, 1000, "frames per second"}).value_or(60);
}

// A character with its roles, from a file and from what the user says.
struct Known {
  motion::Character character;
  motion::SkeletonPose reference;
  motion::Roles roles;
};

Known know(const std::string& file, const CharacterOptions* options) {
  Known k{load_character(given(file)), {}, {}};
  k.reference = motion::bind_pose(k.character);
  std::map<motion::Role, int> given;
  if (options && !options->roles_file.empty()) {
    given = parse_role_choices(read_file(options->roles_file), options->roles_file,
                               k.character.skeleton);
  }
  if (options) {
    for (const std::string& text : options->roles) {
      given.insert_or_assign(parse_role_choice(text, k.character.skeleton).first,
                             parse_role_choice(text, k.character.skeleton).second);
    }
  }
  k.roles = motion::find_roles(k.character.skeleton, k.reference, given);
  return k;
}

void keep_clip(motion::Character& character, const std::string& name) {
  if (name.empty()) return;
  const int index = character.find_clip(name);
  if (index < 0) {
    std::vector<std::string> names;
    for (const motion::Clip& clip : character.clips) names.push_back(clip.name);
    throw InputError("--clip: " + unknown_word("clip", name, names));
  }
  motion::Clip clip = character.clips[static_cast<std::size_t>(index)];
  character.clips = {std::move(clip)};
}

// The clips of `source` on the character of another file.
Known put_onto(const Known& source, const std::string& file) {
  Known target = know(file, nullptr);
  if (source.roles[motion::Role::hips] < 0 || target.roles[motion::Role::hips] < 0) {
    throw InputError(fmt::format("{}: --onto needs hips in both characters; see --role", file));
  }
  motion::Retarget retarget({source.character.skeleton, source.reference, source.roles},
                            {target.character.skeleton, target.reference, target.roles});
  target.character.clips.clear();
  for (const motion::Clip& clip : source.character.clips) {
    target.character.clips.push_back(retarget.apply(clip));
  }
  return target;
}

void change_clips(Known& k, const CharacterOptions& options) {
  if ((options.mirror || options.in_place) && k.roles[motion::Role::hips] < 0) {
    throw InputError("--mirror and --in-place need to know the hips; see --role");
  }
  const motion::Skeleton& skeleton = k.character.skeleton;
  for (motion::Clip& clip : k.character.clips) {
    clip = motion::starting_at_zero(std::move(clip));
    if (options.mirror) clip = motion::Mirror(skeleton, k.reference, k.roles).apply(clip);
    if (options.in_place) clip = extract_root_motion(skeleton, k.roles, clip).clip;
    if (options.resample) {
      clip = motion::resampled(skeleton, clip, frames_per_second("--resample", options.resample));
    }
  }
}

}  // namespace

CLI::App* add_character(CLI::App& app, CharacterOptions& o) {
  CLI::App* command = app.add_subcommand(
      "character",
      "Show the skeleton, roles, clips and skins of an animated character; edit its clips");
  command->add_option("FILE", o.file, "Character: .glb .gltf .vrm .bvh")->type_name("");
  command->add_option("--clip", o.clip, "Use only this clip; the beginning of its name is enough")
      ->type_name("NAME");
  command
      ->add_option("--role", o.roles,
                   "Give a role to a joint; ROLE= leaves it without one; may be repeated")
      ->type_name("ROLE=JOINT")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--roles", o.roles_file, "File with roles: .json")->type_name("FILE");
  command->add_option("--onto", o.onto, "Transfer the clips to another character")
      ->type_name("FILE");
  command->add_flag("--mirror", o.mirror, "Swap left and right");
  command->add_flag("--in-place", o.in_place, "Remove the motion over the ground");
  command->add_option("--resample", o.resample, "Place keys at even times")->type_name("FPS");
  command->add_option("--fps", o.fps, "Frames per second of a .bvh (default: 60)")
      ->type_name("NUMBER");
  command
      ->add_option("-o,--output", o.outputs,
                   "File to write: .glb, or .bvh for one clip; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", o.json, "Print the description as one JSON object");
  return command;
}

int character(const CharacterOptions& o) {
  for (const std::string& path : o.outputs) check_output(path, {".glb", ".bvh"}, o.file);
  const BvhOptions bvh{frames_per_second("--fps", o.fps)};
  Known k = know(o.file, &o);
  keep_clip(k.character, o.clip);
  if (!o.onto.empty()) k = put_onto(k, o.onto);
  const bool changed = o.mirror || o.in_place || o.resample || !o.outputs.empty();
  if (changed) change_clips(k, o);
  FileSet files;
  for (const std::string& path : o.outputs) {
    files.add(path, character_bytes(path, k.character, bvh));
  }
  files.commit();
  fmt::print("{}", o.json ? pretty_text(character_json(k.character, k.roles))
                          : character_text(k.character, k.roles));
  return success;
}

}  // namespace molejo::cli

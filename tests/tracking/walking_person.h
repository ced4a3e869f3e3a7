// The person that the project made of formulas, as a body that can follow its own walk.
#pragma once

#include <memory>
#include <optional>

#include "molejo/navigation/walk_clips.h"
#include "molejo/tracking/tracked_body.h"
#include "tests/support/made_walks.h"

namespace molejo::test {

struct WalkingPerson {
  WalkingPerson() : character(made_stick_walk()) {
    const motion::Roles roles =
        motion::find_roles(character.skeleton, motion::bind_pose(character));
    clips = navigation::make_walk_clips(character, navigation::make_rig(character, roles),
                                        character.clips.at(0), nullptr);
    ragdoll = navigation::make_ragdoll(*clips, character, 1);
    body = tracking::make_tracked_body(ragdoll);
    map.emplace(ragdoll, clips->rig, body.model);
  }
  WalkingPerson(const WalkingPerson&) = delete;

  motion::Character character;
  std::shared_ptr<const navigation::WalkClips> clips;
  navigation::Ragdoll ragdoll;
  tracking::TrackedBody body;
  std::optional<tracking::RagdollMap> map;
};

}  // namespace molejo::test

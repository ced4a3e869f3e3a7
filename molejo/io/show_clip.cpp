// Clips of character files behind places.
#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/character_file.h"
#include "molejo/io/json_place.h"
#include "molejo/io/show_parts.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double shortest_loop = 1e-3, longest_fade = 1e6;  // s
constexpr double fastest = 1000;

std::string comma_separated(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

int choose_clip(const JsonCursor& at, const motion::Character& character) {
  std::vector<std::string> names;
  for (const motion::Clip& clip : character.clips) names.push_back(clip.name);
  if (names.empty()) at.need("file").fail("holds no clip");
  if (const auto clip = at.find("clip")) {
    const int found = character.find_clip(clip->text());
    if (found < 0) clip->fail(unknown_word("clip", clip->text(), names));
    return found;
  }
  if (names.size() > 1) {
    at.fail(fmt::format("which of {} clips? give \"clip\", such as '{}'", names.size(), names[0]));
  }
  return 0;
}

}  // namespace

std::shared_ptr<const ClipData> ActionReader::clip(const JsonCursor& at) {
  const JsonCursor named = at.need("file");
  const SourceFile file = file_beside(named);
  auto known = clip_files_.find(file.name());
  if (known == clip_files_.end()) {
    known =
        clip_files_.emplace(file.name(), placed(named, [&] { return load_character(file); })).first;
  }
  const int which = choose_clip(at, known->second);
  std::shared_ptr<const ClipData>& data = clips_[{file.name(), which}];
  if (!data) data = std::make_shared<const ClipData>(known->second, which);
  return data;
}

// Those of "limbs", or all whose names say what they are.
void ActionReader::choose_limbs(const JsonCursor& at, ClipMotion& action) const {
  const Figure& f = bodies_.figures[molejo::at(action.figure)];
  if (const auto limbs = at.find("limbs")) {
    action.whole = false;
    limbs->expect_array(100);
    for (std::size_t i = 0; i < limbs->size(); ++i) {
      const int chosen = limb((*limbs)[i], action.figure);
      const auto source = clip_limb(f.limbs[molejo::at(chosen)].name);
      if (!source) (*limbs)[i].fail("expected a limb called left or right, arm or leg");
      for (const ClipMotion::Part& part : action.parts) {
        if (part.source == *source) (*limbs)[i].fail("is there twice");
      }
      action.parts.push_back({chosen, *source});
    }
    if (action.parts.empty()) limbs->fail("expected one limb or more");
  } else {
    for (std::size_t i = 0; i < f.limbs.size(); ++i) {
      const auto source = clip_limb(f.limbs[i].name);
      if (source) action.parts.push_back({static_cast<int>(i), *source});
    }
    if (action.parts.empty()) {
      at.fail(fmt::format(
          "'{}' has no limb of ball, hinge and ball called left or right, arm or leg", f.name));
    }
  }
  std::vector<std::string> missing;
  for (const ClipMotion::Part& part : action.parts) {
    for (const std::string& role : action.clip->missing(part.source)) {
      if (std::find(missing.begin(), missing.end(), role) == missing.end()) missing.push_back(role);
    }
  }
  if (!missing.empty()) {
    at.need("file").fail(
        fmt::format("no joint of its skeleton is found to be {}; \"limbs\" plays only some",
                    comma_separated(missing)));
  }
}

Action ActionReader::read_clip(const JsonCursor& at, int actor, double delay) {
  const std::vector<std::string> keys{"do",   "actor", "file",   "clip",     "limbs",    "loop",
                                      "rate", "fit",   "travel", "blend_in", "blend_out"};
  at.expect_keys(keys);
  ClipMotion action;
  action.figure = acting(at, actor);
  action.clip = clip(at);
  if (!action.clip->is_bounded()) {
    at.need("file").fail("this clip moves its hips or feet further than 1e6 from the origin");
  }
  choose_limbs(at, action);
  at.read("loop", action.loop);
  at.read("travel", action.travel);
  at.read("fit", action.fit);
  at.read_between("rate", -fastest, fastest, action.rate);
  at.read_between("blend_in", 0, longest_fade, action.blend_in);
  at.read_between("blend_out", 0, longest_fade, action.blend_out);
  if (action.fit && (action.loop || at.has("rate"))) {
    at.need("fit").fail("a clip that is fitted into the delay has no loop and no rate");
  }
  if (!(delay > 0)) {
    if (action.fit) at.need("fit").fail("needs a delay of its place");
    if (action.blend_out > 0) at.need("blend_out").fail("needs a delay of its place");
  }
  if (action.loop && !(action.clip->duration() >= shortest_loop)) {
    at.need("loop").fail(
        fmt::format("the clip lasts {:g} s: too short to be looped", action.clip->duration()));
  }
  if (action.travel && !action.whole) {
    at.need("travel").fail("limbs alone do not travel; leave \"limbs\" out");
  }
  return action;
}

}  // namespace molejo

// Animations of glTF as clips: keys that cannot be used are left out, and that is told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/io/gltf_character.h"
#include "molejo/io/unique_names.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using motion::Channel;
using motion::Track;

bool is_bounded(double x) { return std::fabs(x) < 1e30; }

class AnimationReader {
 public:
  AnimationReader(Gltf& gltf, const motion::Skeleton& skeleton,
                  const std::vector<int>& joint_of_node, Problems& problems)
      : gltf_(gltf), skeleton_(skeleton), joint_of_node_(joint_of_node), problems_(problems) {}

  motion::Clip read(const JsonValue& json, std::size_t number) {
    clip_ = {};
    times_of_.clear();
    seen_.clear();
    clip_.name = clean_name(gltf_.text(json, "name"));
    if (clip_.name.empty()) clip_.name = fmt::format("clip_{}", number + 1);
    const std::vector<JsonValue>& samplers = gltf_.list(json, "samplers");
    for (const JsonValue& channel : gltf_.list(json, "channels")) {
      try {
        read_channel(channel, samplers);
      } catch (const InputError& error) {
        problems_.add(fmt::format("a channel is left out: {}", error.what()));
      }
    }
    return std::move(clip_);
  }

 private:
  void read_channel(const JsonValue& json, const std::vector<JsonValue>& samplers) {
    const JsonValue* target = json.find("target");
    if (!target) gltf_.fail(json, "'target' is missing");
    gltf_.expect_object(*target);
    const std::string path = gltf_.text(*target, "path");
    if (path == "weights" || path == "pointer") {
      problems_.add(fmt::format("clip '{}' has channels of '{}': left out", clip_.name, path));
      return;
    }
    if (!target->find("node")) return;  // the standard wants it passed over
    const int node = gltf_.need_index(*target, "node", joint_of_node_.size());
    const std::string paths[] = {"translation", "rotation", "scale"};
    const auto which = std::find(std::begin(paths), std::end(paths), path) - std::begin(paths);
    if (which == 3) gltf_.fail(*target, unknown_word("path", path, paths));
    Track track;
    track.joint = joint_of_node_[at(node)];
    track.channel = static_cast<Channel>(which);
    if (!seen_.insert({track.joint, static_cast<int>(which)}).second) {
      problems_.add(fmt::format("clip '{}' moves a joint twice: the first stays", clip_.name));
      return;
    }
    const JsonValue& sampler = samplers[at(gltf_.need_index(json, "sampler", samplers.size()))];
    gltf_.expect_object(sampler);
    track.interpolation = interpolation(sampler);
    if (read_keys(sampler, track)) clip_.tracks.push_back(std::move(track));
  }

  motion::Interpolation interpolation(const JsonValue& sampler) {
    const std::string word = gltf_.text(sampler, "interpolation");
    if (word.empty() || word == "LINEAR") return motion::Interpolation::linear;
    if (word == "STEP") return motion::Interpolation::step;
    if (word == "CUBICSPLINE") return motion::Interpolation::cubic_spline;
    const std::string known[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    problems_.add(unknown_word("interpolation", word.substr(0, 40), known) + ", LINEAR is taken");
    return motion::Interpolation::linear;
  }

  bool read_keys(const JsonValue& sampler, Track& track) {
    const std::size_t accessors = gltf_.list("accessors").size();
    const int input = gltf_.need_index(sampler, "input", accessors);
    const int output = gltf_.need_index(sampler, "output", accessors);
    auto known = inputs_.find(input);
    if (known == inputs_.end()) {
      known = inputs_.emplace(input, gltf_.accessor(input, 1).values).first;
    }
    const std::vector<double>& times = known->second;
    const auto width = static_cast<std::size_t>(motion::width(track.channel));
    const Gltf::Numbers values = gltf_.accessor(output, static_cast<int>(width));
    const std::size_t per_key = track.interpolation == motion::Interpolation::cubic_spline ? 3 : 1;
    const std::size_t keys = std::min(times.size(), values.count / per_key);
    if (keys < times.size() || keys * per_key < values.count) {
      problems_.add(fmt::format("clip '{}' has samplers with more times than values or the reverse",
                                clip_.name));
    }
    std::vector<double> kept;
    const std::size_t numbers = per_key * width;
    for (std::size_t k = 0; k < keys; ++k) {
      const double* v = values.values.data() + k * numbers;
      if (usable(times[k], kept, v, numbers)) {
        kept.push_back(times[k]);
        append(v, width, per_key, track);
      }
    }
    if (kept.empty()) {
      problems_.add(fmt::format("clip '{}' has channels without a key: left out", clip_.name));
      return false;
    }
    if (kept.size() < keys) {
      problems_.add(
          fmt::format("clip '{}' has keys out of order or without a number: left out", clip_.name));
    }
    share_times(input, std::move(kept), keys == times.size(), track);
    return true;
  }

  static bool usable(double t, const std::vector<double>& kept, const double* v, std::size_t n) {
    return is_bounded(t) && (kept.empty() || t > kept.back()) && std::all_of(v, v + n, is_bounded);
  }

  // x, y, z, w become w, x, y, z; rotations of no length repeat the one before, the first one
  // rests.
  void append(const double* v, std::size_t width, std::size_t per_key, Track& track) {
    const std::size_t value = per_key == 3 ? 1 : 0;
    for (std::size_t part = 0; part < per_key; ++part) {
      const double* x = v + part * width;
      if (width == 3) {
        track.values.insert(track.values.end(), x, x + 3);
        continue;
      }
      Quat q{x[3], x[0], x[1], x[2]};
      if (part == value && !(squared_norm(q) > 1e-20)) {
        problems_.add(fmt::format("clip '{}' has rotations of length zero", clip_.name));
        const std::size_t n = track.values.size(), back = 4 * per_key;
        q = skeleton_[track.joint].rest.rotation;
        if (n >= back) {
          const double* last = track.values.data() + (n - back);
          q = {last[0], last[1], last[2], last[3]};
        }
      } else if (part == value && per_key == 1) {
        q = motion::safe_unit(q);
      }
      track.values.insert(track.values.end(), {q.w, q.x, q.y, q.z});
    }
  }

  void share_times(int input, std::vector<double> kept, bool whole, Track& track) {
    const auto found = times_of_.find(input);
    if (found != times_of_.end() && clip_.times[at(found->second)] == kept) {
      track.times = found->second;
      return;
    }
    track.times = static_cast<int>(clip_.times.size());
    clip_.times.push_back(std::move(kept));
    if (whole) times_of_[input] = track.times;
  }

  Gltf& gltf_;
  const motion::Skeleton& skeleton_;
  const std::vector<int>& joint_of_node_;
  Problems& problems_;
  motion::Clip clip_;
  std::map<int, std::vector<double>> inputs_;  // by accessor
  std::map<int, int> times_of_;                // list of times by accessor
  std::set<std::pair<int, int>> seen_;
};

}  // namespace

std::vector<motion::Clip> read_animations(Gltf& gltf, const motion::Skeleton& skeleton,
                                          const std::vector<int>& joint_of_node,
                                          Problems& problems) {
  AnimationReader reader(gltf, skeleton, joint_of_node, problems);
  std::vector<motion::Clip> clips;
  UniqueNames names;
  for (const JsonValue& json : gltf.list("animations")) {
    motion::Clip clip = reader.read(json, clips.size());
    if (clip.tracks.empty()) {
      problems.add(fmt::format("clip '{}' moves no joint: left out", clip.name));
      continue;
    }
    const std::string base = clip.name;
    clip.name = names.add(base, [&](int k) { return fmt::format("{} ({})", base, k); });
    clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace molejo

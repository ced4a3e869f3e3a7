#include "molejo/io/show_glb.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/character_merge.h"
#include "molejo/io/export.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/motion/edit.h"

namespace molejo {

namespace {

bool has_skin(const ShowWalker& walker) {
  const motion::Character& c = *walker.character;
  return std::any_of(c.attachments.begin(), c.attachments.end(), [&](const auto& a) {
    return a.mesh >= 0 && std::any_of(c.meshes[at(a.mesh)].primitives.begin(),
                                      c.meshes[at(a.mesh)].primitives.end(),
                                      [](const auto& p) { return !p.attributes.empty(); });
  });
}

motion::Transform transform(const Pose& X) { return {X.p, quaternion(X.R), {1, 1, 1}}; }

class ShowMerge {
 public:
  ShowMerge(const Show& show, const Directed& directed)
      : show_(show), directed_(directed), merge_(show.name.empty() ? "show" : show.name) {
    // z up in the world, y up in the file
    const double half = std::sqrt(0.5);
    world_ = merge_.add_joint("world", -1, {{}, {half, -half, 0, 0}, {1, 1, 1}});
    add_walkers();
    add_bodies();
  }

  motion::Character finish() {
    const auto& frames = directed_.recording.frames;
    std::vector<double> times;
    std::vector<motion::SkeletonPose> poses;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      check_interrupt();
      times.push_back(frames[k].state.t);
      motion::SkeletonPose& pose = poses.emplace_back(merge_.skeleton());
      for (const auto& [body, joint] : bodies_) {
        pose.set(joint, transform(frames[k].X_WB[at(body)]));
      }
      for (const Worn& w : worn_) {
        const ShownWalker& shown = directed_.walkers[w.walker];
        pose.set(w.root, motion::decomposed(shown.placements[k]));
        for (int j = 0; j < shown.poses[k].joints(); ++j) pose.set(w.first + j, shown.poses[k][j]);
      }
    }
    motion::Clip clip = motion::clip_from_poses(merge_.skeleton(), "show", times, poses);
    motion::Character merged = merge_.finish();
    merged.clips.push_back(std::move(clip));
    return merged;
  }

 private:
  void add_walkers() {
    for (std::size_t i = 0; i < show_.walkers.size(); ++i) {
      const ShowWalker& walker = show_.walkers[i];
      if (!has_skin(walker)) continue;
      const motion::Character& body = *walker.character;
      Worn worn{i};
      worn.root = merge_.add_joint(walker.name, world_,
                                   motion::decomposed(directed_.walkers[i].placements.front()));
      worn.first = merge_.add_skeleton(body.skeleton, worn.root, walker.name + " ");
      merge_.add_body(body, worn.first, worn.root);
      worn_.push_back(worn);
      const std::vector<int>& links = show_.figures[at(walker.figure)].links;
      hidden_.insert(hidden_.end(), links.begin(), links.end());
    }
  }

  void add_bodies() {
    const Model& model = show_.built->model;
    const Frame& first = directed_.recording.frames.front();
    for (int i = 0; i < model.body_count(); ++i) {
      if (std::find(hidden_.begin(), hidden_.end(), i) != hidden_.end()) continue;
      const Body& body = model.bodies[at(i)];
      const int joint = merge_.add_joint(body.name, world_, transform(first.X_WB[at(i)]));
      for (const Shape& shape : body.shapes) {
        if (shape.color.a > 0) merge_.add_shape(body.name, shape, joint);
      }
      bodies_.emplace_back(i, joint);
    }
  }

  struct Worn {
    std::size_t walker = 0;
    int root = 0, first = 0;  // joints
  };
  const Show& show_;
  const Directed& directed_;
  CharacterMerge merge_;
  int world_ = 0;
  std::vector<Worn> worn_;
  std::vector<int> hidden_;                  // bodies
  std::vector<std::pair<int, int>> bodies_;  // and their joints
};

}  // namespace

bool has_skins(const Show& show) {
  return std::any_of(show.walkers.begin(), show.walkers.end(), has_skin);
}

std::string show_glb(const Show& show, const Directed& directed) {
  if (!has_skins(show) || directed.recording.frames.empty()) {
    return glb(show.scene, show.built->model, directed.recording);
  }
  assert(directed.walkers.size() == show.walkers.size());
  return character_glb(ShowMerge(show, directed).finish());
}

}  // namespace molejo

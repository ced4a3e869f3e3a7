// A gait behind a place: replayed once when the token comes, shown frame by frame.
#include <algorithm>
#include <cmath>

#include "molejo/director/action.h"
#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

constexpr double cycle_fps = 240;  // of a recorded cycle

}  // namespace

GaitData::GaitData(const Scene& scene, const Motion& motion, std::vector<double> the_unknowns,
                   std::optional<Feedback> the_feedback)
    : character(make_character(scene, motion.figure)),
      problem(character, motion),
      unknowns(std::move(the_unknowns)),
      feedback(std::move(the_feedback)) {}

void GaitMotion::begin(Ensemble& ensemble, const Moment& m) {
  const Posture& p = ensemble.posture(figure);
  from = ensemble.state().q;
  const double frame = 1 / ensemble.fps();
  seconds = cycle ? gait->problem.gait(gait->unknowns.data()).period()
                  : std::max(m.due - m.start, frame) + frame;
  play(ensemble);
  // where the gait begins, seen from above, is where the figure stands
  const Character& c = gait->character;
  const Vec3 begins = played->recording.frames.front().X_WB[at(c.root.index)].p;
  const double heading = p.heading - arc_tangent(c.forward.y, c.forward.x);
  X_WG.R = axis_rotation({0, 0, 1}, heading);
  X_WG.p = p.place - X_WG.R * Vec3{begins.x, begins.y, 0};
}

void GaitMotion::play(const Ensemble& ensemble) {
  fps = cycle ? cycle_fps : ensemble.fps();
  ReplayOptions options;
  options.fps = fps;
  options.seconds = seconds;
  BetweenCycles between;
  if (gait->feedback && !cycle) {
    between = feedback_hook(gait->problem, gait->unknowns, *gait->feedback);
  }
  played = std::make_shared<const Replay>(replay(gait->problem, gait->unknowns, options, between));
  fell = played->report.fell;
  const Character& c = gait->character;
  const std::vector<Frame>& frames = played->recording.frames;
  const auto root = at(c.root.index);
  stride = c.forward * dot(frames.back().X_WB[root].p - frames.front().X_WB[root].p, c.forward);
}

void GaitMotion::advance(Ensemble& ensemble, const Moment& m) {
  const std::vector<Frame>& frames = played->recording.frames;
  double t = std::max(0.0, m.now - m.start);
  Vec3 shift;
  if (cycle) {
    // frames of whole cycles, the last one being the first of the next
    const double length = static_cast<double>(frames.size() - 1) / fps;
    const double turns = std::floor(t / length);
    t -= turns * length;
    shift = stride * turns;
  }
  const double place = std::min(t * fps, static_cast<double>(frames.size() - 1));
  const auto before = std::min(static_cast<std::size_t>(place), frames.size() - 1);
  const std::size_t after = std::min(before + 1, frames.size() - 1);
  const double s = place - static_cast<double>(before);
  // between two frames along the shortest way
  const Model& own = gait->character.model;
  VecX q = frames[before].state.q;
  const VecX way = difference(own, q, frames[after].state.q);
  move(own, way.data(), s, q.data());
  Kinematics<double> k(own), shown(ensemble.model());
  update_poses(own, q.data(), k);
  VecX& target = ensemble.coordinates(figure);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i] < 0) continue;
    Pose X = body_pose(own, k, {static_cast<int>(i)});
    X.p += shift;
    update_poses(ensemble.model(), target.data(), shown);
    set_joint(ensemble.model(), links[i], X_WG * X, shown, target);
  }
  const double blended = blend_in > 0 ? (m.now - m.start) / blend_in : 1;
  if (blended >= 1) return;
  const VecX rest = difference(ensemble.model(), target, from);
  const Tree* tree = nullptr;
  const int root = ensemble.figures()[at(figure)].root;
  for (const Tree& candidate : ensemble.model().trees) {
    if (root >= candidate.first_link && root < candidate.last_link) tree = &candidate;
  }
  VecX back = VecX::Zero(ensemble.model().nv);
  const int n = tree->last_v - tree->first_v;
  back.segment(tree->first_v, n) = rest.segment(tree->first_v, n);
  move(ensemble.model(), back.data(), 1 - eased(Ease::smooth, blended), target.data());
}

}  // namespace molejo

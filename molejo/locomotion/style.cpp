#include "molejo/locomotion/style.h"

#include <cassert>
#include <cmath>

#include "molejo/locomotion/sketch.h"
#include "molejo/math/index.h"
#include "molejo/model/kinematics.h"

namespace molejo {

namespace {

// The times at which a cycle is looked at: the middles of equal parts of each phase.
std::vector<double> view_times(const Gait& gait) {
  std::vector<double> times;
  double start = 0;
  for (const GaitStep& step : gait.steps) {
    for (const GaitPhase* phase : {&step.air, &step.ground}) {
      for (int k = 0; k < StyleReference::views; ++k) {
        times.push_back(start + phase->duration * (k + 0.5) / StyleReference::views);
      }
      start += phase->duration;
    }
  }
  return times;
}

// The body next to the root on the way to a foot; the one between it and the foot, or itself.
struct Leg {
  int hip = -1, knee = -1;
};

Leg leg_of(const Character& character, const Foot& foot) {
  Leg leg;
  leg.knee = character.model.links[at(foot.body.index)].parent;
  for (int i = foot.body.index; i >= 0 && i != character.root.index;
       i = character.model.links[at(i)].parent) {
    leg.hip = i;
  }
  return leg;
}

// The turn of the torso from its rest pose, as a rotation vector in world axes.
Vec3 torso_turn(const Character& character, const Kinematics<double>& k, const Mat3& rest) {
  return log_quat(quaternion(k.bodies[at(character.torso.index)].R * transpose(rest)));
}

class Eye {
 public:
  explicit Eye(const Character& character) : character_(character), k_(character.model) {
    update_poses(character.model, character.rest.q.data(), k_);
    rest_ = k_.bodies[at(character.torso.index)].R;
    style_.touches.resize(character.model.links.size());
  }

  void see(const State& state) {
    const VecX turn = difference(character_.model, character_.rest.q, state.q);
    rows_.push_back(turn.segment(character_.first_internal, character_.internal));
    update_poses(character_.model, state.q.data(), k_);
    const Vec3 torso = torso_turn(character_, k_, rest_);
    const double angles[] = {dot(torso, character_.forward), dot(torso, character_.left),
                             dot(torso, character_.up)};
    for (std::size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], angles[i]), high_[i] = std::max(high_[i], angles[i]);
    }
    see_legs();
  }

  GaitStyle style() {
    style_.turns.resize(static_cast<Eigen::Index>(rows_.size()), character_.internal);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      style_.turns.row(static_cast<Eigen::Index>(i)) = rows_[i].transpose();
    }
    style_.roll = high_[0] - low_[0];
    style_.pitch = high_[1] - low_[1];
    style_.yaw = high_[2] - low_[2];
    const auto views = static_cast<double>(rows_.size());
    const auto feet = static_cast<double>(std::max<std::size_t>(character_.feet.size(), 1));
    style_.hip_height /= views * feet;
    style_.knee_separation /= views;
    style_.foot_separation /= views;
    return style_;
  }

  std::vector<bool>& touches() { return style_.touches; }

 private:
  void see_legs() {
    double knee[2] = {1e30, -1e30}, toe[2] = {1e30, -1e30};
    for (const Foot& foot : character_.feet) {
      const Leg leg = leg_of(character_, foot);
      if (leg.hip >= 0) style_.hip_height += dot(k_.bodies[at(leg.hip)].p, character_.up);
      const Pose pose = body_pose(character_.model, k_, foot.body);
      const double toe_at = dot(pose * foot.toe, character_.left);
      const double knee_at =
          leg.knee >= 0 ? dot(k_.bodies[at(leg.knee)].p, character_.left) : toe_at;
      knee[0] = std::min(knee[0], knee_at), knee[1] = std::max(knee[1], knee_at);
      toe[0] = std::min(toe[0], toe_at), toe[1] = std::max(toe[1], toe_at);
    }
    if (character_.feet.size() < 2) return;
    style_.knee_separation += knee[1] - knee[0];
    style_.foot_separation += toe[1] - toe[0];
  }

  const Character& character_;
  Kinematics<double> k_;
  Mat3 rest_;
  GaitStyle style_;
  std::vector<VecX> rows_;
  double low_[3] = {1e30, 1e30, 1e30}, high_[3] = {-1e30, -1e30, -1e30};
};

}  // namespace

GaitStyle gait_style(const GaitProblem& problem, const std::vector<double>& unknowns) {
  const Character& character = problem.character();
  const Gait gait = problem.gait(unknowns.data());
  const std::vector<double> times = view_times(gait);
  Eye eye(character);
  std::vector<State> seen;
  std::vector<bool> touches(character.model.links.size());
  Rollout rollout(character, problem.motion().rollout);
  rollout.run(gait, {}, [&](const RolloutView& view) {
    // the step that holds the moment; its start is near enough
    while (seen.size() < times.size() && times[seen.size()] < view.t + view.h) {
      State state;
      state.q = Eigen::Map<const VecX>(view.q.data(), static_cast<Eigen::Index>(view.q.size()));
      state.v = Eigen::Map<const VecX>(view.v.data(), static_cast<Eigen::Index>(view.v.size()));
      seen.push_back(std::move(state));
    }
    for (std::size_t i = 0; i < view.points.size(); ++i) {
      if (dot(view.impulses[i], view.impulses[i]) > 0) touches[at(view.points[i].body)] = true;
    }
  });
  for (const State& state : seen) eye.see(state);
  if (gait.mirrored) {
    for (const State& state : seen) eye.see(mirrored(character, state));
  }
  for (std::size_t b = 0; b < touches.size(); ++b) {
    if (!touches[b]) continue;
    eye.touches()[b] = true;
    if (gait.mirrored) eye.touches()[at(character.mirror.body[b])] = true;
  }
  return eye.style();
}

GaitStyle sketch_style(const GaitProblem& problem) {
  Sketch sketch(problem.character(), problem.motion());
  constexpr int settled = 4;  // cycles; the dampers forget the rest pose within one or two
  double now = settled * sketch.period();
  sketch.advance(now);
  Eye eye(problem.character());
  for (const double t : view_times(sketch.gait())) {
    sketch.advance(settled * sketch.period() + t - now);
    now = settled * sketch.period() + t;
    eye.see(sketch.state());
  }
  return eye.style();
}

StyleReference sketch_reference(const GaitProblem& problem) {
  const std::vector<VecX> shapes = problem.priority_shapes();
  const Motion& motion = problem.motion();
  StyleReference reference;
  reference.images = motion.mirrored;
  const auto count = static_cast<Eigen::Index>(shapes.size());
  const Eigen::Index columns = motion.mirrored ? 2 * count : count;
  const Eigen::Index views =
      2 * StyleReference::views * static_cast<Eigen::Index>(motion.steps.size());
  reference.shapes.resize(problem.character().internal, columns);
  reference.course.resize(views, columns);
  if (count == 0) return reference;
  const MatX turns = sketch_style(problem).turns;  // of the whole cycle
  for (Eigen::Index c = 0; c < count; ++c) {
    const VecX& shape = shapes[static_cast<std::size_t>(c)];
    VecX course = turns * shape;
    course.array() -= course.mean();
    reference.shapes.col(c) = shape;
    reference.course.col(c) = course.head(views);
    if (!motion.mirrored) continue;
    reference.shapes.col(count + c) = mirrored(problem.character(), shape);
    reference.course.col(count + c) = course.tail(views);
  }
  return reference;
}

Rollout compared_rollout(const GaitProblem& problem) {
  Rollout rollout(problem.character(), problem.motion().rollout);
  rollout.compare_with(sketch_reference(problem));
  return rollout;
}

double style_distance(const GaitStyle& a, const GaitStyle& b) {
  assert(a.turns.rows() == b.turns.rows() && a.turns.cols() == b.turns.cols());
  return std::sqrt((a.turns - b.turns).squaredNorm() / static_cast<double>(a.turns.size()));
}

double phase_between(const GaitStyle& a, int first, int second) {
  const auto harmonic = [&](int freedom) {
    double re = 0, im = 0;
    for (Eigen::Index i = 0; i < a.turns.rows(); ++i) {
      const double angle =
          2 * M_PI * (static_cast<double>(i) + 0.5) / static_cast<double>(a.turns.rows());
      re += a.turns(i, freedom) * std::cos(angle), im += a.turns(i, freedom) * std::sin(angle);
    }
    return std::atan2(im, re);
  };
  const double turns = (harmonic(second) - harmonic(first)) / (2 * M_PI);
  return turns - std::round(turns);
}

}  // namespace molejo

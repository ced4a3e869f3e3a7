#include "molejo/director/fallible_walker.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/words.h"
#include "molejo/model/bounds.h"
#include "molejo/model/error.h"
#include "molejo/model/snapshot.h"

namespace molejo {

namespace {

Scene joined(const navigation::Ragdoll& ragdoll, const Scene& surroundings) {
  Scene scene = *ragdoll.scene;
  scene.settings = surroundings.settings;
  scene.bodies.insert(scene.bodies.end(), surroundings.bodies.begin(), surroundings.bodies.end());
  scene.contact_pairs.insert(scene.contact_pairs.end(), surroundings.contact_pairs.begin(),
                             surroundings.contact_pairs.end());
  return scene;
}

}  // namespace

FallibleWalker::FallibleWalker(std::unique_ptr<navigation::Walker> inside,
                               std::shared_ptr<const navigation::Ragdoll> ragdoll,
                               const Scene& surroundings, const motion::Ground& ground)
    : inside_(std::move(inside)),
      ragdoll_(std::move(ragdoll)),
      scene_(joined(*ragdoll_, surroundings)),
      built_(build(scene_)),
      map_(std::make_unique<navigation::RagdollMap>(*ragdoll_, inside_->rig(), built_.model)),
      settings_(scene_.settings),
      state_(built_.initial),
      ground_(ground),
      pose_(inside_->pose()),
      X_WM_(inside_->placement()),
      X_MJ_(at(inside_->rig().skeleton.size())),
      feet_(inside_->rig().legs.size()) {
  state_.t = 0;
  map_->write(pose_, X_WM_, state_.q);
  q_before_ = state_.q;
  settings_.duration = 1e7;
}

FallibleWalker::~FallibleWalker() = default;

const motion::SkeletonPose& FallibleWalker::pose() const {
  return is_down() ? pose_ : inside_->pose();
}
motion::Affine FallibleWalker::placement() const {
  if (is_down()) return X_WM_;
  motion::Affine X = inside_->placement();
  X.origin.z += lift_;
  return X;
}
std::span<const motion::Affine> FallibleWalker::model_transforms() const {
  return is_down() ? std::span<const motion::Affine>(X_MJ_) : inside_->model_transforms();
}
std::span<const navigation::FootState> FallibleWalker::feet() const {
  return is_down() ? std::span<const navigation::FootState>(feet_) : inside_->feet();
}
Vec3 FallibleWalker::position() const {
  if (!is_down()) return inside_->position();
  const Vec3 hips = X_WM_ * X_MJ_[at(rig().hips)].origin;
  return {hips.x, hips.y, inside_->position().z};
}

void FallibleWalker::take_over(const motion::SkeletonPose& pose, const motion::Affine& X_WM,
                               double seconds) {
  run_.reset();
  inside_->take_over(pose, X_WM, seconds);
  rise_.begin(seconds);
  lift_ = 0;
  map_->write(inside_->pose(), placement(), state_.q);
  q_before_ = state_.q;
}

void FallibleWalker::schedule(std::vector<FallEvent> events) {
  for (const FallEvent& event : events) part_index(event.part);
  events_ = std::move(events);
  std::stable_sort(events_.begin(), events_.end(),
                   [](const FallEvent& a, const FallEvent& b) { return a.at < b.at; });
  next_event_ = 0;
}

void FallibleWalker::advance(double dt, const navigation::Steering& steering) {
  for (; next_event_ < events_.size() && events_[next_event_].at <= time_ + 1e-9; ++next_event_) {
    const FallEvent& event = events_[next_event_];
    if (event.push) {
      push(*event.push, event.part);
    } else {
      recover(event.recover);
    }
  }
  time_ += dt;
  dt_ = dt;
  if (!is_down()) {
    q_before_ = state_.q;
    inside_->advance(dt, steering);
    rise_.advance(dt);
    lift_ = rise_.lift(*inside_, ground_);
    map_->write(inside_->pose(), placement(), state_.q);
    if (dt > 0) state_.v = difference(built_.model, q_before_, state_.q) / dt;
    return;
  }
  // a run has frames of one length: another one begins anew
  if (std::fabs(settings_.fps * dt - 1) > 1e-9) {
    state_ = run_->state();
    start();
  }
  Frame frame;
  std::vector<ContactEvent> events;
  if (failure_.empty() && run_->next_frame(frame, events)) {
    failure_ = run_->summary().failure;
    if (failure_.empty()) state_ = frame.state;
  }
  look();
}

void FallibleWalker::start() {
  settings_.fps = dt_ > 0 ? 1 / dt_ : 60;
  const double steps = std::ceil(1 / (settings_.fps * scene_.settings.time_step) - 1e-9);
  settings_.time_step = 1 / (settings_.fps * std::max(1.0, steps));
  State from = state_;
  from.t = 0;
  run_ = std::make_unique<Run>(lent(built_.model), from, settings_);
  Frame first;
  std::vector<ContactEvent> none;
  run_->next_frame(first, none);
}

int FallibleWalker::part_index(const std::string& part) const {
  std::vector<std::string> names;
  for (const navigation::RagdollPart& p : ragdoll_->parts) names.push_back(p.name);
  if (part.empty()) return names.size() > 1 && names[1] == "torso" ? 1 : 0;
  const auto found = std::find(names.begin(), names.end(), part);
  if (found == names.end()) throw InputError(unknown_word("part", part, names));
  return static_cast<int>(found - names.begin());
}

void FallibleWalker::push(const Vec3& impulse, const std::string& part) {
  const int index = part_index(part);
  if (!is_down()) {
    pose_ = inside_->pose();
    X_WM_ = placement();
    failure_.clear();
  }
  const BodyId body{map_->links()[at(index)]};
  Kinematics<double> k(built_.model);
  update_poses(built_.model, state_.q.data(), k);
  const BodyMotion<double>& b = k.bodies[at(body.index)];
  state_.v += struck(built_.model, state_.q, body, b.p + b.com, impulse);
  start();
  look();
}

void FallibleWalker::recover(double seconds) {
  if (!is_down()) return;
  const motion::SkeletonPose pose = pose_;
  take_over(pose, X_WM_, seconds);
}

template <class Archive>
void FallibleWalker::visit(Archive& a, Seen<Archive, FallibleWalker>& w) {
  a.part("walker");
  navigation::visit_kind(a, navigation::WalkerKind::fallible);
  if constexpr (Archive::reads) {
    w.inside_->restore(a);
  } else {
    w.inside_->save(a);
  }
  a.part("ragdoll");
  visit_state(a, w.built_.model, w.state_);
  a(w.lift_, w.q_before_, w.dt_, w.pose_, w.X_WM_, w.X_MJ_, w.feet_, w.time_);
  Rise::visit(a, w.rise_);
  a.text(w.failure_, most_line);
  a.within(w.next_event_, std::size_t{0}, w.events_.size(), "event");
  bool is_down = w.is_down();
  a(is_down, w.settings_.fps, w.settings_.time_step);
  a.require(
      bounds_of::fps.hold(w.settings_.fps) && bounds_of::time_step.hold(w.settings_.time_step),
      "steps of a run");
  if constexpr (Archive::reads) {
    w.run_.reset();
    if (is_down) w.run_ = std::make_unique<Run>(lent(w.built_.model), w.state_, w.settings_);
    if (is_down) w.run_->restore(a);
  } else if (is_down) {
    w.run_->save(a);
  }
}
void FallibleWalker::save(SnapshotWriter& a) const { visit(a, *this); }
void FallibleWalker::restore(SnapshotReader& a) { visit(a, *this); }

void FallibleWalker::look() {
  map_->read(state_.q, X_WM_, pose_);
  motion::model_transforms(rig().skeleton, pose_, {}, X_MJ_);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    const navigation::Leg& leg = rig().legs[i];
    const motion::Affine X = X_WM_ * X_MJ_[at(leg.foot())];
    feet_[i] = {false, false, X.origin, X.origin, X * leg.sole.heel, X * leg.sole.toe};
  }
}

}  // namespace molejo

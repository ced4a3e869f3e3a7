#include "molejo/director/walking.h"

#include <algorithm>
#include <cmath>

#include "molejo/physics/dynamics.h"

namespace molejo {

namespace {

navigation::Stage stage_of(const ShowWalker& walker) {
  navigation::Stage stage(walker.ground);
  navigation::Plan plan = walker.habits;
  plan.kind = navigation::Plan::Kind::rest;
  stage.add(walker.name, walker.make(), std::move(plan));
  return stage;
}

}  // namespace

double Rise::lift(const navigation::Walker& walker, const motion::Ground& ground) const {
  if (!(left_ > 0)) return 0;
  double depth = 0;
  for (std::size_t i = 0; i < walker.rig().legs.size(); ++i) {
    const navigation::Leg& leg = walker.rig().legs[i];
    const motion::Affine X =
        walker.placement() * walker.model_transforms()[static_cast<std::size_t>(leg.foot())];
    for (const Vec3& p : {X * leg.sole.heel, X * leg.sole.toe}) {
      if (const auto here = ground.at(p.x, p.y)) depth = std::max(depth, here->height - p.z);
    }
  }
  // a foot that stands is a little in the ground too: at last nothing is lifted
  const double last = left_ / (0.25 * whole_);
  return depth * std::min(1.0, last);
}

WalkingActor::WalkingActor(const ShowWalker& walker, const Model& model)
    : show_(walker),
      stage_(stage_of(walker)),
      map_(*walker.ragdoll, stage_.walker(0).rig(), model, walker.name + "."),
      pose_(stage_.walker(0).pose()),
      X_WM_(stage_.walker(0).placement()) {}

int WalkingActor::follow(navigation::Plan plan) {
  stage_.follow(0, std::move(plan));
  return followed_ = ++orders_;
}

void WalkingActor::stop(int order) {
  if (followed_ != order) return;
  followed_ = 0;
  stage_.stop(0);
}

template <class Archive>
void WalkingActor::visit(Archive& a, Seen<Archive, WalkingActor>& w) {
  if constexpr (Archive::reads) {
    w.stage_.restore(a);
  } else {
    w.stage_.save(a);
  }
  a.part("walking actor");
  a(w.orders_, w.followed_);
  Rise::visit(a, w.rise_);
  a(w.pose_, w.X_WM_);
}
void WalkingActor::save(SnapshotWriter& a) const { visit(a, *this); }
void WalkingActor::restore(SnapshotReader& a) { visit(a, *this); }

void WalkingActor::advance(double h, VecX& q) {
  const int steps = std::max(1, static_cast<int>(std::ceil(60 * h - 1e-9)));
  for (int i = 0; i < steps && h > 0; ++i) stage_.advance(h / steps);
  rise_.advance(h);
  pose_ = walker().pose();
  X_WM_ = walker().placement();
  X_WM_.origin.z += rise_.lift(walker(), *show_.ground);
  map_.write(pose_, X_WM_, q);
}

void WalkingActor::take_over(const VecX& q, double seconds) {
  look_at(q);
  stage_.walker(0).take_over(pose_, X_WM_, seconds);
  rise_.begin(seconds);
}

void WalkingActor::look_at(const VecX& q) { map_.read(q, X_WM_, pose_); }

VecX struck(const Model& model, const VecX& q, BodyId body, const Vec3& p_W, const Vec3& impulse) {
  Dynamics<double> d(model);
  update_poses(model, q.data(), d.kinematics);
  for (int i = 0; i < model.nv; ++i) {
    const auto n = static_cast<std::size_t>(i);
    d.inertia[n] = model.drives[n].armature;
  }
  factorize(model, d);
  const MatX J = point_jacobian(model, d.kinematics, body, p_W);
  VecX change = J.transpose() * Eigen::Vector3d(impulse.x, impulse.y, impulse.z);
  solve_mass(model, d, change.data(), change.data());
  return change;
}

}  // namespace molejo

#include "molejo/director/simulated_part.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

// Directed bodies follow paths; their joints, and what would push them, are gone.
Scene partial_scene(const Scene& scene, const Model& whole, const std::vector<char>& directed) {
  Scene part = scene;
  const auto is_directed = [&](const std::string& name) {
    return !name.empty() && directed[at(whole.body(name).index)] != 0;
  };
  for (SceneBody& body : part.bodies) {
    if (!is_directed(body.name)) continue;
    body.follows = MotionPath({MotionKey{0, body.X_WB.p, quaternion(body.X_WB.R)}});
    body.velocity.reset();
  }
  std::erase_if(part.joints, [&](const SceneJoint& j) { return is_directed(j.child); });
  std::erase_if(part.forces, [&](const SceneForce& f) { return is_directed(f.at.body); });
  part.probes.clear();
  part.tables.clear();
  part.character.reset();
  part.settings.start_time = 0;
  return part;
}

}  // namespace

SimulatedPart::SimulatedPart(const Scene& scene, const Model& whole,
                             const std::vector<char>& directed, const State& state, double fps)
    : whole_(whole),
      built_(build(partial_scene(scene, whole, directed))),
      settings_(scene.settings),
      directed_(directed) {
  State start = built_.initial;
  start.t = state.t;
  for (int i = 0; i < built_.model.body_count(); ++i) {
    full_.push_back(whole.body(built_.model.bodies[at(i)].name).index);
    if (directed[at(full_.back())] != 0) continue;
    const Link &a = whole.links[at(full_.back())], &b = built_.model.links[at(i)];
    const Freedoms f{b.translations, b.rotations};
    start.q.segment(b.q, f.coordinates()) = state.q.segment(a.q, f.coordinates());
    start.v.segment(b.v, f.count()) = state.v.segment(a.v, f.count());
  }
  // a whole number of steps to a frame
  settings_.fps = fps;
  settings_.time_step =
      1 / (fps * std::max(1.0, std::ceil(1 / (fps * settings_.time_step) - 1e-9)));
  settings_.duration = 1e7;
  put_on_paths(built_.model, start);
  run_ = std::make_unique<Run>(lent(built_.model), start, settings_, built_.formulas);
  Frame first;
  std::vector<ContactEvent> none;
  run_->next_frame(first, none);
}

// They go on beyond both ends, so that no step sees them stop.
void SimulatedPart::follow(double from, double to, const std::vector<Pose>& before,
                           const std::vector<Pose>& now) {
  const double h = to - from;
  for (int i = 0; i < built_.model.body_count(); ++i) {
    const int path = built_.model.links[at(i)].follows;
    if (path < 0 || directed_[at(full_[at(i)])] == 0) continue;
    const Pose &a = before[at(full_[at(i)])], &b = now[at(full_[at(i)])];
    const Quat A = quaternion(a.R);
    const Vec3 turn = log_quat(conjugate(A) * quaternion(b.R)), way = b.p - a.p;
    const MotionKey::Velocity velocity{way / h, a.R * turn / h};
    const auto key = [&](double s) {
      return MotionKey{from + s * h, a.p + way * s, normalized(A * exp_quat(turn * s)), velocity};
    };
    built_.model.paths[at(path)] = MotionPath({key(-1), key(0), key(1), key(2)});
  }
}

bool SimulatedPart::step(double t, const std::vector<Pose>& before, const std::vector<Pose>& now,
                         State& state, Frame& frame, std::vector<ContactEvent>& events) {
  follow(state.t, t, before, now);
  Frame simulated;
  const std::size_t first = events.size();
  if (!run_->next_frame(simulated, events)) return false;
  for (int i = 0; i < built_.model.body_count(); ++i) {
    const int whole = full_[at(i)];
    if (directed_[at(whole)] != 0) continue;
    const Link &a = whole_.links[at(whole)], &b = built_.model.links[at(i)];
    const Freedoms f{b.translations, b.rotations};
    state.q.segment(a.q, f.coordinates()) = simulated.state.q.segment(b.q, f.coordinates());
    state.v.segment(a.v, f.count()) = simulated.state.v.segment(b.v, f.count());
  }
  // `a` comes before `b`, or b is the world: also in the order of the whole model
  const auto rename = [&](BodyId b) { return b.is_world() ? b : BodyId{full_[at(b.index)]}; };
  for (std::size_t i = first; i < events.size(); ++i) {
    ContactEvent& e = events[i];
    e.a = rename(e.a), e.b = rename(e.b);
    if (e.b.is_world() || e.a.index < e.b.index) continue;
    std::swap(e.a, e.b);
    e.normal = -e.normal, e.impulse = -e.impulse;
  }
  for (TouchPoint touch : simulated.contacts) {
    touch.a = rename(touch.a), touch.b = rename(touch.b);
    if (!touch.b.is_world() && touch.a.index > touch.b.index) {
      std::swap(touch.a, touch.b);
      touch.normal = -touch.normal, touch.force = -touch.force;
    }
    frame.contacts.push_back(touch);
  }
  frame.asleep = simulated.asleep;
  return run_->summary().failure.empty();
}

}  // namespace molejo

#include "molejo/tracking/follower.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"

namespace molejo::tracking {

FollowerSettings usual_follower() {
  FollowerSettings s;
  s.search.candidates = 200;
  s.search.survivors = 30;
  s.search.spread = 0.2;
  s.search.weights.effort = 3;
  return s;
}

struct Follower::Memory {
  Memory(const TrackedBody& b, WalkReference& r, const Policy* w, const Policy* s,
         const FollowerSettings& f)
      : body(b),
        reference(r),
        walk(w),
        stand(s),
        settings(f),
        reader(b),
        search(b, r, f.search, nullptr),
        rollout(b, r.step()) {}

  const Policy* policy_at(long w) const {
    return reference.walked(w * reference.steps_per_window()) ? walk : stand;
  }
  void decide(const State& state);
  double calm_end(const State& state);
  void ask(const State& state);

  const TrackedBody& body;
  WalkReference& reference;
  const Policy *walk, *stand;
  FollowerSettings settings;
  FeatureReader reader;
  TrackSearch search;
  Rollout rollout;
  navigation::Steering steering;
  Window window, ahead;
  Anchor anchor;
  Features now;
  Action offset{}, action{};
  long number = -1;  // of the window
  int tick = -1;
  bool fallen = false;
  double unlike = 0;
  int tried = 0;
};

// How unlike the walker it would be if the policy alone went on.
double Follower::Memory::calm_end(const State& state) {
  State from = state, ends[4];
  const Action none{};
  Features end;
  std::array<Lane, 4> lanes;
  for (int w = 0; w < settings.depth; ++w) {
    look_at(body, reference, number + w, policy_at(number + w), anchor, reader, ahead);
    for (std::size_t l = 0; l < 4; ++l) lanes[l] = {&from, &none, &ends[l], nullptr, &end};
    rollout.run(ahead, lanes);
    if (lanes[0].lost || molejo::tracking::has_fallen(end, ahead.wanted.back(), body.leg_length))
      return 1e9;
    from = ends[0];
  }
  return molejo::tracking::unlikeness(end, ahead.wanted.back(), body.leg_length,
                                      settings.search.weights);
}

void Follower::Memory::decide(const State& state) {
  const int steps = reference.steps_per_window();
  if (number > 0) {
    reader.read(state, now);
    anchor.follow(now, window.wanted.back(), settings.slack);
    fallen = molejo::tracking::has_fallen(now, window.wanted.back(), body.leg_length);
  }
  reference.forget_before((number - 1) * steps);
  reference.lead((number + settings.depth + 1) * steps + 2, steering);
  look_at(body, reference, number, policy_at(number), anchor, reader, window);
  offset.fill(0);
  tried = 0;
  if (fallen) return;
  const double alone = calm_end(state);
  unlike = alone;
  if (alone < settings.calm) return;
  search.follow(policy_at(number));
  search.start(number, state, anchor);
  while (search.windows() < settings.depth && search.advance()) {
  }
  tried = static_cast<int>(search.windows()) * settings.search.candidates;
  if (search.windows() > 0) offset = search.way()[0].offset;
}

void Follower::Memory::ask(const State& state) {
  reader.read(state, now);
  action.fill(0);
  if (window.policy)
    window.policy->act(window.ticks[at(tick)], senses(now, window.wanted[at(tick)]), action);
  for (std::size_t a = 0; a < body.sampled.size(); ++a) action[a] += offset[a];
}

Follower::Follower(const TrackedBody& body, WalkReference& reference, const Policy* walk,
                   const Policy* stand, const FollowerSettings& settings)
    : memory_(std::make_unique<Memory>(body, reference, walk, stand, settings)) {}
Follower::~Follower() = default;

void Follower::begin(State& state) {
  memory_->reference.lead(2, memory_->steering);
  state_of(memory_->body, memory_->reference, 0, state);
}
void Follower::steer(const navigation::Steering& steering) { memory_->steering = steering; }
bool Follower::has_fallen() const { return memory_->fallen; }
double Follower::unlikeness() const { return memory_->unlike; }
int Follower::tried() const { return memory_->tried; }
const Anchor& Follower::anchor() const { return memory_->anchor; }

void Follower::command(const State& state, Command<double>& told) {
  Memory& m = *memory_;
  const double h = m.reference.step();
  const int steps = m.reference.steps_per_window();
  const long n = std::lround(state.t / h);
  if (n / steps != m.number) {
    m.number = n / steps;
    m.tick = -1;
    m.decide(state);
  }
  if (m.fallen) {
    // it gives way, but not like a rope
    for (std::size_t i = 0; i < told.motors.size(); ++i) {
      const double damping = 0.15 * m.body.motors[i].damping;
      told.motors[i] = {.damping = damping, .on = damping > 0 ? 1.0 : 0.0};
    }
    return;
  }
  const long k = n - m.number * steps;
  const int tick = static_cast<int>(k * ticks_per_window / steps);
  if (tick != m.tick) {
    m.tick = tick;
    m.ask(state);
  }
  for (std::size_t i = 0; i < told.motors.size(); ++i) {
    const JointMotor& motor = m.body.motors[i];
    if (!(motor.stiffness > 0)) continue;
    told.motors[i] = {.position = m.window.phi[at(k)][static_cast<Eigen::Index>(i)],
                      .velocity = m.window.rate[at(k)][static_cast<Eigen::Index>(i)],
                      .stiffness = motor.stiffness,
                      .damping = motor.damping,
                      .on = 1};
  }
  for (std::size_t a = 0; a < m.body.sampled.size(); ++a) {
    told.motors[at(m.body.sampled[a].v)].position += m.action[a];
  }
}

}  // namespace molejo::tracking

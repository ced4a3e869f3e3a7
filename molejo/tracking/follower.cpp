#include "molejo/tracking/follower.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"

namespace molejo::tracking {

struct Follower::Memory {
  Memory(const TrackedBody& b, WalkReference& r, const Policy* w, const Policy* s,
         const FollowerSettings& f)
      : body(b), reference(r), walk(w), stand(s), settings(f), reader(b), beam(b, r, f.beam) {}

  const Policy* policy_at(long w) const {
    return reference.walked(w * reference.steps_per_window()) ? walk : stand;
  }
  void decide(const State& state);
  void ask(const State& state);

  const TrackedBody& body;
  WalkReference& reference;
  const Policy *walk, *stand;
  FollowerSettings settings;
  FeatureReader reader;
  Beam beam;
  navigation::Steering steering;
  Window window;
  Anchor anchor;
  Features now;
  Action action{};
  long number = -1;  // of the window
  int tick = -1;
  bool fallen = false;
};

void Follower::Memory::decide(const State& state) {
  const int steps = reference.steps_per_window();
  if (number > 0) {
    reader.read(state, now);
    anchor.follow(now, window.wanted.back(), settings.slack);
    fallen = molejo::tracking::has_fallen(now, window.wanted.back(), body.leg_length);
  }
  reference.forget_before((number - 1) * steps);
  reference.lead((number + settings.beam.depth + 1) * steps + 2, steering);
  look_at(body, reference, number, policy_at(number), anchor, reader, window);
  if (!fallen) beam.decide(number, state, anchor, [this](long w) { return policy_at(w); });
}

void Follower::Memory::ask(const State& state) {
  reader.read(state, now);
  const Senses sensed = senses(now, window.wanted[at(tick)]);
  action.fill(0);
  if (window.policy) window.policy->act(window.ticks[at(tick)], sensed, action);
  for (std::size_t a = 0; a < body.sampled.size(); ++a) action[a] += beam.offset()[a];
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
double Follower::unlikeness() const { return memory_->beam.unlikeness(); }
int Follower::tried() const { return memory_->fallen ? 0 : memory_->beam.tried(); }
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

#include "molejo/tracking/rollout.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/physics/ground_pack.h"

namespace molejo::tracking {

struct Rollout::Memory {
  explicit Memory(const TrackedBody& body)
      : scratch(body.model),
        ground(body.model),
        command(body.model),
        reader(body),
        q(at(body.model.nq)),
        v(at(body.model.nv)),
        offset(at(body.model.nv)) {
    state.q.resize(body.model.nq), state.v.resize(body.model.nv);
  }

  // Of a lane, as it is now.
  const Features& features(int lane) {
    for (Eigen::Index i = 0; i < state.q.size(); ++i) state.q[i] = q[at(i)][lane];
    for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = v[at(i)][lane];
    reader.read(state, seen);
    return seen;
  }

  StepScratch<Pack4> scratch;
  GroundPack ground;
  Command<Pack4> command;
  FeatureReader reader;
  Features seen;
  State state;
  std::vector<Pack4> q, v, offset;
};

Rollout::Rollout(const TrackedBody& body, double step)
    : body_(body), step_(step), memory_(std::make_unique<Memory>(body)) {
  for (int i = 0; i < body.model.nv; ++i) {
    const JointMotor& motor = body.motors[at(i)];
    MotorTarget<Pack4>& target = memory_->command.motors[at(i)];
    target.stiffness = Pack4(motor.stiffness);
    target.damping = Pack4(motor.damping);
    target.on = Pack4(motor.stiffness > 0 ? 1.0 : 0.0);
  }
}
Rollout::~Rollout() = default;

void Rollout::ask(int tick, std::span<Lane, 4> lanes) {
  Memory& m = *memory_;
  for (int l = 0; l < 4; ++l) {
    const Lane& lane = lanes[at(l)];
    const Window& window = *lane.window;
    if (tick > 0 && !window.policy && !lane.deeds) continue;
    Action action{};
    const Senses s = senses(m.features(l), window.wanted[at(tick)]);
    if (window.policy) window.policy->act(window.ticks[at(tick)], s, action);
    for (std::size_t a = 0; a < body_.sampled.size(); ++a) {
      action[a] += (*lane.offset)[a];
      m.offset[at(body_.sampled[a].v)].set(l, action[a]);
    }
    if (lane.deeds) lane.deeds->senses[at(tick)] = s, lane.deeds->actions[at(tick)] = action;
  }
}

// On the centre of mass of the upper trunk.
void Rollout::push(std::span<Lane, 4> lanes) {
  std::vector<Wrench<Pack4>>& wrenches = memory_->command.wrenches;
  wrenches.clear();
  Vec3T<Pack4> force;
  for (int l = 0; l < 4; ++l) {
    for (int a = 0; a < 3; ++a) force[a].set(l, lanes[at(l)].push[a]);
  }
  const bool pushed =
      std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return nonzero(lane.push); });
  if (!pushed) return;
  const Link& torso = body_.model.links[at(body_.torso)];
  const Vec3 com = torso.p_BM + torso.p_MC;
  wrenches.push_back({BodyId{body_.torso}, {Pack4(com.x), Pack4(com.y), Pack4(com.z)}, force, {}});
}

void Rollout::run(std::span<Lane, 4> lanes) {
  const Model& model = body_.model;
  Memory& m = *memory_;
  for (int l = 0; l < 4; ++l) {
    const State& s = *lanes[at(l)].start;
    for (int i = 0; i < model.nq; ++i) m.q[at(i)].set(l, s.q[i]);
    for (int i = 0; i < model.nv; ++i) m.v[at(i)].set(l, s.v[i]);
  }
  forget(m.ground);
  push(lanes);
  double t = lanes[0].start->t;
  const std::size_t steps = lanes[0].window->phi.size(), per_tick = steps / ticks_per_window;
  for (std::size_t k = 0; k < steps; ++k) {
    if (k % per_tick == 0) ask(static_cast<int>(k / per_tick), lanes);
    for (int i = 0; i < model.nv; ++i) {
      MotorTarget<Pack4>& target = m.command.motors[at(i)];
      for (int l = 0; l < 4; ++l) {
        const Window& window = *lanes[at(l)].window;
        target.position.set(l, window.phi[k][i]);
        target.velocity.set(l, window.rate[k][i]);
      }
      target.position = target.position + m.offset[at(i)];
    }
    step_on_ground(model, Integrator::semi_implicit_euler, t, step_, m.q.data(), m.v.data(),
                   m.command, m.scratch, m.ground);
    t += step_;
    if (watcher_) {
      State s{t, VecX(model.nq), VecX(model.nv)};
      VecX tau(model.nv);
      for (int i = 0; i < model.nq; ++i) s.q[i] = m.q[at(i)][0];
      for (int i = 0; i < model.nv; ++i) s.v[i] = m.v[at(i)][0];
      for (int i = 0; i < model.nv; ++i) tau[i] = m.scratch.dynamics.tau[at(i)][0];
      watcher_->see(s, tau);
    }
  }
  for (int l = 0; l < 4; ++l) {
    State& s = *lanes[at(l)].end;
    s.t = lanes[at(l)].start->t + static_cast<double>(steps) * step_;
    s.q.resize(model.nq), s.v.resize(model.nv);
    bool lost = false;
    for (int i = 0; i < model.nq; ++i) s.q[i] = m.q[at(i)][l];
    for (int i = 0; i < model.nv; ++i) {
      s.v[i] = m.v[at(i)][l];
      lost = lost || !(std::fabs(s.v[i]) < 100);
    }
    lanes[at(l)].lost = lost;
    if (!lost && lanes[at(l)].features) *lanes[at(l)].features = m.features(l);
  }
}

}  // namespace molejo::tracking

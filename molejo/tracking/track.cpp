#include "molejo/tracking/track.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/random.h"
#include "molejo/model/scene.h"

namespace molejo::tracking {

Tracking::Tracking(const TrackedBody& body, const Reference& reference,
                   const TrackSettings& settings)
    : body_(body),
      reference_(reference),
      settings_(settings),
      policy_(reference.windows() * ticks_per_window, reference.loops(), body.sampled.size()),
      before_(policy_) {}

double Tracking::round() {
  const double window = reference_.step() * reference_.steps_per_window();
  const long wanted = std::max(reference_.windows(), std::lround(settings_.seconds / window));
  const long once = reference_.loops() ? wanted : reference_.windows();
  SearchSettings s = settings_.search;
  s.spread = narrowed(s.spread, settings_.least_spread, rounds_);
  if (steady_) s.kicks = settings_.kicks, s.slack = settings_.slack;
  way_.clear();
  long done = 0;
  bool stood = true;
  for (int attempt = 0; done < wanted && stood; ++attempt) {
    s.seed = seed_of_stream(settings_.search.seed, (static_cast<std::uint64_t>(rounds_) << 20) +
                                                       static_cast<std::uint64_t>(attempt));
    TrackSearch search(body_, reference_, s, rounds_ > 0 ? &policy_ : nullptr);
    while (search.windows() < once && search.advance()) {
    }
    stood = search.windows() >= once;
    done += std::max(1L, search.windows());
    const auto way = search.way();
    if (way.size() > way_.size()) {
      way_.clear();
      for (const TrackSearch::Step& step : way) way_.push_back(step.offset);
    }
    const long good = stood ? once : search.windows() - 5;
    for (const TrackSearch::Lesson& l : search.lessons(settings_.later)) {
      if (l.window >= good) continue;
      for (int tick = 0; tick < ticks_per_window; ++tick) {
        policy_.remember(l.window * ticks_per_window + tick, tick == 0, l.deeds.senses[at(tick)],
                         l.deeds.actions[at(tick)], l.weight, rounds_);
      }
    }
  }
  policy_.forget_before(rounds_ + 1 - settings_.remembered);
  before_ = policy_;
  policy_.fit(settings_.ridge);
  ++rounds_;
  const long enough = reference_.loops() ? std::lround(settings_.steady / window) : once;
  steady_ = !replay(body_, reference_, &policy_, enough).fell;
  return static_cast<double>(way_.size()) * window;
}

namespace {

struct Recorder : Rollout::Watcher {
  explicit Recorder(const TrackedBody& b) : body(b) {
    result.peak_torque.assign(b.links.size(), 0.0);
  }
  void see(const State& state, const VecX& torques) override {
    result.states.push_back(state);
    for (std::size_t i = 0; i < body.links.size(); ++i) {
      if (body.links[i] == body.root) continue;
      const Link& link = body.model.links[at(body.links[i])];
      const Vec3 tau{torques[link.v], torques[link.v + 1], torques[link.v + 2]};
      result.peak_torque[i] = std::max(result.peak_torque[i], norm(tau));
    }
  }
  const TrackedBody& body;
  Replay result;
};

}  // namespace

Replay replay(const TrackedBody& body, const Reference& reference, const Policy* policy,
              long windows, std::span<const Action> offsets) {
  Rollout rollout(body, reference.step());
  FeatureReader reader(body);
  Recorder recorder(body);
  Replay& r = recorder.result;
  rollout.watch(&recorder);
  State state;
  state_of(body, reference, 0, state);
  r.states.push_back(state);
  Features now;
  Window window;
  r.errors.assign(body.links.size() - 1, 0.0);
  long done = 0;
  while (done < windows && !r.fell) {
    look_at(body, reference, done, policy, {}, reader, window);
    const Action offset = at(done) < offsets.size() ? offsets[at(done)] : Action{};
    std::array<Lane, 4> lanes;
    State next[4];
    for (std::size_t l = 0; l < 4; ++l) {
      lanes[l] = {
          .window = &window, .start = &state, .offset = &offset, .end = &next[l], .features = &now};
    }
    rollout.run(lanes);
    state = next[0];
    ++done;
    const Features& wanted = window.wanted.back();
    r.fell = lanes[0].lost || has_fallen(now, wanted, body.leg_length);
    if (lanes[0].lost) break;
    for (std::size_t i = 0; i < r.errors.size(); ++i) {
      r.errors[i] += norm(turn_between(now.joints[i], wanted.joints[i]));
    }
    r.root += norm(now.com - wanted.com);
  }
  r.seconds = static_cast<double>(done) * reference.step() * reference.steps_per_window();
  for (double& e : r.errors) {
    e /= std::max(1.0, static_cast<double>(done));
    r.error += e / static_cast<double>(r.errors.size());
  }
  r.root /= std::max(1.0, static_cast<double>(done));
  // what the ground gives, smoothed over 15 ms
  const auto n = static_cast<long>(r.states.size());
  const long half = std::max(1L, std::lround(0.0075 / reference.step()));
  const double gravity = norm(body.scene->settings.gravity);
  std::vector<double> vz;
  for (const State& s : r.states) {
    reader.read(s, now);
    vz.push_back(now.com_velocity.z);
  }
  for (long i = half; i + half < n; ++i) {
    const double a =
        (vz[at(i + half)] - vz[at(i - half)]) / (2 * static_cast<double>(half) * reference.step());
    r.peak_force = std::max(r.peak_force, 1 + a / gravity);
  }
  return std::move(recorder.result);
}

}  // namespace molejo::tracking

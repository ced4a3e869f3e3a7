#include "molejo/tracking/push_test.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"

namespace molejo::tracking {

namespace {

// Windows are looked at once, as from where the reference stands; each body sees them from where it
// got to.
class Pusher {
 public:
  Pusher(const TrackedBody& body, const Reference& reference, const Policy& policy,
         const PushTest& test)
      : body_(body),
        reference_(reference),
        policy_(policy),
        test_(test),
        seconds_(reference.step() * reference.steps_per_window()),
        rollout_(body, reference.step()),
        reader_(body) {
    if (test.beam) beam_.emplace(body, reference, *test.beam);
  }

  // Goes two loops by itself: the second one is where pushes begin.
  void go() {
    const long loop = reference_.windows();
    std::array<Pushed, 4> four;
    for (Pushed& p : four) state_of(body_, reference_, 0, p.state);
    four[0].done = false;
    for (long w = 0; w < 2 * loop && !four[0].done; ++w) {
      if (w >= loop) starts_.push_back({four[0].state, four[0].anchor});
      step(four, std::array<long, 4>{w, w, w, w}, 0);
    }
  }

  // Up to four.
  void push(std::span<PushOutcome> outcomes) {
    std::array<Pushed, 4> four;
    std::array<long, 4> numbers{};
    for (std::size_t l = 0; l < 4; ++l) {
      Pushed& p = four[l];
      p.outcome = outcomes[std::min(l, outcomes.size() - 1)];
      p.done = l >= outcomes.size() || at(p.outcome.window) >= starts_.size();
      if (at(p.outcome.window) < starts_.size()) {
        const Start& start = starts_[at(p.outcome.window)];
        p.state = start.state, p.anchor = start.anchor;
      } else {
        state_of(body_, reference_, 0, p.state);
      }
      numbers[l] = reference_.windows() + p.outcome.window;
      reader_.read(p.state, p.now);
      const SinCos<double> way = sincos(p.now.heading + p.outcome.direction);
      p.way = {way.cos, way.sin, 0};
    }
    const auto stands = [](const Pushed& p) { return !p.done; };
    const long after = std::lround(test_.after / seconds_);
    double left = test_.lasts;  // of the push
    for (long w = 0; w < after && std::any_of(four.begin(), four.end(), stands); ++w) {
      const double part = std::clamp(left / seconds_, 0.0, 1.0);
      left -= seconds_;
      step(four, numbers, part * test_.impulse * body_.mass / test_.lasts);
      for (long& n : numbers) ++n;
    }
    for (std::size_t l = 0; l < outcomes.size(); ++l) {
      outcomes[l] = four[l].outcome;
      outcomes[l].stood = !four[l].done;
    }
  }

 private:
  struct Start {
    State state;
    Anchor anchor;
  };
  // One that is pushed.
  struct Pushed {
    PushOutcome outcome;
    State state, next;
    Anchor anchor;
    Window window;
    Features now;
    Vec3 way;  // of the push
    bool done = true;
  };

  const Window& window(long number) {
    while (at(number) >= windows_.size()) {
      windows_.emplace_back();
      look_at(body_, reference_, static_cast<long>(windows_.size()) - 1, nullptr, {}, reader_,
              windows_.back());
    }
    return windows_[at(number)];
  }

  // All that stand go through a window.
  void step(std::span<Pushed, 4> four, std::span<const long, 4> numbers, double force) {
    std::array<Lane, 4> lanes;
    std::array<Action, 4> offsets{};
    for (std::size_t l = 0; l < 4; ++l) {
      Pushed& p = four[l];
      p.window = window(numbers[l]);
      p.window.policy = &policy_;
      for (Features& f : p.window.wanted) p.anchor.carry(f);
      if (beam_ && !p.done) {
        beam_->decide(numbers[l], p.state, p.anchor, [&](long) { return &policy_; });
        offsets[l] = beam_->offset();
        p.outcome.tried += beam_->tried();
      }
      lanes[l] = {.window = &p.window,
                  .start = &p.state,
                  .offset = &offsets[l],
                  .end = &p.next,
                  .features = &p.now,
                  .push = p.way * force};
    }
    rollout_.run(lanes);
    for (std::size_t l = 0; l < 4; ++l) {
      Pushed& p = four[l];
      if (p.done) continue;
      const Features& wanted = p.window.wanted.back();
      if (lanes[l].lost || has_fallen(p.now, wanted, body_.leg_length)) {
        p.done = true;
        continue;
      }
      p.outcome.seconds += seconds_;
      p.state = p.next;
      p.anchor.follow(p.now, wanted, test_.slack);
    }
  }

  const TrackedBody& body_;
  const Reference& reference_;
  const Policy& policy_;
  const PushTest& test_;
  double seconds_;  // of a window
  Rollout rollout_;
  FeatureReader reader_;
  std::optional<Beam> beam_;
  std::vector<Window> windows_;
  std::vector<Start> starts_;  // of the windows of the second loop
};

}  // namespace

std::vector<PushOutcome> push_test(const TrackedBody& body, const Reference& reference,
                                   const Policy& policy, const PushTest& test) {
  Pusher pusher(body, reference, policy, test);
  pusher.go();
  std::vector<PushOutcome> outcomes;
  for (int moment = 0; moment < test.moments; ++moment) {
    const long window = moment * reference.windows() / test.moments;
    for (int d = 0; d < test.directions; ++d) {
      outcomes.push_back({.direction = 2 * pi * d / test.directions, .window = window});
    }
  }
  for (std::size_t first = 0; first < outcomes.size(); first += 4) {
    pusher.push(
        std::span(outcomes).subspan(first, std::min<std::size_t>(4, outcomes.size() - first)));
  }
  return outcomes;
}

}  // namespace molejo::tracking

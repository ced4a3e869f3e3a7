#include "molejo/tracking/walk_training.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/random.h"

namespace molejo::tracking {

namespace {

constexpr double window_seconds = walk_step * walk_steps;
constexpr int most_attempts = 100;  // of searches in a round, after falls

// Where in the loop of which policy a window is.
struct Place {
  bool walks = false;
  std::array<long, ticks_per_window> ticks{};
};

// Walks for some seconds, turns or goes straight, stands now and then.
class Wanderer {
 public:
  Wanderer(std::uint64_t seed, double most_turn) : random_(seed), most_turn_(most_turn) {}
  navigation::Steering at(double t) {
    if (t >= until_) {
      until_ = t + 1 + 3 * random_.uniform();
      now_.walk = random_.uniform() > 0.15;
      const double turn = most_turn_ * (2 * random_.uniform() - 1);
      now_.turn = random_.uniform() < 0.4 ? 0 : turn;
    }
    return now_;
  }

 private:
  Random random_;
  double most_turn_, until_ = 0;
  navigation::Steering now_;
};

}  // namespace

WalkTraining::WalkTraining(const TrackedBody& body, const RagdollMap& map, MakeWalker make_walker,
                           double loop, double lift, const WalkTrainingSettings& settings)
    : body_(body),
      map_(map),
      make_walker_(std::move(make_walker)),
      lift_(lift),
      settings_(settings),
      loop_(std::max(1L, std::lround(loop / window_seconds)) * ticks_per_window),
      policies_{Policy(loop_, true, body.sampled.size()),
                Policy(ticks_per_window, true, body.sampled.size())} {}

std::unique_ptr<WalkReference> WalkTraining::reference() const {
  return std::make_unique<WalkReference>(body_, map_, make_walker_(), walk_step, walk_steps, loop_,
                                         lift_);
}

double WalkTraining::round() {
  const long wanted = std::lround(settings_.seconds / window_seconds);
  long done = 0, longest = 0;
  for (int attempt = 0; done < wanted && attempt < most_attempts; ++attempt) {
    const long stood = search(attempt, wanted - done);
    done += stood, longest = std::max(longest, stood);
  }
  ++rounds_;
  for (Policy* policy : {&policies_.walk, &policies_.stand}) {
    policy->forget_before(rounds_ - settings_.remembered);
    policy->fit(settings_.ridge);
  }
  steady_ = alone(settings_.steady) >= settings_.steady - 1e-9;
  return static_cast<double>(longest) * window_seconds;
}

// Windows that it stood; what was done is remembered.
long WalkTraining::search(int attempt, long most) {
  SearchSettings s = settings_.search;
  s.spread = narrowed(s.spread, settings_.least_spread, rounds_);
  if (steady_) s.kicks = settings_.kicks, s.slack = settings_.slack;
  s.seed =
      seed_of_stream(settings_.search.seed, static_cast<std::uint64_t>(rounds_) * most_attempts +
                                                static_cast<std::uint64_t>(attempt));
  const auto walked = reference();
  // first it goes nearly straight
  const double turn = settings_.most_turn * std::min(1.0, 0.25 * (1 + rounds_));
  Wanderer wanderer(seed_of_stream(s.seed, 1), turn);
  walked->lead(walk_steps + 2, wanderer.at(0));
  TrackSearch search(body_, *walked, s, nullptr);
  std::vector<Place> places;
  while (search.windows() < most) {
    const long w = search.windows(), first = w * walk_steps;
    walked->lead(first + 2 * walk_steps + 2, wanderer.at(static_cast<double>(w) * window_seconds));
    walked->forget_before(first - walk_steps);
    Place place{walked->walked(first), {}};
    for (int tick = 0; tick < ticks_per_window; ++tick) {
      place.ticks[at(tick)] = walked->tick(first + tick * walk_steps / ticks_per_window);
    }
    places.push_back(place);
    if (rounds_ > 0) search.follow(place.walks ? &policies_.walk : &policies_.stand);
    if (!search.advance()) break;
  }
  // what led to a fall is not worth remembering
  const long good = search.windows() >= most ? most : search.windows() - 5;
  for (const TrackSearch::Lesson& l : search.lessons(settings_.later)) {
    if (l.window >= good) continue;
    const Place& place = places[at(l.window)];
    Policy& policy = place.walks ? policies_.walk : policies_.stand;
    for (int tick = 0; tick < ticks_per_window; ++tick) {
      policy.remember(place.ticks[at(tick)], tick == 0, l.deeds.senses[at(tick)],
                      l.deeds.actions[at(tick)], l.weight, rounds_);
    }
  }
  return search.windows();
}

// Seconds that the policies stand, without any search.
double WalkTraining::alone(double seconds) const {
  const auto walked = reference();
  Wanderer wanderer(7, settings_.most_turn);
  walked->lead(walk_steps + 2, wanderer.at(0));
  Rollout rollout(body_, walk_step);
  FeatureReader reader(body_);
  Window window;
  Anchor anchor;
  Features now;
  State state, ends[4];
  state_of(body_, *walked, 0, state);
  const Action none{};
  const long wanted = std::lround(seconds / window_seconds);
  for (long w = 0; w < wanted; ++w) {
    const long first = w * walk_steps;
    walked->lead(first + 2 * walk_steps + 2, wanderer.at(static_cast<double>(w) * window_seconds));
    walked->forget_before(first - walk_steps);
    if (w > 0) anchor.follow(now, window.wanted.back(), settings_.slack);
    const Policy* policy = walked->walked(first) ? &policies_.walk : &policies_.stand;
    look_at(body_, *walked, w, policy, anchor, reader, window);
    std::array<Lane, 4> lanes;
    for (std::size_t l = 0; l < 4; ++l) {
      lanes[l] = {
          .window = &window, .start = &state, .offset = &none, .end = &ends[l], .features = &now};
    }
    rollout.run(lanes);
    if (lanes[0].lost || has_fallen(now, window.wanted.back(), body_.leg_length)) {
      return static_cast<double>(w) * window_seconds;
    }
    state = ends[0];
  }
  return seconds;
}

}  // namespace molejo::tracking

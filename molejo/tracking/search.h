// Actions found by trying many (SAMCON: Liu et al., "Sampling-based contact-rich motion control",
// 2010): from each of some survivors at the start of a window children go on, each with an offset
// of its own from what the policy does; the most like the reference survive.
//
// The same bits on any number of threads: each child draws from a stream of its own.
#pragma once

#include <cstdint>

#include "molejo/tracking/rollout.h"

namespace molejo::tracking {

struct SearchSettings {
  int candidates = 200, survivors = 30, most_children = 4;
  double spread = 0.15;  // rad
  LikenessWeights weights;
  std::uint64_t seed = 1;
  int threads = 1;
  // Chance that a window begins with a kick, and the most that it changes the velocity, m/s.
  double kicks = 0, kick = 0.3;
  Slack slack = no_slack;
};

class TrackSearch {
 public:
  // All must outlive it. `policy`: none is zero. Starts as the reference does, or anew from
  // anywhere.
  TrackSearch(const TrackedBody& body, const Reference& reference, const SearchSettings& settings,
              const Policy* policy = nullptr);
  ~TrackSearch();
  void start(long window, const State& state, const Anchor& anchor);
  void follow(const Policy* policy);

  // A window further. False: all have fallen, and nothing was done.
  bool advance();
  long windows() const;
  // What the best one sensed and did at each window, and its offsets.
  struct Step {
    Deeds deeds;
    Action offset;
  };
  std::vector<Step> way() const;
  // What all did whose children were alive `later` windows after, by how many of these there were:
  // the weights of a window sum to one.
  struct Lesson {
    long window = 0;
    Deeds deeds;
    double weight = 0;
  };
  std::vector<Lesson> lessons(int later) const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

// The spread of samples after so many rounds.
double narrowed(double spread, double least, int rounds);

// Fallen: the centre of mass is a third of a leg lower than it should be, wherever the ground is.
bool has_fallen(const Features& now, const Features& wanted, double leg_length);

}  // namespace molejo::tracking

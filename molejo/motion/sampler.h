// A clip laid out for speed: tracks with the same keys and form stand together, a key is one row of
// numbers, four joints are interpolated at once, and what never changes is copied, not computed.
//
// One sampler serves any number of characters and threads; each character has a ClipCursor, which
// remembers the key it was at. Sampling allocates nothing.
#pragma once

#include <vector>

#include "molejo/motion/clip.h"

namespace molejo::motion {

// The last key of each list of times. Means nothing to another sampler.
struct ClipCursor {
  std::vector<int> keys;
};

class ClipSampler {
 public:
  // Copies what it needs of both.
  ClipSampler(const Skeleton& skeleton, const Clip& clip);

  int joints() const { return base_.joints(); }
  double start() const { return start_; }
  double end() const { return end_; }
  double duration() const { return end_ - start_; }
  ClipCursor cursor() const { return {std::vector<int>(times_.size(), 0)}; }
  // Tracks that change, of all that the clip has.
  int moving_tracks() const { return moving_; }

  // The pose at time t of the clip (held before its start and after its end), as `evaluate` gives
  // it. `pose` has as many joints as the skeleton. Any t at any time; near the last one is fastest.
  void sample(double t, ClipCursor& cursor, SkeletonPose& pose) const;

  // Tracks of one channel, form and list of times. A row holds a key: the components one after the
  // other, `lanes` numbers each; for splines the rows of tangents stand around that of the values.
  struct Group {
    Channel channel;
    Interpolation interpolation;
    int times = 0;
    std::size_t lanes = 0;      // tracks, filled up to a multiple of four
    std::vector<int> joints;    // of each lane, -1 behind the last
    std::vector<int> adjacent;  // first joint of each four if they are neighbours, else -1
    std::vector<double> rows;
  };
  // Between a key and the next.
  struct Place {
    int key = 0;
    double u = 0, step = 0;
  };

 private:
  void hold(const Clip& clip, const Track& track);
  void fill(Group& group, const std::vector<const Track*>& tracks) const;
  static Place place(const std::vector<double>& times, double t, int& key);

  SkeletonPose base_;  // at rest, with the tracks that never change
  std::vector<std::vector<double>> times_;
  std::vector<Group> groups_;
  double start_ = 0, end_ = 0;
  int moving_ = 0;
};

}  // namespace molejo::motion

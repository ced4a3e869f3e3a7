#include "molejo/tracking/beam.h"

#include "molejo/math/index.h"

namespace molejo::tracking {

BeamSettings usual_beam() {
  BeamSettings s;
  s.search.candidates = 200;
  s.search.survivors = 30;
  s.search.spread = 0.2;
  s.search.weights.effort = 3;
  return s;
}

struct Beam::Memory {
  Memory(const TrackedBody& b, const Reference& r, const BeamSettings& s)
      : body(b),
        reference(r),
        settings(s),
        reader(b),
        search(b, r, s.search, nullptr),
        rollout(b, r.step()) {}

  // How unlike the reference it would be if the policy alone went on.
  double alone(long number, const State& state, const Anchor& anchor, const PolicyAt& policy) {
    State from = state, ends[4];
    const Action none{};
    Features end;
    std::array<Lane, 4> lanes;
    for (int w = 0; w < settings.depth; ++w) {
      look_at(body, reference, number + w, policy(number + w), anchor, reader, ahead);
      for (std::size_t l = 0; l < 4; ++l) {
        lanes[l] = {
            .window = &ahead, .start = &from, .offset = &none, .end = &ends[l], .features = &end};
      }
      rollout.run(lanes);
      if (lanes[0].lost || has_fallen(end, ahead.wanted.back(), body.leg_length)) return 1e9;
      from = ends[0];
    }
    return tracking::unlikeness(end, ahead.wanted.back(), body.leg_length, settings.search.weights);
  }

  const TrackedBody& body;
  const Reference& reference;
  BeamSettings settings;
  FeatureReader reader;
  TrackSearch search;
  Rollout rollout;
  Window ahead;
  Action offset{};
  double unlike = 0;
  int tried = 0;
};

Beam::Beam(const TrackedBody& body, const Reference& reference, const BeamSettings& settings)
    : memory_(std::make_unique<Memory>(body, reference, settings)) {}
Beam::~Beam() = default;

void Beam::decide(long window, const State& state, const Anchor& anchor, const PolicyAt& policy) {
  Memory& m = *memory_;
  m.offset.fill(0);
  m.tried = 0;
  m.unlike = m.alone(window, state, anchor, policy);
  if (m.unlike < m.settings.calm) return;
  m.search.follow(policy(window));
  m.search.start(window, state, anchor);
  while (m.search.windows() < m.settings.depth && m.search.advance()) {
  }
  m.tried = static_cast<int>(m.search.windows()) * m.settings.search.candidates;
  if (m.search.windows() > 0) m.offset = m.search.way()[0].offset;
}

const Action& Beam::offset() const { return memory_->offset; }
double Beam::unlikeness() const { return memory_->unlike; }
int Beam::tried() const { return memory_->tried; }

}  // namespace molejo::tracking

#include "molejo/tracking/search.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/math/parallel.h"
#include "molejo/math/random.h"
#include "molejo/math/rotation.h"

namespace molejo::tracking {

namespace {

constexpr double lost_cost = 1e9;

}  // namespace

double narrowed(double spread, double least, int rounds) {
  for (int i = 0; i < rounds && spread > least; ++i) spread *= 0.85;
  return std::max(least, spread);
}

bool has_fallen(const Features& now, const Features& wanted, double leg_length) {
  return !(now.com.z > wanted.com.z - leg_length / 3);
}

struct TrackSearch::Memory {
  // What a window was gone through with; states are kept of the last one only.
  struct Node {
    int parent = -1;
    Step step;
  };
  struct Living {
    State state;
    double cost = 0;
  };

  Memory(const TrackedBody& tracked, const Reference& followed, const SearchSettings& s,
         const Policy* mean)
      : body(tracked), reference(followed), settings(s), policy(mean) {
    settings.candidates = (std::max(4, s.candidates) + 3) / 4 * 4;
    for (int i = 0; i < thread_count(s.threads); ++i) {
      workers.push_back({std::make_unique<Rollout>(body, reference.step()), FeatureReader(body),
                         std::vector<Features>(4)});
    }
    State state;
    state_of(body, reference, 0, state);
    start(0, state, {});
  }

  void start(long window_number, const State& state, const Anchor& where) {
    first = window_number;
    anchor = where;
    levels.clear();
    living.resize(1);
    living[0] = {state, 0};
  }

  struct Worker {
    std::unique_ptr<Rollout> rollout;
    FeatureReader reader;
    std::vector<Features> features;
  };

  const TrackedBody& body;
  const Reference& reference;
  SearchSettings settings;
  const Policy* policy;
  std::vector<Worker> workers;
  long first = 0;                         // window
  std::vector<std::vector<Node>> levels;  // one a window since then
  std::vector<Living> living, next;
  std::vector<Node> nodes;
  Window window;
  Anchor anchor;
};

TrackSearch::TrackSearch(const TrackedBody& body, const Reference& reference,
                         const SearchSettings& settings, const Policy* policy)
    : memory_(std::make_unique<Memory>(body, reference, settings, policy)) {}
TrackSearch::~TrackSearch() = default;

void TrackSearch::start(long window, const State& state, const Anchor& anchor) {
  memory_->start(window, state, anchor);
}

void TrackSearch::follow(const Policy* policy) { memory_->policy = policy; }

long TrackSearch::windows() const { return static_cast<long>(memory_->levels.size()); }
bool TrackSearch::advance() {
  Memory& m = *memory_;
  const SearchSettings& s = m.settings;
  const std::size_t actions = m.body.sampled.size();
  const long number = m.first + windows();
  // of a window, and of how far ahead it is seen
  const std::uint64_t seed =
      seed_of_stream(seed_of_stream(s.seed, static_cast<std::uint64_t>(number)),
                     static_cast<std::uint64_t>(windows()));
  const auto stream = [&](int candidate) {
    return Random(seed_of_stream(seed, static_cast<std::uint64_t>(candidate)));
  };
  Memory::Worker& first = m.workers[0];
  if (!m.levels.empty()) {
    first.reader.read(m.living[0].state, first.features[0]);
    m.anchor.follow(first.features[0], m.window.wanted.back(), s.slack);
  }
  look_at(m.body, m.reference, number, m.policy, m.anchor, first.reader, m.window);
  Random luck = stream(s.candidates);
  if (luck.uniform() < s.kicks) {
    const SinCos<double> way = sincos(2 * pi * luck.uniform());
    const Vec3 kick = Vec3{way.cos, way.sin, 0} * (s.kick * luck.uniform());
    const Link& root = m.body.model.links[at(m.body.root)];
    for (Memory::Living& l : m.living) {
      for (int a = 0; a < 3; ++a) l.state.v[root.v + a] += dot(root.t_P[a], kick);
    }
  }
  const int parents = static_cast<int>(m.living.size());
  m.nodes.assign(at(s.candidates), {});
  m.next.assign(at(s.candidates), {});
  parallel_for_workers(
      s.candidates / 4, static_cast<int>(m.workers.size()), [&](int worker, int pack) {
        Memory::Worker& w = m.workers[at(worker)];
        std::array<Lane, 4> lanes;
        for (int l = 0; l < 4; ++l) {
          const int i = 4 * pack + l;
          Memory::Node& node = m.nodes[at(i)];
          node.parent = i % parents;
          node.step.offset.fill(0);
          // the first of each parent does what the policy says
          const bool plain = (m.policy || parents > 1) && i < parents;
          if (!plain) {
            Random random = stream(i);
            for (std::size_t a = 0; a < actions; ++a) {
              node.step.offset[a] = s.spread * m.body.sampled[a].spread * random.normal();
            }
          }
          lanes[at(l)] = {.window = &m.window,
                          .start = &m.living[at(node.parent)].state,
                          .offset = &node.step.offset,
                          .end = &m.next[at(i)].state,
                          .deeds = &node.step.deeds,
                          .features = &w.features[at(l)]};
        }
        w.rollout->run(lanes);
        for (int l = 0; l < 4; ++l) {
          const int i = 4 * pack + l;
          const Features& f = w.features[at(l)];
          double& cost = m.next[at(i)].cost;
          cost = lost_cost;
          if (lanes[at(l)].lost || has_fallen(f, m.window.wanted.back(), m.body.leg_length))
            continue;
          double effort = 0;
          for (std::size_t a = 0; a < actions; ++a) {
            effort += m.nodes[at(i)].step.offset[a] * m.nodes[at(i)].step.offset[a];
          }
          cost = unlikeness(f, m.window.wanted.back(), m.body.leg_length, s.weights) +
                 s.weights.effort * std::sqrt(effort / static_cast<double>(actions));
        }
      });
  std::vector<int> order(at(s.candidates));
  for (int i = 0; i < s.candidates; ++i) order[at(i)] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return m.next[at(a)].cost < m.next[at(b)].cost; });
  if (m.next[at(order[0])].cost >= lost_cost) return false;
  std::vector<int> children(at(parents));
  const int most = parents < s.most_children ? s.candidates : s.most_children;
  std::vector<Memory::Node> kept;
  m.living.clear();
  for (const int i : order) {
    if (static_cast<int>(kept.size()) >= s.survivors || m.next[at(i)].cost >= lost_cost) break;
    if (children[at(m.nodes[at(i)].parent)]++ >= most) continue;
    kept.push_back(m.nodes[at(i)]);
    m.living.push_back(std::move(m.next[at(i)]));
  }
  m.levels.push_back(std::move(kept));
  return true;
}

std::vector<TrackSearch::Lesson> TrackSearch::lessons(int later) const {
  const auto& levels = memory_->levels;
  std::vector<Lesson> lessons;
  for (std::size_t level = 0; level + at(later) < levels.size(); ++level) {
    const std::size_t last = level + at(later);
    std::vector<int> heirs(levels[last].size(), 1);
    for (std::size_t l = last; l > level; --l) {
      std::vector<int> above(levels[l - 1].size());
      for (std::size_t i = 0; i < levels[l].size(); ++i) {
        above[at(levels[l][i].parent)] += heirs[i];
      }
      heirs = std::move(above);
    }
    for (std::size_t i = 0; i < heirs.size(); ++i) {
      if (heirs[i] == 0) continue;
      lessons.push_back({static_cast<long>(level), levels[level][i].step.deeds,
                         heirs[i] / static_cast<double>(levels[last].size())});
    }
  }
  return lessons;
}

std::vector<TrackSearch::Step> TrackSearch::way() const {
  std::vector<Step> way(memory_->levels.size());
  int i = 0;
  for (std::size_t level = way.size(); level-- > 0;) {
    const Memory::Node& node = memory_->levels[level][at(i)];
    way[level] = node.step;
    i = node.parent;
  }
  return way;
}

}  // namespace molejo::tracking

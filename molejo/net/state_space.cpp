#include "molejo/net/state_space.h"

#include <algorithm>
#include <bit>

#include "molejo/math/interrupt.h"
#include "molejo/math/parallel.h"
#include "molejo/math/thread_kept.h"
#include "molejo/net/pumping.h"
#include "molejo/net/state_store.h"

namespace molejo {

namespace {

constexpr std::size_t parts = 64;
constexpr std::size_t chunk_size = 4096;      // markings fired by one thread at a time, at most
constexpr std::size_t chunks_in_block = 16;   // fired before the parts take in what came of them
constexpr std::size_t most_deadlocks = 1000;  // kept
constexpr std::uint64_t part_for_block = 16;  // of the memory
constexpr std::uint64_t always_compared = 20'000;  // markings, before growth is looked for rarely
constexpr std::uint32_t no_state = UINT32_MAX;

std::size_t part_of(std::uint64_t hash) { return hash >> 58; }

int bits_for(std::int64_t tokens) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tokens))));
}

}  // namespace

// Markings with consecutive numbers within one part.
struct MarkingRange {
  std::size_t part, first, last;
};

// Words that are only ever appended.
class WordBuffer {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return words_.size(); }
  const Word* data() const { return words_.data(); }
  void append(const Word* words, std::size_t count) {
    if (size_ + count > words_.size()) words_.resize(words_.size() * 3 / 2 + 32 * count);
    Word* to = words_.data() + size_;
    for (std::size_t i = 0; i < count; ++i) to[i] = words[i];
    size_ += count;
  }

 private:
  std::vector<Word> words_;
  std::size_t size_ = 0;
};

// What one thread found in its markings.
struct MarkingChunk {
  std::vector<MarkingRange> runs;
  WordBuffer found[parts];  // words of a marking, then its origin
  std::vector<std::uint32_t> deadlocks;
  std::vector<std::uint64_t> fired;
  std::vector<std::uint8_t> overflowed;  // places
  bool overflow = false;

  std::uint64_t bytes() const {
    std::uint64_t sum = deadlocks.capacity() * sizeof(std::uint32_t);
    for (const WordBuffer& buffer : found) sum += buffer.capacity() * sizeof(Word);
    return sum;
  }
};

// A handle is index * parts + part: it stays the same while the parts grow.
struct StateSpace::Store {
  Store(const Net& the_net, const SpaceSettings& the_settings);

  const Net& net;
  SpaceSettings settings;
  Topology topology;
  std::vector<int> widths;
  bool adaptive = false;  // some widths were guessed: there may be no bound

  std::unique_ptr<PackedNet> packed;
  std::vector<StateStore> stores;
  std::vector<MarkingChunk> chunks;
  std::vector<std::uint64_t> fired;
  std::vector<std::uint32_t> deadlocks;  // handles, then numbers
  std::uint64_t deadlock_count = 0, depth = 0;
  std::vector<std::uint64_t> first_number;  // of a part, and the size behind the last
  std::uint32_t first_state = 0;
  SpaceEnd end = SpaceEnd::complete;
  Growth growth;

  std::uint64_t size() const;
  std::uint64_t bytes() const;
  std::size_t markings_a_chunk() const;
  void choose_widths();
  bool widen();
  bool explore();
  bool explore_level(const std::vector<std::size_t>& from, const std::vector<std::size_t>& to);
  bool take_block(std::size_t count);
  // `fixed`: words of a marking, 0 where there are more than two
  template <std::size_t fixed>
  void fire(MarkingChunk& chunk) const;
  template <std::size_t fixed>
  void take_in(std::size_t part, std::size_t count);
  template <std::size_t fixed>
  bool fire_and_take_in(std::size_t count, int threads);
  bool fits_memory(std::size_t count) const;
  bool grows(const std::vector<std::size_t>& sizes_before);
  bool grows(std::uint32_t handle);
  void number_states();

  std::uint32_t find(const Word* marking) const;
  const Word* words_of(std::uint32_t handle) const {
    return stores[handle % parts].marking(handle / parts);
  }
  std::uint32_t handle(std::uint64_t number) const {
    const auto part = static_cast<std::size_t>(
        std::upper_bound(first_number.begin(), first_number.end(), number) - first_number.begin() -
        1);
    return static_cast<std::uint32_t>((number - first_number[part]) * parts + part);
  }
  std::uint32_t number(std::uint32_t handle) const {
    return static_cast<std::uint32_t>(first_number[handle % parts] + handle / parts);
  }
};

StateSpace::Store::Store(const Net& the_net, const SpaceSettings& the_settings)
    : net(the_net), settings(the_settings), topology(the_net), chunks(chunks_in_block) {
  settings.max_states = std::min<std::uint64_t>(settings.max_states, 4'000'000'000);
  choose_widths();
  while (!explore() && widen()) {
  }
  number_states();
}

void StateSpace::Store::choose_widths() {
  std::int64_t most = 1;
  for (const Place& p : net.places) most = std::max(most, p.tokens);
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    const std::int64_t bound = settings.bounds.empty() ? -1 : settings.bounds[p];
    adaptive |= bound < 0;
    constexpr std::int64_t guess = 255;
    std::int64_t least = bound >= 0 ? bound : std::max(net.places[p].tokens, std::min(most, guess));
    for (const auto& [t, w] : topology.producers[static_cast<int>(p)]) least = std::max(least, w);
    widths.push_back(std::min(31, bits_for(std::min<std::int64_t>(least, INT32_MAX))));
  }
}

// Doubles the fields that were too small. False when one is as wide as it may be.
bool StateSpace::Store::widen() {
  if (end != SpaceEnd::too_many_tokens) return false;
  bool possible = true;
  for (std::size_t p = 0; p < widths.size(); ++p) {
    bool overflowed = false;
    for (const MarkingChunk& c : chunks) overflowed |= c.overflow && c.overflowed[p] != 0;
    if (!overflowed) continue;
    possible &= widths[p] < 31;
    widths[p] = std::min(31, 2 * widths[p]);
  }
  return possible;
}

// The number of a marking, or no_state.
std::uint32_t StateSpace::Store::find(const Word* marking) const {
  const std::uint64_t hash = marking_hash(marking, packed->words());
  const StateStore& store = stores[part_of(hash)];
  const std::size_t index = store.find(marking, hash);
  if (index == store.size()) return no_state;
  return static_cast<std::uint32_t>(first_number[part_of(hash)] + index);
}

std::uint64_t StateSpace::Store::size() const {
  std::uint64_t sum = 0;
  for (const StateStore& s : stores) sum += s.size();
  return sum;
}

std::uint64_t StateSpace::Store::bytes() const {
  std::uint64_t sum = 0;
  for (const StateStore& s : stores) sum += s.bytes();
  for (const MarkingChunk& c : chunks) sum += c.bytes();
  return sum;
}

// False when it ended before all was found; `end` tells why.
bool StateSpace::Store::explore() {
  packed = std::make_unique<PackedNet>(net, widths, settings.choice);
  stores.assign(parts, StateStore(packed->words()));
  fired.assign(net.transitions.size(), 0);
  deadlocks.clear();
  deadlock_count = depth = 0;
  end = SpaceEnd::complete;

  std::vector<std::int64_t> tokens;
  for (const Place& p : net.places) tokens.push_back(p.tokens);
  std::vector<Word> start(packed->words());
  packed->pack(tokens, start.data());
  const std::uint64_t hash = marking_hash(start.data(), start.size());
  stores[part_of(hash)].insert(start.data(), hash, {no_state, 0});
  first_state = static_cast<std::uint32_t>(part_of(hash));

  std::vector<std::size_t> from(parts, 0);
  for (;;) {
    std::vector<std::size_t> to;
    for (const StateStore& s : stores) to.push_back(s.size());
    if (from == to) return true;
    if (from[part_of(hash)] > 0) ++depth;
    if (!explore_level(from, to)) return false;
    from = to;
  }
}

// So many that what comes of a block, were all transitions enabled, takes a small part of the
// memory.
std::size_t StateSpace::Store::markings_a_chunk() const {
  const std::uint64_t each = net.transitions.size() * (packed->words() + 1) * sizeof(Word);
  const std::uint64_t room = settings.max_memory / part_for_block / chunks_in_block;
  return std::clamp<std::size_t>(room / std::max<std::uint64_t>(1, each), 1, chunk_size);
}

// Fires all markings of a level, block by block.
bool StateSpace::Store::explore_level(const std::vector<std::size_t>& from,
                                      const std::vector<std::size_t>& to) {
  const std::size_t most = markings_a_chunk();
  std::size_t chunk = 0, room = most;
  for (MarkingChunk& c : chunks) c.runs.clear();
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t first = from[part]; first < to[part];) {
      const std::size_t last = std::min(to[part], first + room);
      chunks[chunk].runs.push_back({part, first, last});
      room -= last - first;
      first = last;
      if (room > 0) continue;
      room = most;
      if (++chunk < chunks_in_block) continue;
      if (!take_block(chunk)) return false;
      chunk = 0;
      for (MarkingChunk& c : chunks) c.runs.clear();
    }
  }
  const std::size_t left = chunk + (room < most ? 1 : 0);
  return left == 0 || take_block(left);
}

bool StateSpace::Store::take_block(std::size_t count) {
  check_interrupt();
  // few markings are not worth waking a thread
  const int threads = count > 1 ? settings.threads : 1;
  const std::vector<std::size_t> before = [&] {
    std::vector<std::size_t> sizes;
    for (const StateStore& s : stores) sizes.push_back(s.size());
    return sizes;
  }();
  const std::size_t words = packed->words();
  const bool fits = words == 1   ? fire_and_take_in<1>(count, threads)
                    : words == 2 ? fire_and_take_in<2>(count, threads)
                                 : fire_and_take_in<0>(count, threads);
  if (!fits) return false;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t t = 0; t < fired.size(); ++t) fired[t] += chunks[i].fired[t];
    deadlock_count += chunks[i].deadlocks.size();
    for (const std::uint32_t d : chunks[i].deadlocks) {
      if (deadlocks.size() < most_deadlocks) deadlocks.push_back(d);
    }
  }
  if (adaptive && grows(before)) {
    end = SpaceEnd::unbounded;
  } else if (size() > settings.max_states) {
    end = SpaceEnd::max_states;
  }
  return end == SpaceEnd::complete;
}

// Whether what was found in a block can be taken in, were it all new.
bool StateSpace::Store::fits_memory(std::size_t count) const {
  std::uint64_t sum = 0, largest = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::size_t words = 0;
    for (std::size_t i = 0; i < count; ++i) words += chunks[i].found[part].size();
    sum += stores[part].bytes_after(words / (packed->words() + 1));
    largest = std::max(largest, stores[part].bytes());
  }
  for (const MarkingChunk& c : chunks) sum += c.bytes();
  // while a part grows, one of its lists is there twice; not more by more threads, so that all
  // numbers of them end with the same markings
  constexpr std::uint64_t growing = 4;
  sum += growing * largest;
  return sum <= settings.max_memory - settings.max_memory / part_for_block;
}

// False when a field overflowed, or the memory is not enough; `end` tells which.
template <std::size_t fixed>
bool StateSpace::Store::fire_and_take_in(std::size_t count, int threads) {
  parallel_for(static_cast<int>(count), threads,
               [&](int i) { fire<fixed>(chunks[static_cast<std::size_t>(i)]); });
  bool overflow = false;
  for (std::size_t i = 0; i < count; ++i) overflow |= chunks[i].overflow;
  for (std::size_t i = count; i < chunks_in_block; ++i) chunks[i].overflow = false;
  if (overflow) end = SpaceEnd::too_many_tokens;
  if (!overflow && !fits_memory(count)) end = SpaceEnd::max_memory;
  if (end != SpaceEnd::complete) return false;
  parallel_for(static_cast<int>(parts), threads,
               [&](int part) { take_in<fixed>(static_cast<std::size_t>(part), count); });
  return true;
}

template <std::size_t fixed>
void StateSpace::Store::fire(MarkingChunk& chunk) const {
  const std::size_t words = fixed > 0 ? fixed : packed->words();
  for (auto& found : chunk.found) found.clear();
  chunk.deadlocks.clear();
  chunk.fired.assign(net.transitions.size(), 0);
  chunk.overflowed.assign(net.places.size(), 0);
  chunk.overflow = false;
  std::vector<Word> next(words + 1);
  for (const MarkingRange& run : chunk.runs) {
    for (std::size_t i = run.first; i < run.last; ++i) {
      const auto state = static_cast<std::uint32_t>(i * parts + run.part);
      const int count =
          packed->fire_all<fixed>(stores[run.part].marking(i), next.data(), [&](int transition) {
            ++chunk.fired[static_cast<std::size_t>(transition)];
            if (packed->overflowed<fixed>(next.data())) {
              chunk.overflow = true;
              packed->add_overflowed(next.data(), chunk.overflowed);
              return;
            }
            next[words] = Word{state} << 32 | static_cast<std::uint32_t>(transition);
            chunk.found[part_of(marking_hash<fixed>(next.data(), words))].append(next.data(),
                                                                                 words + 1);
          });
      if (count == 0) chunk.deadlocks.push_back(state);
    }
  }
}

template <std::size_t fixed>
void StateSpace::Store::take_in(std::size_t part, std::size_t count) {
  const std::size_t words = fixed > 0 ? fixed : packed->words();
  StateStore& store = stores[part];
  constexpr std::size_t ahead = 8;
  std::uint64_t hashes[ahead];
  for (std::size_t c = 0; c < count; ++c) {
    const WordBuffer& found = chunks[c].found[part];
    const std::size_t markings = found.size() / (words + 1);
    const auto at = [&](std::size_t i) { return found.data() + i * (words + 1); };
    // the slots of the next markings are on their way while this one is looked up
    const auto announce = [&](std::size_t i) {
      hashes[i % ahead] = marking_hash<fixed>(at(i), words);
      store.prefetch(hashes[i % ahead]);
    };
    for (std::size_t i = 0; i < std::min(ahead, markings); ++i) announce(i);
    for (std::size_t i = 0; i < markings; ++i) {
      const Word origin = at(i)[words];
      store.insert<fixed>(
          at(i), hashes[i % ahead],
          {static_cast<std::uint32_t>(origin >> 32), static_cast<std::uint32_t>(origin)});
      if (i + ahead < markings) announce(i + ahead);
    }
  }
}

// Looks for growth among the new markings.
bool StateSpace::Store::grows(const std::vector<std::size_t>& sizes_before) {
  // an infinite tree has an infinite branch, which grows on every eighth level too
  if (size() > always_compared && depth % 8 != 7) return false;
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = sizes_before[part]; i < stores[part].size(); ++i) {
      if (grows(static_cast<std::uint32_t>(i * parts + part))) return true;
    }
  }
  return false;
}

// Whether an ancestor is covered and the loop from it can be repeated.
bool StateSpace::Store::grows(std::uint32_t handle) {
  std::vector<std::uint32_t> path{handle};  // last first
  for (std::uint32_t at = handle;;) {
    check_interrupt();
    at = stores[at % parts].origin(at / parts).state;
    if (at == no_state) return false;
    path.push_back(at);
    if (!packed->covers(words_of(handle), words_of(at))) continue;

    std::vector<std::vector<std::int64_t>> markings;
    std::vector<LoopStep> loop;
    for (const std::uint32_t h : path) {
      packed->unpack(words_of(h), markings.emplace_back(net.places.size()));
    }
    std::vector<std::uint8_t> gains(net.places.size());
    for (std::size_t p = 0; p < gains.size(); ++p) {
      gains[p] = markings.front()[p] > markings.back()[p] ? 1 : 0;
    }
    for (std::size_t i = path.size() - 1; i > 0; --i) {
      const auto origin = stores[path[i - 1] % parts].origin(path[i - 1] / parts);
      loop.push_back({markings[i], static_cast<int>(origin.transition)});
    }
    if (!can_repeat(net, topology, settings.choice, loop, gains)) continue;

    for (const LoopStep& s : loop) growth.loop.push_back({s.transition});
    for (std::size_t p = 0; p < gains.size(); ++p) {
      if (gains[p] != 0) growth.places.push_back({static_cast<int>(p)});
    }
    for (;;) {
      const auto origin = stores[at % parts].origin(at / parts);
      if (origin.state == no_state) break;
      growth.way.push_back({static_cast<int>(origin.transition)});
      at = origin.state;
    }
    std::reverse(growth.way.begin(), growth.way.end());
    return true;
  }
}

void StateSpace::Store::number_states() {
  first_number.assign(1, 0);
  for (const StateStore& s : stores) first_number.push_back(first_number.back() + s.size());
  for (std::uint32_t& d : deadlocks) d = number(d);
  chunks.clear();
  chunks.shrink_to_fit();
}

StateSpace::StateSpace(const Net& net, const SpaceSettings& settings)
    : store_(std::make_unique<Store>(net, settings)) {}
StateSpace::~StateSpace() = default;
StateSpace::StateSpace(StateSpace&&) noexcept = default;

const Net& StateSpace::net() const { return store_->net; }
SpaceEnd StateSpace::end() const { return store_->end; }
std::uint64_t StateSpace::size() const { return store_->first_number.back(); }
std::uint64_t StateSpace::depth() const { return store_->depth; }
std::uint64_t StateSpace::bytes() const { return store_->bytes(); }
const Growth& StateSpace::growth() const { return store_->growth; }
std::uint32_t StateSpace::initial() const { return store_->number(store_->first_state); }
std::span<const std::uint32_t> StateSpace::deadlocks() const { return store_->deadlocks; }
std::uint64_t StateSpace::deadlock_count() const { return store_->deadlock_count; }
std::uint64_t StateSpace::fired(TransitionId transition) const {
  return store_->fired[static_cast<std::size_t>(transition.index)];
}
std::uint64_t StateSpace::firings() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : store_->fired) sum += n;
  return sum;
}

void StateSpace::marking(std::uint32_t state, std::span<std::int64_t> tokens) const {
  store_->packed->unpack(store_->words_of(store_->handle(state)), tokens);
}
std::vector<std::int64_t> StateSpace::marking(std::uint32_t state) const {
  std::vector<std::int64_t> tokens(store_->net.places.size());
  marking(state, tokens);
  return tokens;
}

std::optional<std::uint32_t> StateSpace::find(std::span<const std::int64_t> tokens) const {
  const Store& s = *store_;
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    if (tokens[p] < 0 || tokens[p] >> s.widths[p] != 0) return std::nullopt;
  }
  std::vector<Word> words(s.packed->words());
  s.packed->pack(tokens, words.data());
  const std::uint32_t found = s.find(words.data());
  return found == no_state ? std::nullopt : std::optional(found);
}

std::uint64_t StateSpace::distance(std::uint32_t state) const {
  std::uint64_t steps = 0;
  for (std::uint32_t at = store_->handle(state);; ++steps) {
    at = store_->stores[at % parts].origin(at / parts).state;
    if (at == no_state) return steps;
  }
}

std::vector<TransitionId> StateSpace::trace(std::uint32_t state) const {
  std::vector<TransitionId> firings;
  for (std::uint32_t at = store_->handle(state);;) {
    const auto origin = store_->stores[at % parts].origin(at / parts);
    if (origin.state == no_state) break;
    firings.push_back({static_cast<int>(origin.transition)});
    at = origin.state;
  }
  std::reverse(firings.begin(), firings.end());
  return firings;
}

std::vector<std::int64_t> StateSpace::bounds() const {
  std::vector<std::int64_t> highest(store_->net.places.size(), 0), tokens(highest.size());
  for (const StateStore& s : store_->stores) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      check_interrupt();
      store_->packed->unpack(s.marking(i), tokens);
      for (std::size_t p = 0; p < tokens.size(); ++p) highest[p] = std::max(highest[p], tokens[p]);
    }
  }
  return highest;
}

std::int64_t StateSpace::most_tokens() const {
  std::vector<std::int64_t> tokens(store_->net.places.size());
  std::int64_t most = 0;
  for (const StateStore& s : store_->stores) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      check_interrupt();
      store_->packed->unpack(s.marking(i), tokens);
      std::int64_t sum = 0;
      for (const std::int64_t n : tokens) sum += n;
      most = std::max(most, sum);
    }
  }
  return most;
}

void StateSpace::successors(std::uint32_t state, std::vector<Edge>& edges) const {
  const Store& s = *store_;
  const std::size_t words = s.packed->words();
  edges.clear();
  struct Found {
    std::vector<Word> next, all;
    std::vector<std::uint64_t> hashes;
  };
  static const ThreadKept<Found> kept;
  // clang 14 lets no lambda have names of a structured binding
  Found& own = kept.of_this_thread();
  std::vector<Word>&next = own.next, &all = own.all;
  std::vector<std::uint64_t>& hashes = own.hashes;
  next.resize(words);
  all.clear();
  hashes.clear();
  s.packed->fire_all(s.words_of(s.handle(state)), next.data(), [&](int transition) {
    hashes.push_back(marking_hash(next.data(), words));
    s.stores[part_of(hashes.back())].prefetch(hashes.back());
    all.insert(all.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(words));
    edges.push_back({{transition}, 0});
  });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::size_t part = part_of(hashes[i]);
    const std::size_t index = s.stores[part].find(all.data() + i * words, hashes[i]);
    const bool found = index < s.stores[part].size();
    edges[i].state = found ? static_cast<std::uint32_t>(s.first_number[part] + index) : no_state;
  }
}

bool StateSpace::next_edge(std::uint32_t state, std::uint32_t& position, Edge& edge) const {
  const Store& s = *store_;
  static const ThreadKept<std::vector<Word>> kept;
  std::vector<Word>& next = kept.of_this_thread();
  next.resize(s.packed->words());
  const int t = s.packed->fire_next(s.words_of(s.handle(state)), position, next.data());
  if (t < 0) return false;
  edge = {{t}, s.find(next.data())};
  return true;
}

}  // namespace molejo

#include "molejo/net/rest_space.h"

#include <algorithm>

#include "molejo/math/interrupt.h"
#include "molejo/net/rest_store.h"

namespace molejo {

RestSpace::RestSpace(std::unique_ptr<RestStore> store) : store_(std::move(store)) {}
RestSpace::~RestSpace() = default;
RestSpace::RestSpace(RestSpace&&) noexcept = default;

const Net& RestSpace::net() const { return store_->given; }
std::uint64_t RestSpace::bytes() const { return store_->memory; }
TimedEnd RestSpace::end() const { return store_->end; }
bool RestSpace::finds_all() const {
  return store_->end == TimedEnd::complete || (store_->end == TimedEnd::endless && !store_->cut);
}
std::uint32_t RestSpace::size() const { return static_cast<std::uint32_t>(store_->codes.size()); }
std::uint32_t RestSpace::starts() const { return store_->start_count; }
bool RestSpace::interleaves() const { return store_->rules.interleaves(); }
const std::vector<std::int64_t>& RestSpace::bounds() const { return store_->tally.most; }

void RestSpace::tokens(std::uint32_t state, std::span<std::int64_t> all,
                       std::span<std::int64_t> waiting) const {
  const TokenState s = store_->state(state);
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = s.marking[p] + s.waiting[p];
  std::copy_n(s.waiting.begin(), waiting.size(), waiting.begin());
}

bool RestSpace::is_enabled(std::uint32_t state, int transition) const {
  return store_->rules.allows(store_->state(state), transition);
}

std::uint64_t RestSpace::finals(std::uint32_t first) const {
  std::uint64_t count = 0;
  for (std::uint32_t s = 0; s < first; ++s) {
    check_interrupt();
    count += is_final(s) ? 1 : 0;
  }
  return count;
}

MarkingView RestSpace::view(std::uint32_t state, std::vector<std::int64_t>& all,
                            std::vector<std::int64_t>& waiting, bool asks_for_deadlock) const {
  all.resize(net().places.size());
  waiting.resize(all.size());
  tokens(state, all, waiting);
  return {.tokens = all,
          .waiting = waiting,
          .deadlock = asks_for_deadlock && is_final(state),
          .is_enabled = [this, state](int t) { return is_enabled(state, t); }};
}

std::vector<std::uint32_t> RestSpace::path_to(std::uint32_t state) const {
  std::vector<std::uint32_t> path;
  for (; state != no_parent; state = store_->parent[state]) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace molejo

#include "molejo/net/enabled_set.h"

#include <algorithm>
#include <bit>

namespace molejo {

EnabledSet::EnabledSet(const Net& net) : position_(net.transitions.size(), -1) {
  std::vector<int> priorities;
  for (const Transition& t : net.transitions) priorities.push_back(t.priority);
  std::sort(priorities.begin(), priorities.end());
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  for (const Transition& t : net.transitions) {
    const auto found = std::lower_bound(priorities.begin(), priorities.end(), t.priority);
    rank_.push_back(static_cast<int>(found - priorities.begin()));
  }
  members_.resize(std::max<std::size_t>(1, priorities.size()));
  for (std::size_t bits = members_.size();;) {
    bits = (bits + 63) / 64;
    levels_.emplace_back(bits, 0);
    if (bits == 1) break;
  }
}

void EnabledSet::insert(int transition) {
  int rank = at(rank_, transition);
  std::vector<int>& members = at(members_, rank);
  at(position_, transition) = static_cast<int>(members.size());
  members.push_back(transition);
  if (members.size() > 1) return;
  for (auto& words : levels_) {
    std::uint64_t& word = at(words, rank / 64);
    const bool known = word != 0;
    word |= std::uint64_t{1} << (rank % 64);
    if (known) return;
    rank /= 64;
  }
}

void EnabledSet::remove(int transition) {
  int rank = at(rank_, transition);
  std::vector<int>& members = at(members_, rank);
  const int position = at(position_, transition);
  at(members, position) = members.back();
  at(position_, members.back()) = position;
  at(position_, transition) = -1;
  members.pop_back();
  if (!members.empty()) return;
  for (auto& words : levels_) {
    std::uint64_t& word = at(words, rank / 64);
    word &= ~(std::uint64_t{1} << (rank % 64));
    if (word != 0) return;
    rank /= 64;
  }
}

void EnabledSet::clear() {
  std::fill(position_.begin(), position_.end(), -1);
  for (std::vector<int>& members : members_) members.clear();
  for (auto& words : levels_) std::fill(words.begin(), words.end(), 0);
}

std::span<const int> EnabledSet::highest() const {
  int rank = 0;
  for (auto words = levels_.rbegin(); words != levels_.rend(); ++words) {
    const std::uint64_t word = at(*words, rank);
    if (word == 0) return {};
    rank = rank * 64 + 63 - std::countl_zero(word);
  }
  return at(members_, rank);
}

}  // namespace molejo

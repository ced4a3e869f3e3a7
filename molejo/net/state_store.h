// A set of packed markings with consecutive numbers, and where each came from.
//
// Open addressing: a slot of 32 bits holds the number of a marking and, in the bits that the number
// leaves free, a part of its hash, so that few markings are compared in vain. At most 3/4 full.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "molejo/net/packed_net.h"

namespace molejo {

// Functions with `fixed` take the number of words from it, where it is not 0.
template <std::size_t fixed = 0>
std::uint64_t marking_hash(const Word* marking, std::size_t words) {
  if constexpr (fixed > 0) words = fixed;
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < words; ++i) {
    h = (h ^ marking[i]) * 0xff51afd7ed558ccdu;  // the mixing of MurmurHash3 (Appleby)
    h ^= h >> 32;
  }
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 29);
}

class StateStore {
 public:
  explicit StateStore(std::size_t words) : words_(words), slots_(16, 0) {}

  std::size_t size() const { return came_from_.size(); }
  const Word* marking(std::size_t index) const { return markings_.data() + index * words_; }
  // A state and a transition from it.
  struct Origin {
    std::uint32_t state, transition;
  };
  Origin origin(std::size_t index) const { return came_from_[index]; }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  // The index of the marking, which is added when it is new.
  template <std::size_t fixed = 0>
  std::size_t insert(const Word* marking, std::uint64_t hash, Origin origin) {
    std::size_t slot = 0;
    const std::size_t found = find<fixed>(marking, hash, slot);
    if (found < size()) return found;
    slots_[slot] = entry(size(), hash);
    reserve_more(markings_, words_);
    for (std::size_t i = 0; i < (fixed > 0 ? fixed : words_); ++i) markings_.push_back(marking[i]);
    reserve_more(came_from_, 1);
    came_from_.push_back(origin);
    if (4 * size() > 3 * slots_.size()) grow();
    return size() - 1;
  }
  // The index of the marking, or size() when it is not there.
  std::size_t find(const Word* marking, std::uint64_t hash) const {
    std::size_t slot = 0;
    return find<0>(marking, hash, slot);
  }

  std::uint64_t bytes() const {
    return markings_.capacity() * sizeof(Word) + came_from_.capacity() * sizeof(Origin) +
           slots_.capacity() * sizeof(std::uint32_t);
  }
  // The most that inserting so many markings takes, with what is copied while it grows.
  std::uint64_t bytes_after(std::size_t more) const {
    const auto grown = [&](std::size_t capacity, std::size_t size, std::size_t each) {
      while (capacity < (size + more) * each) capacity = larger(capacity, each);
      return capacity;
    };
    const std::size_t words = grown(markings_.capacity(), size(), words_);
    const std::size_t origins = grown(came_from_.capacity(), size(), 1);
    std::size_t slots = slots_.size();
    while (4 * (size() + more) > 3 * slots) slots *= 2;
    return words * sizeof(Word) + origins * sizeof(Origin) + slots * sizeof(std::uint32_t);
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  // numbers start at 1 in the slots, 0 is empty
  std::uint32_t entry(std::size_t index, std::uint64_t hash) const {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    return (tag & ~static_cast<std::uint32_t>(mask())) | static_cast<std::uint32_t>(index + 1);
  }

  template <std::size_t fixed>
  std::size_t find(const Word* marking, std::uint64_t hash, std::size_t& slot) const {
    const std::size_t words = fixed > 0 ? fixed : words_;
    const auto number_bits = static_cast<std::uint32_t>(mask());
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32) & ~number_bits;
    for (slot = hash & mask(); slots_[slot] != 0; slot = (slot + 1) & mask()) {
      if ((slots_[slot] & ~number_bits) != tag) continue;
      const std::size_t index = (slots_[slot] & number_bits) - 1;
      const Word* other = markings_.data() + index * words;
      bool equal = true;
      for (std::size_t i = 0; i < words; ++i) equal &= other[i] == marking[i];
      if (equal) return index;
    }
    return size();
  }

  // by half, so that little is reserved in vain
  static std::size_t larger(std::size_t capacity, std::size_t more) {
    return capacity + capacity / 2 + 16 * more;
  }
  template <class T>
  static void reserve_more(std::vector<T>& v, std::size_t more) {
    if (v.size() + more > v.capacity()) v.reserve(larger(v.capacity(), more));
  }

  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint64_t hash = marking_hash(marking(i), words_);
      std::size_t slot = hash & mask();
      while (slots_[slot] != 0) slot = (slot + 1) & mask();
      slots_[slot] = entry(i, hash);
    }
  }

  std::size_t words_;
  std::vector<Word> markings_;
  std::vector<Origin> came_from_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace molejo

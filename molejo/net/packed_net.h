// Markings packed into a few words, and firing on them without unpacking.
//
// Each place has a field of `width` bits for its tokens and a guard bit G above it:
//
//   M(p) >= w for all inputs     ((M | G) - W) & G == G     no borrow passes a guard
//   firing                       M' = M + D                 as long as no field overflows
//   overflow of a field          M' & G != 0
//
// Word-parallel fields: Lamport, Multiple byte processing with full-word instructions (1975).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

using Word = std::uint64_t;

// Which enabled transitions may fire.
enum class Choice {
  by_priority,  // by themselves: those of the highest priority; if there are none, all events
  any           // all that are enabled
};

class PackedNet {
 public:
  // `widths`: bits for the tokens of each place, 1 to 31.
  PackedNet(const Net& net, std::span<const int> widths, Choice choice);

  std::size_t words() const { return words_; }                           // of a marking
  void pack(std::span<const std::int64_t> tokens, Word* marking) const;  // each must fit
  void unpack(const Word* marking, std::span<std::int64_t> tokens) const;

  // Calls f(transition) with the marking after it in `next`, for every transition that may fire;
  // returns their number. Fields may have overflowed. `fixed`: words(), where the compiler knows
  // it.
  template <std::size_t fixed = 0, class F>
  int fire_all(const Word* marking, Word* next, F&& f) const;
  // The same one by one: the first transition that may fire from `position` on, which is 0 at first
  // and moves behind it; -1 when there is none left.
  int fire_next(const Word* marking, std::uint32_t& position, Word* next) const;
  bool is_enabled(const Word* marking, int transition) const;
  // Whether a field of the marking has more tokens than it can hold.
  template <std::size_t fixed = 0>
  bool overflowed(const Word* marking) const {
    Word bits = 0;
    for (std::size_t i = 0; i < (fixed > 0 ? fixed : words_); ++i) bits |= marking[i] & guards_[i];
    return bits != 0;
  }
  // The places whose fields overflowed.
  void add_overflowed(const Word* marking, std::vector<std::uint8_t>& places) const;
  // a(p) >= b(p) everywhere.
  bool covers(const Word* a, const Word* b) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if ((((a[i] | guards_[i]) - b[i]) & guards_[i]) != guards_[i]) return false;
    }
    return true;
  }

 private:
  // What a transition asks of one word, and what it does to it.
  struct Term {
    std::uint32_t word;
    Word need = 0, need_guards = 0;    // inputs
    Word limit = 0, limit_guards = 0;  // inhibitors
    Word change = 0;
  };
  struct Field {
    std::uint32_t word, shift;
    Word mask;
  };

  Term& term_at(std::vector<Term>& terms, std::uint32_t word) const;
  void add_transition(const Topology& topology, int transition, std::span<const int> widths);
  bool allows(const Word* marking, std::size_t transition) const;
  void fire(const Word* marking, std::size_t transition, Word* next) const;

  std::size_t words_ = 1;
  std::vector<Field> fields_;  // of a place
  std::vector<Word> guards_;
  std::vector<Term> terms_;
  std::vector<std::uint32_t> first_term_;  // of a transition
  std::vector<std::uint8_t> impossible_;   // needs more than a field can hold
  std::vector<std::vector<int>> groups_;   // transitions, the first group with an enabled one fires
  std::vector<std::uint32_t> group_end_;   // positions, counted through all groups
};

inline bool PackedNet::allows(const Word* marking, std::size_t t) const {
  for (std::uint32_t i = first_term_[t]; i < first_term_[t + 1]; ++i) {
    const Term& term = terms_[i];
    const Word guarded = marking[term.word] | guards_[term.word];
    if (((guarded - term.need) & term.need_guards) != term.need_guards) return false;
    if (((guarded - term.limit) & term.limit_guards) != 0) return false;
  }
  return impossible_[t] == 0;
}

template <std::size_t fixed, class F>
int PackedNet::fire_all(const Word* marking, Word* next, F&& f) const {
  const std::size_t words = fixed > 0 ? fixed : words_;
  int fired = 0;
  for (const std::vector<int>& group : groups_) {
    for (const int id : group) {
      const auto t = static_cast<std::size_t>(id);
      if (!allows(marking, t)) continue;
      for (std::size_t i = 0; i < words; ++i) next[i] = marking[i];
      for (std::uint32_t i = first_term_[t]; i < first_term_[t + 1]; ++i) {
        next[terms_[i].word] += terms_[i].change;
      }
      ++fired;
      f(id);
    }
    if (fired > 0) break;
  }
  return fired;
}

}  // namespace molejo

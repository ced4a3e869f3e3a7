#include "molejo/net/packed_net.h"

#include <algorithm>
#include <map>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

constexpr std::uint32_t word_bits = 64;

// Events wait until nothing fires by itself; which of them comes first nobody knows.
std::vector<std::vector<int>> priority_groups(const Net& net, Choice choice) {
  std::map<int, std::vector<int>, std::greater<>> alone;
  std::vector<int> all, on_event;
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    const int id = static_cast<int>(t);
    all.push_back(id);
    if (net.transitions[t].event.empty()) {
      alone[net.transitions[t].priority].push_back(id);
    } else {
      on_event.push_back(id);
    }
  }
  if (choice == Choice::any) return {all};
  std::vector<std::vector<int>> groups;
  for (auto& [priority, group] : alone) groups.push_back(std::move(group));
  if (!on_event.empty()) groups.push_back(std::move(on_event));
  return groups;
}

}  // namespace

PackedNet::PackedNet(const Net& net, std::span<const int> widths, Choice choice)
    : groups_(priority_groups(net, choice)) {
  std::uint32_t word = 0, shift = 0;
  for (const int width : widths) {
    const auto bits = static_cast<std::uint32_t>(width);
    if (shift + bits + 1 > word_bits) {
      ++word;
      shift = 0;
    }
    fields_.push_back({word, shift, (Word{1} << bits) - 1});
    guards_.resize(word + 1);
    guards_[word] |= Word{1} << (shift + bits);
    shift += bits + 1;
  }
  guards_.resize(word + 1);
  words_ = guards_.size();
  std::uint32_t end = 0;
  for (const std::vector<int>& group : groups_) {
    group_end_.push_back(end += static_cast<std::uint32_t>(group.size()));
  }
  const Topology topology(net);
  first_term_.push_back(0);
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    add_transition(topology, static_cast<int>(t), widths);
  }
}

PackedNet::Term& PackedNet::term_at(std::vector<Term>& terms, std::uint32_t word) const {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.word == word; });
  if (found != terms.end()) return *found;
  terms.push_back(Term{.word = word});
  return terms.back();
}

void PackedNet::add_transition(const Topology& topology, int t, std::span<const int> widths) {
  check_interrupt();
  std::vector<Term> terms;
  bool impossible = false;
  const auto guard = [&](int p) {
    return Word{1} << (fields_[at(p)].shift + static_cast<std::uint32_t>(widths[at(p)]));
  };
  for (const auto& [p, w] : topology.inputs[t]) {
    const Field& field = fields_[at(p)];
    impossible |= static_cast<Word>(w) > field.mask;
    Term& term = term_at(terms, field.word);
    term.need += (static_cast<Word>(w) & field.mask) << field.shift;
    term.need_guards |= guard(p);
    term.change -= static_cast<Word>(w) << field.shift;
  }
  for (const auto& [p, w] : topology.inhibitors[t]) {
    const Field& field = fields_[at(p)];
    if (static_cast<Word>(w) > field.mask) continue;  // the field cannot hold so many
    Term& term = term_at(terms, field.word);
    term.limit += static_cast<Word>(w) << field.shift;
    term.limit_guards |= guard(p);
  }
  for (const auto& [p, w] : topology.outputs[t]) {
    Term& term = term_at(terms, fields_[at(p)].word);
    term.change += static_cast<Word>(w) << fields_[at(p)].shift;
  }
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  first_term_.push_back(static_cast<std::uint32_t>(terms_.size()));
  impossible_.push_back(impossible ? 1 : 0);
}

void PackedNet::pack(std::span<const std::int64_t> tokens, Word* marking) const {
  std::fill(marking, marking + words_, 0);
  for (std::size_t p = 0; p < fields_.size(); ++p) {
    marking[fields_[p].word] |= static_cast<Word>(tokens[p]) << fields_[p].shift;
  }
}

void PackedNet::unpack(const Word* marking, std::span<std::int64_t> tokens) const {
  for (std::size_t p = 0; p < fields_.size(); ++p) {
    const Field& f = fields_[p];
    tokens[p] = static_cast<std::int64_t>(marking[f.word] >> f.shift & f.mask);
  }
}

void PackedNet::fire(const Word* marking, std::size_t t, Word* next) const {
  for (std::size_t i = 0; i < words_; ++i) next[i] = marking[i];
  for (std::uint32_t i = first_term_[t]; i < first_term_[t + 1]; ++i) {
    next[terms_[i].word] += terms_[i].change;
  }
}

int PackedNet::fire_next(const Word* marking, std::uint32_t& position, Word* next) const {
  // where one has fired, only its group does
  std::uint32_t g = 0;
  while (position > 0 && group_end_[g] < position) ++g;
  const std::size_t last = position > 0 ? g + 1 : groups_.size();
  for (; g < last; ++g) {
    const std::uint32_t begin = group_end_[g] - static_cast<std::uint32_t>(groups_[g].size());
    for (std::uint32_t at = std::max(position, begin); at < group_end_[g]; ++at) {
      const int t = groups_[g][at - begin];
      if (!allows(marking, static_cast<std::size_t>(t))) continue;
      fire(marking, static_cast<std::size_t>(t), next);
      position = at + 1;
      return t;
    }
  }
  return -1;
}

bool PackedNet::is_enabled(const Word* marking, int transition) const {
  return allows(marking, at(transition));
}

void PackedNet::add_overflowed(const Word* marking, std::vector<std::uint8_t>& places) const {
  for (std::size_t p = 0; p < fields_.size(); ++p) {
    const Field& f = fields_[p];
    if ((marking[f.word] >> f.shift & (f.mask + 1)) != 0) places[p] = 1;
  }
}

}  // namespace molejo

// How the spaces in time keep their states.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "molejo/net/rest_space.h"
#include "molejo/net/token_rules.h"

namespace molejo {

struct RestStore {
  // `more`: the net with what is added to it while it is explored, or null.
  RestStore(const Net& net, std::unique_ptr<const Net> more, const TimedSettings& limits)
      : given(net),
        added(std::move(more)),
        max_states(limits.max_states),
        max_memory(limits.max_memory),
        rules(added ? *added : net, *TokenRules::common_ticks(added ? *added : net),
              limits.most_at_once),
        tally(rules.net()) {}
  virtual ~RestStore() = default;

  const Net& given;
  const std::unique_ptr<const Net> added;
  const std::uint64_t max_states, max_memory;
  const TokenRules rules;
  mutable InstantTally tally;  // settling a known state again adds nothing new

  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<const std::string*> codes;  // that begin with their tokens
  std::vector<std::uint32_t> parent;
  std::uint32_t start_count = 0;
  std::uint64_t memory = 0;
  bool endless = false, cut = false;
  TimedEnd end = TimedEnd::complete;

  TokenState state(std::uint32_t number) const { return rules.decode(*codes[number]); }

  // Its number, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::string code, std::uint32_t from) {
    constexpr std::uint64_t overhead = 120;  // of the table and the lists, about
    const std::size_t size = code.size();
    const auto [found, fresh] =
        numbers.emplace(std::move(code), static_cast<std::uint32_t>(codes.size()));
    if (fresh) {
      codes.push_back(&found->first);
      parent.push_back(from);
      memory += size + overhead;
    }
    return {found->second, fresh};
  }

  // Ends the search where it is too large.
  void keep_limits() {
    if (end != TimedEnd::complete) return;
    if (codes.size() > max_states) end = TimedEnd::max_states;
    if (memory > max_memory) end = TimedEnd::max_memory;
  }
};

}  // namespace molejo

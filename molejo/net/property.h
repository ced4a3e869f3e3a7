// What should hold of a net, written as text and decided over all markings.
//
//   always: ball_A + ball_B + ball_air == 1      never: kick & fall
//   possible: enabled(T4)                        eventually: P9     eventually within 5: P9
//
// A name is the number of tokens in that place; waiting(P) of those that still wait, ready(P) of
// the others (where delays are ignored none waits). A number is true when it is not 0. Operators
// from the tightest: * + - (== != < <= > >=) ! & | ->. `deadlock` is true where nothing can fire
// any more. Names with other characters stand in single quotes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

// What a formula sees of a marking.
struct MarkingView {
  std::span<const std::int64_t> tokens;
  std::span<const std::int64_t> waiting = {};  // of them; empty: none
  bool deadlock = false;
  std::function<bool(int)> is_enabled = {};  // of a transition
};

class MarkingFormula {
 public:
  bool holds(const MarkingView& view) const;
  bool asks_for_deadlock() const;
  bool asks_for_waiting() const;
  bool asks_for_enabled() const;
  bool mentions(PlaceId place) const;

 private:
  friend class FormulaParser;
  enum class Op : std::uint8_t {
    number,
    tokens,
    ready,
    waiting,
    enabled,
    deadlock,
    add,
    subtract,
    multiply,
    negate,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_not,
    logical_and,
    logical_or
  };
  struct Code {
    Op op;
    std::int64_t value = 0;  // the number, or the index of the node
  };
  std::vector<Code> code_;  // postfix
};

enum class PropertyKind { always, never, possible, eventually };

struct Property {
  std::string text;
  PropertyKind kind = PropertyKind::always;
  std::optional<Fraction> within;  // s, of eventually
  MarkingFormula formula;
};

// Throws NetError: "property '...': column 7: unknown place 'kik'; did you mean 'kick'?"
Property parse_property(std::string_view text, const Net& net);

}  // namespace molejo

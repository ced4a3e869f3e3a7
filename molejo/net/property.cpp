#include "molejo/net/property.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/characters.h"
#include "molejo/math/words.h"

namespace molejo {

namespace {

constexpr std::size_t longest_text = 10'000;  // characters
constexpr int deepest = 200;                  // parentheses and operators within each other

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

// Recursive descent, one function a level of the operators.
class FormulaParser {
 public:
  using Op = MarkingFormula::Op;

  FormulaParser(std::string_view text, const Net& net) : text_(text), names_(net) {
    if (text.size() > longest_text)
      throw NetError(fmt::format("more than {} characters", longest_text));
  }

  Property run() {
    Property property;
    property.text = std::string(text_);
    const std::vector<std::string> kinds{"always", "never", "possible", "eventually"};
    skip();
    const std::string_view word = take_word();
    const auto found = std::find(kinds.begin(), kinds.end(), word);
    if (found == kinds.end()) {
      fail(word.empty() ? "expected always, never, possible or eventually"
                        : unknown_word("property", word, kinds));
    }
    property.kind = static_cast<PropertyKind>(found - kinds.begin());
    skip();
    if (property.kind == PropertyKind::eventually && !peek(":")) {
      if (take_word() != "within") fail("expected ':' or 'within'");
      skip();
      const std::size_t start = at_;
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '/')) ++at_;
      property.within = parse_fraction(text_.substr(start, at_ - start));
      if (!property.within) fail("expected a time in seconds");
      skip();
      if (peek("s")) ++at_;
    }
    if (!take(":")) fail("expected ':'");
    implication(0);
    skip();
    if (at_ < text_.size()) fail("expected the end");
    property.formula = std::move(formula_);
    return property;
  }

  std::size_t column() const { return at_ + 1; }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw NetError(what); }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool peek(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  bool take(std::string_view token) {
    skip();
    if (!peek(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  void emit(Op op, std::int64_t value = 0) { formula_.code_.push_back({op, value}); }

  void implication(int depth) {
    if (depth > deepest) fail("nested too deeply");
    disjunction(depth);
    if (!take("->")) return;
    // a -> b is !a | b, from the right
    emit(Op::logical_not);
    implication(depth + 1);
    emit(Op::logical_or);
  }
  void disjunction(int depth) {
    conjunction(depth);
    while (take("||") || take("|")) {
      conjunction(depth);
      emit(Op::logical_or);
    }
  }
  void conjunction(int depth) {
    negation(depth);
    while (take("&&") || take("&")) {
      negation(depth);
      emit(Op::logical_and);
    }
  }
  void negation(int depth) {
    if (depth > deepest) fail("nested too deeply");
    skip();
    if (peek("!") && !peek("!=")) {
      ++at_;
      negation(depth + 1);
      emit(Op::logical_not);
      return;
    }
    comparison(depth);
  }
  void comparison(int depth) {
    sum(depth);
    constexpr std::pair<std::string_view, Op> operators[] = {
        {"==", Op::equal},         {"!=", Op::unequal}, {"<=", Op::less_equal},
        {">=", Op::greater_equal}, {"<", Op::less},     {">", Op::greater}};
    for (const auto& [token, op] : operators) {
      if (!take(token)) continue;
      sum(depth);
      emit(op);
      return;
    }
  }
  void sum(int depth) {
    product(depth);
    for (;;) {
      skip();
      if (take("+")) {
        product(depth);
        emit(Op::add);
      } else if (peek("-") && !peek("->")) {
        ++at_;
        product(depth);
        emit(Op::subtract);
      } else {
        return;
      }
    }
  }
  void product(int depth) {
    atom(depth);
    while (take("*")) {
      atom(depth);
      emit(Op::multiply);
    }
  }

  void atom(int depth) {
    skip();
    if (take("(")) {
      implication(depth + 1);
      if (!take(")")) fail("expected ')'");
    } else if (peek("-")) {
      if (depth > deepest) fail("nested too deeply");
      ++at_;
      atom(depth + 1);
      emit(Op::negate);
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      number();
    } else {
      named();
    }
  }

  void number() {
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      value = value * 10 + (text_[at_] - '0');
      if (value > max_tokens) fail(fmt::format("a number above {}", max_tokens));
    }
    emit(Op::number, value);
  }

  std::string take_name() {
    skip();
    if (!peek("'")) return std::string(take_word());
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) fail("a quote without end");
    std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return name;
  }

  void named() {
    const std::size_t start = at_;
    const bool quoted = peek("'");
    const std::string name = take_name();
    if (name.empty()) fail("expected a place, a number or '('");
    if (!quoted && name == "enabled" && take("(")) {
      const std::size_t inner = at_;
      const std::string transition = take_name();
      const TransitionId t = names_.find_transition(transition);
      if (t.index < 0) at_ = inner;
      emit(Op::enabled, names_.transition(transition).index);
      if (!take(")")) fail("expected ')'");
      return;
    }
    if (!quoted && (name == "waiting" || name == "ready") && take("(")) {
      skip();
      const std::size_t inner = at_;
      const std::string inside = take_name();
      if (names_.find_place(inside).index < 0) at_ = inner;
      emit(name == "waiting" ? Op::waiting : Op::ready, names_.place(inside).index);
      if (!take(")")) fail("expected ')'");
      return;
    }
    const PlaceId place = names_.find_place(name);
    if (place.index < 0 && !quoted && name == "deadlock") return emit(Op::deadlock);
    if (place.index < 0) at_ = start;
    emit(Op::tokens, names_.place(name).index);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NetNames names_;
  MarkingFormula formula_;
};

bool MarkingFormula::asks_for_deadlock() const {
  return std::any_of(code_.begin(), code_.end(),
                     [](const Code& c) { return c.op == Op::deadlock; });
}

bool MarkingFormula::asks_for_waiting() const {
  return std::any_of(code_.begin(), code_.end(),
                     [](const Code& c) { return c.op == Op::waiting || c.op == Op::ready; });
}

bool MarkingFormula::mentions(PlaceId place) const {
  return std::any_of(code_.begin(), code_.end(), [&](const Code& c) {
    const bool of_place = c.op == Op::tokens || c.op == Op::ready || c.op == Op::waiting;
    return of_place && c.value == place.index;
  });
}

bool MarkingFormula::asks_for_enabled() const {
  return std::any_of(code_.begin(), code_.end(), [](const Code& c) { return c.op == Op::enabled; });
}

bool MarkingFormula::holds(const MarkingView& view) const {
  std::vector<std::int64_t> stack;
  stack.reserve(16);
  const auto pop = [&] {
    const std::int64_t x = stack.back();
    stack.pop_back();
    return x;
  };
  // in unsigned arithmetic: large products wrap instead of being undefined
  const auto wrapped = [](auto x) { return static_cast<std::int64_t>(x); };
  using U = std::uint64_t;
  for (const Code& c : code_) {
    if (c.op <= Op::deadlock) {
      const auto i = static_cast<std::size_t>(c.value);
      const auto waiting = [&] { return view.waiting.empty() ? 0 : view.waiting[i]; };
      stack.push_back(c.op == Op::number    ? c.value
                      : c.op == Op::tokens  ? view.tokens[i]
                      : c.op == Op::ready   ? view.tokens[i] - waiting()
                      : c.op == Op::waiting ? waiting()
                      : c.op == Op::enabled ? view.is_enabled(static_cast<int>(i))
                                            : view.deadlock);
      continue;
    }
    const std::int64_t b = pop();
    if (c.op == Op::negate || c.op == Op::logical_not) {
      stack.push_back(c.op == Op::negate ? wrapped(U{0} - static_cast<U>(b)) : b == 0);
      continue;
    }
    const std::int64_t a = pop();
    switch (c.op) {
      case Op::add:
        stack.push_back(wrapped(static_cast<U>(a) + static_cast<U>(b)));
        break;
      case Op::subtract:
        stack.push_back(wrapped(static_cast<U>(a) - static_cast<U>(b)));
        break;
      case Op::multiply:
        stack.push_back(wrapped(static_cast<U>(a) * static_cast<U>(b)));
        break;
      case Op::equal:
        stack.push_back(a == b);
        break;
      case Op::unequal:
        stack.push_back(a != b);
        break;
      case Op::less:
        stack.push_back(a < b);
        break;
      case Op::less_equal:
        stack.push_back(a <= b);
        break;
      case Op::greater:
        stack.push_back(a > b);
        break;
      case Op::greater_equal:
        stack.push_back(a >= b);
        break;
      case Op::logical_and:
        stack.push_back(a != 0 && b != 0);
        break;
      default:
        stack.push_back(a != 0 || b != 0);
        break;
    }
  }
  return stack.back() != 0;
}

Property parse_property(std::string_view text, const Net& net) {
  FormulaParser parser(text, net);
  try {
    return parser.run();
  } catch (const NetError& error) {
    throw NetError(
        fmt::format("property '{:.60}': column {}: {}", text, parser.column(), error.what()));
  }
}

}  // namespace molejo

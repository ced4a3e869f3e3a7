// The topological description language of Bicho (2001), section 3.5.1.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "molejo/io/net_file.h"
#include "molejo/io/xml.h"
#include "molejo/math/characters.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

bool is_name(std::string_view word) {
  return !word.empty() && is_letter(word.front()) && word.size() <= max_net_name &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return is_letter_or_underscore(c) || is_digit(c); });
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  const bool negative = !word.empty() && word.front() == '-';
  if (negative) word.remove_prefix(1);
  if (word.empty() || word.size() > 10) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : word) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& file)
      : rest_(text), file_(file), builder_(net_) {}

  Net run() {
    if (!next_line()) fail("the file is empty; expected '<places> <transitions>'");
    expect_fields(2, "<places> <transitions>");
    const auto limit = static_cast<std::int64_t>(max_net_nodes);
    const std::int64_t places = number(words_[0], 0, limit, "number of places");
    const std::int64_t transitions = number(words_[1], 0, limit, "number of transitions");
    if (places + transitions == 0) fail("a net has at least one place or transition");

    bool more = next_line();
    for (std::int64_t i = 0; i < places; ++i, more = next_line()) {
      expect_record("P", more, i, places, "places");
      read_place();
    }
    for (std::int64_t i = 0; i < transitions; ++i, more = next_line()) {
      expect_record("T", more, i, transitions, "transitions");
      read_transition();
    }
    for (; more; more = next_line()) read_arc(places, transitions);
    return std::move(net_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
  }

  // The words of the next line that has any.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      text = text.substr(0, text.find('#'));
      split(text);
      if (!words_.empty()) return true;
    }
    return false;
  }

  void split(std::string_view text) {
    constexpr std::size_t most = 8;
    words_.clear();
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; };
    for (std::size_t i = 0; i < text.size();) {
      if (is_blank(text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && !is_blank(text[end])) ++end;
      if (words_.size() == most) fail("too many words in a line");
      words_.push_back(text.substr(i, end - i));
      i = end;
    }
  }

  void expect_fields(std::size_t count, const char* form) const {
    if (words_.size() == count) return;
    fail(fmt::format("'{}' has {} {}; expected '{}'", shown(words_.front()), words_.size(),
                     words_.size() == 1 ? "word" : "words", form));
  }

  void expect_record(const char* kind, bool more, std::int64_t got, std::int64_t announced,
                     const char* what) {
    if (more && words_.front() == kind) return;
    fail(fmt::format("{} {} of the {} announced in the first line; expected '{} ...'{}", got, what,
                     announced, kind, more ? ", not '" + shown(words_.front()) + "'" : ""));
  }

  std::int64_t number(std::string_view word, std::int64_t lowest, std::int64_t highest,
                      const char* what) const {
    const auto value = whole_number(word);
    if (value && *value >= lowest && *value <= highest) return *value;
    fail(fmt::format("{} '{}': expected a whole number from {} to {}", what, shown(word), lowest,
                     highest));
  }

  std::string name(std::string_view word) const {
    if (is_name(word)) return std::string(word);
    fail(fmt::format("name '{}': expected a letter, then letters, digits and _, at most {}",
                     shown(word), max_net_name));
  }

  // NetError with the line in front
  template <class F>
  auto at_line(F&& f) {
    try {
      return f();
    } catch (const NetError& error) {
      fail(error.what());
    }
  }

  void read_place() {
    expect_fields(4, "P name delay tokens");
    const auto delay = parse_fraction(words_[2]);
    if (!delay) {
      fail(fmt::format("delay '{}': expected seconds from 0 to {}, at most 9 decimals",
                       shown(words_[2]), largest_part));
    }
    Place place{.name = name(words_[1]), .delay = *delay};
    place.tokens = number(words_[3], 0, max_tokens, "tokens");
    at_line([&] { builder_.add(std::move(place)); });
  }

  void read_transition() {
    expect_fields(3, "T name priority");
    Transition t{.name = name(words_[1])};
    t.priority = static_cast<int>(number(words_[2], -max_tokens, max_tokens, "priority"));
    at_line([&] { builder_.add(std::move(t)); });
  }

  void read_arc(std::int64_t places, std::int64_t transitions) {
    const std::string_view kind = words_.front();
    if (kind == "P" || kind == "T") {
      fail(fmt::format("a {} after the {} announced in the first line",
                       kind == "P" ? "place" : "transition", kind == "P" ? places : transitions));
    }
    if (kind != "I" && kind != "O" && kind != "IB") {
      fail(fmt::format("unknown record '{}'; expected I, O or IB", shown(kind)));
    }
    if (kind == "IB") {
      expect_fields(3, "IB place transition");
    } else {
      expect_fields(4, kind == "I" ? "I place transition weight" : "O place transition weight");
    }
    at_line([&] {
      const PlaceId p = builder_.names().place(words_[1]);
      const TransitionId t = builder_.names().transition(words_[2]);
      const auto weight = kind == "IB" ? 1 : number(words_[3], 1, max_tokens, "weight");
      const ArcKind arc = kind == "I"   ? ArcKind::input
                          : kind == "O" ? ArcKind::output
                                        : ArcKind::inhibitor;
      builder_.connect(arc, p, t, weight);
    });
  }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 0;
  std::vector<std::string_view> words_;
  Net net_;
  NetBuilder builder_;
};

void refuse_unsayable(const Net& net) {
  const auto refuse = [](const std::string& what) {
    throw InputError("the text language of nets has no " + what + "; write .json or .pnml");
  };
  const auto check_name = [&](const std::string& name) {
    if (!is_name(name)) refuse("names like '" + shown(name) + "'");
  };
  for (const Place& p : net.places) {
    check_name(p.name);
    if (p.awaited) refuse("awaited places like '" + p.name + "'");
  }
  for (const Transition& t : net.transitions) {
    check_name(t.name);
    if (!t.event.empty()) refuse("events like that of '" + t.name + "'");
  }
  if (net.has_kind(ArcKind::interrupter)) refuse("interrupting arcs");
  for (const Arc& a : net.arcs) {
    if (a.kind == ArcKind::inhibitor && a.weight != 1) refuse("inhibitor arcs with a weight");
  }
}

}  // namespace

Net parse_net_text(std::string_view text, const std::string& file) {
  return TextReader(text, file).run();
}

std::string net_text(const Net& net) {
  refuse_unsayable(net);
  std::string out;
  const auto line = [&]<class... Args>(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
    out += '\n';
  };
  line("{} {}", net.places.size(), net.transitions.size());
  for (const Place& p : net.places) line("P {} {} {}", p.name, to_string(p.delay), p.tokens);
  out += '\n';
  for (const Transition& t : net.transitions) line("T {} {}", t.name, t.priority);

  // the arcs of a transition together, as the thesis has them
  const Topology topology(net);
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const int t = static_cast<int>(i);
    const std::string& name = net.transitions[i].name;
    const auto place = [&](int p) { return net.places[static_cast<std::size_t>(p)].name; };
    out += '\n';
    for (const auto& [p, w] : topology.inputs[t]) line("I {} {} {}", place(p), name, w);
    for (const auto& [p, w] : topology.inhibitors[t]) line("IB {} {}", place(p), name);
    for (const auto& [p, w] : topology.outputs[t]) line("O {} {} {}", place(p), name, w);
  }
  return out;
}

}  // namespace molejo

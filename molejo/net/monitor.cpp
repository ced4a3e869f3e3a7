#include "molejo/net/monitor.h"

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/check.h"

namespace molejo {

namespace {

constexpr std::int64_t latest_tick = INT64_MAX / 2;  // that leaves room for a frame

// Steps of a trace are said one by one. An event fires all its transitions, each once, before the
// net rests: whether the firing behind this word belongs to the event of the firing before.
bool goes_on_with_event(const Net& net, std::span<const NetEvent> events, std::size_t word) {
  const auto fires = [&](std::size_t i) { return events[i].kind == NetEventKind::fire; };
  const auto event_of = [&](std::size_t i) -> const std::string& {
    return net.transitions[at(events[i].node)].event;
  };
  if (word + 1 >= events.size() || !fires(word + 1) || event_of(word + 1).empty()) return false;
  // back to where the event was the first word of the instant
  std::size_t first = word;
  for (; first > 0 && events[first - 1].tick == events[word].tick; --first) {
    const std::size_t i = first - 1;
    if (events[i].kind == NetEventKind::outside && !fires(first)) break;
    const bool other = fires(i) && !event_of(i).empty() && event_of(i) != event_of(word + 1);
    if (other) break;
  }
  std::vector<int> fired;  // since it was raised
  for (std::size_t i = first; i < word; ++i) {
    if (!fires(i) || event_of(i).empty()) continue;
    if (std::find(fired.begin(), fired.end(), events[i].node) != fired.end()) fired.clear();
    fired.push_back(events[i].node);
  }
  return !fired.empty() &&
         std::find(fired.begin(), fired.end(), events[word + 1].node) == fired.end();
}

}  // namespace

Monitor::Monitor(const Net& net, bool by_hand)
    : net_(net),
      rules_(net, TokenRules::common_ticks(net).value_or(1), 0),
      by_hand_(by_hand),
      every_marking_(!only_rests_count(net)) {
  for (const std::string& text : net.properties) {
    try {
      watched_.push_back({.property = parse_property(text, net)});
    } catch (const NetError&) {  // the analysis tells
    }
  }
  holds_.assign(watched_.size(), 0);
  wrong_ = holds_;
  all_.assign(net.places.size(), 0);
  now_ = {all_, all_, all_};
}

bool Monitor::is_violated() const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [](const Watched& w) { return w.is_violated(); });
}

bool Monitor::is_at_rest() const {
  for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
    if (net_.transitions[at(t)].event.empty() && rules_.allows(now_, t)) return false;
  }
  return true;
}

bool Monitor::is_deadlock() const {
  for (const std::int64_t n : now_.waiting) {
    if (n > 0) return false;
  }
  for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
    if (rules_.allows(now_, t)) return false;
  }
  return true;
}

// The marking stood until the tick, or a word came then.
void Monitor::judge(std::int64_t until, std::int64_t ticks_per_second) {
  if (watched_.empty() || (by_hand_ && !every_marking_ && !is_at_rest())) return;
  if (fresh_) {
    for (std::size_t p = 0; p < all_.size(); ++p) all_[p] = now_.marking[p] + now_.waiting[p];
    const MarkingView view{.tokens = all_,
                           .waiting = now_.waiting,
                           .deadlock = is_deadlock(),
                           .is_enabled = [this](int t) { return rules_.allows(now_, t); }};
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      holds_[i] = watched_[i].property.formula.holds(view) ? 1 : 0;
    }
    fresh_ = false;
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Watched& w = watched_[i];
    const bool holds = holds_[i] != 0;
    const PropertyKind kind = w.property.kind;
    if (kind == PropertyKind::possible || kind == PropertyKind::eventually) {
      if (holds && w.seen < 0) {
        w.seen = since_;
        if (w.is_violated()) w.violated_until = since_;
      }
      if (!w.property.within || w.is_violated()) continue;
      const Fraction& within = *w.property.within;
      const auto limit = static_cast<__int128>(within.numerator) * ticks_per_second;
      const auto beyond = [&](std::int64_t tick) {
        return static_cast<__int128>(tick) * within.denominator > limit;
      };
      if (w.seen >= 0 ? !beyond(w.seen) : !beyond(until)) continue;
      ++w.violations;
      w.violated_from = *ceil_product(within, ticks_per_second);
      w.violated_until = w.seen;
      w.events = events_;
      continue;
    }
    const bool wrong = holds == (kind == PropertyKind::never), was_wrong = wrong_[i] != 0;
    wrong_[i] = wrong ? 1 : 0;
    if (wrong && !was_wrong && ++w.violations == 1) {
      w.violated_from = since_;
      w.events = events_;
    }
    if (!wrong && was_wrong && w.violations == 1) w.violated_until = since_;
  }
}

void Monitor::note(const NetEvent& e) {
  const bool fires = e.kind == NetEventKind::fire;
  if (e.tick > tick_ || e.kind == NetEventKind::outside || (fires && every_marking_)) {
    judge(e.tick, per_second_);
  }
  tick_ = e.tick;
  ++events_;
  if (fires || e.kind == NetEventKind::outside) return;
  const Place& place = net_.places[at(e.node)];
  const bool waits = place.delay.numerator > 0 || place.awaited;
  std::int64_t &marking = now_.marking[at(e.node)], &waiting = now_.waiting[at(e.node)];
  if (e.kind == NetEventKind::arrive) (waits ? waiting : marking) += e.count;
  if (e.kind == NetEventKind::finish) ++marking, --waiting;
  if (e.kind == NetEventKind::leave) {
    const std::int64_t ripe = std::min(e.count, marking);
    marking -= ripe;
    waiting -= e.count - ripe;
  }
  fresh_ = true;
  since_ = e.tick;
}

void Monitor::note(const NetRun& run) {
  if (closed_) return;
  per_second_ = run.ticks_per_second();
  const std::span<const NetEvent> events = run.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    check_interrupt();
    const bool is_word = events[i].kind == NetEventKind::outside;
    if (by_hand_ && is_word && goes_on_with_event(net_, events, i)) {
      ++events_;
    } else {
      note(events[i]);
    }
  }
  if (run.tick() > tick_) judge(run.tick(), per_second_);
}

void Monitor::close(const NetRun& run, bool silent) {
  if (closed_ || run.stopped() != RunStop::none) return;
  judge(run.tick(), per_second_);
  if (is_deadlock() || (silent && is_at_rest() && !run.next_end())) note_never();
}

void Monitor::close_trace(const NetRun& run) {
  if (closed_) return;
  if (run.is_within_frame()) note(run);
  closed_ = true;
  if (run.stopped() != RunStop::none) return;
  judge(run.tick(), per_second_);
  if (!is_at_rest()) return;
  // time passes before anything happens
  if (const auto end = run.next_end()) {
    judge(*end, per_second_);
  } else {
    note_never();
  }
}

// What has not come comes no more.
void Monitor::note_never() {
  for (Watched& w : watched_) {
    if (w.property.kind != PropertyKind::eventually || w.seen >= 0 || w.is_violated()) continue;
    ++w.violations;
    w.violated_from = since_;
    if (w.property.within) {
      const auto limit = ceil_product(*w.property.within, per_second_);
      w.violated_from = std::min(limit.value_or(latest_tick), latest_tick);
    }
    w.events = events_;
    w.never_comes = true;
  }
}

}  // namespace molejo

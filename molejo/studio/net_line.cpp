#include "molejo/studio/net_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::int64_t most_replayed = 100'000;  // frames
constexpr std::size_t bytes_per_event = 128;     // with what charts are drawn from

}  // namespace

const char* to_string(NetMode mode) {
  return mode == NetMode::automatic ? "auto" : mode == NetMode::by_hand ? "hand" : "trace";
}

std::size_t NetFrame::bytes() const {
  return sizeof(NetFrame) + marking.size() * sizeof(Count) + serving.size() * sizeof(Serving) +
         fired.size() * sizeof(Firing) + allowed.size() * sizeof(int) + bytes_of(frame);
}

std::vector<int> allowed_transitions(const Net& net, const NetRun& run) {
  std::vector<int> best, on_event;
  std::map<std::string_view, int> of_event;  // the highest priority of its enabled transitions
  int highest = 0;
  for (int t = 0; t < static_cast<int>(net.transitions.size()); ++t) {
    if (!run.is_enabled({t})) continue;
    const Transition& transition = net.transitions[static_cast<std::size_t>(t)];
    if (!transition.event.empty()) {
      on_event.push_back(t);
      int& first = of_event.emplace(transition.event, transition.priority).first->second;
      first = std::max(first, transition.priority);
    } else if (best.empty() || transition.priority >= highest) {
      if (!best.empty() && transition.priority > highest) best.clear();
      highest = transition.priority;
      best.push_back(t);
    }
  }
  std::erase_if(on_event, [&](int t) {
    const Transition& transition = net.transitions[static_cast<std::size_t>(t)];
    return transition.priority < of_event[transition.event];
  });
  return best.empty() ? on_event : best;
}

NetLine::NetLine(Fraction fps, HistoryLimits limits)
    : fps_(fps), most_events_(limits.bytes / bytes_per_event), history_(limits) {}

void NetLine::begin_anew() {
  ++jumps_;
  failure_.clear();
  lost_ = true;  // until it is where it shall be
  hurries_ = false;
  seen_ = 0;
  serving_.clear();
  restart();
}

void NetLine::take_events(NetFrame& frame) {
  const NetRun& r = run();
  for (const std::vector<NetEvent>& all = events(); seen_ < all.size(); ++seen_) {
    const NetEvent& e = all[seen_];
    const double t = r.seconds(e.tick);
    if (e.kind == NetEventKind::fire) {
      frame.fired.push_back({e.node, t});
    } else if (e.kind == NetEventKind::start) {
      const double delay = net().places[static_cast<std::size_t>(e.node)].delay.value();
      serving_[e.node] = {e.node, t, t + delay};
    } else if (e.kind == NetEventKind::finish || e.kind == NetEventKind::interrupt) {
      serving_.erase(e.node);
    }
  }
}

bool NetLine::make_next(NetFrame& frame) {
  if (!make(frame)) return false;
  if (events().size() > most_events_) {
    failure_ = fmt::format("more than {} events are not kept; reset to begin anew", most_events_);
    return false;
  }
  take_events(frame);
  if (hurries_) return true;
  const NetRun& r = run();
  for (int p = 0; p < static_cast<int>(net().places.size()); ++p) {
    const std::int64_t all = r.tokens({p});
    if (all > 0) frame.marking.push_back({p, all, r.marking({p})});
  }
  for (const auto& [place, service] : serving_) frame.serving.push_back(service);
  frame.allowed = allowed_transitions(net(), r);
  return true;
}

Advance NetLine::show_next(Clock::time_point) {
  if (history_.is_at_end()) {
    if (lost_) return Advance::over;
    NetFrame next;
    try {
      if (!make_next(next)) return Advance::over;
    } catch (const Interrupted& e) {
      failure_ = lost_frame(e);
      lost_ = true;
      return Advance::over;
    }
    history_.add(std::move(next));
  }
  history_.show_next();
  return Advance::shown;
}

void NetLine::reset() {
  causes_.clear();
  begin_anew();
  NetFrame first;
  if (!make_next(first)) throw InputError(failure_.empty() ? "it has no frames" : failure_);
  lost_ = false;
  history_.clear();
  history_.add(std::move(first));
  history_.show_last();
}

void NetLine::branch() {
  if (history_.is_at_end()) return;
  const std::int64_t last = number();
  if (last > most_replayed) {
    throw InputError(
        fmt::format("frame {}: nothing beyond frame {} can be gone on from; reset instead", last,
                    most_replayed));
  }
  history_.forget_later();
  std::erase_if(causes_, [&](const UserCause& c) { return c.frame >= last; });
  begin_anew();
  hurries_ = true;
  std::size_t next_cause = 0;
  for (std::int64_t k = 0; k <= last; ++k) {
    check_interrupt();
    NetFrame again;
    // a frame that was the last one for a while is asked for twice
    if (!make_next(again) && !make_next(again)) break;
    while (next_cause < causes_.size() && causes_[next_cause].frame == k) {
      fire_now(causes_[next_cause++].transition);
    }
  }
  hurries_ = false;
  lost_ = false;
}

void NetLine::fire(TransitionId transition) {
  if (lost_) throw InputError("a frame was not finished; reset to begin anew");
  const std::string& name = net().transitions[static_cast<std::size_t>(transition.index)].name;
  if (!history_.is_at_end()) {
    throw InputError(fmt::format(
        "transition '{}': the run has gone on from here; go to its end or branch first", name));
  }
  const std::vector<int> allowed = allowed_transitions(net(), run());
  if (!run().is_enabled(transition)) {
    throw InputError(fmt::format("transition '{}' is not enabled now", name));
  }
  if (std::find(allowed.begin(), allowed.end(), transition.index) == allowed.end()) {
    throw InputError(fmt::format("transition '{}' must wait: others go first", name));
  }
  if (!fire_now(transition))
    throw InputError(fmt::format("transition '{}': the run is over", name));
  causes_.push_back({number(), transition});
}

}  // namespace molejo

#include "molejo/io/net_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/net_trace.h"

namespace molejo {

namespace {

// The last frame that shows it; the one behind where it was over before a frame could.
std::int64_t last_frame(const NetTrace& trace, const Watched& w) {
  const std::int64_t first = trace.frame_of(w.violated_from);
  const std::int64_t last =
      w.violated_until < 0 ? trace.frames : trace.frame_of(w.violated_until) - 1;
  return std::max(first, last);
}

bool is_asked_to_come(const Watched& w) {
  return w.property.kind == PropertyKind::possible || w.property.kind == PropertyKind::eventually;
}

}  // namespace

std::vector<TraceStep> steps_to_violation(const Net& net, const NetTrace& trace, const Watched& w) {
  return steps_of(net, trace.events, w.events, w.violated_from, trace.ticks_per_second);
}

std::string watched_text(const NetTrace& trace, const Watched& w) {
  const auto moment = [&](std::int64_t tick, std::int64_t frame) {
    return fmt::format("{:.6g} s (frame {})", trace.seconds(tick), frame);
  };
  if (w.is_violated()) {
    std::string text = "violated from " + moment(w.violated_from, trace.frame_of(w.violated_from));
    if (w.never_comes) return text + " on: it never comes, nothing happens any more";
    if (w.violated_until >= 0) {
      text += " to " + moment(w.violated_until, last_frame(trace, w));
    } else {
      text += " to the end";
    }
    return w.violations > 1 ? fmt::format("{}, {} times in all", text, w.violations) : text;
  }
  if (!is_asked_to_come(w)) return "kept";
  if (w.seen >= 0) return "seen at " + moment(w.seen, trace.frame_of(w.seen));
  return w.property.kind == PropertyKind::eventually ? "not seen yet" : "not seen in this run";
}

JsonValue watched_json(const Net& net, const NetTrace& trace, const std::vector<Watched>& watched) {
  JsonValue list = JsonValue::array();
  for (const Watched& w : watched) {
    JsonValue& item = list.items.emplace_back(JsonValue::object());
    item.add("property", JsonValue(w.property.text));
    item.add("state", JsonValue(std::string(w.is_violated()        ? "violated"
                                            : !is_asked_to_come(w) ? "kept"
                                            : w.seen >= 0          ? "seen"
                                                                   : "not seen")));
    const auto number = [&](const char* key, double x) { item.add(key, JsonValue(x)); };
    if (w.seen >= 0 && !w.is_violated()) {
      number("at", trace.seconds(w.seen));
      number("frame", static_cast<double>(trace.frame_of(w.seen)));
    }
    if (!w.is_violated()) continue;
    number("from", trace.seconds(w.violated_from));
    number("frame", static_cast<double>(trace.frame_of(w.violated_from)));
    if (w.violated_until >= 0) number("to", trace.seconds(w.violated_until));
    number("last_frame", static_cast<double>(last_frame(trace, w)));
    number("times", static_cast<double>(w.violations));
    const std::vector<TraceStep> steps = steps_to_violation(net, trace, w);
    if (steps.size() > max_trace_steps) {
      number("trace_too_long", static_cast<double>(steps.size()));
    } else {
      item.add("trace", steps_json(net, steps));
    }
  }
  return list;
}

}  // namespace molejo

#include "molejo/io/net_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/net_trace.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

constexpr std::size_t most_listed = 1000;  // entries of a list in JSON
constexpr std::size_t most_told = 12;      // entries of a list in text

JsonValue whole_json(std::uint64_t n) { return JsonValue(static_cast<double>(n)); }
JsonValue count(std::int64_t n) { return JsonValue(static_cast<double>(n)); }

const std::string& name(const Net& net, PlaceId p) { return net.places[at(p.index)].name; }
const std::string& name(const Net& net, TransitionId t) {
  return net.transitions[at(t.index)].name;
}

template <class Ids>
JsonValue names_json(const Net& net, const Ids& ids) {
  JsonValue list = JsonValue::array();
  for (const auto id : ids) list.items.emplace_back(name(net, id));
  return list;
}

// {"P1": 2}: places with tokens
JsonValue marking_json(const Net& net, std::span<const std::int64_t> tokens) {
  JsonValue map = JsonValue::object();
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    if (tokens[p] != 0) map.add(net.places[p].name, count(tokens[p]));
  }
  return map;
}

const char* end_word(SpaceEnd end) {
  switch (end) {
    case SpaceEnd::complete:
      return "complete";
    case SpaceEnd::unbounded:
      return "unbounded";
    case SpaceEnd::max_states:
      return "max_states";
    case SpaceEnd::max_memory:
      return "max_memory";
    case SpaceEnd::too_many_tokens:
      break;
  }
  return "too_many_tokens";
}
const char* end_word(TimedEnd end) {
  switch (end) {
    case TimedEnd::complete:
      return "complete";
    case TimedEnd::max_states:
      return "max_states";
    case TimedEnd::max_memory:
      return "max_memory";
    case TimedEnd::endless:
      break;
  }
  return "endless";
}
const char* verdict_word(Verdict v) {
  return v == Verdict::holds ? "holds" : v == Verdict::fails ? "fails" : "unknown";
}

std::vector<TransitionId> marked(const Net& net, const std::vector<std::uint8_t>& flags,
                                 bool wanted) {
  std::vector<TransitionId> result;
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    if ((flags[t] != 0) == wanted) result.push_back({static_cast<int>(t)});
  }
  return result;
}

std::vector<TransitionId> those_that(const Analysis& a, Claims::Fires fires) {
  std::vector<TransitionId> result;
  for (std::size_t t = 0; t < a.claims.fires.size(); ++t) {
    if (a.claims.fires[t] == fires) result.push_back({static_cast<int>(t)});
  }
  return result;
}

// The trace of a verdict, whole; one that is too long to be read again is only counted.
void add_trace(const Net& net, const PropertyResult& r, const char* key, JsonValue& item) {
  if (!r.has_trace) return;
  if (r.trace.size() > max_trace_steps) {
    item.add("trace_too_long", whole_json(r.trace.size()));
  } else {
    item.add(key, steps_json(net, steps_of(r)));
  }
}

JsonValue flows_json(const Semiflows& flows, const auto& nodes) {
  JsonValue list = JsonValue::array();
  for (const auto& flow : flows.flows) {
    if (list.items.size() == most_listed) break;
    JsonValue& map = list.items.emplace_back(JsonValue::object());
    for (std::size_t i = 0; i < flow.size(); ++i) {
      if (flow[i] != 0) map.add(nodes[i].name, count(flow[i]));
    }
  }
  return list;
}

JsonValue structure_json(const Net& net, const Analysis& a) {
  JsonValue s = JsonValue::object();
  const auto flag = [&](const char* key, bool x) { s.add(key, JsonValue::of(x)); };
  flag("state_machine", a.kind.state_machine);
  flag("marked_graph", a.kind.marked_graph);
  flag("free_choice", a.kind.free_choice);
  flag("extended_free_choice", a.kind.extended_free_choice);
  flag("asymmetric_choice", a.kind.asymmetric_choice);
  flag("ordinary", a.kind.ordinary);
  flag("pure", a.kind.pure);
  flag("strongly_connected", a.kind.strongly_connected);
  flag("conservative", a.conservative);
  flag("consistent", a.consistent);
  s.add("p_semiflows", flows_json(a.place_flows, net.places));
  const auto all_listed = [](const Semiflows& f) {
    return f.complete && f.flows.size() <= most_listed;
  };
  flag("p_semiflows_complete", all_listed(a.place_flows));
  s.add("t_semiflows", flows_json(a.transition_flows, net.transitions));
  flag("t_semiflows_complete", all_listed(a.transition_flows));
  for (const auto& [key, sets] : {std::pair{"siphons", &a.siphons}, {"traps", &a.traps}}) {
    JsonValue list = JsonValue::array();
    for (const auto& set : sets->sets) {
      if (list.items.size() < most_listed) list.items.push_back(names_json(net, set));
    }
    s.add(key, std::move(list));
    flag(key[0] == 's' ? "siphons_complete" : "traps_complete",
         sets->complete && sets->sets.size() <= most_listed);
  }
  return s;
}

JsonValue markings_json(const Net& net, const Analysis& a) {
  JsonValue m = JsonValue::object();
  const StateSpace& space = *a.space;
  m.add("end", JsonValue(std::string(end_word(space.end()))));
  m.add("markings", whole_json(space.size()));
  m.add("firings", whole_json(space.firings()));
  m.add("depth", whole_json(space.depth()));
  m.add("bytes", whole_json(space.bytes()));
  m.add("ignores_time", JsonValue::of(a.ignores_time()));
  if (space.end() == SpaceEnd::unbounded) {
    JsonValue growth = JsonValue::object();
    growth.add("way", names_json(net, space.growth().way));
    growth.add("loop", names_json(net, space.growth().loop));
    growth.add("places", names_json(net, space.growth().places));
    m.add("growth", std::move(growth));
  }
  if (a.cover) {
    m.add("unbounded_places", names_json(net, a.cover->unbounded));
    m.add("unbounded_places_complete", JsonValue::of(a.cover->complete && a.cover->decides));
  }
  if (a.behaviour && !a.open) {
    m.add("live", JsonValue::of(a.behaviour->is_live()));
    m.add("live_transitions", names_json(net, marked(net, a.behaviour->live, true)));
    m.add("reversible", JsonValue::of(a.behaviour->reversible));
    m.add("home_markings", whole_json(a.behaviour->home_markings));
    m.add("components", whole_json(a.behaviour->components));
    m.add("final_components", whole_json(a.behaviour->final_components));
  }
  return m;
}

// What is claimed of the runs.
JsonValue runs_json(const Net& net, const Analysis& a) {
  JsonValue r = JsonValue::object();
  const PropertyResult& deadlock = a.claims.no_deadlock;
  r.add("over", JsonValue(a.claims.over));
  r.add("safe", JsonValue::of(a.is_safe()));
  JsonValue& bounds = r.add("bounds", JsonValue::object());
  std::vector<PlaceId> unbounded;
  for (std::size_t p = 0; p < a.claims.bounds.size(); ++p) {
    const PlaceId place{static_cast<int>(p)};
    if (a.claims.bounds[p] < 0) unbounded.push_back(place);
    if (a.claims.bounds[p] <= 0) continue;
    bounds.add(name(net, place), count(a.claims.bounds[p]));
  }
  r.add("places_without_known_bound", names_json(net, unbounded));
  r.add("deadlocks", whole_json(a.claims.deadlocks));
  r.add("deadlock_free", JsonValue(std::string(verdict_word(deadlock.verdict))));
  add_trace(net, deadlock, "deadlock_trace", r);
  r.add("dead_transitions", names_json(net, those_that(a, Claims::Fires::never)));
  r.add("undecided_transitions", names_json(net, those_that(a, Claims::Fires::unknown)));
  return r;
}

JsonValue open_json(const Analysis& a) {
  JsonValue o = JsonValue::object();
  o.add("end", JsonValue(std::string(end_word(a.open->end()))));
  o.add("classes", whole_json(a.open->size()));
  return o;
}

JsonValue timed_json(const Net& net, const Analysis& a) {
  JsonValue t = JsonValue::object();
  t.add("end", JsonValue(std::string(end_word(a.timed->end()))));
  t.add("states", whole_json(a.timed->size()));
  t.add("deterministic", JsonValue::of(a.timed->deterministic()));
  if (a.cycle) {
    t.add("period", JsonValue(a.cycle->period.value()));
    t.add("periodic_from", JsonValue(a.cycle->from.value()));
  }
  if (a.circuit) {
    t.add("cycle_time", JsonValue(a.circuit->period.value()));
    t.add("slowest_circuit", names_json(net, a.circuit->circuit));
  }
  return t;
}

// "a, b, c and 5 more"
std::string listed(const std::vector<std::string>& words, const char* none = "none") {
  if (words.empty()) return none;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most_told); ++i) {
    text += (i > 0 ? ", " : "") + words[i];
  }
  return words.size() > most_told ? fmt::format("{} and {} more", text, words.size() - most_told)
                                  : text;
}
template <class Ids>
std::string listed_names(const Net& net, const Ids& ids, const char* none = "none") {
  std::vector<std::string> words;
  for (const auto id : ids) words.push_back(name(net, id));
  return listed(words, none);
}
std::string sum_text(const std::vector<std::int64_t>& weights, const auto& nodes) {
  std::string text;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    if (!text.empty()) text += " + ";
    text += (weights[i] == 1 ? "" : std::to_string(weights[i]) + " ") + nodes[i].name;
  }
  return text;
}
std::string marking_text(const Net& net, std::span<const std::int64_t> tokens) {
  std::vector<std::string> words;
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    if (tokens[p] == 1) words.push_back(net.places[p].name);
    if (tokens[p] > 1) words.push_back(fmt::format("{}: {}", net.places[p].name, tokens[p]));
  }
  return "{" + listed(words, "") + "}";
}

// The tokens after the firings of a trace, waiting ones included.
std::vector<std::int64_t> marking_after(const Net& net, const std::vector<TimedFiring>& trace) {
  std::vector<std::int64_t> tokens;
  for (const Place& p : net.places) tokens.push_back(p.tokens);
  const Topology topology(net);
  for (const TimedFiring& f : trace) {
    if (f.put.index >= 0) ++tokens[at(f.put.index)];
    if (f.transition.index < 0) continue;
    for (const auto& [p, w] : topology.inputs[f.transition.index]) tokens[at(p)] -= w;
    for (const auto& [p, w] : topology.outputs[f.transition.index]) tokens[at(p)] += w;
  }
  return tokens;
}

// Lines of "word   text".
class ReportLines {
 public:
  template <class... Args>
  void add(const char* word, fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{:<18} ", word);
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void tell_structure(const Net& net, const Analysis& a, ReportLines& lines) {
  std::vector<std::string> kinds;
  const auto kind = [&](bool is, const char* word) {
    if (is) kinds.emplace_back(word);
  };
  kind(a.kind.state_machine, "state machine");
  kind(a.kind.marked_graph, "marked graph");
  kind(a.kind.free_choice, "free choice");
  kind(a.kind.extended_free_choice && !a.kind.free_choice, "extended free choice");
  kind(a.kind.asymmetric_choice && !a.kind.extended_free_choice, "asymmetric choice");
  kind(a.kind.ordinary, "ordinary");
  kind(a.kind.pure, "pure");
  kind(a.kind.strongly_connected, "strongly connected");
  kind(a.conservative, "conservative");
  kind(a.consistent, "consistent");
  lines.add("class", "{}", listed(kinds));
  const auto flows = [&](const char* word, const Semiflows& f, const auto& nodes) {
    if (!f.complete) return lines.add(word, "too many to list");
    lines.add(word, "{}", f.flows.size());
    for (std::size_t i = 0; i < std::min(f.flows.size(), most_told); ++i) {
      lines.add("", "{}", sum_text(f.flows[i], nodes));
    }
  };
  flows("P-semiflows", a.place_flows, net.places);
  flows("T-semiflows", a.transition_flows, net.transitions);
  for (const auto& [word, sets] :
       {std::pair{"minimal siphons", &a.siphons}, {"minimal traps", &a.traps}}) {
    lines.add(word, "{}{}", sets->sets.size(), sets->complete ? "" : " and more");
  }
}

}  // namespace

std::vector<TraceStep> steps_of(const PropertyResult& r) {
  std::vector<TraceStep> steps = steps_of(r.trace, r.timed ? std::optional(r.until) : std::nullopt);
  // the deadline, also where something happens just then
  const bool is_late = r.verdict == Verdict::fails && r.property.within;
  if (is_late && steps.size() == r.trace.size()) steps.push_back({.time = r.until});
  return steps;
}

std::string step_text(const Net& net, const TimedFiring& f, bool timed) {
  const std::string when = timed ? fmt::format(" at {} s", to_string(f.time)) : "";
  if (f.transition.index >= 0) return name(net, f.transition) + when;
  if (f.finished.index >= 0) return fmt::format("the end of {}{}", name(net, f.finished), when);
  return fmt::format("a token put into {}{}", name(net, f.put), when);
}
namespace {

std::string trace_text(const Net& net, const PropertyResult& r, bool timed) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < std::min(r.trace.size(), most_told); ++i) {
    steps.push_back(step_text(net, r.trace[i], timed));
  }
  const Fraction last = r.trace.empty() ? Fraction(0) : r.trace.back().time;
  if (timed && last < r.until)
    steps.push_back(fmt::format("waiting until {} s", to_string(r.until)));
  std::string text = listed(steps, "nothing");
  return r.trace.size() > most_told
             ? fmt::format("{} and {} more", text, r.trace.size() - most_told)
             : text;
}

void tell_markings(const Net& net, const Analysis& a, ReportLines& lines) {
  const StateSpace& space = *a.space;
  const char* more = "";
  if (space.end() == SpaceEnd::max_states) more = " and more: --max-states was reached";
  if (space.end() == SpaceEnd::max_memory) more = " and more: --max-memory was reached";
  if (space.end() == SpaceEnd::too_many_tokens) more = " and more: too many tokens to count";
  if (space.end() == SpaceEnd::unbounded) more = ", the first of infinitely many";
  lines.add("markings", "{}{}", space.size(), more);
  lines.add("firings", "{}", space.firings());
  if (a.ignores_time()) lines.add("", "of the logic alone: delays and the world are left out");
  if (a.cover) {
    lines.add("unbounded", "{}{}", listed_names(net, a.cover->unbounded),
              a.cover->decides && a.cover->complete ? "" : "; of the others nothing is said");
    lines.add("", "again and again: {}", listed_names(net, space.growth().loop));
  }
  if (a.open) return;  // the logic alone says nothing of what the world may do
  if (space.end() == SpaceEnd::complete && !a.behaviour) {
    lines.add("live", "not decided: --max-memory was reached");
  }
  if (!a.behaviour) return;
  lines.add("live", "{}",
            a.behaviour->is_live()
                ? "yes: every transition can always fire again"
                : "no; only " + listed_names(net, marked(net, a.behaviour->live, true)));
  lines.add("reversible", "{}", a.behaviour->reversible ? "yes" : "no");
  lines.add("home markings", "{}", a.behaviour->home_markings);
}

const char* end_text(TimedEnd end) {
  return end == TimedEnd::complete     ? ""
         : end == TimedEnd::max_memory ? " and more: --max-memory was reached"
         : end == TimedEnd::endless    ? "; at some instant the firings may never end"
                                       : " and more";
}

void tell_time(const Net& net, const Analysis& a, ReportLines& lines) {
  if (a.open) {
    lines.add("events any time", "{} classes of states{}", a.open->size(), end_text(a.open->end()));
  }
  if (!a.timed) return;
  lines.add("in exact time", "{} states{}{}", a.timed->size(), end_text(a.timed->end()),
            a.timed->deterministic() ? ", every run is the same" : "");
  if (a.cycle) {
    lines.add("period", "{} s, from {} s on", to_string(a.cycle->period), to_string(a.cycle->from));
  }
  if (a.circuit) {
    lines.add("slowest circuit", "{} s: {}", to_string(a.circuit->period),
              listed_names(net, a.circuit->circuit));
  }
}

// What is claimed of all runs.
void tell_claims(const Net& net, const Analysis& a, ReportLines& lines) {
  const Claims& claims = a.claims;
  std::vector<std::string> high;
  std::vector<PlaceId> unknown;
  for (std::size_t p = 0; p < claims.bounds.size(); ++p) {
    const std::int64_t bound = claims.bounds[p];
    if (bound > 1) high.push_back(fmt::format("{}: {}", net.places[p].name, bound));
    if (bound < 0) unknown.push_back({static_cast<int>(p)});
  }
  if (a.is_safe()) {
    lines.add("bounds", "safe: never more than one token in a place");
  } else if (unknown.size() < claims.bounds.size()) {
    lines.add("bounds", "{}; else 1 at most", listed(high, "1"));
  }
  if (!unknown.empty()) lines.add("no known bound", "{}", listed_names(net, unknown));
  const PropertyResult& deadlock = claims.no_deadlock;
  lines.add("deadlocks", "{}{}", claims.deadlocks,
            deadlock.verdict == Verdict::unknown ? " so far" : "");
  if (deadlock.has_trace) {
    const std::vector<std::int64_t> stuck = marking_after(net, deadlock.trace);
    lines.add("", "{} after {}", marking_text(net, stuck), trace_text(net, deadlock, false));
  }
  lines.add("never fire", "{}", listed_names(net, those_that(a, Claims::Fires::never)));
  const std::vector<TransitionId> open = those_that(a, Claims::Fires::unknown);
  if (!open.empty()) lines.add("", "not known of {}", listed_names(net, open));
}

}  // namespace

JsonValue analysis_json(const Net& net, const Analysis& a) {
  JsonValue root = JsonValue::object();
  root.add("name", JsonValue(net.name));
  root.add("places", whole_json(net.places.size()));
  root.add("transitions", whole_json(net.transitions.size()));
  root.add("arcs", whole_json(net.arcs.size()));
  root.add("structure", structure_json(net, a));
  root.add("untimed", markings_json(net, a));
  if (a.timed) root.add("timed", timed_json(net, a));
  if (a.open) root.add("open", open_json(a));
  root.add("runs", runs_json(net, a));
  JsonValue properties = JsonValue::array();
  for (const PropertyResult& r : a.properties) {
    JsonValue& item = properties.items.emplace_back(JsonValue::object());
    item.add("property", JsonValue(r.property.text));
    item.add("verdict", JsonValue(std::string(verdict_word(r.verdict))));
    item.add("over", JsonValue(r.how));
    if (r.by_world) item.add("depends_on_events", JsonValue::of(true));
    add_trace(net, r, "trace", item);
  }
  root.add("properties", std::move(properties));
  return root;
}

std::string analysis_text(const Net& net, const Analysis& a) {
  ReportLines lines;
  lines.add("net", "{}: {} places, {} transitions, {} arcs", net.name.empty() ? "-" : net.name,
            net.places.size(), net.transitions.size(), net.arcs.size());
  tell_structure(net, a, lines);
  tell_markings(net, a, lines);
  tell_time(net, a, lines);
  tell_claims(net, a, lines);
  for (const PropertyResult& r : a.properties) {
    lines.add(verdict_word(r.verdict), "{}  ({}{})", r.property.text, r.how,
              r.by_world ? "; it depends on when events come" : "");
    if (r.has_trace) lines.add("", "after {}", trace_text(net, r, r.timed));
  }
  return lines.take();
}

namespace {

const char* event_word(NetEventKind kind) {
  constexpr const char* words[] = {"fire", "arrive", "start", "finish", "interrupt", "leave", ""};
  return words[static_cast<int>(kind)];
}
const std::string& event_node(const Net& net, const NetEvent& e) {
  return e.kind == NetEventKind::fire ? name(net, TransitionId{e.node})
                                      : name(net, PlaceId{e.node});
}
// quoted where CSV needs it
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

JsonValue trace_json(const Net& net, const NetTrace& trace) {
  JsonValue root = JsonValue::object();
  root.add("name", JsonValue(net.name));
  root.add("frame_rate", JsonValue(to_string(trace.frame_rate)));
  root.add("frames", count(trace.frames));
  root.add("seconds", JsonValue(trace.seconds(trace.frames * trace.ticks_per_frame)));
  root.add("quiet", JsonValue::of(trace.quiet));
  const char* stops[] = {"none", "endless", "overflow"};
  root.add("stopped", JsonValue(std::string(stops[static_cast<int>(trace.stopped)])));
  root.add("most_running", count(trace.most_running));
  root.add("marking", marking_json(net, trace.marking));
  root.add("waiting", marking_json(net, trace.waiting));
  JsonValue events = JsonValue::array();
  for (const NetEvent& e : trace.events) {
    if (e.kind == NetEventKind::outside) continue;
    JsonValue& item = events.items.emplace_back(JsonValue::object());
    item.add("time", JsonValue(trace.seconds(e.tick)));
    item.add("frame", count(trace.frame_of(e.tick)));
    item.add("event", JsonValue(std::string(event_word(e.kind))));
    item.add("node", JsonValue(event_node(net, e)));
    if (e.count != 1) item.add("count", count(e.count));
  }
  root.add("events", std::move(events));
  return root;
}

std::string trace_csv(const Net& net, const NetTrace& trace, bool only_firings) {
  std::string out = "time,frame,event,node,count\n";
  for (const NetEvent& e : trace.events) {
    if (only_firings ? e.kind != NetEventKind::fire : e.kind == NetEventKind::outside) continue;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{}\n", trace.seconds(e.tick),
                   trace.frame_of(e.tick), event_word(e.kind), field(event_node(net, e)), e.count);
  }
  return out;
}

}  // namespace molejo

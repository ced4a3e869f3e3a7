#include "molejo/studio/net_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace molejo {

namespace {

using Sign = Finding::Sign;

constexpr std::size_t most_named = 12, most_sums = 6;
const std::string stuck = "never: deadlock";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string plural(std::uint64_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// "a, b and 3 more"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most_named); ++i) {
    text += (i > 0 ? ", " : "") + words[i];
  }
  return words.size() > most_named ? fmt::format("{} and {} more", text, words.size() - most_named)
                                   : text;
}

class Teller {
 public:
  Teller(const Net& net, int own, const Analysis& analysis, NetFindings& findings)
      : net_(net), own_(own), a_(analysis), out_(findings) {}

  void tell_all() {
    out_.markings = a_.space->size();
    out_.complete = a_.space->end() == SpaceEnd::complete;
    for (const PropertyResult& r : a_.properties) tell_property(r);
    tell_bounds();
    tell_dead();
    tell_time();
    tell_flows();
    tell_limits();
  }

 private:
  Finding& say(Sign sign, std::string text) {
    out_.sentences.push_back({sign, std::move(text)});
    return out_.sentences.back();
  }
  // What the outside does cannot be played: then there is none.
  int add_trace(std::vector<TraceStep> steps) {
    const auto is_outside = [this](const TraceStep& s) { return s.transition.index >= own_; };
    if (std::any_of(steps.begin(), steps.end(), is_outside)) return -1;
    out_.traces.push_back(std::move(steps));
    return static_cast<int>(out_.traces.size()) - 1;
  }
  std::vector<TraceStep> steps_of(const PropertyResult& r) const {
    std::vector<TraceStep> steps;
    for (const TimedFiring& f : r.trace) {
      steps.push_back({f.transition, r.timed ? std::optional<Fraction>(f.time) : std::nullopt});
    }
    return steps;
  }
  std::string when(const PropertyResult& r) const {
    std::string text = plural(r.trace.size(), "firing");
    if (r.timed && !r.trace.empty())
      text += fmt::format(", at {} s", to_string(r.trace.back().time));
    return text;
  }

  // The last property is ours unless the net has it itself.
  void tell_property(const PropertyResult& r) {
    const bool ours = &r == &a_.properties.back();
    const bool about_deadlock = r.property.text == stuck;
    if (about_deadlock && ours) return tell_deadlock(r);
    Finding& f = r.verdict == Verdict::holds   ? say(Sign::good, r.property.text)
                 : r.verdict == Verdict::fails ? say(Sign::bad, r.property.text)
                                               : say(Sign::unknown, r.property.text + ": " + r.how);
    if (r.verdict == Verdict::fails && r.has_trace) {
      f.text += fmt::format(": not after {}", when(r));
      if (r.for_ever) f.text += ", and then never";
    }
    f.property = r.property.text;
    if (r.has_trace) f.trace = add_trace(steps_of(r));
  }

  void tell_deadlock(const PropertyResult& r) {
    // a net that shall end may say so
    const bool wanted = std::any_of(
        a_.properties.begin(), a_.properties.end() - 1, [](const PropertyResult& other) {
          const PropertyKind kind = other.property.kind;
          return other.property.formula.asks_for_deadlock() &&
                 (kind == PropertyKind::eventually || kind == PropertyKind::possible);
        });
    if (r.verdict == Verdict::holds) {
      say(Sign::good, "never a deadlock: something can always happen");
    } else if (r.verdict == Verdict::unknown) {
      say(Sign::unknown, "whether there is a deadlock is not known: " + r.how);
    } else {
      Finding& f = wanted ? say(Sign::remark, "it ends after " + when(r))
                          : say(Sign::bad, "deadlock after " + when(r));
      if (r.has_trace) f.trace = add_trace(steps_of(r));
    }
  }

  void tell_bounds() {
    const StateSpace& space = *a_.space;
    if (space.end() == SpaceEnd::unbounded) {
      const Growth& growth = space.growth();
      std::vector<std::string> names;
      const std::vector<PlaceId>& grow =
          a_.cover && !a_.cover->unbounded.empty() ? a_.cover->unbounded : growth.places;
      for (const PlaceId p : grow) names.push_back(net_.places[at(p.index)].name);
      Finding& f = say(Sign::bad, fmt::format("{} can hold any number of tokens", listed(names)));
      std::vector<TraceStep> steps;
      for (const TransitionId t : growth.way) steps.push_back({t});
      for (int turn = 0; turn < 3; ++turn) {
        for (const TransitionId t : growth.loop) steps.push_back({t});
      }
      f.trace = add_trace(std::move(steps));
      return;
    }
    if (a_.is_safe()) {
      say(Sign::good, "never more than one token in a place");
      return;
    }
    std::vector<std::string> high;
    for (std::size_t p = 0; p < a_.bounds.size(); ++p) {
      if (a_.bounds[p] > 1) high.push_back(fmt::format("{} {}", a_.bounds[p], net_.places[p].name));
    }
    const bool all = space.end() == SpaceEnd::complete;
    if (all) {
      say(Sign::good, "bounded: at most " + listed(high));
    } else {
      say(Sign::unknown,
          "bounds so far: " + (high.empty() ? "one token in a place" : listed(high)));
    }
  }

  void tell_dead() {
    const bool in_time = a_.timed && a_.timed->end() == TimedEnd::complete;
    const bool all = in_time || a_.space->end() == SpaceEnd::complete;
    if (!all && a_.space->end() != SpaceEnd::unbounded) return;
    std::size_t dead = 0;
    for (int t = 0; t < own_; ++t) {
      const bool never = in_time ? a_.timed->fired({t}) == 0
                         : all   ? a_.space->fired({t}) == 0
                                 : std::find(a_.cover->dead.begin(), a_.cover->dead.end(),
                                             TransitionId{t}) != a_.cover->dead.end();
      if (!never || ++dead > most_named) continue;
      say(Sign::bad, fmt::format("{} can never fire", net_.transitions[at(t)].name)).transition = t;
    }
    if (dead > most_named) {
      say(Sign::bad, fmt::format("{} more can never fire", dead - most_named));
    }
    if (dead == 0 && all && !net_.transitions.empty()) say(Sign::good, "every transition can fire");
    if (!a_.behaviour || dead > 0) return;
    if (a_.behaviour->is_live()) say(Sign::good, "every transition can always fire again");
    if (a_.behaviour->reversible) say(Sign::remark, "the start can always be reached again");
  }

  void tell_time() {
    if (a_.cycle) {
      say(Sign::remark, fmt::format("it repeats every {} s, from {} s on",
                                    to_string(a_.cycle->period), to_string(a_.cycle->from)));
    } else if (a_.circuit) {
      std::vector<std::string> names;
      for (const PlaceId p : a_.circuit->circuit) names.push_back(net_.places[at(p.index)].name);
      say(Sign::remark,
          fmt::format("a turn takes {} s, by {}", to_string(a_.circuit->period), listed(names)));
    }
    if (a_.timed && a_.timed->end() == TimedEnd::endless) {
      say(Sign::bad, "at some instant the firings never end");
    }
  }

  void tell_flows() {
    std::size_t told = 0;
    for (const std::vector<std::int64_t>& flow : a_.place_flows.flows) {
      std::vector<std::string> terms;
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < flow.size(); ++p) {
        if (flow[p] == 0) continue;
        terms.push_back((flow[p] == 1 ? "" : std::to_string(flow[p]) + " ") + net_.places[p].name);
        sum += flow[p] * net_.places[p].tokens;
      }
      if (terms.size() > most_named || told == most_sums) continue;
      ++told;
      std::string text;
      for (const std::string& term : terms) text += (text.empty() ? "" : " + ") + term;
      say(Sign::good, fmt::format("{} = {}, always", text, sum));
    }
    const std::size_t all = a_.place_flows.flows.size();
    if (!a_.place_flows.complete) {
      say(Sign::unknown, "there are more sums that never change than were listed");
    } else if (all > told) {
      say(Sign::remark,
          fmt::format("{} that never change, not told here", plural(all - told, "sum")));
    }
  }

  void tell_limits() {
    const SpaceEnd end = a_.space->end();
    if (end == SpaceEnd::max_states || end == SpaceEnd::max_memory) {
      say(Sign::unknown,
          fmt::format("stopped after {} markings: there are more", a_.space->size()));
    } else if (end == SpaceEnd::too_many_tokens) {
      say(Sign::unknown, "stopped: a place has more tokens than can be counted");
    }
    if (a_.timed &&
        (a_.timed->end() == TimedEnd::max_states || a_.timed->end() == TimedEnd::max_memory)) {
      say(Sign::unknown,
          fmt::format("stopped after {} states in exact time: there are more", a_.timed->size()));
    }
  }

  const Net& net_;
  int own_;
  const Analysis& a_;
  NetFindings& out_;
};

}  // namespace

Net with_outside(Net net, const std::vector<Cause>& causes) {
  const int own = static_cast<int>(net.transitions.size());
  std::vector<int> seen;
  for (const Cause& c : causes) {
    if (c.effect != Cause::Effect::put) continue;
    if (std::find(seen.begin(), seen.end(), c.place.index) != seen.end()) continue;
    const int t = own + static_cast<int>(seen.size());
    seen.push_back(c.place.index);
    net.transitions.push_back({"from outside " + std::to_string(t), 1, "from outside"});
    net.arcs.push_back({ArcKind::output, c.place, {t}, 1});
  }
  return net;
}

NetFindings find_out(const Net& given, std::uint64_t max_markings, int own) {
  const auto start = std::chrono::steady_clock::now();
  NetFindings findings;
  Net net = given;
  // what cannot be read (any more) is a finding of its own
  std::erase_if(net.properties, [&](const std::string& text) {
    try {
      parse_property(text, net);
      return false;
    } catch (const NetError& e) {
      findings.sentences.push_back({Sign::bad, e.what(), -1, -1, text});
      return true;
    }
  });
  AnalysisSettings settings;
  settings.space.max_states = max_markings;
  settings.space.max_memory = std::uint64_t{512} << 20;
  settings.timed.max_states = std::min<std::uint64_t>(max_markings / 4, 200'000);
  settings.timed.max_memory = std::uint64_t{256} << 20;
  settings.structure.work = 30'000'000;
  settings.structure.siphon_steps = 2'000;
  settings.properties = {stuck};
  try {
    const Analysis analysis = analyse(net, settings);
    if (own < 0) own = static_cast<int>(net.transitions.size());
    Teller(net, own, analysis, findings).tell_all();
  } catch (const NetError& e) {
    findings.sentences.push_back({Sign::unknown, e.what()});
    findings.complete = false;
  }
  findings.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return findings;
}

JsonValue findings_json(const Net& net, const NetFindings& findings) {
  constexpr const char* signs[] = {"good", "bad", "unknown", "remark"};
  constexpr std::size_t most_steps = 1000;
  JsonValue json = JsonValue::object();
  JsonValue& sentences = json.add("sentences", JsonValue::array());
  for (const Finding& f : findings.sentences) {
    JsonValue& item = sentences.items.emplace_back(JsonValue::object());
    item.add("sign", std::string(signs[static_cast<int>(f.sign)]));
    item.add("text", f.text);
    if (f.trace >= 0) item.add("trace", f.trace);
    if (f.transition >= 0) item.add("transition", f.transition);
    if (!f.property.empty()) item.add("property", f.property);
  }
  JsonValue& traces = json.add("traces", JsonValue::array());
  for (const std::vector<TraceStep>& steps : findings.traces) {
    JsonValue& list = traces.items.emplace_back(JsonValue::array());
    for (const TraceStep& step : steps) {
      if (list.items.size() == most_steps) break;
      JsonValue& item = list.items.emplace_back(JsonValue::object());
      item.add("fire", net.transitions[at(step.transition.index)].name);
      if (step.time) item.add("time", step.time->value());
    }
  }
  json.add("markings", static_cast<double>(findings.markings));
  json.add("complete", JsonValue::of(findings.complete));
  json.add("seconds", findings.seconds);
  return json;
}

NetAnalyst::NetAnalyst(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { run(); }) {}

NetAnalyst::~NetAnalyst() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  more_.notify_all();
  thread_.join();
}

void NetAnalyst::ask(Net net, std::uint64_t max_markings, int own) {
  const std::lock_guard lock(mutex_);
  asked_ = Question{std::move(net), max_markings, own};
  found_.reset();
  ++question_;
  more_.notify_all();
}

bool NetAnalyst::is_busy() const {
  const std::lock_guard lock(mutex_);
  return asked_.has_value() || working_;
}

std::optional<NetFindings> NetAnalyst::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(found_, std::nullopt);
}

void NetAnalyst::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return stopping_ || asked_; });
    if (stopping_) return;
    const Question q = std::move(*asked_);
    asked_.reset();
    const int question = question_;
    working_ = true;
    lock.unlock();
    NetFindings findings;
    try {
      findings = find_out(q.net, q.max_markings, q.own);
    } catch (const std::exception& e) {
      findings = {};
      findings.complete = false;
      findings.sentences.push_back({Sign::unknown, std::string("stopped: ") + e.what()});
    }
    lock.lock();
    working_ = false;
    if (question != question_) continue;
    found_ = std::move(findings);
    lock.unlock();
    if (wake_) wake_();
    lock.lock();
  }
}

}  // namespace molejo

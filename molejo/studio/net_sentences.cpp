#include "molejo/studio/net_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "molejo/io/net_report.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

using Sign = Finding::Sign;
using Group = Finding::Group;

constexpr std::size_t most_named = 4, most_terms = 12, most_listed = 60;

std::string plural(std::uint64_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// The largest trap within a set of places: what puts nothing back is taken out until nothing is.
std::vector<char> largest_trap(const Net& net, const Topology& topology,
                               const std::vector<PlaceId>& set) {
  std::vector<char> inside(net.places.size(), 0);
  for (const PlaceId p : set) inside[at(p.index)] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const PlaceId p : set) {
      if (inside[at(p.index)] == 0) continue;
      for (const auto& [t, weight] : topology.consumers[p.index]) {
        const auto& outputs = topology.outputs[t];
        const bool gives_back = std::any_of(outputs.begin(), outputs.end(),
                                            [&](const auto& o) { return inside[at(o.node)] != 0; });
        if (gives_back) continue;
        inside[at(p.index)] = 0;
        changed = true;
        break;
      }
    }
  }
  return inside;
}

class Teller {
 public:
  Teller(const Net& net, int own, const Analysis& analysis, NetFindings& findings)
      : net_(net),
        own_(own),
        a_(analysis),
        out_(findings),
        all_seen_(analysis.timed  ? analysis.timed->finds_all()
                  : analysis.open ? analysis.open->finds_all()
                                  : analysis.space->end() == SpaceEnd::complete) {}

  void tell_all() {
    out_.markings = a_.space->size();
    out_.complete = all_seen_;
    for (const PropertyResult& r : a_.properties) tell_property(r);
    tell_bounds();
    tell_firing();
    tell_time();
    tell_sums();
    tell_returns();
    tell_siphons();
  }

 private:
  Finding& say(Group group, Sign sign, std::string text) {
    Finding finding;
    finding.sign = sign;
    finding.group = group;
    finding.text = std::move(text);
    out_.sentences.push_back(std::move(finding));
    return out_.sentences.back();
  }
  const std::string& place(int p) const { return net_.places[at(p)].name; }
  const std::string& transition(int t) const { return net_.transitions[at(t)].name; }
  // "a, b and 3 more"
  template <class Name>
  std::string listed(const std::vector<int>& nodes, const Name& name) const {
    std::string text;
    // one more is as short as saying so
    const std::size_t shown = nodes.size() == most_named + 1 ? nodes.size() : most_named;
    for (std::size_t i = 0; i < std::min(nodes.size(), shown); ++i) {
      text += (i > 0 ? ", " : "") + name(nodes[i]);
    }
    return nodes.size() > shown ? fmt::format("{} and {} more", text, nodes.size() - shown) : text;
  }
  std::string places(const std::vector<int>& nodes) const {
    return listed(nodes, [this](int p) { return place(p); });
  }
  std::string transitions(const std::vector<int>& nodes) const {
    return listed(nodes, [this](int t) { return transition(t); });
  }
  static std::vector<int> numbers(const std::vector<PlaceId>& set) {
    std::vector<int> list;
    for (const PlaceId p : set) list.push_back(p.index);
    return list;
  }

  int add_trace(std::vector<TraceStep> steps) {
    out_.traces.push_back(std::move(steps));
    return static_cast<int>(out_.traces.size()) - 1;
  }
  std::string when(const PropertyResult& r) const {
    const auto firings = std::count_if(r.trace.begin(), r.trace.end(), [](const TimedFiring& f) {
      return f.transition.index >= 0;
    });
    std::string text = plural(static_cast<std::uint64_t>(firings), "firing");
    if (r.timed && r.until != Fraction()) text += fmt::format(", at {} s", to_string(r.until));
    return r.by_world ? text + ", if events come so" : text;
  }

  // The last property is ours unless the net has it itself.
  void tell_property(const PropertyResult& r) {
    const bool ours = &r == &a_.properties.back();
    const bool about_deadlock = r.property.text == deadlock_question;
    if (about_deadlock && ours) return tell_deadlock(r);
    const std::string& text = r.property.text;
    Finding& f = r.verdict == Verdict::holds ? say(Group::asked, Sign::good, text)
                 : r.verdict == Verdict::fails
                     ? say(Group::asked, Sign::bad, text)
                     : say(Group::asked, Sign::unknown, text + ": " + r.how);
    if (r.verdict == Verdict::fails && r.has_trace) {
      f.text += fmt::format(": not after {}", when(r));
      if (r.for_ever) f.text += ", and then never";
    }
    f.property = text;
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
    const bool asked =
        std::any_of(a_.properties.begin(), a_.properties.end() - 1,
                    [](const auto& other) { return other.property.text == deadlock_question; });
    if (asked) {
      // told already
    } else if (r.verdict == Verdict::holds) {
      say(Group::end, Sign::good, "never a deadlock: something can always happen");
    } else if (r.verdict == Verdict::unknown) {
      say(Group::end, Sign::unknown,
          all_seen_ ? "whether there is a deadlock is not known: " + r.how
                    : fmt::format("no deadlock in the {} seen so far",
                                  plural(a_.space->size(), "marking")));
    } else {
      Finding& f = wanted ? say(Group::end, Sign::remark, "it ends after " + when(r))
                          : say(Group::end, Sign::bad, "deadlock after " + when(r));
      if (r.has_trace) f.trace = add_trace(steps_of(r));
    }
    const bool endless = (a_.timed && a_.timed->end() == TimedEnd::endless) ||
                         (a_.open && a_.open->end() == TimedEnd::endless);
    if (endless) say(Group::end, Sign::bad, "at some instant the firings may never end");
  }

  // Places that may grow without end: for certain where there is no time.
  void tell_growth() {
    const Growth& growth = a_.space->growth();
    std::vector<int> grow =
        numbers(a_.cover && !a_.cover->unbounded.empty() ? a_.cover->unbounded : growth.places);
    if (a_.ignores_time()) {
      std::erase_if(grow, [&](int p) { return a_.claims.bounds[at(p)] >= 0; });
      if (grow.empty()) return;
      say(Group::tokens, Sign::unknown, places(grow) + " may hold any number of tokens").places =
          grow;
      return;
    }
    Finding& f = say(Group::tokens, Sign::bad, places(grow) + " can hold any number of tokens");
    f.places = grow;
    std::vector<TraceStep> steps;
    for (const TransitionId t : growth.way) steps.push_back({t});
    for (int turn = 0; turn < 3; ++turn) {
      for (const TransitionId t : growth.loop) steps.push_back({t});
    }
    f.trace = add_trace(std::move(steps));
  }

  void tell_bounds() {
    const StateSpace& space = *a_.space;
    if (space.end() == SpaceEnd::unbounded && !all_seen_) return tell_growth();
    if (space.end() == SpaceEnd::too_many_tokens && !all_seen_) {
      say(Group::tokens, Sign::unknown, "stopped: a place has more tokens than can be counted");
      return;
    }
    if (a_.is_safe()) {
      say(Group::tokens, Sign::good, "never more than one token in a place");
      return;
    }
    // places by their bounds, highest first
    std::map<std::int64_t, std::vector<int>, std::greater<>> with_bound;
    for (std::size_t p = 0; p < a_.bounds.size(); ++p) {
      with_bound[all_seen_ ? a_.claims.bounds[p] : a_.bounds[p]].push_back(static_cast<int>(p));
    }
    for (const auto& [bound, list] : with_bound) {
      if (bound < 0) {
        say(Group::tokens, Sign::unknown, "no bound is known of " + places(list)).places = list;
        continue;
      }
      if (bound <= 1 && with_bound.size() > 1) continue;
      const std::string count = plural(static_cast<std::uint64_t>(bound), "token");
      Finding& f = all_seen_ ? say(Group::tokens, Sign::good,
                                   fmt::format("at most {} in {}", count, places(list)))
                             : say(Group::tokens, Sign::unknown,
                                   fmt::format("up to {} seen in {}", count, places(list)));
      f.places = list;
    }
  }

  void tell_firing() {
    std::vector<int> dead, open;
    for (int t = 0; t < own_; ++t) {
      if (a_.claims.fires[at(t)] == Claims::Fires::never) dead.push_back(t);
      if (a_.claims.fires[at(t)] == Claims::Fires::unknown) open.push_back(t);
    }
    if (!dead.empty()) {
      say(Group::firing, Sign::bad,
          dead.size() == 1
              ? transition(dead[0]) + " can never fire"
              : fmt::format("{} transitions can never fire: {}", dead.size(), transitions(dead)))
          .transitions = dead;
    }
    if (!open.empty()) {
      say(Group::firing, Sign::unknown,
          fmt::format("not seen to fire so far: {}", transitions(open)))
          .transitions = open;
    }
    if (!dead.empty() || !open.empty() || own_ == 0) return;
    say(Group::firing, Sign::good, "every transition can fire");
    if (!a_.behaviour || a_.ignores_time()) return;
    if (a_.behaviour->is_live()) {
      say(Group::firing, Sign::good, "every transition can always fire again");
    }
    if (a_.behaviour->reversible) {
      say(Group::firing, Sign::remark, "the start can always be reached again");
    }
  }

  void tell_time() {
    if (a_.cycle) {
      say(Group::time, Sign::remark,
          fmt::format("it repeats every {} s, from {} s on", to_string(a_.cycle->period),
                      to_string(a_.cycle->from)));
    }
    if (a_.circuit) {
      std::vector<int> slow = numbers(a_.circuit->circuit);
      say(Group::time, Sign::remark,
          fmt::format("the slowest circuit takes {} s: {}", to_string(a_.circuit->period),
                      places(slow)))
          .places = slow;
    }
    if (a_.timed &&
        (a_.timed->end() == TimedEnd::max_states || a_.timed->end() == TimedEnd::max_memory)) {
      say(Group::time, Sign::unknown,
          fmt::format("stopped after {} states in exact time: there are more", a_.timed->size()));
    }
    if (a_.open && !a_.open->finds_all()) {
      say(Group::time, Sign::unknown,
          fmt::format("stopped after {} classes of states, with events at any time: there are more",
                      a_.open->size()));
    }
  }

  // "a + 2 b"; the nodes with a weight are added to a list.
  template <class Name>
  std::string sum_of(const std::vector<std::int64_t>& flow, std::vector<int>& nodes,
                     const Name& name) const {
    std::string text;
    for (std::size_t i = 0; i < flow.size(); ++i) {
      if (flow[i] == 0) continue;
      nodes.push_back(static_cast<int>(i));
      if (nodes.size() > most_terms) continue;
      text += nodes.size() > 1 ? " + " : "";
      text += (flow[i] == 1 ? "" : std::to_string(flow[i]) + " ") + name(nodes.back());
    }
    return nodes.size() > most_terms ? fmt::format("{} + {} more", text, nodes.size() - most_terms)
                                     : text;
  }
  void tell_incomplete(Group group, bool complete, std::size_t all, const char* what) {
    if (!complete) {
      say(group, Sign::unknown, fmt::format("there are more {} than were found", what));
    } else if (all > most_listed) {
      say(group, Sign::remark, fmt::format("{} {} in all", all, what));
    }
  }

  void tell_sums() {
    const auto& flows = a_.place_flows.flows;
    for (std::size_t i = 0; i < std::min(flows.size(), most_listed); ++i) {
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < flows[i].size(); ++p) sum += flows[i][p] * net_.places[p].tokens;
      std::vector<int> nodes;
      const std::string text = sum_of(flows[i], nodes, [this](int p) { return place(p); });
      say(Group::sums, Sign::good, fmt::format("{} = {}, always", text, sum)).places = nodes;
    }
    tell_incomplete(Group::sums, a_.place_flows.complete, flows.size(), "sums");
  }

  void tell_returns() {
    const auto& flows = a_.transition_flows.flows;
    for (std::size_t i = 0; i < std::min(flows.size(), most_listed); ++i) {
      std::vector<int> nodes;
      const std::string text = sum_of(flows[i], nodes, [this](int t) { return transition(t); });
      if (std::any_of(nodes.begin(), nodes.end(), [this](int t) { return t >= own_; })) continue;
      say(Group::returns, Sign::remark, text + " give the same marking again").transitions = nodes;
    }
    tell_incomplete(Group::returns, a_.transition_flows.complete, flows.size(), "such sequences");
  }

  void tell_siphons() {
    const Topology topology(net_);
    const auto& sets = a_.siphons.sets;
    std::size_t guarded = 0, told = 0;
    for (const std::vector<PlaceId>& set : sets) {
      const std::vector<char> trap = largest_trap(net_, topology, set);
      const bool marked = std::any_of(set.begin(), set.end(), [&](PlaceId p) {
        return trap[at(p.index)] != 0 && net_.places[at(p.index)].tokens > 0;
      });
      guarded += marked ? 1 : 0;
      if (marked || ++told > most_listed) continue;
      const std::vector<int> nodes = numbers(set);
      say(Group::siphons, Sign::remark, fmt::format("{} may run empty, and stay so", places(nodes)))
          .places = nodes;
    }
    if (guarded > 0) {
      say(Group::siphons, Sign::good,
          guarded == sets.size() && a_.siphons.complete
              ? fmt::format("{}: none can ever run empty", plural(guarded, "siphon"))
              : fmt::format("{} can never run empty", plural(guarded, "siphon")));
    }
    tell_incomplete(Group::siphons, a_.siphons.complete, told, "siphons");
  }

  const Net& net_;
  int own_;
  const Analysis& a_;
  NetFindings& out_;
  const bool all_seen_;  // every state that a run can be in
};

}  // namespace

void tell_findings(const Net& net, int own, const Analysis& analysis, NetFindings& findings) {
  Teller(net, own, analysis, findings).tell_all();
}

}  // namespace molejo

#include "molejo/net/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "molejo/math/index.h"

namespace molejo {

namespace {

// A refined place of the outer net, with names looked up.
struct Inner {
  const Refinement* given = nullptr;
  int place = -1;               // of the outer net
  std::vector<int> start, end;  // places of the inner net
  std::vector<PlaceId> places;  // of the inner net, in the result
  std::vector<TransitionId> transitions;
};

std::vector<int> find_all(const NetNames& names, const std::vector<std::string>& wanted,
                          const char* what) {
  if (wanted.empty()) throw NetError(fmt::format("no {} place is named", what));
  std::vector<int> found;
  std::unordered_set<int> seen;
  for (const std::string& name : wanted) {
    found.push_back(names.place(name).index);
    if (!seen.insert(found.back()).second) {
      throw NetError(fmt::format("{} place '{}' is given twice", what, name));
    }
  }
  return found;
}

class Flattening {
 public:
  Flattening(const Net& net, std::span<const Refinement> refinements)
      : net_(net), builder_(result_), inner_of_(net.places.size(), -1) {
    const NetNames names(net);
    for (const Refinement& r : refinements) {
      const int p = names.place(r.place).index;
      if (inner_of_[at(p)] >= 0) {
        throw NetError(fmt::format("place '{}' is refined twice", r.place));
      }
      inner_of_[at(p)] = static_cast<int>(inners_.size());
      const NetNames inner_names(*r.net);
      inners_.push_back({&r,
                         p,
                         find_all(inner_names, r.start, "start"),
                         find_all(inner_names, r.end, "end"),
                         {},
                         {}});
    }
  }

  Net run() {
    result_.name = net_.name;
    result_.properties = net_.properties;
    add_places();
    add_transitions();
    for (const Inner& inner : inners_) {
      for (const Arc& a : inner.given->net->arcs) {
        builder_.join(a.kind, inner.places[at(a.place.index)],
                      inner.transitions[at(a.transition.index)], a.weight);
      }
    }
    for (const Arc& a : net_.arcs) add_outer(a);
    keep_outer_parts();
    for (Inner& inner : inners_) keep_parts(inner);
    return std::move(result_);
  }

 private:
  // A part within the outer net that was refined further is not kept as a part.
  void keep_outer_parts() {
    for (RefinedPlace part : net_.refined) {
      for (std::vector<PlaceId>* list : {&part.start, &part.end}) {
        for (PlaceId& p : *list) p = places_[at(p.index)];
      }
      result_.refined.push_back(std::move(part));
    }
  }

  // The inner net is a part, and so are those within it.
  void keep_parts(const Inner& inner) {
    const int own = static_cast<int>(result_.refined.size());
    const auto number = [&](int part) { return own + 1 + part; };  // -1: the inner net itself
    const auto mapped = [&](const std::vector<PlaceId>& list) {
      std::vector<PlaceId> result;
      for (const PlaceId p : list) result.push_back(inner.places[at(p.index)]);
      return result;
    };
    const Net& sub = *inner.given->net;
    RefinedPlace whole{
        inner.given->place, inner.given->called, {}, {}, net_.places[at(inner.place)].part};
    for (const int q : inner.start) whole.start.push_back(inner.places[at(q)]);
    for (const int q : inner.end) whole.end.push_back(inner.places[at(q)]);
    result_.refined.push_back(std::move(whole));
    for (const RefinedPlace& r : sub.refined) {
      result_.refined.push_back({inner.given->place + "_" + r.name, r.net, mapped(r.start),
                                 mapped(r.end), number(r.part)});
    }
    for (std::size_t q = 0; q < sub.places.size(); ++q) {
      result_.places[at(inner.places[q].index)].part = number(sub.places[q].part);
    }
    for (std::size_t u = 0; u < sub.transitions.size(); ++u) {
      result_.transitions[at(inner.transitions[u].index)].part = number(sub.transitions[u].part);
    }
  }

  Inner* inner_at(int place) {
    const int i = inner_of_[at(place)];
    return i < 0 ? nullptr : &inners_[at(i)];
  }

  void add_places() {
    for (std::size_t p = 0; p < net_.places.size(); ++p) {
      Inner* inner = inner_at(static_cast<int>(p));
      if (inner == nullptr) {
        places_.push_back(builder_.add(net_.places[p]));
        continue;
      }
      places_.push_back({});
      const Net& sub = *inner->given->net;
      std::vector<std::uint8_t> starts(sub.places.size(), 0);
      for (const int q : inner->start) starts[at(q)] = 1;
      for (std::size_t q = 0; q < sub.places.size(); ++q) {
        Place place = sub.places[q];
        place.name = net_.places[p].name + "_" + place.name;
        place.origin = {};
        if (starts[q] != 0) place.tokens = net_.places[p].tokens;
        inner->places.push_back(builder_.add(std::move(place)));
      }
    }
  }

  void add_inner_transitions(Inner& inner) {
    if (!inner.transitions.empty()) return;
    for (Transition t : inner.given->net->transitions) {
      t.name = inner.given->place + "_" + t.name;
      t.origin = {};
      inner.transitions.push_back(builder_.add(std::move(t)));
    }
  }

  void add_transitions() {
    const Topology topology(net_);
    for (std::size_t t = 0; t < net_.transitions.size(); ++t) {
      for (const auto& [p, w] : topology.inputs[static_cast<int>(t)]) {
        if (Inner* inner = inner_at(p)) add_inner_transitions(*inner);
      }
      transitions_.push_back(builder_.add(net_.transitions[t]));
    }
    for (Inner& inner : inners_) add_inner_transitions(inner);
  }

  void add_outer(const Arc& a) {
    const TransitionId t = transitions_[at(a.transition.index)];
    const Inner* inner = inner_at(a.place.index);
    if (inner == nullptr) {
      builder_.join(a.kind, places_[at(a.place.index)], t, a.weight);
      return;
    }
    if (a.kind == ArcKind::inhibitor && inner->end.size() > 1) {
      throw NetError(fmt::format(
          "place '{}' inhibits '{}' and cannot be refined by a net with {} end places",
          inner->given->place, net_.transitions[at(a.transition.index)].name, inner->end.size()));
    }
    for (const int q : a.kind == ArcKind::output ? inner->start : inner->end) {
      builder_.join(a.kind, inner->places[at(q)], t, a.weight);
    }
  }

  const Net& net_;
  Net result_;
  NetBuilder builder_;
  std::vector<Inner> inners_;
  std::vector<int> inner_of_;  // of an outer place, -1: it stays
  std::vector<PlaceId> places_;
  std::vector<TransitionId> transitions_;
};

}  // namespace

Net refine(const Net& net, std::span<const Refinement> refinements) {
  return Flattening(net, refinements).run();
}

}  // namespace molejo

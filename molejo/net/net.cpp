#include "molejo/net/net.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/words.h"

namespace molejo {

namespace {

std::uint64_t pair_key(int place, int transition) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(place)) << 32 |
         static_cast<std::uint32_t>(transition);
}

// for an error text
std::string shortened(std::string_view name) {
  constexpr std::size_t longest = 64;
  return name.size() <= longest ? std::string(name) : std::string(name.substr(0, longest)) + "...";
}

void check_name(const std::string& name, const char* kind) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  if (name.empty()) throw NetError(fmt::format("a {} without a name", kind));
  if (name.size() > max_net_name) {
    throw NetError(fmt::format("the name '{:.32}...' has {} bytes, at most {} are allowed", name,
                               name.size(), max_net_name));
  }
  if (std::any_of(name.begin(), name.end(), is_control)) {
    throw NetError(fmt::format("the name of a {} has control characters", kind));
  }
}

const char* kind_name(ArcKind kind) {
  switch (kind) {
    case ArcKind::input:
      return "input";
    case ArcKind::output:
      return "output";
    case ArcKind::inhibitor:
      return "inhibitor";
    case ArcKind::interrupter:
      break;
  }
  return "interrupting";
}

template <class Nodes>
std::vector<std::string> names_of(const Nodes& nodes) {
  // enough for a suggestion
  constexpr std::size_t most = 10'000;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i) names.push_back(nodes[i].name);
  return names;
}

}  // namespace

bool Net::is_timed() const {
  return std::any_of(places.begin(), places.end(),
                     [](const Place& p) { return p.delay.numerator > 0; });
}
bool Net::has_kind(ArcKind kind) const {
  return std::any_of(arcs.begin(), arcs.end(), [&](const Arc& a) { return a.kind == kind; });
}
bool Net::has_priorities() const {
  return std::any_of(transitions.begin(), transitions.end(), [&](const Transition& t) {
    return t.priority != transitions.front().priority;
  });
}
bool Net::has_events() const {
  return std::any_of(transitions.begin(), transitions.end(),
                     [](const Transition& t) { return !t.event.empty(); });
}

NetNames::NetNames(const Net& net) : net_(net) {
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    places_.emplace(net.places[i].name, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    transitions_.emplace(net.transitions[i].name, static_cast<int>(i));
  }
}

NetBuilder::NetBuilder(Net& net) : net_(net), names_(net) {
  for (std::size_t i = 0; i < net.arcs.size(); ++i) {
    const Arc& a = net.arcs[i];
    arcs_[static_cast<int>(a.kind)].emplace(pair_key(a.place.index, a.transition.index), i);
  }
}

PlaceId NetBuilder::add(Place place) {
  check_name(place.name, "place");
  if (names_.places_.contains(place.name)) {
    throw NetError(fmt::format("place '{}' is given twice", shortened(place.name)));
  }
  if (names_.transitions_.contains(place.name)) {
    throw NetError(fmt::format("'{}' is already a transition", shortened(place.name)));
  }
  if (place.tokens < 0 || place.tokens > max_tokens) {
    throw NetError(fmt::format("place '{}' has {} tokens; expected 0 to {}", shortened(place.name),
                               place.tokens, max_tokens));
  }
  if (net_.places.size() >= max_net_nodes) {
    throw NetError(fmt::format("more than {} places", max_net_nodes));
  }
  const PlaceId id{static_cast<int>(net_.places.size())};
  names_.places_.emplace(place.name, id.index);
  net_.places.push_back(std::move(place));
  return id;
}

TransitionId NetBuilder::add(Transition transition) {
  check_name(transition.name, "transition");
  if (names_.transitions_.contains(transition.name)) {
    throw NetError(fmt::format("transition '{}' is given twice", shortened(transition.name)));
  }
  if (names_.places_.contains(transition.name)) {
    throw NetError(fmt::format("'{}' is already a place", shortened(transition.name)));
  }
  if (net_.transitions.size() >= max_net_nodes) {
    throw NetError(fmt::format("more than {} transitions", max_net_nodes));
  }
  const TransitionId id{static_cast<int>(net_.transitions.size())};
  names_.transitions_.emplace(transition.name, id.index);
  net_.transitions.push_back(std::move(transition));
  return id;
}

std::size_t NetBuilder::find_arc(ArcKind kind, PlaceId place, TransitionId transition) const {
  const auto& arcs = arcs_[static_cast<int>(kind)];
  const auto found = arcs.find(pair_key(place.index, transition.index));
  return found == arcs.end() ? net_.arcs.size() : found->second;
}

void NetBuilder::connect(ArcKind kind, PlaceId place, TransitionId transition,
                         std::int64_t weight) {
  if (find_arc(kind, place, transition) < net_.arcs.size()) {
    throw NetError(
        fmt::format("the {} arc between '{}' and '{}' is given twice", kind_name(kind),
                    shortened(net_.places[static_cast<std::size_t>(place.index)].name),
                    shortened(net_.transitions[static_cast<std::size_t>(transition.index)].name)));
  }
  join(kind, place, transition, weight);
}

void NetBuilder::join(ArcKind kind, PlaceId place, TransitionId transition, std::int64_t weight) {
  const std::size_t i = find_arc(kind, place, transition);
  const std::int64_t before = i < net_.arcs.size() ? net_.arcs[i].weight : 0;
  if (weight < 1 || weight > max_tokens - before) {
    throw NetError(fmt::format("an arc of weight {}; expected 1 to {}", weight, max_tokens));
  }
  const bool takes = kind == ArcKind::input || kind == ArcKind::interrupter;
  const ArcKind other = kind == ArcKind::input ? ArcKind::interrupter : ArcKind::input;
  if (takes && find_arc(other, place, transition) < net_.arcs.size()) {
    throw NetError("an input arc and an interrupting arc between the same two nodes");
  }
  if (before > 0) {
    net_.arcs[i].weight += weight;
    return;
  }
  if (net_.arcs.size() >= max_net_arcs) {
    throw NetError(fmt::format("more than {} arcs", max_net_arcs));
  }
  arcs_[static_cast<int>(kind)].emplace(pair_key(place.index, transition.index), i);
  net_.arcs.push_back({kind, place, transition, weight});
}

PlaceId NetNames::find_place(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  return {found == places_.end() ? -1 : found->second};
}
TransitionId NetNames::find_transition(std::string_view name) const {
  const auto found = transitions_.find(std::string(name));
  return {found == transitions_.end() ? -1 : found->second};
}

PlaceId NetNames::place(std::string_view name) const {
  const PlaceId id = find_place(name);
  if (id.index < 0) throw NetError(unknown_word("place", shortened(name), names_of(net_.places)));
  return id;
}
TransitionId NetNames::transition(std::string_view name) const {
  const TransitionId id = find_transition(name);
  if (id.index < 0) {
    throw NetError(unknown_word("transition", shortened(name), names_of(net_.transitions)));
  }
  return id;
}

Neighbours::Neighbours(const Net& net, std::span<const ArcKind> kinds, bool of_transitions) {
  const auto wanted = [&](const Arc& a) {
    return std::find(kinds.begin(), kinds.end(), a.kind) != kinds.end();
  };
  const auto owner = [&](const Arc& a) {
    return static_cast<std::size_t>(of_transitions ? a.transition.index : a.place.index);
  };
  // counted, then placed
  first_.assign((of_transitions ? net.transitions.size() : net.places.size()) + 1, 0);
  for (const Arc& a : net.arcs) {
    if (wanted(a)) ++first_[owner(a) + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  all_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Arc& a : net.arcs) {
    if (!wanted(a)) continue;
    all_[next[owner(a)]++] = {of_transitions ? a.place.index : a.transition.index, a.weight};
  }
}

namespace {

using enum ArcKind;
constexpr ArcKind taking[] = {input, interrupter};
constexpr ArcKind putting[] = {output};
constexpr ArcKind blocking[] = {inhibitor};

}  // namespace

Topology::Topology(const Net& net)
    : inputs(net, taking, true),
      outputs(net, putting, true),
      inhibitors(net, blocking, true),
      consumers(net, taking, false),
      producers(net, putting, false),
      inhibited(net, blocking, false) {}

std::vector<std::vector<std::int64_t>> incidence_matrix(const Net& net) {
  std::vector<std::vector<std::int64_t>> C(net.places.size(),
                                           std::vector<std::int64_t>(net.transitions.size(), 0));
  for (const Arc& a : net.arcs) {
    std::int64_t& c =
        C[static_cast<std::size_t>(a.place.index)][static_cast<std::size_t>(a.transition.index)];
    if (a.kind == output) c += a.weight;
    if (a.kind == input || a.kind == interrupter) c -= a.weight;
  }
  return C;
}

}  // namespace molejo

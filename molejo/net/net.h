// A timed place/transition net: what happens when, before anything moves.
//
//   t is enabled   iff  M(p) >= w(p, t) for its inputs and M(p) < w(p, t) for its inhibitors
//   t fires        M'(p) = M(p) - w(p, t) + w(t, p)
//
// A place has a delay: a token that arrives waits so long (its action runs) before it may enable
// anything. Tokens of one place are served one after the other. Firing takes no time. Among the
// enabled transitions only those of the highest priority may fire.
//
// Model: Bicho, Controle de Animações por Computador utilizando Redes de Petri (UNICAMP 2001),
// section 3.4; places with delays by Coolahan and Roussopoulos (1983). Interrupting arcs and events
// are ours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "molejo/math/words.h"
#include "molejo/net/exact_time.h"

namespace molejo {

// Indices into Net::places and Net::transitions.
struct PlaceId {
  int index = -1;
  bool operator==(const PlaceId&) const = default;
};
struct TransitionId {
  int index = -1;
  bool operator==(const TransitionId&) const = default;
};

// What cannot be a net: a name given twice, a refinement that ends nowhere. One line without the
// place in a file, which the readers put in front.
struct NetError : std::runtime_error {
  explicit NetError(std::string text) : std::runtime_error(without_nuls(std::move(text))) {}
};

inline constexpr std::int64_t max_tokens = 1'000'000'000;  // in a place, on an arc
inline constexpr std::size_t max_net_nodes = 4'000'000;
inline constexpr std::size_t max_net_arcs = 16'000'000;
inline constexpr std::size_t max_net_name = 200;  // bytes

// Where a node stood in a file with ids (PNML): written again as it was read.
struct NodeOrigin {
  std::string id = {};                    // empty: none is known
  std::optional<std::string> label = {};  // its name there, where it could not be the name here
};

struct Place {
  std::string name = {};
  Fraction delay = {};      // s
  std::int64_t tokens = 0;  // at the start
  std::string action = {};  // what runs while a token waits; empty: a condition
  bool awaited = false;     // a wait also needs the word that the action is over
  int part = -1;            // of Net::refined that it is in; -1: none
  NodeOrigin origin = {};
};

struct Transition {
  std::string name = {};
  int priority = 1;        // higher goes first
  std::string event = {};  // fires only when this happens; empty: fires by itself
  int part = -1;           // as of a place
  NodeOrigin origin = {};
};

enum class ArcKind : std::uint8_t {
  input,       // takes tokens whose wait is over
  output,      // puts tokens
  inhibitor,   // wants fewer than `weight` tokens whose wait is over
  interrupter  // takes tokens, if need be such that still wait: their action is cut short
};

struct Arc {
  ArcKind kind = ArcKind::input;
  PlaceId place = {};
  TransitionId transition = {};
  std::int64_t weight = 1;
};

// A place that a net stands in for (net/refine.h). It is not a place any more.
struct RefinedPlace {
  std::string name;                 // of the place; before all names inside, with "_"
  std::string net;                  // what stands in for it
  std::vector<PlaceId> start, end;  // by which tokens enter and leave
  int part = -1;                    // of the refined place around it
};

struct Net {
  std::string name;
  std::vector<Place> places;
  std::vector<Transition> transitions;
  std::vector<Arc> arcs;                // at most one of a kind between two nodes
  std::vector<std::string> properties;  // what should hold, see net/property.h
  std::vector<RefinedPlace> refined;    // that this net came from, outer ones before inner ones

  bool is_timed() const;
  bool has_kind(ArcKind kind) const;
  bool has_priorities() const;  // not all equal
  bool has_events() const;
};

// Finds nodes by name.
class NetNames {
 public:
  explicit NetNames(const Net& net);

  PlaceId find_place(std::string_view name) const;  // index -1: none
  TransitionId find_transition(std::string_view name) const;
  // The same, but throw NetError naming the nearest word when there is none.
  PlaceId place(std::string_view name) const;
  TransitionId transition(std::string_view name) const;

 private:
  friend class NetBuilder;
  const Net& net_;
  std::unordered_map<std::string, int> places_, transitions_;
};

// Adds nodes and arcs. Throws NetError.
class NetBuilder {
 public:
  explicit NetBuilder(Net& net);  // which may already hold something

  const NetNames& names() const { return names_; }
  PlaceId add(Place place);
  TransitionId add(Transition transition);
  // Refuses a second arc of the kind between the two nodes.
  void connect(ArcKind kind, PlaceId place, TransitionId transition, std::int64_t weight = 1);
  // Adds to the weight of the arc that is there. Limits are checked.
  void join(ArcKind kind, PlaceId place, TransitionId transition, std::int64_t weight);

 private:
  std::size_t find_arc(ArcKind kind, PlaceId place, TransitionId transition) const;

  Net& net_;
  NetNames names_;
  std::unordered_map<std::uint64_t, std::size_t> arcs_[4];
};

// A place or transition at the other end of an arc.
struct Neighbour {
  int node = 0;
  std::int64_t weight = 1;
};

// Lists of neighbours of every node, one after the other in one array.
class Neighbours {
 public:
  Neighbours() = default;
  Neighbours(const Net& net, std::span<const ArcKind> kinds, bool of_transitions);
  std::span<const Neighbour> operator[](int node) const {
    const auto i = static_cast<std::size_t>(node);
    return {all_.data() + first_[i], all_.data() + first_[i + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;  // arcs are fewer than max_net_arcs
  std::vector<Neighbour> all_;
};

// What a Neighbours may be asked for, beside the lists of Topology.
inline constexpr ArcKind inputs_only[] = {ArcKind::input};
inline constexpr ArcKind interrupters_only[] = {ArcKind::interrupter};

// The arcs by node, in the order of the net. Inputs hold the interrupting ones too unless the name
// says otherwise.
struct Topology {
  explicit Topology(const Net& net);

  Neighbours inputs, outputs, inhibitors;      // places, of a transition
  Neighbours consumers, producers, inhibited;  // transitions, of a place
};

// Changes of the marking, M' = M + C e_t: C[p][t] = w(t, p) - w(p, t).
std::vector<std::vector<std::int64_t>> incidence_matrix(const Net& net);

}  // namespace molejo

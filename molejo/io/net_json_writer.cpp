// Nets as JSON. Places that were refined are written so again, each net that stands in for them
// once.
#include <algorithm>
#include <map>
#include <tuple>

#include "molejo/io/json_document.h"
#include "molejo/io/net_file.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// names are filled in when they are read: braces are doubled
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '{' || c == '}') result += c;
  }
  return result;
}

JsonValue delay_value(const Fraction& delay) {
  const std::string text = to_string(delay);
  if (text.find('/') != std::string::npos) return JsonValue(text);
  const auto again = exact_fraction(delay.value());
  return again && *again == delay ? JsonValue(delay.value()) : JsonValue(text);
}

// The net is not what refining places gives, any more.
struct NotRefined {};

// Writes the places and transitions of one part, or of the net around all parts.
class PartWriter {
 public:
  // `nested`: with the parts as such; else all nodes as if there were none.
  PartWriter(const Net& net, bool nested)
      : net_(net),
        nested_(nested),
        inputs_(net, inputs_only, true),
        interrupters_(net, interrupters_only, true),
        topology_(net) {
    if (nested) sort_into_parts();
  }

  void write(JsonValue& root) {
    JsonValue top = JsonValue::object();
    write_part(-1, top);
    if (!definitions_.items.empty()) root.add("nets", std::move(definitions_));
    for (std::size_t i = 0; i < top.items.size(); ++i) {
      root.add(top.keys[i], std::move(top.items[i]));
    }
  }

 private:
  struct Member {
    int place, refined;  // one of them is -1
  };

  // Places in their order, refined ones where their first place stands.
  void sort_into_parts() {
    members_.resize(net_.refined.size() + 1);
    std::vector<std::uint8_t> seen(net_.refined.size(), 0);
    for (std::size_t p = 0; p < net_.places.size(); ++p) {
      const int part = net_.places[p].part;
      for (int r = part; r >= 0 && seen[at(r)] == 0; r = net_.refined[at(r)].part) {
        seen[at(r)] = 1;
        members_[at(net_.refined[at(r)].part + 1)].push_back({-1, r});
      }
      members_[at(part + 1)].push_back({static_cast<int>(p), -1});
    }
    transitions_.resize(net_.refined.size() + 1);
    for (std::size_t t = 0; t < net_.transitions.size(); ++t) {
      transitions_[at(net_.transitions[t].part + 1)].push_back(static_cast<int>(t));
    }
  }

  // The name within a part.
  std::string inner_name(const std::string& name, int part) const {
    if (part < 0) return plain(name);
    const std::string prefix = net_.refined[at(part)].name + "_";
    if (!name.starts_with(prefix) || name.size() == prefix.size()) throw NotRefined{};
    return plain(name.substr(prefix.size()));
  }

  void write_part(int part, JsonValue& root) {
    JsonValue places = JsonValue::array(), transitions = JsonValue::array();
    if (nested_) {
      for (const Member& m : members_[at(part + 1)]) {
        places.items.push_back(m.place >= 0 ? place_json(m.place, part)
                                            : refined_json(m.refined, part));
      }
      for (const int t : transitions_[at(part + 1)]) {
        transitions.items.push_back(transition_json(t, part));
      }
    } else {
      for (int p = 0; p < static_cast<int>(net_.places.size()); ++p) {
        places.items.push_back(place_json(p, -1));
      }
      for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
        transitions.items.push_back(transition_json(t, -1));
      }
    }
    root.add("places", std::move(places));
    root.add("transitions", std::move(transitions));
  }

  bool is_start(int place, int part) const {
    if (part < 0) return false;
    const std::vector<PlaceId>& start = net_.refined[at(part)].start;
    return std::find(start.begin(), start.end(), PlaceId{place}) != start.end();
  }

  JsonValue place_json(int id, int part) const {
    const Place& p = net_.places[at(id)];
    JsonValue item = JsonValue::object();
    item.add("name", JsonValue(inner_name(p.name, part)));
    if (p.delay.numerator > 0) item.add("delay", delay_value(p.delay));
    // tokens enter a part by its start: they are those of the refined place
    if (p.tokens > 0 && !is_start(id, part)) {
      item.add("tokens", JsonValue(static_cast<double>(p.tokens)));
    }
    if (!p.action.empty()) item.add("action", JsonValue(plain(p.action)));
    if (p.awaited) item.add("await", JsonValue::of(true));
    return item;
  }

  JsonValue refined_json(int id, int part) {
    const RefinedPlace& r = net_.refined[at(id)];
    JsonValue item = JsonValue::object();
    item.add("name", JsonValue(inner_name(r.name, part)));
    if (r.start.empty() || r.start.front().index < 0) throw NotRefined{};
    const std::int64_t tokens = net_.places[at(r.start.front().index)].tokens;
    if (tokens > 0 && !is_start(r.start.front().index, part)) {
      item.add("tokens", JsonValue(static_cast<double>(tokens)));
    }
    item.add("refine", JsonValue(plain(definition(id))));
    return item;
  }

  // The name of a net with this content, which is written if it is new.
  std::string definition(int id) {
    const RefinedPlace& r = net_.refined[at(id)];
    JsonValue content = JsonValue::object();
    write_part(id, content);
    for (const auto& [key, list] : {std::pair{"start", &r.start}, {"end", &r.end}}) {
      JsonValue& names = content.add(key, JsonValue::array());
      for (const PlaceId p : *list) {
        if (p.index < 0) throw NotRefined{};
        names.items.emplace_back(inner_name(net_.places[at(p.index)].name, id));
      }
    }
    const std::string base = r.net.empty() ? "part" : r.net;
    std::string& name = known_[base + "\n" + pretty_text(content)];
    if (!name.empty()) return name;
    name = base;
    for (int n = 2; !used_.insert({name, 0}).second; ++n) name = base + "_" + std::to_string(n);
    definitions_.add(name, std::move(content));
    return name;
  }

  // a list of names where all weights are 1
  void add_arcs(const char* key, std::span<const Neighbour> arcs, bool puts, int part,
                JsonValue& item) const {
    std::vector<std::pair<std::string, std::int64_t>> ends;
    std::map<int, std::size_t> touched;  // arcs to each refined place
    for (const Neighbour& a : arcs) {
      const int within = nested_ ? net_.places[at(a.node)].part : -1;
      if (within == part) {
        ends.emplace_back(inner_name(net_.places[at(a.node)].name, part), a.weight);
        continue;
      }
      // in a part of this one: an arc to each of its starts, or from each of its ends
      int r = within;
      while (r >= 0 && net_.refined[at(r)].part != part) r = net_.refined[at(r)].part;
      if (r < 0) throw NotRefined{};
      const RefinedPlace& refined = net_.refined[at(r)];
      const std::vector<PlaceId>& list = puts ? refined.start : refined.end;
      if (std::find(list.begin(), list.end(), PlaceId{a.node}) == list.end()) throw NotRefined{};
      if (touched[r]++ == 0) ends.emplace_back(inner_name(refined.name, part), a.weight);
    }
    for (const auto& [r, count] : touched) {
      const RefinedPlace& refined = net_.refined[at(r)];
      if (count != (puts ? refined.start : refined.end).size()) throw NotRefined{};
    }
    write_arcs(key, ends, item);
  }

  static void write_arcs(const char* key,
                         const std::vector<std::pair<std::string, std::int64_t>>& ends,
                         JsonValue& item) {
    if (ends.empty()) return;
    const bool weighted =
        std::any_of(ends.begin(), ends.end(), [](const auto& end) { return end.second != 1; });
    JsonValue list = weighted ? JsonValue::object() : JsonValue::array();
    for (const auto& [name, weight] : ends) {
      if (weighted) {
        list.add(name, JsonValue(static_cast<double>(weight)));
      } else {
        list.items.emplace_back(name);
      }
    }
    item.add(key, std::move(list));
  }

  JsonValue transition_json(int id, int part) const {
    const Transition& t = net_.transitions[at(id)];
    JsonValue item = JsonValue::object();
    item.add("name", JsonValue(inner_name(t.name, part)));
    if (t.priority != 1) item.add("priority", JsonValue(static_cast<double>(t.priority)));
    if (!t.event.empty()) item.add("event", JsonValue(plain(t.event)));
    add_arcs("in", inputs_[id], false, part, item);
    add_arcs("interrupt", interrupters_[id], false, part, item);
    add_arcs("inhibit", topology_.inhibitors[id], false, part, item);
    add_arcs("out", topology_.outputs[id], true, part, item);
    return item;
  }

  const Net& net_;
  bool nested_;
  Neighbours inputs_, interrupters_;
  Topology topology_;
  std::vector<std::vector<Member>> members_;   // of the net around, then of each part
  std::vector<std::vector<int>> transitions_;  // the same
  JsonValue definitions_ = JsonValue::object();
  std::map<std::string, std::string> known_;  // names by content
  std::map<std::string, int> used_;
};

std::string text_of(const Net& net, bool nested) {
  JsonValue root = JsonValue::object();
  if (!net.name.empty()) root.add("name", JsonValue(net.name));
  PartWriter(net, nested).write(root);
  if (!net.properties.empty()) {
    JsonValue list = JsonValue::array();
    for (const std::string& text : net.properties) list.items.emplace_back(plain(text));
    root.add("properties", std::move(list));
  }
  return pretty_text(root);
}

// Nodes in their order, arcs in any.
bool same(const Net& a, const Net& b) {
  const auto same_places = [](const Place& p, const Place& q) {
    return p.name == q.name && p.delay == q.delay && p.tokens == q.tokens && p.action == q.action &&
           p.awaited == q.awaited;
  };
  const auto same_transitions = [](const Transition& t, const Transition& u) {
    return t.name == u.name && t.priority == u.priority && t.event == u.event;
  };
  const auto sorted_arcs = [](const Net& net) {
    std::vector<std::tuple<ArcKind, int, int, std::int64_t>> arcs;
    for (const Arc& x : net.arcs) {
      arcs.emplace_back(x.kind, x.place.index, x.transition.index, x.weight);
    }
    std::sort(arcs.begin(), arcs.end());
    return arcs;
  };
  return std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                    same_places) &&
         std::equal(a.transitions.begin(), a.transitions.end(), b.transitions.begin(),
                    b.transitions.end(), same_transitions) &&
         sorted_arcs(a) == sorted_arcs(b);
}

}  // namespace

std::string net_json(const Net& net) {
  if (const auto nested = nested_net_json(net)) return *nested;
  return text_of(net, false);
}

std::optional<std::string> nested_net_json(const Net& net) {
  if (net.refined.empty()) return std::nullopt;
  try {
    std::string text = text_of(net, true);
    if (same(parse_net_json(text, "nested"), net)) return text;
  } catch (const NotRefined&) {  // it was changed since
  } catch (const InputError&) {
  }
  return std::nullopt;
}

}  // namespace molejo

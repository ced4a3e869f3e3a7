// Nets as JSON: flat, every place and transition written out.
#include "molejo/io/json_document.h"
#include "molejo/io/net_file.h"

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

// a list of names where all weights are 1
void add_arcs(const Net& net, const char* key, std::span<const Neighbour> arcs, JsonValue& item) {
  if (arcs.empty()) return;
  bool weighted = false;
  for (const Neighbour& a : arcs) weighted |= a.weight != 1;
  JsonValue list = weighted ? JsonValue::object() : JsonValue::array();
  for (const Neighbour& a : arcs) {
    const std::string name = plain(net.places[static_cast<std::size_t>(a.node)].name);
    if (weighted) {
      list.add(name, JsonValue(static_cast<double>(a.weight)));
    } else {
      list.items.emplace_back(name);
    }
  }
  item.add(key, std::move(list));
}

}  // namespace

std::string net_json(const Net& net) {
  JsonValue root = JsonValue::object();
  if (!net.name.empty()) root.add("name", JsonValue(net.name));
  JsonValue places = JsonValue::array(), transitions = JsonValue::array();
  for (const Place& p : net.places) {
    JsonValue& item = places.items.emplace_back(JsonValue::object());
    item.add("name", JsonValue(plain(p.name)));
    if (p.delay.numerator > 0) item.add("delay", delay_value(p.delay));
    if (p.tokens > 0) item.add("tokens", JsonValue(static_cast<double>(p.tokens)));
    if (!p.action.empty()) item.add("action", JsonValue(plain(p.action)));
    if (p.awaited) item.add("await", JsonValue::of(true));
  }
  constexpr ArcKind takes[] = {ArcKind::input}, cuts[] = {ArcKind::interrupter};
  const Neighbours inputs(net, takes, true), interrupters(net, cuts, true);
  const Topology topology(net);
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const Transition& t = net.transitions[i];
    const int id = static_cast<int>(i);
    JsonValue& item = transitions.items.emplace_back(JsonValue::object());
    item.add("name", JsonValue(plain(t.name)));
    if (t.priority != 1) item.add("priority", JsonValue(static_cast<double>(t.priority)));
    if (!t.event.empty()) item.add("event", JsonValue(plain(t.event)));
    add_arcs(net, "in", inputs[id], item);
    add_arcs(net, "interrupt", interrupters[id], item);
    add_arcs(net, "inhibit", topology.inhibitors[id], item);
    add_arcs(net, "out", topology.outputs[id], item);
  }
  root.add("places", std::move(places));
  root.add("transitions", std::move(transitions));
  if (!net.properties.empty()) {
    JsonValue list = JsonValue::array();
    for (const std::string& text : net.properties) list.items.emplace_back(plain(text));
    root.add("properties", std::move(list));
  }
  return pretty_text(root);
}

}  // namespace molejo

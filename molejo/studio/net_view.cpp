#include "molejo/studio/net_view.h"

#include <algorithm>
#include <map>

namespace molejo {

namespace {

constexpr std::size_t most_bars = 4000, most_firings = 1000;

JsonValue list_of(std::initializer_list<double> numbers) {
  JsonValue list = JsonValue::array();
  for (const double x : numbers) list.items.emplace_back(x);
  return list;
}

}  // namespace

JsonValue describe_net(const Net& net, const NetDrawing& drawing,
                       const std::vector<Binding>* bindings) {
  constexpr const char* kinds[] = {"input", "output", "inhibitor", "interrupter"};
  JsonValue json = JsonValue::object();
  json.add("name", net.name);
  std::vector<char> acts(net.places.size(), 0);
  if (bindings) {
    for (const Binding& b : *bindings) {
      if (b.when == Binding::When::place) acts[static_cast<std::size_t>(b.node)] = 1;
    }
  }
  JsonValue& places = json.add("places", JsonValue::array());
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    const Place& p = net.places[i];
    JsonValue& item = places.items.emplace_back(JsonValue::object());
    item.add("name", p.name);
    item.add("delay", to_string(p.delay));
    item.add("tokens", static_cast<double>(p.tokens));
    item.add("action", p.action);
    item.add("x", drawing.places[i].x);
    item.add("y", drawing.places[i].y);
    if (acts[i] != 0) item.add("acts", JsonValue::of(true));
  }
  JsonValue& transitions = json.add("transitions", JsonValue::array());
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const Transition& t = net.transitions[i];
    JsonValue& item = transitions.items.emplace_back(JsonValue::object());
    item.add("name", t.name);
    item.add("priority", t.priority);
    item.add("event", t.event);
    item.add("x", drawing.transitions[i].x);
    item.add("y", drawing.transitions[i].y);
  }
  const bool drawn = net.places.size() + net.transitions.size() <= max_drawn_nodes;
  JsonValue& arcs = json.add("arcs", JsonValue::array());
  for (std::size_t i = 0; drawn && i < net.arcs.size(); ++i) {
    const Arc& a = net.arcs[i];
    JsonValue& item = arcs.items.emplace_back(JsonValue::object());
    item.add("kind", std::string(kinds[static_cast<int>(a.kind)]));
    item.add("place", a.place.index);
    item.add("transition", a.transition.index);
    item.add("weight", static_cast<double>(a.weight));
    if (drawing.bends[i].empty()) continue;
    JsonValue& bends = item.add("bends", JsonValue::array());
    for (const DrawingPoint& p : drawing.bends[i]) {
      bends.items.emplace_back(p.x);
      bends.items.emplace_back(p.y);
    }
  }
  JsonValue& properties = json.add("properties", JsonValue::array());
  for (const std::string& text : net.properties) properties.items.emplace_back(text);
  json.add("timed", JsonValue::of(net.is_timed()));
  json.add("drawn", JsonValue::of(drawn));
  return json;
}

JsonValue net_frame_json(const NetLine& line, double since) {
  const NetFrame& shown = line.shown();
  JsonValue json = JsonValue::object();
  json.add("t", shown.t);
  json.add("frame", static_cast<double>(line.number()));
  JsonValue& marking = json.add("marking", JsonValue::array());
  for (const NetFrame::Count& c : shown.marking) {
    marking.items.push_back(list_of({static_cast<double>(c.place), static_cast<double>(c.tokens),
                                     static_cast<double>(c.ready)}));
  }
  JsonValue& serving = json.add("serving", JsonValue::array());
  for (const NetFrame::Serving& s : shown.serving) {
    serving.items.push_back(list_of({static_cast<double>(s.place), s.start, s.due}));
  }
  JsonValue& fired = json.add("fired", JsonValue::array());
  const auto& all = line.history().moments();
  auto first = std::lower_bound(all.begin(), all.end(), since,
                                [](const NetFrame& f, double t) { return f.t < t; });
  for (; first != all.end() && first->t <= shown.t; ++first) {
    for (const NetFrame::Firing& f : first->fired) {
      if (f.t < since || fired.items.size() >= most_firings) continue;
      fired.items.push_back(list_of({static_cast<double>(f.transition), f.t}));
    }
  }
  JsonValue& allowed = json.add("allowed", JsonValue::array());
  for (const int t : shown.allowed) allowed.items.emplace_back(static_cast<double>(t));
  return json;
}

JsonValue chart_json(const NetTrace& trace) {
  const auto seconds = [&](std::int64_t tick) {
    return static_cast<double>(tick) / static_cast<double>(trace.ticks_per_second);
  };
  struct Bar {
    std::int64_t start, end;
    int place, kind;
  };
  std::vector<Bar> bars;
  for (const Service& s : trace.services) {
    bars.push_back({s.start, s.end, s.place.index, s.interrupted ? 1 : 0});
  }
  for (const Stay& s : trace.stays) bars.push_back({s.start, s.end, s.place.index, 2});
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.start < b.start; });
  const std::size_t skipped = bars.size() > most_bars ? bars.size() - most_bars : 0;
  JsonValue json = JsonValue::object();
  json.add("until", seconds(trace.frames * trace.ticks_per_frame));
  JsonValue& rows = json.add("rows", JsonValue::array());
  std::map<int, std::size_t> row_of;
  for (std::size_t i = skipped; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const auto [row, is_new] = row_of.try_emplace(bar.place, rows.items.size());
    if (is_new) {
      JsonValue& item = rows.items.emplace_back(JsonValue::object());
      item.add("place", bar.place);
      item.add("bars", JsonValue::array());
    }
    JsonValue item = list_of({seconds(bar.start), 0, static_cast<double>(bar.kind)});
    item.items[1] = bar.end < 0 ? JsonValue() : JsonValue(seconds(bar.end));
    rows.items[row->second].items[1].items.push_back(std::move(item));
  }
  JsonValue& fired = json.add("fired", JsonValue::array());
  for (const NetEvent& e : trace.events) {
    if (e.kind != NetEventKind::fire || fired.items.size() >= most_bars) continue;
    fired.items.push_back(list_of({static_cast<double>(e.node), seconds(e.tick)}));
  }
  return json;
}

}  // namespace molejo

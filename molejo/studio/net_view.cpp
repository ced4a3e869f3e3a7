#include "molejo/studio/net_view.h"

#include <algorithm>
#include <map>

#include "molejo/math/index.h"

namespace molejo {

namespace {

constexpr std::size_t most_bars = 4000, most_firings = 1000;

JsonValue list_of(std::initializer_list<double> numbers) {
  JsonValue list = JsonValue::array();
  for (const double x : numbers) list.items.emplace_back(x);
  return list;
}

}  // namespace

JsonValue describe_net(const Net& net, const NetPart& part, const NetDrawing& drawing,
                       const std::vector<Binding>* bindings) {
  constexpr const char* kinds[] = {"input", "output", "inhibitor", "interrupter"};
  JsonValue json = JsonValue::object();
  json.add("name", net.name);
  std::vector<char> acts(net.places.size(), 0);
  if (bindings) {
    for (const Binding& b : *bindings) {
      if (b.when == Binding::When::place) acts[at(b.node)] = 1;
    }
  }
  JsonValue arcs = JsonValue::array();
  std::vector<char> place_has_more(net.places.size(), 0);
  std::vector<char> transition_has_more(net.transitions.size(), 0);
  for (std::size_t i = 0; i < net.arcs.size(); ++i) {
    const Arc& a = net.arcs[i];
    const int place = part.drawn_place[at(a.place.index)];
    const int transition = part.drawn_transition[at(a.transition.index)];
    if (place < 0 || transition < 0) {
      place_has_more[at(a.place.index)] = transition_has_more[at(a.transition.index)] = 1;
      continue;
    }
    JsonValue& item = arcs.items.emplace_back(JsonValue::object());
    item.add("kind", std::string(kinds[static_cast<int>(a.kind)]));
    item.add("place", place);
    item.add("transition", transition);
    item.add("weight", static_cast<double>(a.weight));
    if (drawing.bends[i].empty()) continue;
    JsonValue& bends = item.add("bends", JsonValue::array());
    for (const DrawingPoint& p : drawing.bends[i]) {
      bends.items.emplace_back(p.x);
      bends.items.emplace_back(p.y);
    }
  }
  JsonValue& places = json.add("places", JsonValue::array());
  for (const int i : part.places) {
    const Place& p = net.places[at(i)];
    JsonValue& item = places.items.emplace_back(JsonValue::object());
    item.add("name", p.name);
    item.add("delay", to_string(p.delay));
    item.add("tokens", static_cast<double>(p.tokens));
    item.add("action", p.action);
    item.add("x", drawing.places[at(i)].x);
    item.add("y", drawing.places[at(i)].y);
    if (acts[at(i)] != 0) item.add("acts", JsonValue::of(true));
    if (place_has_more[at(i)] != 0) item.add("more", JsonValue::of(true));
  }
  JsonValue& transitions = json.add("transitions", JsonValue::array());
  for (const int i : part.transitions) {
    const Transition& t = net.transitions[at(i)];
    JsonValue& item = transitions.items.emplace_back(JsonValue::object());
    item.add("name", t.name);
    item.add("priority", t.priority);
    item.add("event", t.event);
    item.add("x", drawing.transitions[at(i)].x);
    item.add("y", drawing.transitions[at(i)].y);
    if (transition_has_more[at(i)] != 0) item.add("more", JsonValue::of(true));
  }
  json.add("arcs", std::move(arcs));
  JsonValue& properties = json.add("properties", JsonValue::array());
  for (const std::string& text : net.properties) properties.items.emplace_back(text);
  json.add("timed", JsonValue::of(net.is_timed()));
  json.add("whole", JsonValue::of(part.whole));
  json.add("size", list_of({static_cast<double>(net.places.size()),
                            static_cast<double>(net.transitions.size()),
                            static_cast<double>(net.arcs.size())}));
  return json;
}

JsonValue net_frame_json(const NetLine& line, const NetPart& part, double since) {
  const NetFrame& shown = line.shown();
  JsonValue json = JsonValue::object();
  json.add("t", shown.t);
  json.add("frame", static_cast<double>(line.number()));
  JsonValue& marking = json.add("marking", JsonValue::array());
  for (const NetFrame::Count& c : shown.marking) {
    const int place = part.drawn_place[at(c.place)];
    if (place < 0) continue;
    marking.items.push_back(list_of(
        {static_cast<double>(place), static_cast<double>(c.tokens), static_cast<double>(c.ready)}));
  }
  JsonValue& serving = json.add("serving", JsonValue::array());
  for (const NetFrame::Serving& s : shown.serving) {
    const int place = part.drawn_place[at(s.place)];
    if (place >= 0) serving.items.push_back(list_of({static_cast<double>(place), s.start, s.due}));
  }
  JsonValue& fired = json.add("fired", JsonValue::array());
  const auto& all = line.history().moments();
  auto first = std::lower_bound(all.begin(), all.end(), since,
                                [](const NetFrame& f, double t) { return f.t < t; });
  for (; first != all.end() && first->t <= shown.t; ++first) {
    for (const NetFrame::Firing& f : first->fired) {
      const int transition = part.drawn_transition[at(f.transition)];
      if (transition < 0 || f.t < since || fired.items.size() >= most_firings) continue;
      fired.items.push_back(list_of({static_cast<double>(transition), f.t}));
    }
  }
  JsonValue& allowed = json.add("allowed", JsonValue::array());
  for (const int t : shown.allowed) {
    const int transition = part.drawn_transition[at(t)];
    if (transition >= 0) allowed.items.emplace_back(static_cast<double>(transition));
  }
  return json;
}

JsonValue chart_json(const Net& net, const NetTrace& trace) {
  const auto seconds = [&](std::int64_t tick) { return trace.seconds(tick); };
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
      item.add("name", net.places[at(bar.place)].name);
      item.add("bars", JsonValue::array());
    }
    JsonValue item = list_of({seconds(bar.start), 0, static_cast<double>(bar.kind)});
    item.items[1] = bar.end < 0 ? JsonValue() : JsonValue(seconds(bar.end));
    rows.items[row->second].items[1].items.push_back(std::move(item));
  }
  JsonValue& fired = json.add("fired", JsonValue::array());
  for (const NetEvent& e : trace.events) {
    if (e.kind != NetEventKind::fire || fired.items.size() >= most_bars) continue;
    fired.items.emplace_back(seconds(e.tick));
  }
  return json;
}

}  // namespace molejo

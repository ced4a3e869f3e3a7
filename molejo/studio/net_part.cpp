#include "molejo/studio/net_part.h"

#include <algorithm>

#include "molejo/math/index.h"

namespace molejo {

namespace {

// The page writes 13 px letters, and shortens names behind so many.
constexpr LayoutSettings with_names{
    .layer_distance = 90, .row_distance = 74, .letter_width = 7.2, .most_letters = 14};

void index(const Net& net, NetPart& part) {
  part.drawn_place.assign(net.places.size(), -1);
  part.drawn_transition.assign(net.transitions.size(), -1);
  for (std::size_t i = 0; i < part.places.size(); ++i) {
    part.drawn_place[at(part.places[i])] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < part.transitions.size(); ++i) {
    part.drawn_transition[at(part.transitions[i])] = static_cast<int>(i);
  }
}

// The nearest nodes of a node, counted in arcs. Numbers of transitions follow those of places.
NetPart nearest(const Net& net, int start) {
  const int places = static_cast<int>(net.places.size());
  const std::size_t count = net.places.size() + net.transitions.size();
  std::vector<std::vector<int>> around(count);
  for (const Arc& a : net.arcs) {
    around[at(a.place.index)].push_back(places + a.transition.index);
    around[at(places + a.transition.index)].push_back(a.place.index);
  }
  std::vector<char> met(count, 0);
  std::vector<int> found{start};
  met[at(start)] = 1;
  for (std::size_t i = 0; i < found.size() && found.size() < nodes_of_part; ++i) {
    for (const int next : around[at(found[i])]) {
      if (met[at(next)] != 0 || found.size() == nodes_of_part) continue;
      met[at(next)] = 1;
      found.push_back(next);
    }
  }
  std::sort(found.begin(), found.end());
  NetPart part;
  part.whole = false;
  for (const int n : found) {
    if (n < places) {
      part.places.push_back(n);
    } else {
      part.transitions.push_back(n - places);
    }
  }
  index(net, part);
  return part;
}

}  // namespace

NetPart choose_part(const Net& net) {
  const std::size_t count = net.places.size() + net.transitions.size();
  if (count > max_drawn_nodes) {
    const auto marked = std::find_if(net.places.begin(), net.places.end(),
                                     [](const Place& p) { return p.tokens > 0; });
    return nearest(net,
                   marked == net.places.end() ? 0 : static_cast<int>(marked - net.places.begin()));
  }
  NetPart all;
  for (std::size_t i = 0; i < net.places.size(); ++i) all.places.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    all.transitions.push_back(static_cast<int>(i));
  }
  index(net, all);
  return all;
}

NetPart part_around(const Net& net, const std::string& name) {
  const NetNames names(net);
  const TransitionId transition = names.find_transition(name);
  if (transition.index >= 0 && names.find_place(name).index < 0) {
    return nearest(net, static_cast<int>(net.places.size()) + transition.index);
  }
  return nearest(net, names.place(name).index);
}

NetPart part_after(const NetPart& part, const EditedNet& edited) {
  NetPart after;
  after.whole = part.whole;
  const auto keep = [](const std::vector<int>& was, const std::vector<int>& drawn,
                       std::vector<int>& now) {
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (was[i] < 0 || drawn[at(was[i])] >= 0) now.push_back(static_cast<int>(i));
    }
  };
  keep(edited.place_was, part.drawn_place, after.places);
  keep(edited.transition_was, part.drawn_transition, after.transitions);
  index(edited.net, after);
  return after;
}

void draw_part(const Net& net, const NetPart& part, NetDrawing& drawing) {
  Net drawn;
  for (const int p : part.places) drawn.places.push_back(net.places[at(p)]);
  for (const int t : part.transitions) drawn.transitions.push_back(net.transitions[at(t)]);
  std::vector<std::size_t> arcs;
  for (std::size_t i = 0; i < net.arcs.size(); ++i) {
    const Arc& a = net.arcs[i];
    const int place = part.drawn_place[at(a.place.index)];
    const int transition = part.drawn_transition[at(a.transition.index)];
    if (place < 0 || transition < 0) continue;
    drawn.arcs.push_back({a.kind, {place}, {transition}, a.weight});
    arcs.push_back(i);
  }
  drawing.places.resize(net.places.size());
  drawing.transitions.resize(net.transitions.size());
  drawing.bends.resize(net.arcs.size());
  NetLayout l = layout(drawn, with_names);
  for (std::size_t i = 0; i < part.places.size(); ++i) {
    drawing.places[at(part.places[i])] = l.places[i];
  }
  for (std::size_t i = 0; i < part.transitions.size(); ++i) {
    drawing.transitions[at(part.transitions[i])] = l.transitions[i];
  }
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    // without the nodes themselves
    drawing.bends[arcs[i]].assign(l.bends[i].begin() + 1, l.bends[i].end() - 1);
  }
}

}  // namespace molejo

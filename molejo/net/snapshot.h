// Parts of snapshots (math/snapshot.h) of nets that run.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/net/trace.h"

namespace molejo {

// Tells nets apart: a hash of all that their runs depend on.
std::uint64_t fingerprint(const Net& net);

template <class Archive>
void visit_place(Archive& a, const Net& net, Seen<Archive, PlaceId>& place) {
  a.index(place.index, net.places.size(), "place");
}

template <class Archive>
void visit_event(Archive& a, const Net& net, Seen<Archive, NetEvent>& e) {
  a(e.tick, e.count);
  visit_enum(a, e.kind, NetEventKind::outside, "event");
  const bool fires = e.kind == NetEventKind::fire;
  if (e.kind == NetEventKind::outside) {
    a.within(e.node, 0, 0, "node");
  } else {
    a.index(e.node, fires ? net.transitions.size() : net.places.size(), "node");
  }
}

template <class Archive>
void visit_trace(Archive& a, const Net& net, Seen<Archive, NetTrace>& t) {
  a.part("trace");
  constexpr std::size_t most = 2 * max_trace_events;
  visit_list(a, t.events, most, [&](auto& e) { visit_event(a, net, e); });
  visit_list(a, t.services, most, [&](auto& s) {
    visit_place(a, net, s.place);
    a(s.start, s.end, s.interrupted);
  });
  visit_list(a, t.stays, most, [&](auto& s) {
    visit_place(a, net, s.place);
    a(s.start, s.end);
  });
  a(t.most_running, t.cut);
}

}  // namespace molejo

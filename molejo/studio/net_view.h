// A net, its frames and its chart as the page gets them.
#pragma once

#include "molejo/studio/net_edit.h"
#include "molejo/studio/net_line.h"
#include "molejo/studio/net_part.h"

namespace molejo {

// {"name", "places": [{"name", "delay", "tokens", "action", "x", "y", "acts", "more"}],
//  "transitions": [{"name", "priority", "event", "x", "y", "more"}],
//  "arcs": [{"kind", "place", "transition", "weight", "bends": [x, y, ...]}], "properties",
//  "timed", "whole", "size": [places, transitions, arcs]}. `acts`: actions of a show hang on the
// place; `more`: it has arcs to nodes that are not drawn. Indices are those of drawn nodes.
JsonValue describe_net(const Net& net, const NetPart& part, const NetDrawing& drawing,
                       const std::vector<Binding>* bindings);

// {"t", "frame", "marking": [[place, tokens, ready], ...], "serving": [[place, start, due], ...],
//  "fired": [[transition, t], ...], "allowed": [transition, ...]}, of drawn nodes; fired since
// `since` [s] up to the frame that is shown, at most a thousand.
JsonValue net_frame_json(const NetLine& line, const NetPart& part, double since);

// {"until", "rows": [{"name", "bars": [[start, end, kind], ...]}], "fired": [t, ...]}; a row for
// each place, kind 0: a wait, 1: one that was interrupted, 2: tokens that are ready. Bars that go
// on end with null. The newest bars where there are too many.
JsonValue chart_json(const Net& net, const NetTrace& trace);

}  // namespace molejo

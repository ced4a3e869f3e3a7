// A net, its frames and its chart as the page gets them.
#pragma once

#include "molejo/studio/net_edit.h"
#include "molejo/studio/net_line.h"

namespace molejo {

// {"name", "places": [{"name", "delay", "tokens", "action", "x", "y", "acts"}],
//  "transitions": [{"name", "priority", "event", "x", "y"}],
//  "arcs": [{"kind", "place", "transition", "weight", "bends": [x, y, ...]}], "properties",
//  "timed", "drawn"}. `acts`: actions of a show hang on the place.
JsonValue describe_net(const Net& net, const NetDrawing& drawing,
                       const std::vector<Binding>* bindings);

// {"t", "frame", "marking": [[place, tokens, ready], ...], "serving": [[place, start, due], ...],
//  "fired": [[transition, t], ...], "allowed": [transition, ...]}; fired since `since` [s] up to
// the frame that is shown, at most a thousand.
JsonValue net_frame_json(const NetLine& line, double since);

// {"until", "rows": [{"place", "bars": [[start, end, kind], ...]}], "fired": [[transition, t]]};
// kind 0: a wait, 1: one that was interrupted, 2: tokens that are ready. Bars that go on end with
// null. The newest bars where there are too many.
JsonValue chart_json(const NetTrace& trace);

}  // namespace molejo

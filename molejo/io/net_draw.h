// Pictures of nets: the graph as SVG and DOT, a run as a Gantt chart.
#pragma once

#include <string>

#include "molejo/net/net.h"
#include "molejo/net/trace.h"

namespace molejo {

// Circles, bars and arrows; tokens as dots, delays below, inhibitor arcs end in a small circle,
// interrupting arcs are dashed, events stand in brackets. Throws InputError for nets of more than
// max_drawn_nodes.
std::string net_svg(const Net& net);

// For graphviz and its kin.
std::string net_dot(const Net& net);

// One row for each place that was served or marked, in the order of their first bar: full bars are
// waits (actions), pale ones tokens that were ready. Lines mark the firings.
std::string gantt_svg(const Net& net, const NetTrace& trace);

}  // namespace molejo

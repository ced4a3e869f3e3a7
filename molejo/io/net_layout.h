// Places and transitions on a page: layers from left to right.
//
// Sugiyama, Tagawa and Toda (1981): arcs that close a cycle are turned (as met in depth or in
// breadth, whichever looks simpler in the end), nodes get the layer of their longest way, long arcs
// get a bend in every layer between, layers are ordered by the medians of their neighbours and by
// swaps that save crossings, and rows are pulled straight by the medians.
#pragma once

#include <vector>

#include "molejo/net/net.h"

namespace molejo {

struct DrawingPoint {
  double x = 0, y = 0;
};

struct NetLayout {
  std::vector<DrawingPoint> places, transitions;  // middles
  std::vector<std::vector<DrawingPoint>> bends;   // of each arc, from its tail to its head
  double width = 0, height = 0;
};

inline constexpr std::size_t max_drawn_nodes = 3000;

struct LayoutSettings {
  double layer_distance = 90, row_distance = 64;  // at least
  // Names stand under their nodes: layers keep so far apart that they do not meet.
  double letter_width = 0;        // 0: names are given no room
  std::size_t most_letters = 16;  // of a name, that are shown
};

// At most max_drawn_nodes places and transitions.
NetLayout layout(const Net& net, const LayoutSettings& settings = {});

}  // namespace molejo

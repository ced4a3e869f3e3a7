// The order of nodes within layers that links lead through, with few crossings: medians of the
// neighbours (Eades and Wormald 1994) and swaps of neighbours that save some.
#pragma once

#include <vector>

namespace molejo {

// Layers of nodes; `left` and `right` are the neighbours of each node in the layers beside its own.
// Returns the number of crossings.
long order_layers(std::vector<std::vector<int>>& layers, const std::vector<std::vector<int>>& left,
                  const std::vector<std::vector<int>>& right);

double median(std::vector<double> values);  // of at least one

}  // namespace molejo

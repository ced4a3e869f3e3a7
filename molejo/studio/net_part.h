// What of a net is drawn: all of it, or of one that is too large the surroundings of a node.
#pragma once

#include <string>
#include <vector>

#include "molejo/studio/net_edit.h"

namespace molejo {

struct NetPart {
  bool whole = true;
  std::vector<int> places, transitions;            // that are drawn, of the net
  std::vector<int> drawn_place, drawn_transition;  // the other way round; -1: not drawn
};

inline constexpr std::size_t nodes_of_part = 120;

// Nets of up to max_drawn_nodes whole, of others a part around the first place with a token.
NetPart choose_part(const Net& net);
// A part around the place or transition of this name. Throws NetError naming the nearest word.
NetPart part_around(const Net& net, const std::string& name);
// After an edit: what was drawn and is still there, and what is new.
NetPart part_after(const NetPart& part, const EditedNet& edited);

// Places the nodes of the part anew, by io/net_layout.
void draw_part(const Net& net, const NetPart& part, NetDrawing& drawing);

}  // namespace molejo

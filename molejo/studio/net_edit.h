// Changes of a net, told one after the other; all of them or none.
//
//   {"op": "add", "place": "P3", "delay": 0.5, "tokens": 1, "x": 40, "y": 80}
//   {"op": "add", "transition": "T2", "priority": 2, "event": "go"}
//   {"op": "remove", "place": "P3"}                      with its arcs
//   {"op": "rename", "transition": "T2", "to": "jump"}   in properties too, for places
//   {"op": "set", "place": "P3", "delay": "1/3", "tokens": 2, "action": "wave"}
//   {"op": "arc", "kind": "input", "place": "P3", "transition": "T2", "weight": 2}   0: none
//   {"op": "property", "text": "never: P3 & P4"}         "remove": true
//   {"op": "move", "place": "P3", "x": 40, "y": 80}
//   {"op": "arrange"}                                    all nodes anew
#pragma once

#include "molejo/director/show.h"
#include "molejo/io/json_document.h"
#include "molejo/io/net_layout.h"
#include "molejo/net/net.h"

namespace molejo {

// Where nodes are drawn. They stay where they are when others come and go.
struct NetDrawing {
  std::vector<DrawingPoint> places, transitions;
  std::vector<std::vector<DrawingPoint>> bends;  // of each arc; none where an end was moved
};

struct EditedNet {
  Net net;
  NetDrawing drawing;
  // Which node of the net before a node was; -1: a new one.
  std::vector<int> place_was, transition_was;
  bool only_drawing = true;  // nothing but places on the page has changed
  bool arrange = false;      // all nodes shall be placed anew
};

// Throws InputError that names the edit and what is wrong with it.
EditedNet edit_net(const Net& net, const NetDrawing& drawing, const JsonValue& edits);

// What hangs on the nodes of a show goes with them; what hung on removed ones is gone.
void take_edit(const EditedNet& edited, std::vector<Binding>& bindings, std::vector<Cause>& causes);

}  // namespace molejo

// State machines, as game engines have them, imported as nets.
//
//   state S           -> place S, one token in the state that the layer starts with
//   S -> D            -> transition, takes S, puts D
//   exit time e       -> the wait of S: its delay; a later exit time of the same state gets a timer
//   no exit time      -> the transition interrupts S
//   trigger, when     -> the event of the transition
//
// A machine is the subclass of nets with one input and one output a transition (Bicho 2001,
// section 2.3); layers run beside each other. Format: docs/net.md.
#pragma once

#include "molejo/io/json_cursor.h"
#include "molejo/net/net.h"

namespace molejo {

// Throws InputError.
Net read_state_machine(const JsonCursor& file);

}  // namespace molejo

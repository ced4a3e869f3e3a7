// A directed scene as GLB: bodies, and walkers in their skins where they have one.
#pragma once

#include "molejo/director/director.h"

namespace molejo {

// Does a walker of the show have a skin? Then its skeletons are wanted: DirectSettings::skeletons.
bool has_skins(const Show& show);

// Walkers with a skin are shown in it, driven by the poses that move their bodies, which are not
// shown then; all other bodies as in glb (export.h). `directed` must have kept the skeletons.
std::string show_glb(const Show& show, const Directed& directed);

}  // namespace molejo

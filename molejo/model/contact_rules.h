// Which shapes of a model may touch, and what happens then.
#pragma once

#include "molejo/model/model.h"

namespace molejo {

struct Scene;

// Fills parts, colliders, contact_rules and never_touch of a model whose links, bodies and loops
// are complete. Throws InputError for a name that is neither a body nor a group.
void add_contact_rules(const Scene& scene, Model& model);

}  // namespace molejo

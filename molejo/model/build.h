// From the description of a scene to a Model and its initial State.
#pragma once

#include "molejo/model/formulas.h"

namespace molejo {

struct Scene;

struct Built {
  Model model;
  State initial;
  std::shared_ptr<const FormulaSet> formulas{};  // null: none
};

// Checks the scene (names, masses, inertias, one parent per body, no cycle among tree joints,
// finite numbers, joints closed and velocities tangent in the initial state) and builds it in the
// formulation of its settings. Throws InputError naming the element and the value.
//
// reduced: joints without `loop` make the tree; bodies without a parent joint float freely.
// maximal: every body floats freely, every joint is a closure by Lagrange multipliers.
Built build(const Scene& scene);

}  // namespace molejo

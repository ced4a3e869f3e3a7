// Checks of single elements of a scene: values that are finite, positive, ordered, of the right
// count. Each throws InputError naming the element, the value and what was expected.
#pragma once

#include "molejo/model/scene.h"

namespace molejo {

void check_settings(const Settings& settings);
void check_joint(const SceneJoint& joint);
void check_spring(const SceneSpring& spring);
void check_force(const SceneForce& force);
void check_contact_pair(const SceneContactPair& pair);
void check_contact(const ContactSettings& contact);
void check_surface(const Surface& surface, const std::string& who);

// Checks the body; returns its mass properties as given or computed from its shapes.
MassProperties checked_mass(const SceneBody& body);

// Six significant digits, for messages.
std::string short_number(double x);

}  // namespace molejo

// Bodies of the templates declared in command.h, for the two files that instantiate them.
#pragma once

#include <algorithm>
#include <cassert>

#include "molejo/physics/command.h"

namespace molejo {

template <class S>
Command<S>::Command(const Model& model)
    : forces(static_cast<std::size_t>(model.motors)),
      motors(static_cast<std::size_t>(model.motors)) {
  const auto set = [&](std::size_t first, const std::vector<Drive>& drives) {
    for (const Drive& d : drives) {
      motors[first++] = {S(d.target), S(d.target_velocity), S(d.kp), S(d.kd), S(0.0)};
    }
  };
  set(0, model.drives);
  for (const LoopJoint& loop : model.loops) {
    set(static_cast<std::size_t>(loop.first_motor), loop.drives);
  }
  wrenches.reserve(model.links.size());
}

template <class S>
Acting<S> acting([[maybe_unused]] const Model& model, const Command<S>& command) {
  assert(command.forces.size() == static_cast<std::size_t>(model.motors));
  assert(command.motors.size() == static_cast<std::size_t>(model.motors));
  const auto pushes = [&](const S& force) { return any(nonzero(force)); };
  const auto is_on = [&](const MotorTarget<S>& motor) { return any(nonzero(motor.on)); };
  Acting<S> found;
  if (std::any_of(command.forces.begin(), command.forces.end(), pushes)) {
    found.forces = command.forces.data();
  }
  if (std::any_of(command.motors.begin(), command.motors.end(), is_on)) {
    found.motors = command.motors.data();
  }
  if (!command.wrenches.empty()) found.wrenches = &command.wrenches;
  return found;
}

}  // namespace molejo

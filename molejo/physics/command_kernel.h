// Bodies of the templates declared in command.h, for the two files that instantiate them.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>

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

// Is any of many numbers not a zero? All bits but the signs, one over the other: no branches.
template <class S>
class AnyNonzero {
 public:
  void add(const S& x) {
    if constexpr (lanes<S> == 1) {
      bits_ |= std::bit_cast<std::int64_t>(x);
    } else {
      bits_ |= (Pack4::Bits)x.v;
    }
  }
  bool found() const {
    if constexpr (lanes<S> == 1) {
      return (bits_ & INT64_MAX) != 0;
    } else {
      return any(Pack4::Mask{(bits_ & INT64_MAX) != 0});
    }
  }

 private:
  std::conditional_t<lanes<S> == 1, std::int64_t, Pack4::Bits> bits_{};
};

template <class S>
inline Acting<S> acting([[maybe_unused]] const Model& model, const Command<S>& command) {
  const std::size_t count = command.forces.size();
  assert(count == static_cast<std::size_t>(model.motors) && count == command.motors.size());
  AnyNonzero<S> forces, motors;
  const S* force = command.forces.data();
  const MotorTarget<S>* motor = command.motors.data();
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    forces.add(force[i]);
    motors.add(motor[i].on);
  }
  const bool pushes = std::any_of(
      command.wrenches.begin(), command.wrenches.end(),
      [](const Wrench<S>& w) { return any(nonzero(w.force)) || any(nonzero(w.torque)); });
  return {forces.found() ? force : nullptr, motors.found() ? motor : nullptr,
          pushes ? &command.wrenches : nullptr};
}

}  // namespace molejo

// What a controller tells a world: forces along freedoms, targets of motors, wrenches on bodies.
//
//   Command<double> command(model);
//   command.forces[freedom(model, "rail")] = 3;  // N
//   command.motors[freedom(model, "elbow")] = {.position = 1, .stiffness = 50, .on = 1};
//   command.wrenches = {{model.body("torso"), {}, {0, 0, 20}, {}}};
//   step(model, method, h, state, command, scratch);  // integrate.h
//
// It acts for the step that it is given to. One that tells nothing leaves every bit as it is.
// A Command<Pack4> is one of four worlds, each lane the command of its own.
#pragma once

#include <string>
#include <vector>

#include "molejo/model/model.h"

namespace molejo {

// A motor: force stiffness (position - q) + damping (velocity - v) along a freedom, taken at the
// end of the step as that of a drive is (forces.h). It stands for the motor of the scene while it
// is on, within the same max_force; springs, dampers and limits of the joint act as ever.
template <class S>
struct MotorTarget {
  S position{}, velocity{};  // m or rad, and a second
  S stiffness{}, damping{};  // N/m, N s/m; N m/rad, N m s/rad
  S on{};                    // 1 or 0
};

// A force and a torque in world axes, on a point of a body that is given in its frame. Zeros are as
// good as none.
template <class S>
struct Wrench {
  BodyId body;
  Vec3T<S> p, force, torque;
};

template <class S>
struct Command {
  // Nothing acts. Motors have the numbers that they have in the scene, and are off.
  explicit Command(const Model& model);

  // Of each freedom, in the order of Model::motors: along the velocities of the tree, then along
  // the measured ones of loop joints. Forces come on top of all else, within no bound.
  std::vector<S> forces;  // N, N m
  std::vector<MotorTarget<S>> motors;
  std::vector<Wrench<S>> wrenches;  // has memory for one a body
};

// One line if it is none for this model: lists of other sizes, numbers that are not finite,
// negative gains, bodies that are not there. Else empty. What takes a step asserts the sizes and
// bodies only.
std::string command_trouble(const Model& model, const Command<double>& command);

// The freedoms of a joint, of the tree or of a loop, in the lists of a command. Throw InputError
// with the nearest name. A joint without a name is called "body.joint".
struct JointRange {
  int first = 0, count = 0;
};
JointRange joint_range(const Model& model, const std::string& joint);
std::size_t freedom(const Model& model, const std::string& joint, int part = 0);

// Per lane: true where x is anything but a zero.
inline bool nonzero(double x) { return x != 0; }
inline Pack4::Mask nonzero(const Pack4& x) { return Pack4::Mask(x.v != Pack4::Lanes{}); }
inline bool nonzero(const Vec3& x) { return x.x != 0 || x.y != 0 || x.z != 0; }
inline Pack4::Mask nonzero(const Vec3T<Pack4>& x) {
  return Pack4::Mask(nonzero(x.x).bits | nonzero(x.y).bits | nonzero(x.z).bits);
}

// Of a command, what tells anything.
template <class S>
struct Acting {
  const S* forces = nullptr;
  const MotorTarget<S>* motors = nullptr;
  const std::vector<Wrench<S>>* wrenches = nullptr;

  bool any() const { return forces || motors || wrenches; }
  // Does it push bodies, and not only the freedoms of the tree?
  bool on_bodies(const Model& model) const { return wrenches || (any() && !model.loops.empty()); }
};
template <class S>
Acting<S> acting(const Model& model, const Command<S>& command);

// Does it do anything to this tree of the model?
bool acts_on(const Model& model, const Acting<double>& command, const Tree& tree);

}  // namespace molejo

#include "molejo/physics/command.h"

#include <algorithm>

#include "molejo/model/error.h"
#include "molejo/physics/command_kernel.h"
#include "molejo/physics/index.h"

namespace molejo {

template struct Command<double>;
template Acting<double> acting(const Model&, const Command<double>&);

JointRange joint_range(const Model& model, const std::string& joint) {
  // in maximal coordinates a free joint has the name of its body, which may be that of a loop
  for (const LoopJoint& loop : model.loops) {
    if (loop.name == joint) return {loop.first_motor, freedoms(loop.type).count()};
  }
  const auto is_of = [&](const Body& body) {
    return body.joint == joint ||
           (joint.ends_with(".joint") && joint.starts_with(body.name) &&
            joint.size() == body.name.size() + std::string_view(".joint").size());
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!is_of(model.bodies[i])) continue;
    return {model.links[i].v, model.links[i].translations + model.links[i].rotations};
  }
  std::vector<std::string> names;
  for (const LoopJoint& loop : model.loops) names.push_back(loop.name);
  for (const Body& b : model.bodies) names.push_back(b.joint.empty() ? b.name + ".joint" : b.joint);
  throw InputError(unknown_word("joint", joint, names));
}

std::size_t freedom(const Model& model, const std::string& joint, int part) {
  const JointRange range = joint_range(model, joint);
  if (part < 0 || part >= range.count) {
    throw InputError("joint '" + joint + "' has no freedom " + std::to_string(part) + ": it has " +
                     std::to_string(range.count));
  }
  return index(range.first + part);
}

bool acts_on(const Model& model, const Acting<double>& command, const Tree& tree) {
  const auto told = [&](int first, int last) {
    for (int n = first; n < last; ++n) {
      if (command.forces && command.forces[n] != 0) return true;
      if (command.motors && command.motors[n].on != 0) return true;
    }
    return false;
  };
  const auto inside = [&](BodyId body) {
    return body.index >= tree.first_link && body.index < tree.last_link;
  };
  if (told(tree.first_v, tree.last_v)) return true;
  for (const LoopJoint& loop : model.loops) {
    if (!inside(loop.body_1) && !inside(loop.body_2)) continue;
    if (told(loop.first_motor, loop.first_motor + freedoms(loop.type).count())) return true;
  }
  if (!command.wrenches) return false;
  return std::any_of(command.wrenches->begin(), command.wrenches->end(),
                     [&](const Wrench<double>& w) {
                       return inside(w.body) && (nonzero(w.force) || nonzero(w.torque));
                     });
}

}  // namespace molejo
